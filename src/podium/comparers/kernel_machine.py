"""The base of the kernel machines of [SVMcompare]: prepare pairs for the dual, get r(x) from its solution."""

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from podium.arrays.devices.boundary import in_numpy, on_device, to_device_of, to_floats, to_numpy
from podium.comparers.comparer import Comparer
from podium.comparers.scaling import Scaling, learned_scaling
from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.features import distinct_rows, is_sparse, rows_at
from podium.comparisons.inputs import featured_pairs, row_weights, with_outcomes
from podium.comparisons.table import Comparisons
from podium.numerics.kernels.kernel import Kernel, KernelParameters, PairKernel, make_kernel
from podium.numerics.parameters import check_positive

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult


ONLY_TIES = "there are only ties, so r is 0"


class TrainingPairs(NamedTuple):
    """The flipped problem (8): distinct pairs from the worse to the better item first, then the ties.

    Equal rows are one pair with the sum of their weights; ``row`` is the first of them. ``columns`` are the
    positions of the ``items`` in the comparisons ``source``, whose features ``scaling`` standardised.
    """

    items: Any
    columns: Positions
    tail: Positions
    head: Positions
    weight: Floats
    row: Positions
    n_decisive: int
    source: Comparisons
    scaling: Scaling | None = None

    @property
    def outcome(self) -> NDArray[np.int8]:
        return (np.arange(len(self.tail)) < self.n_decisive).astype(np.int8)

    def kernel(self, kernel: Kernel) -> PairKernel:
        return PairKernel(kernel, self.items, self.tail, self.head)


def training_pairs(c: Comparisons, class_weight: Any, precomputed: bool) -> TrainingPairs:
    """Prepare comparisons with features and outcomes."""
    from podium.comparers.primal.problem import class_weights

    assert c.outcome is not None
    if precomputed and c.features.shape[0] != c.features.shape[1]:
        raise ValueError(
            "with kernel='precomputed' the features must be the square kernel matrix of the items, "
            f"but their shape is {c.features.shape}"
        )
    columns, left, right = items_in_use(c, precomputed)
    items = c.features[np.ix_(columns, columns)] if precomputed else c.features[columns]
    tie, right_better = c.outcome == 0, c.outcome == 1
    forward = np.where(tie, left < right, right_better)
    tail, head = np.where(forward, left, right), np.where(forward, right, left)
    key = (tie.astype(np.int64) * len(columns) + tail) * len(columns) + head
    _, row, pair = np.unique(key, return_index=True, return_inverse=True)
    factor = class_weights(class_weight, c.outcome, c.mass)
    weight = np.asarray(np.bincount(pair, c.mass * factor), dtype=np.float64)
    decisive = int(np.count_nonzero(~tie[row]))
    return TrainingPairs(items, columns, tail[row], head[row], weight, row, decisive, c)


def items_in_use(c: Comparisons, precomputed: bool) -> tuple[Positions, Positions, Positions]:
    """The items that appear, without duplicates, and the positions of both sides among them."""
    appear = np.flatnonzero(c.appears)
    code = np.full(c.n_items, -1, dtype=np.intp)
    if precomputed:
        code[appear] = np.arange(len(appear))
        return appear, code[c.left], code[c.right]
    first, kind = distinct_rows(c.features[appear])
    code[appear] = kind
    return appear[np.asarray(first)], code[c.left], code[c.right]


class Fit(NamedTuple):
    """A solved machine: the coefficients of the items in r, and the other fitted numbers."""

    coefficients: Floats
    bias: float
    margin: float
    threshold: float
    result: "SolverResult"
    note: str | None = None


class RegularizationPath(Protocol):
    """Solves a machine for one C after another with the same kernel, each from the solution before it."""

    def solve(self, C: float, tol: float, max_iter: int) -> Fit: ...


