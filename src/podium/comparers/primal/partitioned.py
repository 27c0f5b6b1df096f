"""The problem of `fit` for pairs in partitions: value, gradient and second derivatives are sums over them.

Newton's method is the one that runs on one machine (`podium.numerics.smoothed_newton`). Here its variables
are w = (u, β), and the rows stay on the workers. A worker gets w and returns the sums of its rows. So a point
takes one round, and a direction another. As the method sees it, the scores are w itself, and α is minus the
gradient of the loss by w. It also adds ½β² to the objective, which the loss therefore subtracts.

Until the method has converged, β is not the best one for u. Then the α of the ties and those of the decisive
pairs have different sums S, but the dual (18) needs equal ones. So the side with the larger sum is scaled
down. The dual's gain -c L*(-α/c) is concave in α and 0 at 0. A scaled side therefore has at least the scaled
gain, and the bound is true.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from podium.arrays.partitions.rounds import OneValue, Partitions
from podium.comparers.primal.newton import HESSIAN_ROWS, SMALLEST_SAMPLE, PairRows
from podium.comparers.primal.problem import LinearPairs, class_weights, linear_pairs
from podium.comparisons.arrays import Floats
from podium.comparisons.features import stacked
from podium.comparisons.table import Comparisons
from podium.numerics.centre import centre_of
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.shifted_cholesky import inverse_of_identity_plus
from podium.numerics.smoothed_newton import (
    FIRST,
    Loss,
    Point,
    Start,
    smoothed_newton,
    solve_by_conjugate_gradients,
    warm_start,
)

SAMPLE_NUMBERS = 20_000_000  # features of the sample that gives a start: 160 MB in the process that fits
FEWEST = 8_192  # pairs of a sample, if there are as many
# Up to this number of features H is summed; above, each product with it is a round. H needs at most
# HESSIAN_ROWS pairs, products need all. 20,000 pairs with 1,000 features took 15 s and 11 s this way.
DENSE_FEATURES = 1_000
FLAT = 1e-9  # share of the costs: the least second derivative by β


@dataclass(frozen=True)
class PartitionedPairs:
    """Pairs in partitions, each a `PairRows` with β fixed at what it is given; ``sample`` is here."""

    rows: Partitions
    n_pairs: int
    n_features: int
    any_tie: bool
    all_ties: bool
    total_cost: float
    decisive_cost: float
    sample: LinearPairs  # with the costs that the pairs have
    dense_features: int = DENSE_FEATURES

    def __len__(self) -> int:
        return self.n_pairs

    def threshold(self, u: Floats) -> float:
        """The threshold of (6), for which the differences of all pairs come here."""
        from podium.comparers.threshold import best_threshold

        if not self.any_tie:
            return 0.0
        found = self.rows.each(differences_of_rows, u)
        return best_threshold(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def partitioned_pairs(
    parts: Partitions, loss: str, C: float, class_weight: Any, rng: np.random.RandomState
) -> tuple[PartitionedPairs, Floats | None, Comparisons]:
    """The problem, with the centre of the features and an example of the comparisons."""
    balanced = isinstance(class_weight, str) and class_weight == "balanced"
    parts = parts.kept(_part, C, None if balanced else class_weight, loss)
    found = parts.each(_description)
    parts = parts.chosen([part is not None for part in found])
    found = [part for part in found if part is not None]
    if not found:
        raise ValueError("there are no comparisons to learn from")
    _check_same_features(found)
    centre, p, n = found[0].centre, found[0].example.features.shape[1], sum(part.n for part in found)
    cost = np.sum([part.cost for part in found], axis=0)
    factor = class_weights("balanced" if balanced else None, np.array([-1, 0, 1], dtype=np.int8), cost)
    rows, cost = parts.kept(_rows, *factor[1:].tolist()), cost * factor
    size = max(min(n, FEWEST), min(n // 8, SAMPLE_NUMBERS // p))
    samples = rows.each(sample_of_rows, size / n, int(rng.randint(2**31)))
    problem = PartitionedPairs(
        rows,
        n_pairs=n,
        n_features=p,
        any_tie=bool(cost[1] > 0),
        all_ties=bool(cost[0] + cost[2] == 0),
        total_cost=float(cost.sum()),
        decisive_cost=float(cost[0] + cost[2]),
        sample=joined(samples),
    )
    return problem, centre, found[0].example


def _check_same_features(found: "list[_Part]") -> None:
    first = found[0].example
    for part in found:
        p, names = part.example.features.shape[1], part.example.feature_names
        if p != first.features.shape[1]:
            raise ValueError(
                f"one partition has {first.features.shape[1]:,} features and another {p:,}; give all the same"
            )
        if names != first.feature_names:
            raise ValueError("the features of the partitions have different names; bring them in one order")


def fit_partitioned_pairs(
    problem: PartitionedPairs,
    loss: str = "hinge",
    tol: float = 1e-3,
    max_iter: int = 200,
    *,
    fixed_bias: bool = False,
    random_state: np.random.RandomState,
) -> SolverResult:
    """As `fit_linear_pairs`, always by Newton's method."""
    rows = PartitionedRows(problem, loss, fixed_bias, random_state, problem.rows)
    bounds = Bounds(tol, max_iter)
    w = np.zeros(problem.n_features + (not fixed_bias))
    start = warm_start(rows, Start(w, np.empty(0), 0.0 if loss == "logistic" else FIRST), tol)
    point = smoothed_newton(rows, bounds, start)
    if fixed_bias:
        ties, decisive = Sums(*rows.rows.total(sums_of_rows, bounds.solution, point.width)).alpha
        bounds.details["coefficients"] = np.array([-ties, decisive])
        bounds.solution = np.append(bounds.solution, 0.0)
    return bounds.result("smoothed newton", width=point.width)


