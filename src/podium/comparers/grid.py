"""The grid search of [SVMcompare] §4: C and γ are chosen on one data set and tested on another."""

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from podium.comparers.kernel_machine import Fit, KernelMachine, TrainingPairs, items_in_use
from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.table import Comparisons
from podium.metrics import comparison_auc
from podium.numerics.kernels.kernel import Kernel
from podium.numerics.parameters import check_positive
from podium.numerics.progress import Progress, progress_of
from podium.numerics.tasks import n_workers, run_tasks

# The grid of [SVMcompare] §4.
PAPER_C = np.logspace(-3, 3, 10)
PAPER_GAMMA = np.logspace(-7, 4, 10, base=2)

for _grid in (PAPER_C, PAPER_GAMMA):
    _grid.flags.writeable = False


@dataclass(frozen=True)
class GridResult:
    """The validation error of every cell, and the model chosen by it.

    Attributes
    ----------
    C, gamma : array
        The values that were tried, in increasing order.
    validation_error : array of shape (n_gamma, n_C)
        The error of every cell on the validation data.
    fallback : array of bool of shape (n_gamma, n_C)
        The cells that were fitted again with β = 0 (see `SVMCompare`).
    gap : float
        The largest relative duality gap of all cells.
    best_C, best_gamma : float
        The chosen cell.
    best_estimator : SVMCompare or SVMRank
        The model of the chosen cell.
    test_error : float or None
        The error of this model on the test data, if there are any.
    """

    C: Floats
    gamma: Floats
    validation_error: Floats
    fallback: NDArray[np.bool_]
    gap: float
    best_C: float
    best_gamma: float
    best_estimator: KernelMachine
    test_error: float | None = None

    @property
    def best_validation_error(self) -> float:
        return float(self.validation_error.min())


def compare_grid(
    estimator: KernelMachine,
    train: Any,
    validation: Any,
    test: Any = None,
    *,
    C: ArrayLike = PAPER_C,
    gamma: ArrayLike = PAPER_GAMMA,
    criterion: Literal["error", "auc"] = "error",
    n_jobs: int | None = None,
    progress: bool | Progress = False,
) -> GridResult:
    """Fit `SVMCompare` or `SVMRank` for every C and γ, and choose the cell that is best on validation data.

    All C share one kernel per γ, and each fit starts from the one before, so the grid is faster than
    `sklearn.model_selection.GridSearchCV`. Of equal cells, the smallest γ and then the smallest C win.

    Parameters
    ----------
    estimator : SVMCompare or SVMRank
        The model. All cells share its other parameters, including ``scale``.
    train : Comparisons with features, or an array of shape (n, 2, p)
        The data that every cell is fitted to.
    validation : Comparisons with features
        The data that the cell is chosen by.
    test : Comparisons with features, optional
        The data that the chosen model is tested on, once.
    C : array, default=PAPER_C
        The costs to try.
    gamma : array, default=PAPER_GAMMA
        The kernel widths to try.
    criterion : {"error", "auc"}, default="error"
        ``"error"`` is the zero-one loss. ``"auc"`` takes the largest area under the ROC curve (Figure 5 of
        [SVMcompare]); ``validation_error`` is then 1 minus that area.
    n_jobs : int or None, default=None
        The number of γ that are fitted at a time, in processes; -1 is one per core. None is 1, unless
        ``joblib.parallel_config`` says otherwise: its backend is used (see "Many fits on a cluster" in the
        documentation).
    progress : bool or callable, default=False
        True draws a bar on the terminal. A function is called with the number of finished cells and the
        total.

    Returns
    -------
    GridResult

    See Also
    --------
    SVMCompare : pairs with features, learns from ties
    SVMRank : pairs with features, without ties

    Examples
    --------
    >>> from podium import datasets
    >>> from podium.comparers.svm_compare import SVMCompare
    >>> sets = [datasets.make_norm_comparisons(60, random_state=seed) for seed in range(3)]
    >>> found = compare_grid(SVMCompare(), *sets, C=[1, 10, 100], gamma=[0.01, 0.1])
    >>> found.validation_error.shape, found.test_error < 0.3
    ((2, 3), True)
    """
    if criterion not in ("error", "auc"):
        raise ValueError(f"criterion must be 'error' or 'auc', not {criterion!r}")
    costs = np.sort(np.asarray(C, dtype=np.float64).ravel())
    widths = np.sort(np.asarray(gamma, dtype=np.float64).ravel())
    for cost in costs:
        clone(estimator).set_params(C=float(cost))._check_parameters()
    for width in widths:
        check_positive("gamma", float(width))
    judge = with_outcomes(featured_pairs(validation), purpose="choose by")
    if not costs.size or not widths.size:
        raise ValueError("the grid is empty; give at least one value of C and one of gamma")
    data = clone(estimator)._read(train, None, None)
    rows: list[Row] = []
    with progress_of(progress, "fitting the grid") as tell:
        here = n_workers(n_jobs) == 1  # then progress is told by cell, and otherwise by row
        grid = Grid(estimator, data, judge, costs, widths, criterion, tell if here else None)
        for row in run_tasks(Grid.row, grid, range(len(widths)), n_jobs):
            rows.append(row)
            if tell is not None and not here:
                tell(len(rows) * len(costs), costs.size * widths.size)
    error = np.array([row.error for row in rows])
    best = rows[int(np.argmin(error.min(axis=1)))].best
    return GridResult(
        C=costs,
        gamma=widths,
        validation_error=error,
        fallback=np.array([row.fallback for row in rows]),
        gap=max(row.gap for row in rows),
        best_C=best.C,
        best_gamma=best.gamma_,
        best_estimator=best,
        test_error=None if test is None else 1.0 - best.score(test),
    )


