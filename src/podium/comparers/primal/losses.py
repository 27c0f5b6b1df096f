"""The loops of `fit` over all pairs: losses with their slopes and curvatures, and the dual's terms.

A pair that is decided has the margin β + d, a tie the two margins -β - d and -β + d. The hinge is smoothed in
a window of half-width δ around its corner (Huber); ``width`` is δ, and the logistic loss does not look at it.
"""

import numpy as np

from podium.numerics.compiled import njit

HINGE, LOGISTIC = 0, 1


@njit(cache=True, nogil=True, inline="always")
def _loss(kind, width, m):  # type: ignore[no-untyped-def]  # pragma: no cover
    """True loss, minus its smoothed slope (0 to 1), and its smoothed curvature."""
    if kind == HINGE:
        t = 1.0 - m
        loss = max(t, 0.0)
        if t <= -width:
            return loss, 0.0, 0.0
        if t >= width:
            return loss, 1.0, 0.0
        return loss, (t + width) / (2.0 * width), 1.0 / (2.0 * width)
    e = np.exp(-abs(m))
    a = e / (1.0 + e) if m > 0 else 1.0 / (1.0 + e)
    return np.log1p(e) + max(-m, 0.0), a, a * (1.0 - a)


@njit(cache=True, nogil=True)
def slopes(kind, width, d, bias, tie, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Minus the slope of every pair's loss by d, and the sums of the dual variables of both kinds."""
    slopes = np.empty(d.shape[0])
    decisive = tied = 0.0
    for i in range(d.shape[0]):
        if tie[i]:
            _, a, _ = _loss(kind, width, -bias - d[i])
            _, b, _ = _loss(kind, width, -bias + d[i])
            slopes[i] = cost[i] * (b - a)
            tied += cost[i] * (a + b)
        else:
            _, a, _ = _loss(kind, width, bias + d[i])
            slopes[i] = cost[i] * a
            decisive += slopes[i]
    return slopes, decisive, tied


@njit(cache=True, nogil=True)
def curvatures(kind, width, d, bias, tie, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Second derivatives of every pair's loss: by d twice (by β twice is the same), and by d and β."""
    n = d.shape[0]
    both, cross = np.zeros(n), np.zeros(n)
    for i in range(n):
        if tie[i]:
            _, _, g = _loss(kind, width, -bias - d[i])
            _, _, h = _loss(kind, width, -bias + d[i])
            both[i], cross[i] = cost[i] * (g + h), cost[i] * (g - h)
        else:
            _, _, h = _loss(kind, width, bias + d[i])
            both[i] = cross[i] = cost[i] * h
    return both, cross


@njit(cache=True, nogil=True)
def slope_along(kind, width, d, dd, bias, db, tie, cost, t):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The slope of the loss along a direction, t steps away."""
    b, total = bias + t * db, 0.0
    for i in range(d.shape[0]):
        x = d[i] + t * dd[i]
        if tie[i]:
            _, a, _ = _loss(kind, width, -b - x)
            _, c, _ = _loss(kind, width, -b + x)
            total += cost[i] * (a * (db + dd[i]) + c * (db - dd[i]))
        else:
            _, a, _ = _loss(kind, width, b + x)
            total -= cost[i] * a * (db + dd[i])
    return total


@njit(cache=True, nogil=True)
def _bias_slope(kind, width, d, bias, tie, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    slope = curvature = 0.0
    for i in range(d.shape[0]):
        if tie[i]:
            _, a, g = _loss(kind, width, -bias - d[i])
            _, b, h = _loss(kind, width, -bias + d[i])
            slope += cost[i] * (a + b)
            curvature += cost[i] * (g + h)
        else:
            _, a, h = _loss(kind, width, bias + d[i])
            slope -= cost[i] * a
            curvature += cost[i] * h
    return slope, curvature


@njit(cache=True, nogil=True)
def best_bias(kind, width, d, bias, tie, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Newton's method on β, kept between two points of opposite slopes."""
    low, high = -np.inf, np.inf
    enough = 1e-12 * cost.sum()
    for _ in range(100):
        slope, curvature = _bias_slope(kind, width, d, bias, tie, cost)
        if abs(slope) <= enough:
            return bias if curvature > 0 else _middle_bias(width, d, bias, tie)
        if slope > 0:
            high = bias
        else:
            low = bias
        following = bias - slope / curvature if curvature > 0 else np.inf
        if not low < following < high or abs(following - bias) > 10.0:
            if low > -np.inf and high < np.inf:
                following = 0.5 * (low + high)
            else:
                following = bias - 2.0 if slope > 0 else bias + 2.0
        if following == bias:
            break
        bias = following
    return bias


@njit(cache=True, nogil=True)
def _middle_bias(width, d, bias, tie):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The middle of the interval on which no pair enters or leaves its window.

    At an end of it the next step would run into one side at once, and the steps would zigzag.
    """
    up, down = np.inf, np.inf
    for i in range(d.shape[0]):
        for side in range(2 if tie[i] else 1):
            x = d[i] if side == 0 else -d[i]
            t = -(1.0 + bias + x) if tie[i] else 1.0 - bias - x  # falls as β rises, for both kinds
            if t > 0.0:
                up = min(up, t - width)
            else:
                down = min(down, -width - t)
    if up < np.inf and down < np.inf:
        return bias + 0.5 * (up - down)
    return bias


@njit(cache=True, nogil=True)
def _row_gap(kind, a, m):  # type: ignore[no-untyped-def]  # pragma: no cover
    """L*(-a) + a m for the hinge and the logistic loss."""
    if kind == HINGE:
        return a * (m - 1.0)
    entropy = 0.0
    if a > 0.0:
        entropy += a * np.log(a)
    if a < 1.0:
        entropy += (1.0 - a) * np.log1p(-a)
    return entropy + a * m


@njit(cache=True, nogil=True)
def dual_terms(kind, width, d, bias, tie, cost, up, down):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The true loss, and the gap's part of every pair with dual variables shrunk to ``up`` and ``down``."""
    total = gap = 0.0
    if kind == LOGISTIC and up == 1.0 and down == 1.0:  # the dual variables are the slopes: no gap
        for i in range(d.shape[0]):
            loss, _, _ = _loss(kind, width, -bias - d[i] if tie[i] else bias + d[i])
            total += cost[i] * loss
            if tie[i]:
                loss, _, _ = _loss(kind, width, -bias + d[i])
                total += cost[i] * loss
        return total, gap
    for i in range(d.shape[0]):
        if tie[i]:
            m, r = -bias - d[i], -bias + d[i]
            loss, a, _ = _loss(kind, width, m)
            other, b, _ = _loss(kind, width, r)
            total += cost[i] * (loss + other)
            gap += cost[i] * (loss + _row_gap(kind, down * a, m) + other + _row_gap(kind, down * b, r))
        else:
            m = bias + d[i]
            loss, a, _ = _loss(kind, width, m)
            total += cost[i] * loss
            gap += cost[i] * (loss + _row_gap(kind, up * a, m))
    return total, gap