@dataclass(frozen=True)
class PartitionedRows:
    """The rows of pairs in partitions."""

    problem: PartitionedPairs
    loss_name: str
    fixed_bias: bool
    rng: np.random.RandomState
    rows: Partitions | OneValue

    def scores(self, w: Floats) -> Floats:
        return w

    def transpose_times(self, alpha: Floats) -> Floats:
        return alpha

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        found = Sums(*self.rows.total(sums_of_rows, score, width))
        v, S = found.by_side.sum(axis=1), found.alpha
        if self.fixed_bias:
            return Loss(found.value, found.rounding, v, offsets)
        share = np.divide(S.min(), S, out=np.ones(2), where=S > 0)
        dual_v = found.by_side @ share
        dual = float(found.gain @ share) - 0.5 * float(dual_v @ dual_v)
        bias = float(score[-1])
        alpha = np.append(v, bias + S[1] - S[0])
        return Loss(
            found.value - 0.5 * bias**2, found.rounding, alpha, offsets, dual + 0.5 * float(alpha @ alpha)
        )

    def direction(self, point: Point) -> Floats:
        if self.problem.n_features > self.problem.dense_features:
            return self._conjugate_direction(point)
        most, seed = max(HESSIAN_ROWS // len(self.rows), 100), int(self.rng.randint(2**31))
        H, h, total = self.rows.total(second_derivatives_of_rows, point.w, point.width, most, seed)
        if self.fixed_bias:
            return np.asarray(-inverse_of_identity_plus(H)(point.gradient))
        total, (g, slope) = self._curved(total), (point.gradient[:-1], point.gradient[-1])
        H -= np.outer(h, (1.0 - 1e-12) / total * h)
        u = -inverse_of_identity_plus(H)(g - h * (slope / total))
        return np.append(u, -(slope + h @ u) / total)

    def _conjugate_direction(self, point: Point) -> Floats:
        """Newton's direction for many features; each step of conjugate gradients is a round."""
        curved = self.rows.kept(curvatures_of_rows, point.w, point.width)
        squares, total = self.rows.total(squares_of_rows, curved)
        p, gradient = self.problem.n_features, point.gradient
        added = np.append(np.ones(p), np.full(len(gradient) - p, self._curved(total) - total))
        diagonal = added + np.append(squares, np.full(len(gradient) - p, total))
        return -solve_by_conjugate_gradients(
            lambda q: added * q + self.rows.total(curved_times, curved, q)[0], gradient, diagonal
        )

    def _curved(self, total: float) -> float:
        """The second derivative by β, or the least that is allowed if no row is near its corner."""
        return max(total, FLAT * self.problem.total_cost)

    def part(self) -> Self | None:
        """The sample; None if it is too small, has no ties or no decisive pairs, or this is the sample."""
        sample, few = self.problem.sample, max(SMALLEST_SAMPLE, 20 * self.problem.n_features)
        if isinstance(self.rows, OneValue) or not few <= len(sample) <= len(self.problem) // 2:
            return None
        if not self.fixed_bias and (sample.all_ties or not sample.any_tie):
            return None
        scaled = replace(sample, cost=sample.cost * (self.problem.total_cost / sample.cost.sum()))
        return replace(self, rows=OneValue(PairRows(scaled, self.loss_name, True, self.rng)))


# ------------------------------------------------------------------------------------ on the workers


class _Part(NamedTuple):
    """The rows of a partition, and what it tells about itself.

    The comparisons themselves are not kept, to save memory.
    """

    rows: PairRows | None  # None if they stay on the worker
    n: int
    cost: Floats  # of the outcomes -1, 0 and 1
    centre: Floats | None
    example: Comparisons


def _part(c: Comparisons | None, C: float, class_weight: Any, loss: str) -> _Part | None:
    if c is None:
        return None
    assert c.outcome is not None
    centre, some = centre_of(c.features), c.features[:1]
    pairs = linear_pairs(c, centre, C, class_weight)
    if pairs.X.shape[0] > len(pairs) and isinstance(pairs.X, np.ndarray):
        pairs = pairs.as_differences()
    cost = np.asarray(np.bincount(c.outcome + 1, pairs.cost, 3), dtype=np.float64)
    example = Comparisons.from_features(some, some, feature_names=c.feature_names)
    rows = PairRows(pairs, loss, fixed_bias=True, rng=np.random.RandomState(0))
    return _Part(rows, len(c), cost, centre, example)


def _description(part: _Part | None) -> _Part | None:
    return None if part is None else part._replace(rows=None)


def _rows(part: _Part, of_ties: float, of_decisive: float) -> PairRows:
    """The rows, with the factors of ``class_weight="balanced"``, which depend on all partitions."""
    rows = part.rows
    assert rows is not None
    cost = rows.pairs.cost * np.where(rows.pairs.tie, of_ties, of_decisive)
    return PairRows(replace(rows.pairs, cost=cost), rows.loss_name, fixed_bias=True, rng=rows.rng)


class Sums(NamedTuple):
    """Sums over rows; where there are two, they are those of the ties and of the decisive pairs."""

    value: float
    rounding: float
    alpha: Floats
    gain: Floats
    by_side: Floats  # Σ α ỹ d, a column each


def sums_of_rows(rows: PairRows, w: Floats, width: float) -> tuple[Any, ...]:
    """The loss at w = (u, β), or w = u if β = 0, with its slopes."""
    loss = rows.loss(*_placed(rows, w, width))
    a, tied = np.abs(loss.alpha), np.arange(len(loss.alpha)) < 2 * rows.n_ties
    gain = a if rows.loss_name == "hinge" else rows.cost * _entropy(a / rows.cost)
    sides = tied, ~tied
    alpha, gain = (np.array([x[side].sum() for side in sides]) for x in (a, gain))
    by_side = [rows.transpose_times(np.where(side, loss.alpha, 0.0)) for side in sides]
    return tuple(Sums(loss.value, loss.rounding, alpha, gain, np.column_stack(by_side)))


def _placed(rows: PairRows, w: Floats, width: float) -> tuple[Floats, float, Floats]:
    """The scores at w, the width and β."""
    p = rows.pairs.n_features
    return rows.scores(w[:p]), width, w[p:] if len(w) > p else np.zeros(1)


def _entropy(share: Floats) -> Floats:
    from scipy.special import entr

    return np.asarray(entr(share) + entr(1.0 - share))


def curvatures_of_rows(rows: PairRows, w: Floats, width: float) -> Floats:
    score, width, bias = _placed(rows, w, width)
    return np.asarray(rows.curvatures(score, width, rows.loss(score, width, bias)))


def second_derivatives_of_rows(
    rows: PairRows, w: Floats, width: float, most: int, seed: int
) -> tuple[Floats, Floats, float]:
    """By u twice, by u and β, and by β twice."""
    curved = curvatures_of_rows(rows, w, width)
    H, h = rows.second_derivatives(curved, most, np.random.RandomState(seed))
    return H, h, float(curved.sum())


def squares_of_rows(rows: PairRows, curved: Floats) -> tuple[Floats, float]:
    return rows.squares(curved), float(curved.sum())


def curved_times(rows: PairRows, curved: Floats, q: Floats) -> tuple[Floats]:
    """The second derivatives times a vector."""
    p = rows.pairs.n_features
    along = curved * (rows.scores(q[:p]) + q[p:].sum())
    return (np.append(rows.transpose_times(along), [along.sum()] * (len(q) - p)),)


def differences_of_rows(rows: PairRows, u: Floats) -> tuple[Floats, Any, Floats]:
    """u·d of every pair, whether it is decisive, and its cost."""
    return rows.pairs.times(u), (~rows.pairs.tie).astype(np.int8), rows.pairs.cost


def sample_of_rows(rows: PairRows, share: float, seed: int) -> LinearPairs:
    n = len(rows.pairs)
    size = min(n, int(np.ceil(share * n)))
    chosen = np.sort(np.random.RandomState(seed).choice(n, size, replace=False))
    return replace(rows.pairs.sample(chosen), cost=rows.pairs.cost[chosen])


def joined(samples: list[LinearPairs]) -> LinearPairs:
    starts = np.cumsum([0, *(sample.X.shape[0] for sample in samples[:-1])]).astype(np.int32)
    pairs = [
        (s.lower + start, s.upper + start, s.tie, s.cost) for s, start in zip(samples, starts, strict=True)
    ]
    lower, upper, tie, cost = map(np.concatenate, zip(*pairs, strict=True))
    return LinearPairs(stacked([sample.X for sample in samples]), lower, upper, tie, cost)
