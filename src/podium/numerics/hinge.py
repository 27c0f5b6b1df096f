"""Sums of hinges on both sides of thresholds, smoothed or not.

A row with the score f has the margin f - b_j above the threshold b_j, and b_j - f below it. Its hinge
max(0, t), t = 1 - margin, is smoothed where |t| < ``width``. The rows of threshold j are those from
``ends[j, 0]`` to ``ends[j, 2]``; those from ``ends[j, 1]`` on should be above it.

The loops over one side of one threshold get slices that start at 0. Only then does the compiler process
several rows at once.
"""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit

TINY = 1e-12  # share of the total cost below which `best_bias` takes a difference for rounding error
SMALL = 1e-13  # share of the total cost at which the slope at a threshold counts as zero
MOST_STEPS = 100  # for one threshold; a limit for the case that rounding errors keep the slope from 0
SUMS = {"reassoc", "contract"}  # sums may be taken in any order, so that the compiler can use vectors


def best_bias(score: Floats, upper: Floats, n_decisive: int) -> float:
    """The β with the least hinge loss: the bounds of the scores below it add up to those of decisive pairs.

    >>> best_bias(np.array([3.0, -1.0, -2.0]), np.array([1.0, 1.0, 1.0]), 1)
    -1.5
    """
    total = float(upper[:n_decisive].sum())
    order = np.argsort(score)
    reached = np.cumsum(upper[order])
    at = min(int(np.count_nonzero(reached < total * (1 - TINY))), len(score) - 1)
    low = float(score[order[at]])
    if float(upper[score <= low].sum()) > total * (1 + TINY):
        return low
    above = float(np.min(score[score > low], initial=np.inf))  # flat up to the next score
    return 0.5 * (low + above) if above < np.inf else low


@njit(cache=True, nogil=True, inline="always")
def _slope(half, t):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Derivatives of the rounded hinge; ``half`` is 1 / (2 width)."""
    return min(max(half * t + 0.5, 0.0), 1.0)


@njit(cache=True, nogil=True)
def settled(width, f, start, ends, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The best ordered thresholds for scores f, searched from ``start``.

    Neighbours that come out in the wrong order are merged into one threshold (pool adjacent violators).
    """
    pool, b = np.arange(start.shape[0]), start.copy()
    while True:
        _settle(width, f, b, pool, ends, cost)
        merged = np.zeros(b.shape[0], np.intp)
        merged[1:] = np.cumsum(b[1:] >= b[:-1])
        if merged[-1] == b.shape[0] - 1:
            return b[pool]
        pool = merged[pool]
        b = np.bincount(merged, b) / np.bincount(merged)


@njit(cache=True, nogil=True)
def slopes(width, f, b, ends, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Minus the derivative of the smoothed loss by every score, the true loss, and the gap from smoothing."""
    alpha = np.zeros(f.shape[0])
    loss = gap = 0.0
    for j in range(b.shape[0]):
        for side in range(2):
            part = slice(ends[j, side], ends[j, side + 1])
            more = _side_slopes(0.5 / width, f[part], cost[part], b[j], 2.0 * side - 1.0, alpha[part])
            loss += more[0]
            gap += more[1]
    return alpha, loss, gap


@njit(cache=True, nogil=True, fastmath=SUMS)
def _side_slopes(half, f, cost, cut, sign, alpha):  # type: ignore[no-untyped-def]  # pragma: no cover
    loss = gap = 0.0
    for i in range(f.shape[0]):
        t = 1.0 - sign * (f[i] - cut)
        a = cost[i] * _slope(half, t)
        alpha[i] += sign * a
        hinge = cost[i] * max(t, 0.0)
        loss += hinge
        gap += hinge - a * t
    return loss, gap


@njit(cache=True, nogil=True)
def curvatures(width, f, b, ends, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Second derivatives: the rows where they are not zero, and their values at every threshold."""
    curved = np.zeros(f.shape[0])
    for j in range(b.shape[0]):
        for side in range(2):
            part = slice(ends[j, side], ends[j, side + 1])
            _count_curved(width, f[part], b[j], 2.0 * side - 1.0, curved[part])
    rows = np.flatnonzero(curved)
    G = np.zeros((len(rows), b.shape[0]))
    for q in range(len(rows)):
        i = rows[q]
        for j in range(b.shape[0]):
            if ends[j, 0] <= i < ends[j, 2]:
                t = 1.0 + f[i] - b[j] if i < ends[j, 1] else 1.0 - f[i] + b[j]
                if abs(t) < width:
                    G[q, j] += cost[i] / (2.0 * width)
    return rows, G


@njit(cache=True, nogil=True)
def _count_curved(width, f, cut, sign, curved):  # type: ignore[no-untyped-def]  # pragma: no cover
    for i in range(f.shape[0]):
        curved[i] += 1.0 if abs(1.0 - sign * (f[i] - cut)) < width else 0.0


@njit(cache=True, nogil=True, fastmath=SUMS)
def _side_slope(half, f, cost, cut, sign):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Derivatives and curvature of the loss of one side of a threshold at ``cut``."""
    slope = curvature = 0.0
    for i in range(f.shape[0]):
        a = _slope(half, 1.0 - sign * (f[i] - cut))
        slope += cost[i] * a
        curvature += cost[i] if 0.0 < a < 1.0 else 0.0
    return sign * slope, half * curvature


@njit(cache=True, nogil=True)
def _settle(width, f, b, pool, ends, cost):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Replace distinct thresholds by the best ones for scores f, by Newton's method within brackets."""
    enough = SMALL * cost.sum()
    for g in range(b.shape[0]):
        low, high, reach, cut = -np.inf, np.inf, 1.0, b[g]
        for _ in range(MOST_STEPS):
            slope = curvature = 0.0
            for j in range(pool.shape[0]):
                if pool[j] == g:
                    for side in range(2):
                        part = slice(ends[j, side], ends[j, side + 1])
                        more = _side_slope(0.5 / width, f[part], cost[part], cut, 2.0 * side - 1.0)
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
    """The way from a threshold where the loss is flat to the middle of the flat interval.

    From an end of the interval, the next step would hit a corner at once, and the steps would zigzag.
    """
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
