"""How a model is made: with which parameters, tuned and calibrated if that is asked for."""

from collections.abc import Container, Iterable, Mapping
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
Metric = Annotated[
    str | None,
    option(
        "ndcg@10: NDCG of the first 10 places of each query, if labels are grades; --tune chooses by it.",
        metavar="ndcg@K",
        panel=MODEL,
    ),
]


@dataclass(frozen=True, kw_only=True)
class Making:
    """How models are made, as options."""

    settings: Settings = None
    tune: Annotated[
        bool,
        option(
            "First choose the parameters: C and gamma on held-out rows; those of rating systems, such as k, "
            "by predicting every row from earlier ones.",
            "--tune",
            panel=MODEL,
        ),
    ] = False
    calibrate: Annotated[
        bool,
        option(
            "Add probabilities of all three outcomes, learned on five held-out folds.",
            "--calibrate",
            panel=MODEL,
        ),
    ] = False
    standardize: Annotated[bool, option("Standardise the features.", "--standardize", panel=MODEL)] = False
    metric: Metric = None

    def check(self, models: Iterable[Model]) -> None:
        """Refuse --standardize unless all models of features, and at least one model, can do it."""
        models = list(models)
        featured = [model for model in models if model.data is not Data.items] or models
        if self.standardize and (unable := [model.name for model in featured if not model.standardizes()]):
            able = ", ".join(model.name for model in ALL if model.standardizes())
            raise ValueError(f"--standardize is for {able}, not for {unable[0]}")


@dataclass(frozen=True)
class Recipe:
    """How one model is made."""

    model: Model
    parameters: dict[str, Any]
    making: Making

    @property
    def scales_rows(self) -> bool:
        """Whether a step before the model standardises the features; comparers do it themselves."""
        return self.making.standardize and self.model.data is Data.rows

    def estimator(self, screen: "Console", data: Any) -> tuple[Any, str]:
        """The estimator to fit, tuned on the data and calibrated if asked for, and what the search found."""
        own = {"scale": True} if self.making.standardize and self.model.data is Data.pairs else {}
        if own.keys() & self.parameters.keys():
            raise ValueError("--standardize and --set scale say the same; give one of them")
        estimator, note = self.model.make(own | self.parameters), ""
        if self.making.calibrate and self.model.data is Data.rows:
            raise ValueError(
                f"--calibrate is for comparisons, and {self.model.name} learns from labelled rows"
            )
        if self.making.tune:
            with busy(screen, f"tuning {self.model.name}", "settings") as progress:
                estimator, note = tune(self, estimator, data, progress)
        if self.scales_rows:
            estimator = _scaled(estimator, data)
        if self.making.calibrate:
            from podium.comparers.calibrated import CalibratedComparer

            estimator = CalibratedComparer(estimator)
        return estimator, note


def _scaled(estimator: Any, data: Any) -> Any:
    """A pipeline that first standardises the features of rows; sparse ones stay sparse."""
    from scipy.sparse import issparse
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(with_mean=not issparse(data.features)), estimator)


def places_of(metric: str | None, data: Any) -> int | None:
    """The k of ``ndcg@k``, if the labels of these rows are grades."""
    if metric is None:
        return None
    from podium.metrics.ordered import gains

    name, _, k = metric.partition("@")
    if name != "ndcg" or not k.isdecimal() or not int(k):
        raise ValueError(f"--metric takes ndcg@K, such as ndcg@10, not '{metric}'")
    labels = getattr(data, "label", None)
    if labels is None or labels.dtype.kind not in "iuf":
        raise ValueError(f"--metric {metric} is for labelled rows whose labels are grades of relevance")
    gains(labels)
    return int(k)


# ------------------------------------------------------------------------------------ tuning
#
# Parameters are chosen on rows that the model has not seen. Models that follow time are tuned one step ahead
# by `podium.evaluation.tune_forward`; all others on held-out rows, over the grid of [SVMcompare] §4.


def tune(recipe: Recipe, estimator: Any, data: Any, progress: Progress) -> tuple[Any, str]:
    """The estimator with the parameters that predict best, and a note on them.

    A model that follows time is judged by its losses one step ahead; parameters that are given stay as they
    are. Any other model is judged on a third of the rows, by its errors or its NDCG.
    """
    if not recipe.model.tuned:
        able = ", ".join(other.name for other in ALL if other.tuned)
        raise ValueError(f"{recipe.model.name} has nothing to tune, unlike {able}")
    if hasattr(estimator, "before"):
        return _forward(estimator, data, recipe.parameters, progress)
    return _held_out(recipe, estimator, data, progress)


def _forward(estimator: Any, data: Any, given: Container[str], progress: Progress) -> tuple[Any, str]:
    from podium.evaluation.tuning import tunable, tune_forward

    found = tune_forward(estimator, data, tunable(estimator, data, given), progress=progress)
    words = ", ".join(f"{name}={value:g}" for name, value in found.chosen.items())
    what = f"{found.tried} settings of {', '.join(found.chosen)} one step ahead on {found.n:,} comparisons"
    return found.model, f"tried {what}; chose {words}, {found.score} {found.loss:.4f}"


def _held_out(recipe: Recipe, estimator: Any, data: Any, progress: Progress) -> tuple[Any, str]:
    """Errors are wrong comparisons or classes; for models that rank labelled rows, swapped pairs.

    The rows to test on are drawn at random, in whole groups or queries if there are some. Of equally good
    values the smallest wins.
    """
    from podium.comparers.grid import PAPER_C, PAPER_GAMMA

    model, k = recipe.model, places_of(recipe.making.metric, data)
    train, held = split(data)
    grid = {"C": PAPER_C}
    if "gamma" in model.tuned and estimator.kernel not in NO_WIDTH:
        grid["gamma"] = PAPER_GAMMA
    if model.name in ("svm-compare", "svm-rank"):
        chosen, error = _kernel_grid(estimator, grid, train, held, progress)
    else:
        chosen, error = _grid(recipe, estimator, grid, train, held, progress)
    words = ", ".join(f"{name}={value:.4g}" for name, value in chosen.items())
    rows, wrong = _nouns(model, estimator)
    tried = prod(map(len, grid.values()))
    what = f"{tried} values of {' and '.join(chosen)} on {len(held):,} held-out {rows}"
    how = f"{100 * error:.1f} % of {wrong}" if k is None else f"NDCG@{k} {1 - error:.4f}"
    return estimator.set_params(**chosen), f"tried {what}; chose {words}, {how}"


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
    recipe: Recipe, estimator: Any, grid: Mapping[str, Any], train: Any, held: Any, progress: Progress
) -> tuple[dict[str, float], float]:
    """The best cell and its error, with one fit per cell."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    k = places_of(recipe.making.metric, held)
    cells = [{name: float(value) for name, value in cell.items()} for cell in ParameterGrid(grid)]
    errors = np.ones(len(cells))
    for i, cell in enumerate(cells):
        with located(", ".join(f"{name}={value:.4g}" for name, value in cell.items())):
            fresh = clone(estimator).set_params(**cell)
            fitted = fit_to(_scaled(fresh, train) if recipe.scales_rows else fresh, train)
        score = score_on(fitted, held) if k is None else _ndcg(fitted, held, k)
        errors[i] = 1.0 - score
        progress(i + 1, len(cells))
    best = int(np.argmin(errors))
    return cells[best], float(errors[best])


def _ndcg(fitted: Any, held: Any, k: int) -> float:
    from podium.evaluation.scoring import ranking_scores
    from podium.metrics import ndcg

    return ndcg(held.label, ranking_scores(fitted, held.features), held.query, k)
