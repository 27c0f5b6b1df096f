"""The problem of `LinearCompare`, from comparisons with features."""

from typing import TYPE_CHECKING, Any

import numpy as np

from podium.arrays.devices.boundary import beside
from podium.arrays.devices.features import extremes
from podium.comparers.kernel_machine import class_weights
from podium.comparisons.arrays import Floats, product
from podium.comparisons.features import rows_at
from podium.comparisons.table import Comparisons
from podium.numerics.centre import subtracted

if TYPE_CHECKING:
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
    reverse = c.outcome < 0
    pairs = np.where(reverse, right, left), np.where(reverse, left, right), c.outcome == 0, cost
    return LinearPairs(X, *(beside(values, X) for values in pairs))


def check_size(problem: "LinearPairs") -> None:
    """Raise an error if sums would overflow. The solvers of `fit` find this out without a pass."""
    with np.errstate(over="ignore"):
        low, high = extremes(problem.X)
        largest = float(problem.cost.sum()) * max(high, -low, 1.0) * problem.n_features
        if not np.isfinite(largest * largest):  # it bounds u, which is Σ α d with α ≤ cost
            raise ValueError(TOO_LARGE)
