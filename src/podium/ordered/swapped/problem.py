"""The ranking machine on all pairs, eq. (9) of [SwappedPairs] with its loss Δ_SP.

For items with features x, weights ω and ordered labels, the pairs y_i > y_j of one group weigh ω_i ω_j, N in
all, and

    minimise over w   ½ w'w + C ξ,   ξ = (100/N) Σ_{y_i > y_j} ω_i ω_j max(0, 1 - 2 w·(x_i - x_j)),

so that ξ bounds the percentage of swapped pairs. Its dual has a variable 0 ≤ α ≤ (100 C/N) ω_i ω_j a pair and
maximises Σ α - ½ v'v, v = 2 Σ α (x_i - x_j). A pass of `podium.numerics.swapped` gives, with α in the slope
of the hinge, both v and Σ α: the certificate is free, and where the hinge is not rounded off the gap is ½‖w -
v‖².
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.swapped.counts import OrderedItems


@dataclass(frozen=True)
class SwappedPairs:
    """The problem: features of items, what is to be above what, and C."""

    X: Any
    items: OrderedItems
    C: float

    @property
    def unit(self) -> float:
        """What a pair of weight 1 costs."""
        return 100.0 * self.C / self.items.n_pairs

    def scores(self, w: Floats) -> Floats:
        """2 w·x, whose differences are to be at least 1."""
        return np.asarray(2.0 * (self.X @ w))

    def pull(self, alpha: Floats) -> Floats:
        """The v of the dual, from Σ α over the pairs above every item less that over those below it."""
        return np.asarray(2.0 * (self.X.T @ alpha))

    def sample(self, rows: NDArray[np.integer[Any]]) -> "SwappedPairs":
        return replace(self, X=self.X[rows], items=self.items.part(rows))
