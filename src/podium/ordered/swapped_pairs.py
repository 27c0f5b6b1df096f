"""SwappedPairsSVM: the ranking machine of [SwappedPairs] on all pairs of items with ordered labels."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from podium.arrays.devices.boundary import in_numpy, to_device_of
from podium.arrays.devices.features import linear_scores
from podium.arrays.partitions.rounds import is_dask
from podium.comparisons.features import distinct_rows
from podium.comparisons.random_states import legacy_generator
from podium.numerics.all_or_nothing import all_or_nothing
from podium.numerics.centre import centre_of, subtracted
from podium.numerics.kernels.kernel import Kernel, KernelName, make_kernel
from podium.numerics.parameters import check_positive, check_stopping
from podium.ordered.labelled_items import LabelledItems, LabelRanker, labelled_items

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult


@dataclass(eq=False, repr=False)
class SwappedPairsSVM(LabelRanker):
    """A ranking function with few swapped pairs: items with a higher label get a higher score.

    Use it to rank by ratings, grades, relevance, or any target of which only the order matters. With two
    labels it maximises the area under the ROC curve. It minimises over w

        ½‖w‖² + C (100/N) Σ max(0, 1 - 2 w·(x_i - x_j))   over the N pairs with y_i > y_j,

    eq. (9) of [SwappedPairs] with the loss Δ_SP. The sum bounds the *percentage* of swapped pairs, so C means
    the same for few items and for many. All pairs count, but none is ever formed: a pass takes O(n log n),
    for five labels and for a real-valued target alike.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "precomputed"} or callable, default="linear"
        The kernel between two rows, as in `SVMCompare`. ``"linear"`` takes millions of rows, dense or sparse;
        others need n × n numbers.
    C : float, default=1.0
        The weight of the loss.
    gamma : {"scale", "auto"} or float, default="scale"
        The γ of "poly" and "rbf", as in `SVMCompare`.
    degree : int, default=3
        The degree of "poly".
    coef0 : float, default=0.0
        The constant term of "poly".
    solver : {"newton", "cutting-plane"}, default="newton"
        ``"cutting-plane"`` is Algorithms 1 and 2 of the paper, which are slower.
    tol : float, default=1e-3
        The duality gap, relative to the objective, at which the solver stops.
    max_iter : int, default=1000
        The maximum number of iterations of the solver.
    random_state : int, RandomState, Generator or None, default=0
        Chooses the rows that the Newton solver starts from.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        Linear kernel only: w.
    support_ : array of int
        Other kernels: the rows of X with a coefficient in h(x) = Σ_j item_coef_j κ(x_j, x).
    support_vectors_ : array of shape (n_support, n_features)
        Other kernels: these rows; not with a precomputed kernel.
    item_coef_ : array of shape (n_support,)
        Other kernels: their coefficients.
    gamma_ : float
        Other kernels: γ as a number.
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
    HerbrichSVM : sampled pairs of rows with ordered labels
    OrdinalSVM : the class of rows with ordered classes
    read_rows : read rows with labels
    metrics.swapped_pairs : the share of swapped pairs

    Examples
    --------
    Labels are numbers, or an ordered categorical of pandas.

    >>> import pandas as pd
    >>> X, grades = [[1.0], [2.0], [3.0], [4.0]], ["poor", "fair", "good", "good"]
    >>> y = pd.Categorical(grades, categories=["poor", "fair", "good"], ordered=True)
    >>> model = SwappedPairsSVM().fit(X, y)
    >>> model.predict([[1.5], [3.5]]).round(2)
    array([0.75, 1.75])
    >>> model.score(X, y)
    1.0
    """

    kernel: KernelName | Callable[..., Any] = "linear"
    _: KW_ONLY
    solver: Literal["newton", "cutting-plane"] = "newton"
    tol: float = 1e-3
    max_iter: int = 1_000
    random_state: Any = 0
    _kernel: Kernel = field(init=False)
    result_: "SolverResult" = field(init=False)

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows with ordered labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features, or the square kernel matrix with ``kernel="precomputed"``. An array on a device, such as
            one of torch or CuPy, is copied to NumPy, with a warning; ``coef_`` and scores are on the device.
        y : array of shape (n,)
            Labels: numbers, or an ordered categorical of pandas. A higher label is better.
        qid : array of shape (n,), optional
            The query or person of each row: pairs are formed only within one. By default all rows are one.
        sample_weight : array of shape (n,), optional
            A pair weighs the product of the weights of its rows; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            self._check_parameters()
            self._check_kind(X)
            data = labelled_items(self, in_numpy(X, "SwappedPairsSVM"), y, qid, sample_weight)
            learned = self._fitted_kernel(data) if self.kernel != "linear" else self._fitted_linear(data, X)
            for name in ("coef_", "support_", "support_vectors_", "item_coef_", "gamma_"):
                self.__dict__.pop(name, None)
            self.__dict__.update(learned)
            self.n_iter_ = max(self.result_.iterations, 1)
            self.result_.warn_if_stopped_early(self.tol, model=self)
        return self

    def _fitted_linear(self, data: LabelledItems, given: Any) -> dict[str, Any]:
        """The linear machine; ``coef_`` is where the features were given."""
        result = self._solve(subtracted(data.X, centre_of(data.X)), data)
        return {"coef_": to_device_of(result.solution, given), "result_": result}

    def _fitted_kernel(self, data: LabelledItems) -> dict[str, Any]:
        """Solved as a linear machine on vectors whose inner products are the kernel."""
        from podium.numerics.kernels.factor import checked_factor

        precomputed = self.kernel == "precomputed"
        distinct = data.X if precomputed else data.X[distinct_rows(data.X)[0]]
        kernel = make_kernel(self.kernel, self.gamma, self.degree, self.coef0, distinct)
        factor = checked_factor(kernel(data.X, np.arange(len(data.y)) if precomputed else data.X))
        result = self._solve(factor.Z, data)
        vectors = {} if precomputed else {"support_vectors_": data.X[factor.pivots]}
        return vectors | {
            "support_": data.row[factor.pivots],
            "item_coef_": factor.coefficients(result.solution),
            "gamma_": kernel.gamma,
            "_kernel": kernel,
            "result_": result,
        }

    def _solve(self, X: Any, data: LabelledItems) -> "SolverResult":
        from podium.numerics.swapped.counts import OrderedItems
        from podium.ordered.swapped.cutting_plane import fit_cutting_plane
        from podium.ordered.swapped.newton import fit_swapped_newton
        from podium.ordered.swapped.problem import SwappedPairs

        weight = data.weight / data.weight.max()  # only ratios matter, and products must stay finite
        problem = SwappedPairs(X, OrderedItems.of(data.y, data.group, weight), self.C)
        if not problem.items.n_pairs > 0:
            where = "" if data.group is None else " within a qid"
            raise ValueError(f"y has no two rows with different labels{where}; there is nothing to rank")
        if self.solver == "cutting-plane":
            return fit_cutting_plane(problem, self.tol, self.max_iter)
        return fit_swapped_newton(problem, self.tol, self.max_iter, legacy_generator(self.random_state))

    def _check_parameters(self) -> None:
        check_positive("C", self.C)
        check_stopping(self.tol, self.max_iter)
        if self.solver not in ("newton", "cutting-plane"):
            raise ValueError(f"solver is 'newton' or 'cutting-plane', not {self.solver!r}")

    def _check_kind(self, X: Any) -> None:
        if is_dask(X):
            raise ValueError("SwappedPairsSVM takes arrays, not those of Dask; compute() them first")

    def _scores(self, X: Any) -> Any:
        if self.kernel == "linear":
            return linear_scores(X, self.coef_)
        support = self.support_ if self.kernel == "precomputed" else self.support_vectors_
        return self._kernel.expand(X, support, self.item_coef_)
