"""LinearCompare: the comparison machine of [SVMcompare] with a linear ranking function, for many pairs."""

import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from podium.arrays.devices.boundary import to_device_of, to_floats
from podium.arrays.partitions.table import comparisons_in_partitions, in_partitions
from podium.comparers.comparer import LinearRanking, finite, linear_differences
from podium.comparers.kernel_machine import ONLY_TIES
from podium.comparers.scaling import Scaling, learned_scaling
from podium.comparers.svm_compare import NO_TIES, REVERSED, unfit_to_rank
from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.random_states import legacy_generator
from podium.comparisons.table import Comparisons
from podium.numerics.centre import centre_of
from podium.numerics.parameters import check_positive, check_stopping

if TYPE_CHECKING:
    from podium.comparers.primal.adagrad import AdaGrad
    from podium.comparers.primal.partitioned import PartitionedPairs
    from podium.comparers.primal.problem import LinearPairs
    from podium.numerics.result import SolverResult


class TrainingPairs(NamedTuple):
    """What `LinearCompare` learns from: the pairs of one table, or of partitions."""

    problem: "LinearPairs | PartitionedPairs"
    centre: Floats | None
    scaling: Scaling | None
    example: Comparisons  # with the features of all
    threshold: Callable[[Floats], float]  # of (6), for a ranking by u


