"""LinearCompare: the comparison machine of [SVMcompare] with a linear ranking function, for many pairs."""

import warnings
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.utils import check_random_state

from podium.comparers.comparer import finite
from podium.comparers.kernel_machine import class_weights
from podium.comparers.linear_ranking import LinearRanking, linear_differences
from podium.comparers.svm_compare import NO_TIES, ONLY_TIES, unfit_to_rank
from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.table import Comparisons
from podium.numerics.centre import centre_of, subtracted
from podium.numerics.parameters import check_positive, check_stopping

if TYPE_CHECKING:
    from podium.comparers.primal.adagrad import AdaGrad
    from podium.comparers.primal.fit import LinearPairs
    from podium.numerics.result import SolverResult


TOO_LARGE = (
    "the features, times C and the weights, are too large to compute with; scale the features, or lower C"
)


class LinearCompare(LinearRanking):
    """A linear ranking function that learns from ties, in the primal: (15) of [SVMcompare] for many pairs.

    On the flipped pairs (8), in which the right side is better (ỹ = 1) or which are ties, each in both
    directions (ỹ = -1), it learns f = β + u·(x' - x):

        minimise over u, β   ½ u'u + C Σ w_i L(ỹ_i (β + u·(x'_i - x_i)))

    with the hinge L(m) = max(0, 1 - m), or with the logistic loss log(1 + e^-m) that §5 proposes for large
    data. Lemma 1 makes it the ranking function r(x) = ŵ·x with ŵ = -u/β and the margin μ̂ = -1/β, and (5) the
    comparison: no difference where |r(x') - r(x)| ≤ 1.

    Lemma 1 needs β < 0. Where pairs with a better side outweigh the ties, the optimum has β ≥ 0, and -u/β
    would rank in reverse. The model is then fitted again with β = 0, ranks by ŵ = u, takes ``threshold_``
    from (6) and has no margin (nan); so it is where u = 0 is optimal to the tolerance. It warns, unless there
    are no ties at all: that is SVMrank (3).

    ``C`` weighs the loss; ``class_weight`` multiplies it by the outcome, ``{-1: .., 0: .., 1: ..}``, or
    ``"balanced"``, which gives both labels ỹ the same weight in all. ``tol`` bounds the duality gap
    relative to the objective. ``random_state`` chooses the subsample that the solver starts from.

    Fitted attributes: ``coef_`` (ŵ), ``bias_`` (β), ``margin_`` (μ̂), ``threshold_``, ``n_features_in_`` and
    ``feature_names_in_`` (if they have names), ``classes_``, and ``result_`` of the solver (with
    ``objective`` and ``gap``).

    >>> X = [[[0.0], [0.1]], [[0.0], [3.0]], [[2.0], [0.0]], [[1.0], [0.8]]]
    >>> model = LinearCompare(C=10.0).fit(X, [0, 1, -1, 0])
    >>> model.predict([[[5.0], [5.1]], [[5.0], [9.0]]])
    array([0, 1], dtype=int8)
    """

    _stream: "AdaGrad"

    def __init__(
        self,
        loss: Literal["hinge", "logistic"] = "hinge",
        C: float = 1.0,
        class_weight: dict[int, float] | Literal["balanced"] | None = None,
        tol: float = 1e-3,
        max_iter: int = 200,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, pairs: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from Comparisons with features, or from an array (n, 2, p) and outcomes ``y``."""
        from podium.comparers.primal.adagrad import AdaGrad

        self._check_parameters()
        c = with_outcomes(featured_pairs(pairs), y, sample_weight)
        centre, note = centre_of(c.features), None
        problem = self._problem(c, centre)
        first = self._solve(problem, None if problem.tie.any() else NO_TIES)
        if problem.tie.any() and not problem.tie.all():
            note = self._unfit(problem, first)
        result = first if note is None else self._solve(problem, note)
        columns = _both_problems(first.solution, result.solution)
        stream = AdaGrad.after(problem, self.C, columns, check_random_state(self.random_state))
        if note is not None:
            warnings.warn(note, UserWarning, stacklevel=2)
        result.warn_if_stopped_early(self.tol)
        self._set_ranking(c, result.solution, centre)
        self._set_features(c)
        self.result_, self._stream = result, stream
        return self

    def _solve(self, problem: "LinearPairs", fallback: str | None) -> "SolverResult":
        """The problem, or, for a reason, the one with β = 0; of ties alone, u = 0 with β = -1 has no loss."""
        from podium.comparers.primal.fit import fit_linear_pairs
        from podium.numerics.result import nothing_to_solve

        if problem.tie.all():
            return nothing_to_solve(np.append(np.zeros(problem.n_features), -1.0), ONLY_TIES)
        rng = check_random_state(self.random_state)
        fixed = fallback is not None
        try:
            result = fit_linear_pairs(
                problem, self.loss, self.tol, self.max_iter, fixed_bias=fixed, random_state=rng
            )
        except (np.linalg.LinAlgError, ArithmeticError):
            raise ValueError(TOO_LARGE) from None
        if fixed:
            result.details["fallback"] = fallback
        return result

    def _unfit(self, problem: "LinearPairs", result: "SolverResult") -> str | None:
        """Why its u must not rank, if so; with the logistic loss u = 0 is never optimal but by symmetry."""
        dual = result.details["dual"] if self.loss == "hinge" else -np.inf
        return unfit_to_rank(result.solution[-1], dual, float(problem.cost[~problem.tie].sum()), self.tol)

    def _problem(self, c: Comparisons, centre: Floats | None) -> "LinearPairs":
        """Pairs flipped as in (8), with only the items that appear, around the centre; no sum overflows."""
        from podium.comparers.primal.fit import LinearPairs

        assert c.outcome is not None
        X, left, right = c.features, c.left, c.right
        if 2 * c.appears.sum() < c.n_items:
            number = np.cumsum(c.appears, dtype=np.int32) - 1
            X, left, right = X[np.flatnonzero(c.appears)], number[left], number[right]
        X = subtracted(X, centre)
        swapped = c.outcome < 0
        lower, upper = np.where(swapped, right, left), np.where(swapped, left, right)
        cost = self.C * c.weight * class_weights(self.class_weight, c.outcome, c.weight)
        with np.errstate(over="ignore"):
            largest = float(cost.sum()) * max(float(X.max()), -float(X.min()), 1.0) * X.shape[1]
            if not np.isfinite(largest * largest):  # it bounds u, which is Σ α d with α ≤ cost
                raise ValueError(TOO_LARGE)
        return LinearPairs(X, lower, upper, c.outcome == 0, cost)

    def _set_ranking(self, c: Comparisons, solution: Floats, centre: Floats | None) -> None:
        """Lemma 1; or r = u·x and the threshold of (6), if β is not negative."""
        from podium.comparers.threshold import best_threshold

        u, bias = solution[:-1], float(solution[-1])
        if bias < 0:
            coef, margin, threshold = -u / bias, -1.0 / bias, 1.0
        else:
            assert c.outcome is not None
            coef, margin = u.copy(), np.nan
            weight = c.weight * class_weights(self.class_weight, c.outcome, c.weight)
            threshold = best_threshold(finite(linear_differences(c, coef, centre)), c.outcome, weight)
        self.coef_, self.bias_, self.margin_, self.threshold_ = coef, bias, margin, threshold
        self._centre = centre

    def _check_parameters(self) -> None:
        if self.loss not in ("hinge", "logistic"):
            raise ValueError(f"loss is 'hinge' or 'logistic', not {self.loss!r}")
        check_positive("C", self.C)
        check_stopping(self.tol, self.max_iter)

    # ------------------------------------------------------------------------------------ streams

    def partial_fit(self, pairs: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a batch of a stream and forget it: one pass of averaged sub-gradient steps.

        It goes on from where the last call, or ``fit``, ended. The pairs of all calls are the data, each with
        the weight of one, those of ``fit`` too. The problem with β = 0 is learned alongside; where β is not
        negative it ranks, and the threshold is that of the last batch. ``"balanced"`` balances a batch at a
        time. There is no ``result_``: a stream has no certificate.
        """
        from podium.comparers.primal.adagrad import AdaGrad

        self._check_parameters()
        c = with_outcomes(featured_pairs(pairs), y, sample_weight)
        if begun := hasattr(self, "_stream"):
            self._check_features(c.features, c.feature_names, "the pairs")
        centre = self._centre if begun else centre_of(c.features)
        problem = self._problem(c, centre)
        stream = deepcopy(self._stream) if begun else AdaGrad.begin(problem.n_features)
        stream.learn(problem, self.loss, self.C, check_random_state(self.random_state))
        with_bias, without = stream.mean.T
        self._set_ranking(c, with_bias if with_bias[-1] < 0 else without, centre)
        if not begun:
            self._set_features(c)
        self._stream = stream
        self.__dict__.pop("result_", None)
        return self


def _both_problems(first: Floats, last: Floats) -> Floats:
    """Where a stream goes on after fit: the solution with a bias, and the one with β = 0, a column each.

    Without ties no bias is learned; any that is not negative says so. Without a need for β = 0 it was not
    solved for; u·d of decisive pairs is to be 1 and not 1 - β there.
    """
    u, bias = first[:-1], float(first[-1])
    with_bias = first if bias else np.append(u, 1.0)
    without = last[:-1] / (1.0 - float(last[-1]))
    return np.column_stack([with_bias, np.append(without, 0.0)])
