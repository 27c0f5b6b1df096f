"""How good predictions are on rows that a model has not seen, and how certain that is."""
