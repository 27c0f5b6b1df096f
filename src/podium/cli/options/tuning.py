"""``--tune``: parameters chosen on rows that the model has not seen.

Models that follow time are tuned one step ahead by `podium.evaluation.tune_forward`; all others on held-out
rows, over the grid of [SVMcompare] §4.
"""

from collections.abc import Callable, Container
from typing import Any

from podium.cli.options.registry import ALL, Data, Model, fit_to, score_on
from podium.cli.output.errors import located

HELD_OUT = 1 / 3
SEED = 0
NO_WIDTH = ("linear", "precomputed")  # kernels without γ


def tune(
    model: Model,
    estimator: Any,
    data: Any,
    progress: Callable[[int, int], None],
    given: Container[str] = (),
) -> tuple[Any, str]:
    """The estimator with the parameters that predict best, and a note on them.

    A model that follows time is judged by its losses one step ahead; parameters that are ``given`` stay as
    they are. Any other model is judged by its errors on a third of the rows.
    """
    if not model.tuned:
        able = ", ".join(other.name for other in ALL if other.tuned)
        raise ValueError(f"{model.name} has nothing to tune, unlike {able}")
    if hasattr(estimator, "before"):
        return _forward(estimator, data, given, progress)
    return _held_out(model, estimator, data, progress)


def _forward(
    estimator: Any, data: Any, given: Container[str], progress: Callable[[int, int], None]
) -> tuple[Any, str]:
    from podium.evaluation.tuning import tunable, tune_forward

    found = tune_forward(estimator, data, tunable(estimator, data, given), progress=progress)
    words = ", ".join(f"{name}={value:g}" for name, value in found.chosen.items())
    what = f"{found.tried} settings of {', '.join(found.chosen)} one step ahead on {found.n:,} comparisons"
    return found.model, f"tried {what}; chose {words}, {found.score} {found.loss:.4f}"


def _held_out(
    model: Model, estimator: Any, data: Any, progress: Callable[[int, int], None]
) -> tuple[Any, str]:
    """Errors are wrong comparisons or classes; for models that rank labelled rows, swapped pairs.

    The rows to test on are drawn at random, in whole groups or queries if there are some. Of equally good
    values the smallest wins.
    """
    train, held = split(data)
    if model.name in ("svm-compare", "svm-rank"):
        chosen, error, tried = _kernel_grid(estimator, train, held, progress)
    else:
        chosen, error, tried = _grid(model, estimator, train, held, progress)
    words = ", ".join(f"{name}={value:.4g}" for name, value in chosen.items())
    rows, wrong = _nouns(model, estimator)
    what = f"{tried} values of {' and '.join(chosen)} on {len(held):,} held-out {rows}"
    return estimator.set_params(**chosen), f"tried {what}; chose {words}, {100 * error:.1f} % of {wrong}"


def _nouns(model: Model, estimator: Any) -> tuple[str, str]:
    """The nouns for what is held out and for its errors."""
    from sklearn.base import is_classifier

    if model.data is not Data.rows:
        return "comparisons", "them wrong"
    return "rows", "them wrong" if is_classifier(estimator) else "their pairs swapped"


def split(data: Any) -> tuple[Any, Any]:
    """Two parts at random; rows of a group or query stay together."""
    import numpy as np
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

    is_rows = not hasattr(data, "group")
    group, noun = (data.query, "rows") if is_rows else (data.group, "comparisons")
    if len(data) < 6 or (group is not None and len(np.unique(group)) < 3):
        several = "queries" if is_rows else "groups"
        raise ValueError(f"--tune needs more than {len(data):,} {noun}, or more {several}, to hold some out")
    kind = ShuffleSplit if group is None else GroupShuffleSplit
    [(train, held)] = kind(1, test_size=HELD_OUT, random_state=SEED).split(np.zeros(len(data)), None, group)
    return data[train], data[held]


def _kernel_grid(
    estimator: Any, train: Any, held: Any, progress: Callable[[int, int], None]
) -> tuple[dict[str, float], float, int]:
    """One kernel matrix serves all C: `compare_grid`. A linear kernel has no γ."""
    from podium.comparers.grid import PAPER_GAMMA, compare_grid

    widths = [1.0] if estimator.kernel in NO_WIDTH else PAPER_GAMMA
    found = compare_grid(estimator, train, held, gamma=widths, progress=progress)
    chosen = {"C": found.best_C} | ({} if len(widths) == 1 else {"gamma": found.best_gamma})
    return chosen, found.best_validation_error, found.validation_error.size


def _grid(
    model: Model, estimator: Any, train: Any, held: Any, progress: Callable[[int, int], None]
) -> tuple[dict[str, float], float, int]:
    """One fit per cell of the grid."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    from podium.comparers.grid import PAPER_C, PAPER_GAMMA

    has_width = "gamma" in model.tuned and estimator.kernel not in NO_WIDTH
    cells = [
        {name: float(value) for name, value in cell.items()}
        for cell in ParameterGrid({"C": PAPER_C} | ({"gamma": PAPER_GAMMA} if has_width else {}))
    ]
    errors = np.ones(len(cells))
    for i, cell in enumerate(cells):
        with located(", ".join(f"{name}={value:.4g}" for name, value in cell.items())):
            fitted = fit_to(clone(estimator).set_params(**cell), train)
        errors[i] = 1.0 - score_on(fitted, held)
        progress(i + 1, len(cells))
    best = int(np.argmin(errors))
    return cells[best], float(errors[best]), len(cells)
