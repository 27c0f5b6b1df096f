"""The problem of `LinearCompare`, from comparisons with features in one table or in partitions."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from podium.arrays.devices.boundary import beside, namespace
from podium.arrays.devices.features import extremes, rows_at
from podium.arrays.partitions.rounds import Partitions
from podium.comparers.kernel_machine import class_weights
from podium.comparisons.arrays import Floats, product
from podium.comparisons.table import Comparisons
from podium.numerics.centre import centre_of, subtracted

if TYPE_CHECKING:
    from podium.comparers.primal.newton import PairRows
    from podium.comparers.primal.partitioned import PartitionedPairs
    from podium.comparers.primal.problem import LinearPairs

TOO_LARGE = (
    "the features, times C and the weights, are too large to compute with; scale the features, or lower C"
)


def linear_pairs(c: Comparisons, centre: Floats | None, C: float, class_weight: Any) -> "LinearPairs":
    """The pairs flipped as in (8), with centred features."""
    from podium.comparers.primal.problem import LinearPairs

    assert c.outcome is not None
    X, left, right = c.features, c.left, c.right
    if 2 * c.appears.sum() < c.n_items:
        number = np.cumsum(c.appears, dtype=np.int32) - 1
        X, left, right = rows_at(X, np.flatnonzero(c.appears)), number[left], number[right]
    X = subtracted(X, centre)
    weight = product(c.mass, class_weights(class_weight, c.outcome, c.mass))
    cost = product(weight, np.broadcast_to(float(C), len(c)))
    xp, left, right, outcome = namespace(X), beside(left, X), beside(right, X), beside(c.outcome, X)
    lower, upper = xp.where(outcome < 0, right, left), xp.where(outcome < 0, left, right)
    return LinearPairs(X, lower, upper, outcome == 0, beside(cost, X))


def check_size(problem: "LinearPairs") -> None:
    """Raise an error if sums would overflow. The solvers of `fit` find this out without a pass."""
    with np.errstate(over="ignore"):
        low, high = extremes(problem.X)
        largest = float(problem.cost.sum()) * max(high, -low, 1.0) * problem.n_features
        if not np.isfinite(largest * largest):  # it bounds u, which is Σ α d with α ≤ cost
            raise ValueError(TOO_LARGE)


def partitioned_pairs(
    parts: Partitions, loss: str, C: float, class_weight: Any, rng: np.random.RandomState
) -> tuple["PartitionedPairs", Floats | None, Comparisons]:
    """The same problem in partitions, with the centre of the features and an example of the comparisons."""
    from podium.comparers.primal import partitioned

    balanced = isinstance(class_weight, str) and class_weight == "balanced"
    parts = parts.kept(_part, C, None if balanced else class_weight, loss)
    found = parts.each(_description)
    parts = parts.chosen([part is not None for part in found])
    found = [part for part in found if part is not None]
    if not found:
        raise ValueError("there are no comparisons to learn from")
    _check_same_features(found)
    centre, p, n = found[0].centre, found[0].example.features.shape[1], sum(part.rows for part in found)
    cost = np.sum([part.cost for part in found], axis=0)
    factor = class_weights("balanced" if balanced else None, np.array([-1, 0, 1], dtype=np.int8), cost)
    rows, cost = parts.kept(_rows, *factor[1:].tolist()), cost * factor
    size = max(min(n, partitioned.FEWEST), min(n // 8, partitioned.SAMPLE_NUMBERS // p))
    samples = rows.each(partitioned.sample_of_rows, size / n, int(rng.randint(2**31)))
    problem = partitioned.PartitionedPairs(
        rows,
        n_pairs=n,
        n_features=p,
        any_tie=bool(cost[1] > 0),
        all_ties=bool(cost[0] + cost[2] == 0),
        total_cost=float(cost.sum()),
        decisive_cost=float(cost[0] + cost[2]),
        sample=partitioned.joined(samples),
    )
    return problem, centre, found[0].example


class _Described(NamedTuple):
    """What one partition tells about itself."""

    rows: int
    cost: Floats  # of the outcomes -1, 0 and 1
    centre: Floats | None
    example: Comparisons


class _Part(NamedTuple):
    """The rows of a partition. The comparisons themselves are not kept, to save memory."""

    rows: "PairRows"
    description: _Described


def _part(c: Comparisons | None, C: float, class_weight: Any, loss: str) -> _Part | None:
    from podium.comparers.primal.newton import PairRows

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
    return _Part(rows, _Described(len(c), cost, centre, example))


def _description(part: _Part | None) -> _Described | None:
    return None if part is None else part.description


def _rows(part: _Part, of_ties: float, of_decisive: float) -> "PairRows":
    """The rows, with the factors of ``class_weight="balanced"``, which depend on all partitions."""
    pairs, rows = part.rows.pairs, part.rows
    cost = pairs.cost * np.where(pairs.tie, of_ties, of_decisive)
    return type(rows)(replace(pairs, cost=cost), rows.loss_name, fixed_bias=True, rng=rows.rng)


def _check_same_features(found: list[_Described]) -> None:
    first = found[0].example
    for part in found:
        p, names = part.example.features.shape[1], part.example.feature_names
        if p != first.features.shape[1]:
            raise ValueError(
                f"one partition has {first.features.shape[1]:,} features and another {p:,}; give all the same"
            )
        if names != first.feature_names:
            raise ValueError("the features of the partitions have different names; bring them in one order")
