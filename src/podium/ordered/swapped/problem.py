"""The ranking machine on all pairs, eq. (9) of [SwappedPairs] with its loss Δ_SP.

Items have features x, weights ω and ordered labels y. Two items of one group with y_i > y_j are a pair of
weight ω_i ω_j; N is the total weight of all pairs. The problem is to

    minimise over w   ½ w'w + C ξ,   ξ = (100/N) Σ_{y_i > y_j} ω_i ω_j max(0, 1 - 2 w·(x_i - x_j)),

so ξ is an upper bound of the percentage of swapped pairs. The dual has one variable per pair, with 0 ≤ α ≤
(100 C/N) ω_i ω_j, and maximises Σ α - ½ v'v, where v = 2 Σ α (x_i - x_j). If α is the derivative of the
hinge, a pass of `podium.numerics.swapped` gives both v and Σ α, so the certificate costs nothing extra. If
the hinge is not smoothed, the gap is ½‖w - v‖².
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.smoothed_newton import Loss
from podium.numerics.swapped.counts import OrderedItems, Violations

MARGIN = 1.0  # by which the scores 2 w·x of a pair should differ


@dataclass(frozen=True)
class SwappedPairs:
    """The problem: features of the items, dense or sparse, their order, and C."""

    X: Any
    items: OrderedItems
    C: float

    @property
    def unit(self) -> float:
        """The cost of a pair of weight 1."""
        return 100.0 * self.C / self.items.n_pairs

    def scores(self, w: Floats) -> Floats:
        """2 w·x; the scores of a pair should differ by at least 1."""
        return np.asarray(2.0 * (self.X @ w))

    def transpose_times(self, alpha: Floats) -> Floats:
        """The v of the dual, from every item's Σ α as the upper item of pairs minus Σ α as the lower item."""
        return np.asarray(2.0 * (self.X.T @ alpha))

    def loss(self, score: Floats, found: Violations, width: float) -> Loss:
        """The loss and the dual variables from a pass over the pairs with this smoothing width."""
        alpha = self.unit * self.items.weight * (found.below - found.above)
        value, gain = self.unit * found.loss, self.unit * MARGIN * float(self.items.weight @ found.below)
        rounding = max(value - gain + float(alpha @ score), 0.0) if width > 0 else 0.0
        return Loss(value, rounding, alpha, np.empty(0), gain)

    def sample(self, rows: NDArray[np.integer[Any]]) -> "SwappedPairs":
        return replace(self, X=self.X[rows], items=self.items.part(rows))
