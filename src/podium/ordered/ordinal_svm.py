"""OrdinalSVM: a score and thresholds that cut it into ordered classes, eq. (4) of [SwappedPairs]."""

import warnings
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from podium.arrays.devices.boundary import to_device_of, to_numpy
from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.checks import check_length, check_present
from podium.comparisons.features import distinct_rows
from podium.comparisons.inputs import row_weights
from podium.numerics.all_or_nothing import all_or_nothing
from podium.numerics.centre import centre_of, subtracted
from podium.numerics.estimators import ClassifierMixin, RowEstimator
from podium.numerics.kernels.kernel import Kernel, KernelParameters, dense, make_kernel
from podium.numerics.parameters import check_positive, check_stopping, check_whole
from podium.ordered.targets import alphabetical, equal_frequency, ordered_categories, ordered_classes

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult


# What an earlier fit with other parameters may have left behind.
FITTED = ("bin_edges_", "coef_", "support_", "support_vectors_", "dual_coef_", "gamma_")


@dataclass(eq=False, repr=False)
class OrdinalSVM(KernelParameters, ClassifierMixin, RowEstimator):
    """Ordered classes from one score h(x) = w·Φ(x) and thresholds: ratings, grades, degrees of relevance.

    Use it for a handful of ordered classes. With classes 1, ..., r and thresholds b_1 ≤ ... ≤ b_{r-1},
    ``constraints="implicit"`` is SVOR as eq. (4) of [SwappedPairs] prints it,

        min_{w, b}  ½‖w‖² + C Σ_i w_i [ Σ_{y ≥ y_i} (1 + h(x_i) - b_y)₊ + Σ_{y < y_i} (1 - h(x_i) + b_y)₊ ],

    in which every row has a say on every threshold y < r: a mistake costs more, the more thresholds it jumps,
    and the thresholds are in order by themselves. ``constraints="explicit"`` keeps only the two thresholds
    next to a class, y = y_i and y = y_i - 1, and demands b_1 ≤ ... ≤ b_{r-1} [Chu and Keerthi 2005]. C
    multiplies the *sum* of the slacks and w_i is the sample weight, so a row twice is a row of weight 2.

    To judge the order alone, compare `projection` with the targets by `podium.metrics.swapped_pairs`, as
    Table 1 of the paper does.

    Classes have the order of their values, or that of an ordered pandas categorical. Text is ordered by the
    alphabet, which is seldom what you mean ("fair" < "good" < "poor"): with three or more such classes a
    warning says so.

    Parameters
    ----------
    constraints : {"implicit", "explicit"}, default="implicit"
        Which thresholds a row has a say on: all of them, or the neighbours of its class.
    kernel : {"linear", "poly", "rbf", "precomputed"} or callable, default="linear"
        The kernel between two rows, as in `SVMCompare`. ``"linear"`` takes any number of rows and up to some
        thousands of features, dense or sparse; others need the whole kernel matrix, for up to some thousands
        of rows.
    C : float, default=1.0
        The cost of a unit of slack.
    gamma : {"scale", "auto"} or float, default="scale"
        The γ of "poly" and "rbf", as in `SVMCompare`.
    degree : int, default=3
        The degree of "poly".
    coef0 : float, default=0.0
        The constant term of "poly".
    bins : int or None, default=None
        Cut a real-valued target into this many bins of equal frequency, and predict the median of a bin's
        training targets; ``bins=5`` is the paper's SVOR₅. Equal values stay together, so bins may differ in
        size or be fewer.
    tol : float, default=1e-3
        The duality gap, relative to the objective, at which the solver stops.
    max_iter : int, default=200
        The maximum number of iterations of the solver.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The ordered classes; with ``bins`` the medians of the bins.
    thresholds_ : array of shape (n_classes - 1,)
        Numbers that do not decrease; class k is predicted where b_{k-1} < h(x) ≤ b_k.
    bin_edges_ : array of shape (n_classes - 1,)
        With ``bins``: the numbers between the bins.
    coef_ : array of shape (n_features,)
        Linear kernel only: w.
    support_ : array of int
        Other kernels: the rows of X with a coefficient in h(x) = Σ_j dual_coef_j κ(x_j, x).
    support_vectors_ : array of shape (n_support, n_features)
        Other kernels: these rows; not with a precomputed kernel.
    dual_coef_ : array of shape (n_support,)
        Other kernels: their coefficients.
    gamma_ : float
        Other kernels: γ as a number; not with a precomputed kernel.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of str
        Their names, if X had any.
    n_iter_ : int
        Iterations of the solver, at least 1.
    result_ : SolverResult
        The end of the solver's run, with ``objective`` and duality ``gap``.

    See Also
    --------
    SwappedPairsSVM : all pairs of rows with ordered labels
    HerbrichSVM : sampled pairs of rows with ordered labels

    Examples
    --------
    >>> import pandas as pd
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> grades = ["poor", "poor", "fair", "fair", "good", "good"]
    >>> y = pd.Categorical(grades, categories=["poor", "fair", "good"], ordered=True)
    >>> model = OrdinalSVM(C=10.0).fit(X, y)
    >>> model.predict([[0.4], [2.6], [9.0]])
    array(['poor', 'fair', 'good'], dtype=object)
    >>> model.thresholds_.round(1), model.coef_.round(1)
    (array([3., 7.]), array([2.]))
    >>> OrdinalSVM(bins=3).fit(X, [0.1, 0.2, 1.1, 1.3, 7.5, 8.5]).predict([[0.4], [2.6], [9.0]]).round(2)
    array([0.15, 1.2 , 8.  ])
    """

    constraints: Literal["implicit", "explicit"] = "implicit"
    _: KW_ONLY
    bins: int | None = None
    tol: float = 1e-3
    max_iter: int = 200
    _kernel: Kernel = field(init=False)
    result_: "SolverResult" = field(init=False)

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows with ordered classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features, or the square kernel matrix with ``kernel="precomputed"``.
        y : array of shape (n,)
            Classes, lowest first in their order; with ``bins`` real-valued targets.
        sample_weight : array of shape (n,), optional
            A row of weight 2 is the same as the row twice; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            self._check_parameters()
            categories = ordered_categories(y)
            X, y = self._read(X, y)
            weight = row_weights(sample_weight, len(y))
            used = np.flatnonzero(weight)
            if len(used) < len(y):
                X, y, weight = X[used], y[used], weight[used]
            learned: dict[str, Any] = {}
            if self.bins is None:
                learned["classes_"], level = ordered_classes(y, categories)
                if categories is None and (note := alphabetical(learned["classes_"])):
                    warnings.warn(note, stacklevel=2)
            else:
                learned["classes_"], level, learned["bin_edges_"] = equal_frequency(y, weight, self.bins)
            learned.update(self._solved(X, used, level, self.C * weight))
            for name in FITTED:
                self.__dict__.pop(name, None)
            self.__dict__.update(learned)
            self.result_.warn_if_stopped_early(self.tol, model=self)
        return self

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        X, y = self._rows_and_labels(X, y, y_numeric=self.bins is not None, ensure_min_samples=2)
        if self.kernel == "precomputed":
            X = dense(X)
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"a precomputed kernel is a square matrix between the rows, not of the shape {X.shape}"
                )
        return X, y

    def _check_parameters(self) -> None:
        if self.constraints not in ("implicit", "explicit"):
            raise ValueError(f"constraints is 'implicit' or 'explicit', not {self.constraints!r}")
        check_positive("C", self.C)
        check_stopping(self.tol, self.max_iter)
        check_whole("bins", self.bins, least=2, unless=(None,))

    def _solved(self, X: Any, used: Positions, level: Positions, cost: Floats) -> dict[str, Any]:
        """The fitted attributes: from the primal, or from a kernel if features outnumber rows."""
        from podium.numerics.threads import one_blas_thread
        from podium.ordered.ordinal.fit import fit_ordinal
        from podium.ordered.ordinal.kernel import FEW_ROWS, fit_ordinal_kernel

        options: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        options["explicit"] = self.constraints == "explicit"
        linear = self.kernel == "linear"
        # The thresholds take up an offset that all rows share; in the scores it would cost digits.
        centre = centre_of(X) if linear else None
        X = subtracted(X, centre)
        if linear and X.shape[1] <= X.shape[0]:
            result = fit_ordinal(X, level, cost, **options)
            w, thresholds = np.split(result.solution, [X.shape[1]])
            machine = {"coef_": w}
        else:
            with one_blas_thread(X.shape[0] <= FEW_ROWS):
                kernel, K = self._kernel_matrix(X, used)
            result = fit_ordinal_kernel(K, level, cost, **options)
            coefficients, thresholds = result.details["coefficients"], result.solution
            if linear:
                machine = {"coef_": np.asarray(X.T @ coefficients).ravel()}
            else:
                machine = self._expansion(X, used, coefficients, kernel)
        if centre is not None:
            thresholds = thresholds + machine["coef_"] @ centre
        solved = {"thresholds_": thresholds, "result_": result, "n_iter_": max(1, result.iterations)}
        return machine | solved

    def _kernel_matrix(self, X: Any, used: Positions) -> tuple[Kernel, Floats]:
        if self.kernel == "precomputed":
            K = X[:, used]
            return make_kernel("precomputed", self.gamma, self.degree, self.coef0, K), K
        items = X[distinct_rows(X)[0]] if self.gamma == "scale" else X
        kernel = make_kernel(self.kernel, self.gamma, self.degree, self.coef0, items)
        return kernel, kernel(X, X)

    def _expansion(self, X: Any, used: Positions, coefficients: Floats, kernel: Kernel) -> dict[str, Any]:
        kept = np.flatnonzero(coefficients)
        expansion = {"support_": used[kept], "dual_coef_": coefficients[kept], "_kernel": kernel}
        if self.kernel != "precomputed":
            expansion |= {"support_vectors_": X[kept], "gamma_": kernel.gamma}
        return expansion

    # ------------------------------------------------------------------------------------ predictions

    def decision_function(self, X: Any) -> Any:
        """How far `projection` is inside the interval of each class; below 0 outside.

        Returns
        -------
        array of shape (n, n_classes), or (n,) with two classes
            With two classes, as in scikit-learn, above 0 for the second class.
        """
        h, b = self._projected(X)[:, None], self.thresholds_
        if len(self.classes_) == 2:
            return to_device_of(h[:, 0] - b[0], X)
        lower, upper = np.append(-np.inf, b), np.append(b, np.inf)
        return to_device_of(np.minimum(h - lower, upper - h), X)

    def projection(self, X: Any) -> Any:
        """The score h(x) of every row, before the thresholds: the higher, the better.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features; with ``kernel="precomputed"`` the kernel between these rows and all rows of the fit.

        Returns
        -------
        array of shape (n,)
        """
        return to_device_of(self._projected(X), X)

    def _projected(self, X: Any) -> Floats:
        X = self._rows(X)
        if self.kernel == "linear":
            return np.asarray(X @ self.coef_)
        if self.kernel == "precomputed":
            return self._kernel.expand(dense(X), self.support_, self.dual_coef_)
        return self._kernel.expand(X, self.support_vectors_, self.dual_coef_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class whose interval (b_{k-1}, b_k] contains h(x); with ``bins`` the median of that bin."""
        h = self._projected(X)
        return np.asarray(self.classes_[np.searchsorted(self.thresholds_, h, side="left")])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class, or bin, is predicted: the accuracy of classifiers.

        It ignores by how much a class is missed. Score by ``"neg_mean_absolute_error"`` for that, and by
        swapped pairs for the order.
        """
        check_present(y, "y")
        predicted = self.predict(X)
        y = to_numpy(y)
        check_length(len(predicted), y, "y")
        if self.bins is not None:
            y = self.classes_[np.searchsorted(self.bin_edges_, y, side="right")]
        return float(np.average(predicted == y, weights=sample_weight))
