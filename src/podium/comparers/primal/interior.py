"""The hinge problem of `fit` for the interior point method (`podium.numerics.interior`).

Its steps are slower than those of Newton's method, but corners do not stop it. The flipped rows (8) have the
margins ỹ (β + u·d). The first row of every pair comes first, then the second rows of the ties. The rows of A
are ±d, B is the column ỹ, or empty if β is fixed, and t = 1. A step solves p equations.
"""

from collections.abc import Iterator

import numpy as np

from podium.comparers.primal.problem import LinearPairs, second_derivatives
from podium.comparisons.arrays import Floats
from podium.numerics.interior import Equations, State, central_path
from podium.numerics.shifted_cholesky import inverse_of_identity_plus


class FlippedRows:
    """Products with A and B, computed from the pairs."""

    def __init__(self, pairs: LinearPairs, fixed_bias: bool) -> None:
        self.pairs, self.fixed_bias = pairs, fixed_bias
        self.tied = np.flatnonzero(pairs.tie)
        self.label = np.append(np.where(pairs.tie, -1.0, 1.0), np.full(len(self.tied), -1.0))
        self.labels = self.label[:, None][:, : 1 - fixed_bias]  # B
        self.cost = np.append(pairs.cost, pairs.cost[self.tied])
        self.target = np.ones_like(self.cost)

    def path(self) -> Iterator[State]:
        u, b, ones = np.zeros(self.pairs.n_features), np.zeros(self.labels.shape[1]), self.target
        return central_path(self, State(u, b, self.cost / 2, self.cost / 2, ones, ones), ones)

    def margins(self, u: Floats) -> Floats:
        d = self.pairs.times(u)
        return np.append(np.where(self.pairs.tie, -d, d), d[self.tied])

    def shifts(self, b: Floats) -> Floats:
        return np.asarray(self.labels @ b)

    def transpose_times(self, alpha: Floats) -> Floats:
        n = len(self.pairs)
        folded = np.where(self.pairs.tie, -alpha[:n], alpha[:n])
        folded[self.tied] += alpha[n:]
        return self.pairs.transpose_times(folded)

    def balance(self, alpha: Floats) -> Floats:
        return np.asarray(alpha @ self.labels)

    def equations(self, weight: Floats) -> Equations:
        n, k = len(self.pairs), self.labels.shape[1]
        both, cross = weight[:n].copy(), weight[:n].copy()  # weights in A'WA and in A'WB
        both[self.tied] += weight[n:]
        cross[self.tied] -= weight[n:]
        H, h = second_derivatives(self.pairs, np.arange(n), both, cross)
        mixed = h[:, None][:, :k]
        return Equations(
            inverse_of_identity_plus(H), mixed, lambda du: mixed.T @ du, np.full((k, k), both.sum())
        )
