"""Equal rows are counted instead of loaded: when, and what becomes of the counts."""
