"""``--tune``: parameters chosen on rows that the model has not seen, from the grid of [SVMcompare] §4."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.cli.registry import ALL, Model

if TYPE_CHECKING:
    from podium.comparisons import Comparisons

HELD_OUT = 1 / 3
SEED = 0


def tune(
    model: Model, estimator: Any, c: "Comparisons", progress: Callable[[int, int], None]
) -> tuple[Any, str]:
    """An estimator with the parameters that are wrong least often on a third of the rows, and what it was.

    The third is drawn at random, by group if there are groups. Of equally good values the smallest counts.
    """
    if not model.tuned:
        able = ", ".join(other.name for other in ALL if other.tuned)
        raise ValueError(f"{model.name} has nothing to tune, unlike {able}")
    train, held = split(c)
    if model.name in ("svm-compare", "svm-rank"):
        chosen, error, tried = _kernel_grid(estimator, train, held, progress)
    else:
        chosen, error, tried = _grid(model, estimator, train, held, progress)
    words = ", ".join(f"{name}={value:.4g}" for name, value in chosen.items())
    what = f"{tried} values of {' and '.join(chosen)} on {len(held):,} held-out comparisons"
    return estimator.set_params(**chosen), f"tried {what}; chose {words}, {100 * error:.1f} % of them wrong"


def split(c: "Comparisons") -> tuple["Comparisons", "Comparisons"]:
    """Two parts at random; rows of a group stay together."""
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

    if len(c) < 6 or (c.group is not None and len(np.unique(c.group)) < 3):
        raise ValueError(f"--tune needs more than {len(c):,} comparisons, or more groups, to hold some out")
    kind = ShuffleSplit if c.group is None else GroupShuffleSplit
    [(train, held)] = kind(1, test_size=HELD_OUT, random_state=SEED).split(np.zeros(len(c)), None, c.group)
    return c[train], c[held]


def _kernel_grid(
    estimator: Any, train: "Comparisons", held: "Comparisons", progress: Callable[[int, int], None]
) -> tuple[dict[str, float], float, int]:
    """One kernel for all C: `compare_grid`. A linear kernel has no γ."""
    from podium.models.compare_grid import PAPER_GAMMA, compare_grid

    widths = [1.0] if estimator.kernel in ("linear", "precomputed") else PAPER_GAMMA
    found = compare_grid(estimator, train, held, gamma=widths, progress=progress)
    chosen = {"C": found.best_C} | ({} if len(widths) == 1 else {"gamma": found.best_gamma})
    return chosen, found.best_validation_error, found.validation_error.size


def _grid(
    model: Model,
    estimator: Any,
    train: "Comparisons",
    held: "Comparisons",
    progress: Callable[[int, int], None],
) -> tuple[dict[str, float], float, int]:
    """One fit after the other."""
    from sklearn.base import clone

    from podium.models.compare_grid import PAPER_C

    errors = np.ones(len(PAPER_C))
    for i, cost in enumerate(PAPER_C):
        errors[i] = 1.0 - clone(estimator).set_params(C=float(cost)).fit(train).score(held)
        progress(i + 1, len(PAPER_C))
    best = int(np.argmin(errors))
    return {"C": float(PAPER_C[best])}, float(errors[best]), len(PAPER_C)
