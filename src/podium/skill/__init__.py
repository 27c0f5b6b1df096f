"""Shared by all models of skill: the frozen fit, tests, ranks, predictions and the leaderboard."""
