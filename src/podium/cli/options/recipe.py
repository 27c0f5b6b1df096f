"""How a model is made: with which parameters, tuned and calibrated if that is asked for."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.options.reading import option
from podium.cli.options.registry import ALL, Data, Model, fit_to, score_on
from podium.cli.options.splits import split
from podium.cli.output.errors import located
from podium.cli.output.screen import busy
from podium.numerics.progress import Progress
from podium.options import MODEL

if TYPE_CHECKING:
    from rich.console import Console

NO_WIDTH = ("linear", "precomputed")  # kernels without γ
Settings = Annotated[
    list[str] | None,
    option(
        "Parameter of the model, such as C=10; 'podium models NAME' lists them.",
        "--set",
        metavar="NAME=VALUE",
        panel=MODEL,
    ),
]
Tune = Annotated[
    bool,
    option(
        "First choose the parameters: C and gamma on held-out rows; those of rating systems, such as k, "
        "by predicting every row from earlier ones.",
        "--tune",
        panel=MODEL,
    ),
]
Calibrate = Annotated[
    bool,
    option(
        "Add probabilities of all three outcomes, learned on five held-out folds.", "--calibrate", panel=MODEL
    ),
]


@dataclass(frozen=True)
class Recipe:
    """How a model is made: its parameters, and whether it is tuned and calibrated."""

    model: Model
    parameters: dict[str, Any]
    tune: bool
    calibrate: bool

    def estimator(self, screen: "Console", data: Any) -> tuple[Any, str]:
        """The estimator to fit, tuned on the data and calibrated if asked for, and what the search found."""
        estimator, note = self.model.make(self.parameters), ""
        if self.calibrate and self.model.data is Data.rows:
            raise ValueError(
                f"--calibrate is for comparisons, and {self.model.name} learns from labelled rows"
            )
        if self.tune:
            with busy(screen, f"tuning {self.model.name}", "settings") as progress:
                estimator, note = tune(self.model, estimator, data, progress, self.parameters)
        if self.calibrate:
            from podium.comparers.calibrated import CalibratedComparer

            estimator = CalibratedComparer(estimator)
        return estimator, note


# ------------------------------------------------------------------------------------ tuning
#
# Parameters are chosen on rows that the model has not seen. Models that follow time are tuned one step ahead
# by `podium.evaluation.tune_forward`; all others on held-out rows, over the grid of [SVMcompare] §4.


def tune(
    model: Model,
    estimator: Any,
    data: Any,
    progress: Progress,
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


def _forward(estimator: Any, data: Any, given: Container[str], progress: Progress) -> tuple[Any, str]:
    from podium.evaluation.tuning import tunable, tune_forward

    found = tune_forward(estimator, data, tunable(estimator, data, given), progress=progress)
    words = ", ".join(f"{name}={value:g}" for name, value in found.chosen.items())
    what = f"{found.tried} settings of {', '.join(found.chosen)} one step ahead on {found.n:,} comparisons"
    return found.model, f"tried {what}; chose {words}, {found.score} {found.loss:.4f}"


def _held_out(model: Model, estimator: Any, data: Any, progress: Progress) -> tuple[Any, str]:
    """Errors are wrong comparisons or classes; for models that rank labelled rows, swapped pairs.

    The rows to test on are drawn at random, in whole groups or queries if there are some. Of equally good
    values the smallest wins.
    """
    from podium.comparers.grid import PAPER_C, PAPER_GAMMA

    train, held = split(data)
    grid = {"C": PAPER_C}
    if "gamma" in model.tuned and estimator.kernel not in NO_WIDTH:
        grid["gamma"] = PAPER_GAMMA
    search = _kernel_grid if model.name in ("svm-compare", "svm-rank") else _grid
    chosen, error = search(estimator, grid, train, held, progress)
    words = ", ".join(f"{name}={value:.4g}" for name, value in chosen.items())
    rows, wrong = _nouns(model, estimator)
    tried = prod(map(len, grid.values()))
    what = f"{tried} values of {' and '.join(chosen)} on {len(held):,} held-out {rows}"
    return estimator.set_params(**chosen), f"tried {what}; chose {words}, {100 * error:.1f} % of {wrong}"


def _nouns(model: Model, estimator: Any) -> tuple[str, str]:
    """The nouns for what is held out and for its errors."""
    from sklearn.base import is_classifier

    if model.data is not Data.rows:
        return "comparisons", "them wrong"
    return "rows", "them wrong" if is_classifier(estimator) else "their pairs swapped"


def _kernel_grid(
    estimator: Any, grid: Mapping[str, Any], train: Any, held: Any, progress: Progress
) -> tuple[dict[str, float], float]:
    """The best cell and its error. One kernel matrix serves all C: `compare_grid`."""
    from podium.comparers.grid import compare_grid

    found = compare_grid(estimator, train, held, **{"gamma": [1.0], **grid}, progress=progress)
    best = {"C": found.best_C, "gamma": found.best_gamma}
    return {name: best[name] for name in grid}, found.best_validation_error


def _grid(
    estimator: Any, grid: Mapping[str, Any], train: Any, held: Any, progress: Progress
) -> tuple[dict[str, float], float]:
    """The best cell and its error, with one fit per cell."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    cells = [{name: float(value) for name, value in cell.items()} for cell in ParameterGrid(grid)]
    errors = np.ones(len(cells))
    for i, cell in enumerate(cells):
        with located(", ".join(f"{name}={value:.4g}" for name, value in cell.items())):
            fitted = fit_to(clone(estimator).set_params(**cell), train)
        errors[i] = 1.0 - score_on(fitted, held)
        progress(i + 1, len(cells))
    best = int(np.argmin(errors))
    return cells[best], float(errors[best])
