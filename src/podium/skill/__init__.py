"""What every model of skill shares: the frozen fit, tests, ranks, predictions and the building of a board."""