@dataclass(eq=False, repr=False)
class LinearCompare(LinearRanking):
    """A linear comparison function that learns from ties: `SVMCompare` for many pairs.

    Use it for millions of pairs, dense or sparse, with features in which the ranking is linear. On the
    flipped pairs (8) of [SVMcompare], in which the right side is better (ỹ = 1), and ties in both directions
    (ỹ = -1), it learns f = β + u·(x' - x) of eq. (15):

        minimise over u, β   ½ u'u + C Σ w_i L(ỹ_i (β + u·(x'_i - x_i)))

    with the hinge L(m) = max(0, 1 - m), or the logistic loss log(1 + e^-m) that §5 proposes for large data.
    Lemma 1 turns it into the ranking function r(x) = ŵ·x with ŵ = -u/β and the margin μ̂ = -1/β; by (5) there
    is no difference between two items if ``|r(x') - r(x)|`` ≤ 1.

    Lemma 1 needs β < 0. If decisive pairs outweigh the ties, the optimum has β ≥ 0, and -u/β would rank in
    reverse. The model is then fitted with β = 0: it ranks by ŵ = u, takes ``threshold_`` from (6) and
    has no margin (nan). The same happens if u = 0 is optimal to the tolerance. A warning says so, unless
    there are no ties at all: that is SVMrank (3).

    Parameters
    ----------
    loss : {"hinge", "logistic"}, default="hinge"
        The loss L.
    C : float, default=1.0
        The weight of the loss.
    class_weight : dict, "balanced" or None, default=None
        A factor of C for some of the outcomes -1, 0 and 1. ``"balanced"`` gives ties and decisive pairs the
        same total weight; in a stream, within each batch.
    scale : bool, default=False
        Standardise the features by the mean and standard deviation of the training items, in `fit` and in
        all predictions. In cross-validation each fold uses its own training items; in a stream the items of
        the first call count.
    tol : float, default=1e-3
        The duality gap, relative to the objective, at which the solver stops.
    max_iter : int, default=200
        The maximum number of iterations of the solver.
    random_state : int, RandomState, Generator or None, default=0
        The seed of the subsample that the solver starts from, and of the order of the pairs in a batch.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        ŵ, for the features as given.
    bias_ : float
        β.
    margin_ : float
        μ̂ = -1/β; nan after the fallback to β = 0.
    threshold_ : float
        The largest difference of r that is predicted as a tie: 1, or the threshold of the fallback.
    feature_mean_ : array of shape (n_features,)
        With ``scale=True``: what is subtracted from the features; 0 if they are sparse.
    feature_scale_ : array of shape (n_features,)
        With ``scale=True``: what they are divided by; 1 for a constant feature.
    classes_ : array of int
        -1, 0, 1.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of str
        Their names, if they have any.
    n_iter_ : int
        Iterations of the solver, at least 1; after `partial_fit` 1, a single pass.
    result_ : SolverResult
        The report of the solver, with ``objective`` and ``gap``; not after `partial_fit`.

    See Also
    --------
    SVMCompare : pairs with features, learns from ties
    OnlineSVMRank : one pair at a time
    CalibratedComparer : adds probabilities to a comparer

    Examples
    --------
    >>> X = [[[0.0], [0.1]], [[0.0], [3.0]], [[2.0], [0.0]], [[1.0], [0.8]]]
    >>> model = LinearCompare(C=10.0).fit(X, [0, 1, -1, 0])
    >>> model.predict([[[5.0], [5.1]], [[5.0], [9.0]]])
    array([0, 1], dtype=int8)
    """

    loss: Literal["hinge", "logistic"] = "hinge"
    _: KW_ONLY
    C: float = 1.0
    class_weight: dict[int, float] | Literal["balanced"] | None = None
    scale: bool = False
    tol: float = 1e-3
    max_iter: int = 200
    random_state: Any = 0
    _stream: "AdaGrad" = field(init=False)

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, c: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from comparisons.

        Parameters
        ----------
        c : Comparisons with features, PartitionedComparisons, or an array of shape (n, 2, p)
            The left and the right side of each comparison. The array may be one of Dask. Partitions are
            summed over where they are, on the workers. Features on a device, such as arrays of torch and
            CuPy, stay there, and so do ``coef_`` and predictions.
        y : array of shape (n,), optional
            Outcomes: -1 left is better, 0 no difference, 1 right is better; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        self._check_parameters()
        data = self._partitioned(c, y, sample_weight) if in_partitions(c) else self._here(c, y, sample_weight)
        problem = data.problem
        first, result = self._solved(problem)
        columns = _both_problems(first.solution, result.solution)
        stream = self._stream_after(problem, columns)
        threshold = 1.0 if result.solution[-1] < 0 else data.threshold(result.solution[:-1])
        note = result.details.get("fallback", NO_TIES)
        if note not in (NO_TIES, ONLY_TIES):
            warnings.warn(note, UserWarning, stacklevel=2)
        result.warn_if_stopped_early(self.tol, model=self)
        self._set_ranking(result.solution, threshold, data.centre, data.scaling, data.example.features)
        self._set_features(data.example, data.scaling)
        self.result_, self._stream, self.n_iter_ = result, stream, max(result.iterations, 1)
        return self

    def _here(self, c: Any, y: Any, sample_weight: Any) -> "TrainingPairs":
        from podium.comparers.primal.problem import linear_pairs

        c = with_outcomes(featured_pairs(c), y, sample_weight)
        scaling = learned_scaling(self.scale, c)
        scaled = c if scaling is None else scaling.comparisons(c)
        centre = centre_of(scaled.features)
        problem = linear_pairs(scaled, centre, self.C, self.class_weight)
        return TrainingPairs(problem, centre, scaling, c, partial(self._threshold, scaled, centre))

    def _partitioned(self, c: Any, y: Any, sample_weight: Any) -> "TrainingPairs":
        if self.scale:
            raise ValueError(
                "scale=True is not available for partitions; divide the features by X.std(axis=0) yourself"
            )
        from podium.comparers.primal.partitioned import partitioned_pairs

        pairs = comparisons_in_partitions(c, y, sample_weight)
        rng = legacy_generator(self.random_state)
        problem, centre, example = partitioned_pairs(pairs, self.loss, self.C, self.class_weight, rng)
        return TrainingPairs(problem, centre, None, example, problem.threshold)

    def _stream_after(self, problem: "LinearPairs | PartitionedPairs", columns: Floats) -> "AdaGrad":
        from podium.comparers.primal.adagrad import AdaGrad
        from podium.comparers.primal.problem import LinearPairs

        here = problem if isinstance(problem, LinearPairs) else problem.sample
        return AdaGrad.after(here, self.C, columns, legacy_generator(self.random_state), seen=len(problem))

    def _solved(self, problem: "LinearPairs | PartitionedPairs") -> tuple["SolverResult", "SolverResult"]:
        """The first solution, and the one that ranks; if it has β = 0, its details say why.

        With few ties, β = 0 comes first. The slope of the least objective by β is then -Σ α ỹ. If that is not
        positive, no β < 0 is better by more than the duality gap, and the problem with β need not be solved.
        That was so in 16 of 18 simulations with 12 % ties, in 12 with 20 % and in 9 with 25 %.
        """
        few_ties = problem.decisive_cost > 0.8 * problem.total_cost
        without = self._solve(problem, fixed_bias=True) if few_ties else None
        if without is not None and to_floats(without.details["coefficients"]).sum() >= 0:
            without.details["fallback"] = REVERSED if problem.any_tie else NO_TIES
            return without, without
        first = self._solve(problem, fixed_bias=False)
        note = None if problem.all_ties else self._unfit(problem, first)
        if note is None:
            return first, first
        without = without or self._solve(problem, fixed_bias=True)
        without.details["fallback"] = note
        return first, without

    def _solve(self, problem: "LinearPairs | PartitionedPairs", fixed_bias: bool) -> "SolverResult":
        """Solve the problem, perhaps with β = 0."""
        from podium.comparers.primal.fit import fit_linear_pairs
        from podium.comparers.primal.partitioned import fit_partitioned_pairs
        from podium.comparers.primal.problem import TOO_LARGE, LinearPairs
        from podium.numerics.result import nothing_to_solve

        if problem.all_ties:  # u = 0 with β = -1 has no loss
            return nothing_to_solve(np.append(np.zeros(problem.n_features), -1.0), ONLY_TIES)
        options: dict[str, Any] = {"random_state": legacy_generator(self.random_state)}
        options["fixed_bias"] = fixed_bias
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # Newton's method refuses sums that overflow
                if isinstance(problem, LinearPairs):
                    return fit_linear_pairs(problem, self.loss, self.tol, self.max_iter, **options)
                return fit_partitioned_pairs(problem, self.loss, self.tol, self.max_iter, **options)
        except (np.linalg.LinAlgError, ArithmeticError):
            raise ValueError(TOO_LARGE) from None

    def _unfit(self, problem: "LinearPairs | PartitionedPairs", result: "SolverResult") -> str | None:
        """Why u must not rank, or None. With the logistic loss, u = 0 is optimal only by symmetry."""
        dual = result.details["dual"] if self.loss == "hinge" else -np.inf
        return unfit_to_rank(result.solution[-1], dual, problem.decisive_cost, self.tol)

    def _threshold(self, c: Comparisons, centre: Floats | None, coef: Floats) -> float:
        """The threshold of (6). ``c`` is already scaled."""
        from podium.comparers.primal.problem import class_weights
        from podium.comparers.threshold import best_threshold

        assert c.outcome is not None
        weight = c.mass * class_weights(self.class_weight, c.outcome, c.mass)
        return best_threshold(finite(linear_differences(c, coef, centre)), c.outcome, weight)

    def _set_ranking(
        self, solution: Floats, threshold: float, centre: Floats | None, scaling: Scaling | None, X: Any
    ) -> None:
        """Apply Lemma 1 or, unless β < 0, take r = u·x; ``coef_`` is where the features X are."""
        u, bias = solution[:-1], float(solution[-1])
        coef, margin = (-u / bias, -1.0 / bias) if bias < 0 else (u.copy(), np.nan)
        self.coef_ = to_device_of(coef if scaling is None else coef / scaling.scale, X)
        self.bias_, self.margin_, self.threshold_, self._centre = bias, margin, threshold, centre

    def _check_parameters(self) -> None:
        if self.loss not in ("hinge", "logistic"):
            raise ValueError(f"loss must be 'hinge' or 'logistic', not {self.loss!r}")
        check_positive("C", self.C)
        check_stopping(self.tol, self.max_iter)

    # ------------------------------------------------------------------------------------ streams

    def partial_fit(self, c: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one batch of a stream, in one pass of averaged sub-gradient steps.

        It continues where the last call, or `fit`, ended, and all pairs so far have equal influence. A second
        model with β = 0 is learned at the same time. It ranks as long as β is not negative, with a threshold
        chosen on the last batch. There is no ``result_``, since a stream has no certificate.

        Parameters
        ----------
        c : Comparisons with features, or an array of shape (n, 2, p)
            The left and the right side of each comparison.
        y : array of shape (n,), optional
            Outcomes -1, 0 and 1; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``.

        Returns
        -------
        self
        """
        from podium.comparers.primal.adagrad import AdaGrad
        from podium.comparers.primal.problem import check_size, linear_pairs

        self._check_parameters()
        c = with_outcomes(featured_pairs(c), y, sample_weight)
        if begun := hasattr(self, "_stream"):
            self._check_features(c.features, c.feature_names, "the pairs")
        scaling = self._scaling if begun else learned_scaling(self.scale, c)
        scaled = c if scaling is None else scaling.comparisons(c)
        centre = self._centre if begun else centre_of(scaled.features)
        problem = linear_pairs(scaled, centre, self.C, self.class_weight).in_numpy("partial_fit")
        check_size(problem)
        stream = deepcopy(self._stream) if begun else AdaGrad.begin(problem.n_features)
        stream.learn(problem, self.loss, self.C, legacy_generator(self.random_state))
        with_bias, without = stream.mean.T
        solution = with_bias if with_bias[-1] < 0 else without
        threshold = 1.0 if solution[-1] < 0 else self._threshold(scaled, centre, solution[:-1])
        self._set_ranking(solution, threshold, centre, scaling, c.features)
        if not begun:
            self._set_features(c, scaling)
        self._stream, self.n_iter_ = stream, 1
        self.__dict__.pop("result_", None)
        return self


def _both_problems(first: Floats, last: Floats) -> Floats:
    """The start of a stream after `fit`: one column with a bias, and one with β = 0.

    If the problem with a bias was not solved, a positive number marks this. If the problem with β = 0 was not
    solved, its column is the first solution, scaled so that u·d of decisive pairs is 1 instead of 1 - β.
    """
    u, bias = first[:-1], float(first[-1])
    with_bias = first if bias else np.append(u, 1.0)
    without = last[:-1] / (1.0 - float(last[-1]))
    return np.column_stack([with_bias, np.append(without, 0.0)])
