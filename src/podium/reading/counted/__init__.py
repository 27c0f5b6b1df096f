"""Equal rows are counted instead of loaded: when this is done, and how their counts are used."""