class Row(NamedTuple):
    """All C for one γ: the errors, which cells fell back, the largest gap, and the best model."""

    error: Floats
    fallback: list[bool]
    gap: float
    best: KernelMachine


class Grid(NamedTuple):
    """What all rows of the grid share."""

    estimator: KernelMachine
    data: TrainingPairs
    judge: Comparisons
    costs: Floats
    widths: Floats
    criterion: Literal["error", "auc"]
    tell: Progress | None

    def row(self, i: int) -> Row:
        """Fit all C for γ number i, each from the one before."""
        data, n = self.data, len(self.costs)
        machine = clone(self.estimator).set_params(gamma=float(self.widths[i]))
        machine._set_features(data.source, data.scaling)
        kernel = machine._kernel_for(data)
        path = machine._path(data, kernel)
        fits: list[Fit] = []
        for cost in self.costs:
            fits.append(path.solve(float(cost), machine.tol, machine.max_iter))
            if self.tell is not None:
                self.tell(i * n + len(fits), n * len(self.widths))
        error = self.errors(machine, kernel, fits)
        j = int(np.argmin(error))
        machine.set_params(C=float(self.costs[j]))
        machine._adopt(data, kernel, fits[j])
        gap = max(fit.result.gap or 0.0 for fit in fits)
        return Row(error, [fit.note is not None for fit in fits], gap, machine)

    def errors(self, machine: KernelMachine, kernel: Kernel, fits: list[Fit]) -> Floats:
        """The validation error of each fit; the kernel between the two sets is evaluated once for all."""
        from podium.comparers.threshold import decide

        c, data, precomputed = self.judge, self.data, machine.kernel == "precomputed"
        machine._check_features(c.features, c.feature_names, "the validation pairs")
        c = replace(c, features=machine._standardised(c.features))
        assert c.outcome is not None
        columns, left, right = items_in_use(c, precomputed)
        items = data.columns if precomputed else data.items
        r = kernel.expand(c.features[columns], items, np.column_stack([fit.coefficients for fit in fits]))
        d = r[right] - r[left]
        if self.criterion == "auc":
            return np.array([1 - comparison_auc(c.outcome, column, c.mass) for column in d.T])
        predicted = decide(d, [fit.threshold for fit in fits])
        return np.asarray(np.average(predicted != c.outcome[:, None], axis=0, weights=c.mass))
