"""How good predictions are on rows that a model has not seen, and how certain that is."""

from podium.evaluation.intervals import evaluate
from podium.evaluation.tuning import Tuned, tune_forward
from podium.evaluation.walking import WalkForward, walk_forward

__all__ = ["Tuned", "WalkForward", "evaluate", "tune_forward", "walk_forward"]