class KernelMachine(KernelParameters, Comparer):
    """A machine whose r(x) is Σ_j c_j κ(x_j, x)."""

    def _read(self, c: Any, y: Any, sample_weight: Any) -> TrainingPairs:
        """The pairs to learn from; ``row`` is the row as the user counts, including rows of weight 0."""
        self._check_parameters()
        given = featured_pairs(c)
        c = with_outcomes(given, y, sample_weight)
        here = in_numpy(c, type(self).__name__)
        scaling = learned_scaling(self.scale, here)
        scaled = here if scaling is None else scaling.comparisons(here)
        data = training_pairs(scaled, self.class_weight, self.kernel == "precomputed")
        present = np.flatnonzero(row_weights(sample_weight, len(given)))
        return data._replace(row=present[data.row], source=c, scaling=scaling)

    def _check_parameters(self) -> None:
        check_positive("C", self.C, finite=False)
        if self.scale and self.kernel == "precomputed":
            raise ValueError(
                "scale=True standardises features, but kernel='precomputed' has none; scale the features "
                "before you compute the kernel"
            )

    def _kernel_for(self, data: TrainingPairs) -> Kernel:
        return make_kernel(self.kernel, self.gamma, self.degree, self.coef0, data.items, pairs=True)

    def fit(self, c: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from comparisons.

        Parameters
        ----------
        c : Comparisons with features, or an array of shape (n, 2, p)
            The left and the right side of each comparison. Features on a device, such as arrays of torch and
            CuPy, are copied to NumPy, and everything is computed there. Fitted arrays and predictions are
            again on the device.
        y : array of shape (n,), optional
            Outcomes: -1 left is better, 0 no difference, 1 right is better; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``. The slack of a comparison costs C times its weight; a row of
            weight 0 is left out.

        Returns
        -------
        self
        """
        data = self._read(c, y, sample_weight)
        kernel = self._kernel_for(data)
        fit = self._path(data, kernel).solve(self.C, self.tol, self.max_iter)
        if fit.note is not None:
            warnings.warn(fit.note, UserWarning, stacklevel=2)
        fit.result.warn_if_stopped_early(self.tol, model=self)
        self._adopt(data, kernel, fit)
        return self

    def _path(self, data: TrainingPairs, kernel: Kernel) -> RegularizationPath:
        raise NotImplementedError

    def _adopt(self, data: TrainingPairs, kernel: Kernel, fit: Fit, coef: Floats | None = None) -> None:
        """Set the fitted attributes; ``coef``, if given, replaces the coefficients of the items."""
        self._set_features(data.source, data.scaling)
        self.bias_, self.margin_ = fit.bias, fit.margin
        self.threshold_, self.result_ = fit.threshold, fit.result
        self.n_iter_ = max(fit.result.iterations, 1)
        self.gamma_ = kernel.gamma
        self._kernel = kernel
        for name in ("coef_", "support_", "support_vectors_", "item_coef_"):
            self.__dict__.pop(name, None)
        if coef is None:
            X, kept = data.source.features, np.flatnonzero(fit.coefficients)
            support, weights = data.columns[kept], fit.coefficients[kept]
            self.support_, self.item_coef_ = to_device_of(support, X), to_device_of(weights, X)
            if self.kernel != "precomputed":
                self.support_vectors_ = rows_at(X, support)
            if self.kernel == "linear":
                coef = np.asarray(kernel.centred(data.items[kept]).T @ weights).ravel()
        if coef is not None:
            coef = coef if data.scaling is None else coef / data.scaling.scale
            self.coef_ = to_device_of(coef, data.source.features)

    def _standardised(self, X: Any) -> Any:
        return super()._standardised(to_floats(X) if on_device(X) else X)

    def _ranks(self, X: Any) -> Any:
        """Eq. (13) and (19)."""
        if self.kernel == "linear":
            return self._kernel.centred(X) @ self._coef
        coefficients = to_floats(self.item_coef_)
        if self.kernel == "precomputed":
            return self._kernel.expand(X, to_numpy(self.support_), coefficients)
        return self._kernel.expand(X, self._standardised(self.support_vectors_), coefficients)

    def _differences(self, c: Comparisons) -> Floats:
        """Differences that flip their sign exactly if the sides are swapped.

        The rounding error of a matrix product depends on the position of a row. Therefore r is computed once
        for equal features, in sorted order.
        """
        columns, left, right = items_in_use(c, self.kernel == "precomputed")
        X = c.features[columns]
        unsorted = self.kernel == "precomputed" or is_sparse(X) or not X.shape[1]
        order = slice(None) if unsorted else np.lexsort(X.T[::-1])
        r = np.empty(len(columns))
        r[order] = self._ranks(X[order])
        return np.asarray(r[right] - r[left])
