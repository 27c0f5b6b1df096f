"""The loops of `ordinal_newton` over all rows: slopes and curvatures of the smoothed hinge, best thresholds.

Inputs are sorted by class. Those of concern to threshold j are from ``ends[j, 0]`` to ``ends[j, 2]``, above
it from ``ends[j, 1]`` on: below it t = 1 + f - b_j and σ = -1, above it t = 1 - f + b_j and σ = 1. The hinge
max(0, t) is rounded off where |t| < ``width``. ``pool`` says of every threshold which of the distinct ones,
in b, it is: explicit constraints may make them equal.
"""

import numpy as np
from numba import njit

MOST_STEPS = 100
SMALL = 1e-13
SUMS = {"reassoc", "contract"}  # sums in any order: several at once


@njit(cache=True, nogil=True, inline="always")
def _slope(width, t):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Of the smoothed hinge."""
    return min(max((t + width) / (2.0 * width), 0.0), 1.0)


@njit(cache=True, nogil=True, fastmath=SUMS)
def slopes(width, f, b, pool, ends, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Σ_j σ α of every input, the true loss, and the part of the duality gap that rounding off costs."""
    folded = np.zeros(f.shape[0])
    loss = gap = 0.0
    for j in range(pool.shape[0]):
        cut = b[pool[j]]
        for i in range(ends[j, 0], ends[j, 1]):
            t = 1.0 + f[i] - cut
            a = cost[i] * _slope(width, t)
            folded[i] -= a
            hinge = cost[i] * max(t, 0.0)
            loss += hinge
            gap += hinge - a * t
        for i in range(ends[j, 1], ends[j, 2]):
            t = 1.0 - f[i] + cut
            a = cost[i] * _slope(width, t)
            folded[i] += a
            hinge = cost[i] * max(t, 0.0)
            loss += hinge
            gap += hinge - a * t
    return folded, loss, gap


@njit(cache=True, nogil=True)
def curvatures(width, f, b, pool, ends, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Second derivatives: inputs that have some, and what they have at every distinct threshold."""
    n = f.shape[0]
    curved = np.zeros(n, np.bool_)
    for j in range(pool.shape[0]):
        cut = b[pool[j]]
        for i in range(ends[j, 0], ends[j, 1]):
            curved[i] |= abs(1.0 + f[i] - cut) < width
        for i in range(ends[j, 1], ends[j, 2]):
            curved[i] |= abs(1.0 - f[i] + cut) < width
    items = np.flatnonzero(curved)
    G = np.zeros((len(items), b.shape[0]))
    for q in range(len(items)):
        i = items[q]
        for j in range(pool.shape[0]):
            if ends[j, 0] <= i < ends[j, 2]:
                t = 1.0 + f[i] - b[pool[j]] if i < ends[j, 1] else 1.0 - f[i] + b[pool[j]]
                if abs(t) < width:
                    G[q, pool[j]] += cost[i] / (2.0 * width)
    return items, G


@njit(cache=True, nogil=True, fastmath=SUMS)
def _threshold_slope(width, f, cut, start, middle, end, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Slope and curvature of the loss of one threshold at ``cut``."""
    below = above = curvature = 0.0
    for i in range(start, middle):
        a = _slope(width, 1.0 + f[i] - cut)
        below += cost[i] * a
        curvature += cost[i] if 0.0 < a < 1.0 else 0.0
    for i in range(middle, end):
        a = _slope(width, 1.0 - f[i] + cut)
        above += cost[i] * a
        curvature += cost[i] if 0.0 < a < 1.0 else 0.0
    return above - below, curvature / (2.0 * width)


@njit(cache=True, nogil=True)
def settle(width, f, b, pool, ends, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The best distinct thresholds for scores f, in place: Newton's method between two brackets."""
    enough = SMALL * cost.sum()
    for g in range(b.shape[0]):
        low, high, reach, cut = -np.inf, np.inf, 1.0, b[g]
        for _ in range(MOST_STEPS):
            slope = curvature = 0.0
            for j in range(pool.shape[0]):
                if pool[j] == g:
                    more = _threshold_slope(width, f, cut, ends[j, 0], ends[j, 1], ends[j, 2], cost)
                    slope += more[0]
                    curvature += more[1]
            if abs(slope) <= enough:
                if curvature == 0.0:
                    cut += _to_middle(width, f, cut, g, pool, ends)
                break
            if slope > 0.0:
                high = cut
            else:
                low = cut
            following = cut - slope / curvature if curvature > 0.0 else np.inf
            if not low < following < high or abs(following - cut) > 8.0 * reach:
                if low > -np.inf and high < np.inf:
                    following = 0.5 * (low + high)
                else:
                    following = cut - np.sign(slope) * reach
                    reach *= 2.0
            if following == cut:
                break
            cut = following
        b[g] = cut


@njit(cache=True, nogil=True)
def _to_middle(width, f, cut, g, pool, ends):  # type: ignore[no-untyped-def]  # pragma: no cover
    """From a threshold without curvature to the middle of the interval on which that stays so."""
    up, down = np.inf, np.inf
    for j in range(pool.shape[0]):
        if pool[j] != g:
            continue
        for i in range(ends[j, 0], ends[j, 2]):
            below = i < ends[j, 1]
            t = 1.0 + f[i] - cut if below else 1.0 - f[i] + cut
            room = max(abs(t) - width, 0.0)
            if (t > 0.0) == below:  # it enters its window as the threshold rises
                up = min(up, room)
            else:
                down = min(down, room)
    return 0.5 * (up - down) if up < np.inf and down < np.inf else 0.0
