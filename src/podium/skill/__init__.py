"""What all models of skill share: the frozen fit, tests, ranks, predictions and the leaderboard."""
