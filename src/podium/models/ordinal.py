"""OrdinalSVM: a score and thresholds that cut it into ordered classes, eq. (4) of [Swapped pairs]."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from podium.checks import check_length
from podium.features import distinct_rows
from podium.kernels import Floats, Kernel, KernelName, make_kernel
from podium.messages import first_true, quoted, row_name

Index = NDArray[np.intp]


class OrdinalSVM(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Ordered classes from a score h(x) = w·Φ(x) and thresholds: ratings, grades, degrees of relevance.

    With classes 1, ..., r and thresholds b_1 ≤ ... ≤ b_{r-1}, ``constraints="implicit"`` is SVOR as eq. (4)
    of [Swapped pairs] prints it,

        min_{w, b}  ½‖w‖² + C Σ_i w_i [ Σ_{y ≥ y_i} (1 + h(x_i) - b_y)₊ + Σ_{y < y_i} (1 - h(x_i) + b_y)₊ ],

    where every input speaks to every threshold y < r: a mistake costs more, the more thresholds it jumps, and
    the thresholds are in order by themselves. ``constraints="explicit"`` keeps only the neighbours of a
    class, y = y_i and y = y_i - 1, and demands b_1 ≤ ... ≤ b_{r-1} [Chu and Keerthi 2005]. C multiplies the
    *sum* of the slacks and w_i is the sample weight, so that a row twice is a row of weight 2.

    Use it for a handful of ordered classes. For the order of inputs alone, compare `decision_function` with
    the targets by `podium.metrics.swapped_pairs`, which is what Table 1 of the paper reports. A real target
    asks for ``bins``: the paper's SVOR₅ is ``bins=5``, which cuts y into five bins of equal frequency (equal
    values stay together, so with many of them the bins differ, and may be fewer).

    Classes have the order of their values, text that of the alphabet, an ordered pandas categorical its own.

    Parameters
    ----------
    constraints : {"implicit", "explicit"}
    kernel : {"linear", "poly", "rbf", "precomputed"} or a function of two tables
        A linear machine is for any number of rows and up to some thousands of features, dense or sparse.
        Others work on the whole kernel matrix: up to some thousands of rows.
    C : float
    gamma, degree, coef0
        Of the kernel, as in `SVMCompare`.
    bins : int, optional
        Number of bins for a real target; ``predict`` then gives the median of the bin's training targets.
    tol : float
        Bound of the duality gap, relative to the objective.
    max_iter : int
        Steps of the solver.

    Attributes
    ----------
    classes_ : the ordered classes; with ``bins`` the medians of the bins
    thresholds_ : r - 1 numbers that do not decrease; class k is predicted where b_{k-1} ≤ h(x) < b_k
    bin_edges_ : with ``bins``, the numbers between the bins
    coef_ : w of a linear kernel
    support_, support_vectors_, dual_coef_ : of other kernels, the rows with a coefficient in h, and these
    result_ : of the solver, with ``objective`` and ``gap``

    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> model = OrdinalSVM(C=10.0).fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> model.predict([[0.4], [2.6], [9.0]])
    array(['a', 'b', 'c'], dtype='<U1')
    >>> model.thresholds_.round(1), model.coef_.round(1)
    (array([3., 7.]), array([2.]))
    >>> OrdinalSVM(bins=3).fit(X, [0.1, 0.2, 1.1, 1.3, 7.5, 8.5]).predict([[0.4], [2.6], [9.0]]).round(2)
    array([0.15, 1.2 , 8.  ])
    """

    def __init__(
        self,
        constraints: Literal["implicit", "explicit"] = "implicit",
        kernel: KernelName | Callable[..., Any] = "linear",
        C: float = 1.0,
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        bins: int | None = None,
        tol: float = 1e-3,
        max_iter: int = 200,
    ) -> None:
        self.constraints = constraints
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bins = bins
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows of features and their classes, or with ``bins`` their real targets."""
        self._check_parameters()
        categories = ordered_categories(y)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            y_numeric=self.bins is not None,
            ensure_min_samples=2,
        )
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"a precomputed kernel is a square matrix between the rows, not one of the shape {X.shape}"
            )
        weight = checked_sample_weight(sample_weight, len(y))
        used = np.flatnonzero(weight)
        self.__dict__.pop("bin_edges_", None)
        if self.bins is None:
            self.classes_, level = ordered_classes(y[used], categories)
        else:
            self.classes_, level, self.bin_edges_ = equal_frequency(y[used], weight[used], self.bins)
        self._solve(X if len(used) == len(y) else X[used], used, level, self.C * weight[used])
        self.result_.warn_if_stopped_early(self.tol)
        return self

    def _check_parameters(self) -> None:
        if self.constraints not in ("implicit", "explicit"):
            raise ValueError(f"constraints is 'implicit' or 'explicit', not {self.constraints!r}")
        if not 0 < self.C < np.inf:
            raise ValueError(f"C is a positive finite number, not {self.C!r}")
        if not self.tol > 0 or not self.max_iter >= 1:
            raise ValueError("tol is above 0 and max_iter at least 1")
        if self.bins is not None and not (self.bins >= 2 and float(self.bins).is_integer()):
            raise ValueError(f"bins is None or a whole number of at least 2, not {self.bins!r}")

    def _solve(self, X: Any, used: Index, level: Index, cost: Floats) -> None:
        """Linear in the primal, unless there are more features than rows; else by the kernel matrix."""
        from podium.solvers.ordinal import fit_ordinal
        from podium.solvers.ordinal_kernel import fit_ordinal_kernel

        for name in ("coef_", "support_", "support_vectors_", "dual_coef_"):
            self.__dict__.pop(name, None)
        options: dict[str, Any] = {
            "explicit": self.constraints == "explicit",
            "tol": self.tol,
            "max_iter": self.max_iter,
        }
        linear = self.kernel == "linear"
        if linear and X.shape[1] <= X.shape[0]:
            result = fit_ordinal(X, level, cost, **options)
            self.coef_, self.thresholds_ = np.split(result.solution, [X.shape[1]])
        else:
            kernel, K = self._kernel_matrix(X, used)
            result = fit_ordinal_kernel(K, level, cost, **options)
            coefficients, self.thresholds_ = result.details["coefficients"], result.solution
            if linear:
                self.coef_ = np.asarray(X.T @ coefficients).ravel()
            else:
                self._adopt(X, used, coefficients, kernel)
        self.result_, self.n_iter_ = result, max(1, result.iterations)

    def _kernel_matrix(self, X: Any, used: Index) -> tuple[Kernel, Floats]:
        if self.kernel == "precomputed":
            return Kernel("precomputed"), X[:, used]
        items = X[distinct_rows(X)[0]] if self.gamma == "scale" else X
        kernel = make_kernel(self.kernel, self.gamma, self.degree, self.coef0, items)
        return kernel, kernel(X, X)

    def _adopt(self, X: Any, used: Index, coefficients: Floats, kernel: Kernel) -> None:
        kept = np.flatnonzero(coefficients)
        self.support_, self.dual_coef_, self._kernel = used[kept], coefficients[kept], kernel
        if self.kernel != "precomputed":
            self.support_vectors_, self.gamma_ = X[kept], kernel.gamma

    # ------------------------------------------------------------------------------------ predictions

    def decision_function(self, X: Any) -> Floats:
        """The ranking score h(x), one number a row whatever the number of classes."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        if self.kernel == "linear":
            return np.asarray(X @ self.coef_)
        items = self.support_ if self.kernel == "precomputed" else self.support_vectors_
        return self._kernel.expand(X, items, self.dual_coef_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class whose interval [b_{k-1}, b_k) holds h(x); with ``bins`` the median of that bin."""
        h = self.decision_function(X)
        return np.asarray(self.classes_[np.searchsorted(self.thresholds_, h, side="right")])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class, with ``bins`` whose bin, is predicted: classifiers' accuracy.

        It does not see by how much a class is missed: for that, score by ``"neg_mean_absolute_error"``, and
        for the order by swapped pairs.
        """
        predicted = self.predict(X)
        y = np.asarray(y)
        check_length(len(predicted), y, "y")
        if self.bins is not None:
            y = self.classes_[np.searchsorted(self.bin_edges_, y, side="right")]
        return float(np.average(predicted == y, weights=sample_weight))


# ------------------------------------------------------------------------------------ targets


class Bins(NamedTuple):
    """A real target in bins: the median and the code of each, and the numbers between them."""

    medians: Floats
    level: Index
    edges: Floats


def equal_frequency(y: Any, weight: Floats, bins: int) -> Bins:
    """Cut between distinct values, where the weight so far is closest to a multiple of the total over bins.

    >>> equal_frequency([1.0, 2.0, 2.0, 5.0], np.ones(4), 2)
    Bins(medians=array([1., 2.]), level=array([0, 1, 1, 1]), edges=array([1.5]))
    """
    values, inverse = np.unique(np.asarray(y, dtype=np.float64), return_inverse=True)
    total = np.cumsum(np.bincount(inverse, weight))
    if len(values) < 2:
        raise ValueError(f"y has one value, {values[0]:g}, where at least two classes are needed")
    wanted = total[-1] * np.arange(1, bins) / bins
    cuts = np.unique(np.abs(total[:-1, None] - wanted).argmin(axis=0))
    edges = 0.5 * (values[cuts] + values[cuts + 1])
    level = np.searchsorted(cuts, inverse, side="left")
    own = np.searchsorted(cuts, np.arange(len(values)), side="left")
    medians = [_median(values[own == k], np.diff(total, prepend=0.0)[own == k]) for k in range(len(cuts) + 1)]
    return Bins(np.array(medians), level, edges)


def _median(values: Floats, weight: Floats) -> float:
    """Of sorted distinct values: between two where half of the weight is below."""
    below = np.cumsum(weight) / weight.sum()
    first = int(np.searchsorted(below, 0.5 - 1e-12))
    if abs(below[first] - 0.5) <= 1e-12:
        return float(0.5 * (values[first] + values[first + 1]))
    return float(values[first])


def ordered_categories(y: Any) -> list[Any] | None:
    """The categories of an ordered pandas categorical, or of a series of these."""
    dtype: Any = getattr(y, "dtype", None)
    return list(dtype.categories) if getattr(dtype, "ordered", None) is True else None


def ordered_classes(y: NDArray[Any], categories: list[Any] | None) -> tuple[NDArray[Any], Index]:
    """The classes that occur, in their order, and the number of each row's."""
    kind = "multiclass" if y.ndim == 1 and y.dtype.kind in "biuU" else type_of_target(y)
    if kind.startswith("continuous"):
        raise ValueError(
            "Unknown label type: y has real numbers where ordered classes are expected; "
            "give bins=5 to cut it into five bins of equal frequency"
        )
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"Unknown label type: y is '{kind}' where a column of ordered classes is expected")
    classes, level = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y has one class, {quoted(classes[0])}, where at least two are needed")
    if categories is None:
        return classes, level
    order = np.argsort([categories.index(label) for label in classes])
    return classes[order], np.argsort(order)[level]


def checked_sample_weight(weight: Any, n: int) -> Floats:
    """Finite and not negative; a row of weight 0 is as good as absent."""
    if weight is None:
        return np.ones(n)
    weights: Floats = np.asarray(weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    check_length(n, weights, "sample_weight")
    if (bad := ~(np.isfinite(weights) & (weights >= 0))).any():
        row = first_true(bad)
        raise ValueError(
            f"the sample weight {weights[row]} at {row_name(row)} is not a finite number of at least 0"
        )
    if not weights.any():
        raise ValueError("all sample weights are zero: there is nothing to learn from")
    return weights
