"""SwappedPairsSVM: the ranking machine of [SwappedPairs] on all pairs of items with ordered labels."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from podium.comparisons.arrays import Floats
from podium.comparisons.features import distinct_rows, is_sparse
from podium.metrics import swapped_pairs
from podium.numerics.all_or_nothing import all_or_nothing
from podium.numerics.centre import centre_of, subtracted
from podium.numerics.kernels.kernel import Kernel, KernelName, make_kernel
from podium.numerics.parameters import check_positive, check_stopping
from podium.ordered.labelled_items import LabelledItems, checked_features, labelled_items
from podium.ordered.targets import numbered_categories

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult


class SwappedPairsSVM(BaseEstimator):  # type: ignore[misc]
    """A ranking function with few swapped pairs: items with a higher label get a higher score.

    With the pairs of items whose labels differ, y_i > y_j, of which there are N,

        minimise over w   ½‖w‖² + C (100/N) Σ max(0, 1 - 2 w·(x_i - x_j)),

    eq. (9) of [SwappedPairs] with the loss Δ_SP: the sum bounds the *percentage* of swapped pairs, so that C
    means the same for few and for many items. All pairs count and none is ever formed: a pass takes
    O(n log n), for five labels and for a real-valued target alike. With two labels this maximises the area
    under the ROC curve. Use it to rank by ratings, grades, relevance, or anything else of which only the
    order matters.

    ``kernel`` is ``"linear"`` (X dense or sparse, up to millions of rows), ``"poly"``, ``"rbf"``,
    ``"precomputed"`` or a function, with ``gamma``, ``degree`` and ``coef0`` as in `SVMCompare`; a kernel
    takes n × n numbers. ``solver``: ``"newton"``, or ``"cutting-plane"`` for Algorithms 1 and 2 of the paper,
    which is slower; both stop where the duality gap is ``tol`` of the objective. ``random_state`` chooses the
    rows that the Newton solver starts from.

    Fitted attributes: ``coef_`` (linear kernel); ``support_`` (rows of X, or their numbers if precomputed)
    and ``item_coef_`` of h(x) = Σ item_coef_j κ(support_j, x) (other kernels); ``gamma_``, ``n_iter_``,
    ``n_features_in_``, and ``result_`` of the solver with ``objective`` and ``gap``.

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

    _kernel: Kernel
    result_: "SolverResult"

    def __init__(
        self,
        kernel: KernelName | Callable[..., Any] = "linear",
        C: float = 1.0,
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        solver: Literal["newton", "cutting-plane"] = "newton",
        tol: float = 1e-3,
        max_iter: int = 1_000,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows of X with labels y, of which a higher one is better.

        Pairs are formed only within a ``qid`` (a query, a person); without it, between all rows. A pair
        weighs the product of the ``sample_weight`` of its rows.
        """
        with all_or_nothing(self):
            self._check_parameters()
            data = labelled_items(self, X, y, qid, sample_weight)
            learned = self._fitted_linear(data) if self.kernel == "linear" else self._fitted_kernel(data)
            for name in ("coef_", "support_", "item_coef_", "gamma_"):
                self.__dict__.pop(name, None)
            self.__dict__.update(learned)
            self.n_iter_ = max(self.result_.iterations, 1)
            self.result_.warn_if_stopped_early(self.tol)
        return self

    def _fitted_linear(self, data: LabelledItems) -> dict[str, Any]:
        result = self._solve(subtracted(data.X, centre_of(data.X)), data)
        return {"coef_": result.solution, "result_": result}

    def _fitted_kernel(self, data: LabelledItems) -> dict[str, Any]:
        """As a linear machine on vectors that have the kernel as their inner products."""
        from podium.numerics.kernels.factor import checked_factor

        precomputed = self.kernel == "precomputed"
        distinct = data.X if precomputed else data.X[distinct_rows(data.X)[0]]
        kernel = make_kernel(self.kernel, self.gamma, self.degree, self.coef0, distinct)
        factor = checked_factor(kernel(data.X, np.arange(len(data.y)) if precomputed else data.X))
        result = self._solve(factor.Z, data)
        return {
            "support_": data.row[factor.pivots] if precomputed else data.X[factor.pivots],
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

        weight = (
            data.weight / data.weight.max()
        )  # only their ratios matter, and products of pairs stay finite
        problem = SwappedPairs(X, OrderedItems.of(data.y, data.group, weight), self.C)
        if not problem.items.n_pairs > 0:
            where = "" if data.group is None else " within a qid"
            raise ValueError(f"y has no two rows with different labels{where}; there is nothing to rank")
        if self.solver == "cutting-plane":
            return fit_cutting_plane(problem, self.tol, self.max_iter)
        return fit_swapped_newton(problem, self.tol, self.max_iter, check_random_state(self.random_state))

    def _check_parameters(self) -> None:
        check_positive("C", self.C)
        check_stopping(self.tol, self.max_iter)
        if self.solver not in ("newton", "cutting-plane"):
            raise ValueError(f"solver is 'newton' or 'cutting-plane', not {self.solver!r}")

    def decision_function(self, X: Any) -> Floats:
        """h(x) of every row, eq. (2); with ``"precomputed"`` X has κ to all rows of the fit."""
        check_is_fitted(self)
        X = checked_features(self, X)
        if self.kernel != "linear":
            return self._kernel.expand(X, self.support_, self.item_coef_)
        # Unlike BLAS, einsum treats equal rows equally wherever they stand: ties stay ties.
        return np.asarray(X @ self.coef_ if is_sparse(X) else np.einsum("ij,j->i", X, self.coef_))

    def predict(self, X: Any) -> Floats:
        """The ranking score h(x) of every row: the higher, the better."""
        return self.decision_function(X)

    def score(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> float:
        """1 - the share of swapped pairs, eq. (1)."""
        return 1.0 - swapped_pairs(numbered_categories(y), self.predict(X), qid, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
