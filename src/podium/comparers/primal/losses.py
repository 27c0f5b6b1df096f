"""The loss of the scores of all rows, which should be on one side of a threshold or the other.

The first ``n_below`` rows have the margin m = b - f, the others m = f - b. Hinges are those of
`podium.numerics.hinge`. The logistic loss is log(1 + e^-m).
"""

from collections.abc import Iterator

import numpy as np

from podium.arrays.devices.losses import root
from podium.comparisons.arrays import Floats
from podium.numerics import hinge

ENOUGH = 1e-12  # share of the total cost at which the slope at the threshold counts as zero
BLOCK = 8_192  # rows that NumPy works on at once, so that they fit into the cache


class PairLoss:
    """The loss ``name``, "hinge" or "logistic", of rows on both sides of one threshold b."""

    def __init__(self, name: str, cost: Floats, n_below: int) -> None:
        self.name, self.cost, self.n_below = name, cost, n_below
        self.ends = np.array([[0, n_below, len(cost)]])

    def at(self, score: Floats, width: float, b: float, fixed: bool) -> tuple[float, float, Floats, float]:
        """The loss at the best b, or at the given one if it is ``fixed``, and this b.

        Before b come the true loss, what smoothing it adds to the gap, and minus its derivatives.
        """
        if self.name == "logistic":
            if not fixed:
                b = root(lambda b: self._slope(score, b), b, ENOUGH * float(self.cost.sum()))
            alpha, value = self._logistic(score, b)
            return value, 0.0, alpha, b
        cut = np.array([b])
        if not fixed:
            cut = hinge.settled(width, score, cut, self.ends, self.cost)
        alpha, value, rounding = hinge.slopes(width, score, cut, self.ends, self.cost)
        return value, rounding, alpha, float(cut[0])

    def curvatures(self, score: Floats, width: float, b: float) -> Floats:
        """The second derivative of the hinge loss by every score."""
        curved = np.zeros(len(score))
        rows, G = hinge.curvatures(width, score, np.array([b]), self.ends, self.cost)
        curved[rows] = G[:, 0]
        return curved

    def _logistic(self, f: Floats, b: float) -> tuple[Floats, float]:
        """Minus the derivative of the logistic loss by every score, and the loss."""
        alpha, loss = np.empty_like(f), 0.0
        for part, sign in self._blocks():
            m, cost = sign * (f[part] - b), self.cost[part]
            e = np.exp(-np.abs(m))
            alpha[part] = sign * cost * (np.where(m > 0, e, 1.0) / (1.0 + e))
            loss += float(cost @ (np.log1p(e) - np.minimum(m, 0.0)))
        return alpha, loss

    @np.errstate(over="ignore")
    def _slope(self, f: Floats, b: float) -> tuple[float, float]:
        """The first and the second derivative of the logistic loss by b."""
        slope = curvature = 0.0
        for part, sign in self._blocks():
            a = 1.0 / (1.0 + np.exp(sign * (f[part] - b)))
            alpha = self.cost[part] * a
            slope += sign * float(alpha.sum())
            curvature += float(alpha @ (1.0 - a))
        return slope, curvature

    def _blocks(self) -> Iterator[tuple[slice, float]]:
        """All rows in blocks, and the sign of their margins."""
        for first, last, sign in ((0, self.n_below, -1.0), (self.n_below, len(self.cost), 1.0)):
            for start in range(first, last, BLOCK):
                yield slice(start, min(start + BLOCK, last)), sign
