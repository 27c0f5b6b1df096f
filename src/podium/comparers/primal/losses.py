"""The loss of the scores of all rows, which should be on one side of a threshold or the other.

The first ``n_below`` rows have the margin m = b - f, the others m = f - b. Hinges are those of
`podium.numerics.hinge`. The logistic loss is log(1 + e^-m). NumPy takes the exponentials of many rows at
once. A row's slope at a threshold nearby follows from its slope at the first without another exponential.
"""

import math
from collections.abc import Iterator

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics import hinge
from podium.numerics.compiled import njit
from podium.numerics.hinge import MOST_STEPS, SUMS

ENOUGH = 1e-12  # share of the total cost at which the slope at the threshold counts as zero
BLOCK = 8_192  # rows that NumPy works on at once
LONGEST = 4.0  # longest step of b: where the loss is flat, Newton's step is far too long
NEARBY = 8.0  # further away, slopes that follow from others would lose digits


class PairLoss:
    """The loss ``name``, "hinge" or "logistic", of rows on both sides of one threshold b."""

    def __init__(self, name: str, cost: Floats, n_below: int) -> None:
        self.name, self.cost, self.n_below = name, cost, n_below
        self.ends = np.array([[0, n_below, len(cost)]])

    def at(self, score: Floats, width: float, b: float, fixed: bool) -> tuple[float, float, Floats, float]:
        """The loss at the best b, or at the given one if it is ``fixed``, and this b.

        Before b come the true loss, what rounding it off adds to the gap, and minus its slopes.
        """
        if self.name == "logistic":
            b = b if fixed else best_threshold(score, b, self.n_below, self.cost)
            alpha, value = slopes(score, b, self.n_below, self.cost)
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


def slopes(f: Floats, b: float, n_below: int, cost: Floats) -> tuple[Floats, float]:
    """Minus the slope of the loss by every score, and the loss."""
    alpha, loss = np.empty_like(f), 0.0
    for part, sign in _blocks(len(f), n_below):
        m, e, a = _steepness(f[part], b, sign)
        np.multiply(sign * cost[part], a, out=alpha[part])
        loss += float(cost[part] @ (np.log1p(e) - np.minimum(m, 0.0)))
    return alpha, loss


def _steepness(f: Floats, b: float, sign: float) -> tuple[Floats, Floats, Floats]:
    """The margins, e^-|m|, and minus the slopes of the loss for a cost of 1."""
    m = sign * (f - b)
    e = np.exp(-np.abs(m))
    return m, e, np.where(m > 0, e, 1.0) / (1.0 + e)


def _blocks(n: int, n_below: int) -> Iterator[tuple[slice, float]]:
    """All rows in blocks that fit into the cache, and the sign of their margins."""
    for first, last, sign in ((0, n_below, -1.0), (n_below, n, 1.0)):
        for start in range(first, last, BLOCK):
            yield slice(start, min(start + BLOCK, last)), sign


def best_threshold(f: Floats, b: float, n_below: int, cost: Floats) -> float:
    """Find the best b by Newton's method, kept between two points with slopes of opposite sign."""
    low, high, first = -np.inf, np.inf, np.nan
    a, enough = np.empty_like(f), ENOUGH * cost.sum()
    for _ in range(MOST_STEPS):
        if not abs(b - first) <= NEARBY:
            first = b
            for part, sign in _blocks(len(f), n_below):
                a[part] = _steepness(f[part], b, sign)[2]
        below = _moved(a[:n_below], cost[:n_below], math.exp(first - b))
        above = _moved(a[n_below:], cost[n_below:], math.exp(b - first))
        slope, curvature = above[0] - below[0], above[1] + below[1]
        if abs(slope) <= enough or curvature == 0.0:
            break
        low, high = (low, b) if slope > 0.0 else (b, high)
        following = b - min(max(slope / curvature, -LONGEST), LONGEST)
        if not low < following < high:
            following = 0.5 * (low + high)
        if following == b:
            break
        b = following
    return b


@njit(cache=True, nogil=True, error_model="numpy", fastmath=SUMS)
def _moved(a, cost, factor):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Sums of slopes and curvatures after a move of the threshold that multiplies every e^-m by a factor."""
    slope = curvature = 0.0
    for i in range(a.shape[0]):
        moved = a[i] * factor / (1.0 + a[i] * (factor - 1.0))
        slope += cost[i] * moved
        curvature += cost[i] * moved * (1.0 - moved)
    return slope, curvature
