"""Loops over all rows for the logistic loss of scores on both sides of a threshold.

The first ``n_below`` rows have the margin m = b - f, the others m = f - b, and the loss log(1 + e^-m).
"""

import numpy as np

from podium.numerics.compiled import njit
from podium.numerics.hinge import MOST_STEPS

ENOUGH = 1e-12  # share of the total cost at which the slope at the threshold counts as zero
LONGEST = 4.0  # longest step of b: where the loss is flat, Newton's step is far too long


@njit(cache=True, nogil=True, inline="always")
def _slope(m):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Minus the slope of the loss at a margin."""
    e = np.exp(-abs(m))
    return e / (1.0 + e) if m > 0 else 1.0 / (1.0 + e)


@njit(cache=True, nogil=True)
def best_threshold(f, b, n_below, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Find the best b by Newton's method, kept between two points with slopes of opposite sign."""
    low, high = -np.inf, np.inf
    enough = ENOUGH * cost.sum()
    for _ in range(MOST_STEPS):
        slope = curvature = 0.0
        for i in range(f.shape[0]):
            sign = -1.0 if i < n_below else 1.0
            a = _slope(sign * (f[i] - b))
            slope += sign * cost[i] * a
            curvature += cost[i] * a * (1.0 - a)
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


@njit(cache=True, nogil=True)
def slopes(f, b, n_below, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Minus the slope of the loss by every score, and the loss."""
    alpha, loss = np.empty(f.shape[0]), 0.0
    for i in range(f.shape[0]):
        sign = -1.0 if i < n_below else 1.0
        m = sign * (f[i] - b)
        e = np.exp(-abs(m))
        alpha[i] = sign * cost[i] * (e / (1.0 + e) if m > 0 else 1.0 / (1.0 + e))
        loss += cost[i] * (np.log1p(e) + max(-m, 0.0))
    return alpha, loss
