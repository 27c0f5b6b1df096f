"""How good predictions are on rows that a model has not seen, and how certain that is."""

from podium.evaluation.walking import WalkForward, walk_forward

__all__ = ["WalkForward", "walk_forward"]
