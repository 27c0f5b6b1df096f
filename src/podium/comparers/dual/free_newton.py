"""A Newton step for the variables of a box-constrained QP that are not at a bound.

    min_x  ½ s'Ks + linear'x,  s_i = Σ_{k: row_k = i} sign_k x_k,  low ≤ x ≤ high,  with label'x unchanged if
    a label is given.

Coordinate steps quickly find the variables that end at a bound, but are slow for the others if C is large.
For those the problem is a linear system. If its solution is beyond some bounds, the variables that reach
theirs first are put on them, and the system is solved again for the rest, until all are inside. If the result
is not downhill, the step goes towards the first solution up to the first bound.
"""

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats

RIDGE = 1e-10  # added to the diagonal, as a share of its mean, since kernel matrices are rank deficient
BATCHES = 40  # at most this many times, a batch of variables is put on its bounds and the system solved again
# If the share of variables beyond their bounds is above FEW, a batch is only the share FIRST of them that
# reach their bounds first. With FEW = 0, 2,000 pairs with C = 100 take 1.7 times as long; with FIRST = 1,
# 5,000 pairs with C = 1000 take 4 times as long.
FEW, FIRST = 0.1, 0.2


def newton_step(
    K: Floats,
    f: Floats,
    x: Floats,
    row: NDArray[np.intp],
    sign: Floats,
    linear: Floats,
    low: Floats,
    high: Floats,
    label: Floats | None,
) -> None:
    """Move the free variables and f = K s, in place."""
    free = np.flatnonzero((x > low) & (x < high))
    if len(free) < 2:
        return
    own, s = row[free], sign[free]
    H = K[own[:, None], own]
    H *= s[:, None]
    H *= s
    gradient = s * f[own] + linear[free]
    least, most = low[free] - x[free], high[free] - x[free]
    step = _step_inside(H, gradient, least, most, None if label is None else label[free])
    slope, bend = float(gradient @ step), float(step @ H @ step)
    if not slope < 0:
        return
    length = min(1.0, -slope / bend) if bend > 0 else 1.0
    moved = np.clip(x[free] + length * step, low[free], high[free])
    if length == 1.0:  # exactly on the bound, without rounding
        moved = np.where(step == least, low[free], np.where(step == most, high[free], moved))
    f += (s * (moved - x[free])) @ K[own]
    x[free] = moved


def _step_inside(H: Floats, gradient: Floats, least: Floats, most: Floats, label: Floats | None) -> Floats:
    """The step to the minimum on the face of the box that the batches lead to; 0 if there is none."""
    H = H.copy()
    H.flat[:: len(H) + 1] += RIDGE * (np.trace(H) / len(H) + 1e-300)
    step, inside = np.zeros(len(H)), np.arange(len(H))
    first: Floats | None = None
    for _ in range(BATCHES):
        found = _minimum(H, gradient, step, inside, label)
        if found is None:
            break
        first = found if first is None else first
        beyond = (found <= least[inside]) | (found >= most[inside])
        if not beyond.any():
            step[inside] = found
            if gradient @ step < 0:
                return step
            break
        if np.count_nonzero(beyond) > FEW * len(inside):
            room = _room(found, least[inside], most[inside])
            count = int(FIRST * np.count_nonzero(beyond))
            beyond &= room <= np.partition(room[beyond], count)[count]
        step[inside[beyond]] = np.where(found > 0, most[inside], least[inside])[beyond]
        inside = inside[~beyond]
    if first is None:
        return np.zeros(len(H))
    room = _room(first, least, most)
    length = min(1.0, float(room.min()))
    return np.where(room == length, np.where(first > 0, most, least), length * first)


def _room(step: Floats, least: Floats, most: Floats) -> Floats:
    """The share of the step after which each variable reaches its bound."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(step == 0, np.inf, np.where(step > 0, most, least) / step)


def _minimum(
    H: Floats, gradient: Floats, step: Floats, inside: NDArray[np.intp], label: Floats | None
) -> Floats | None:
    """The minimum of ½x'Hx + gradient'x over the variables inside, given the steps of the others."""
    from scipy.linalg.lapack import dposv  # scipy's own functions take longer than small matrices

    if not len(inside):
        return None
    slope = (gradient + H @ step)[inside]
    sides = slope[:, None] if label is None else np.column_stack([slope, label[inside]])
    part = H[inside[:, None], inside]
    _, solved, failed = dposv(part.T, sides, overwrite_a=True)
    if failed:
        return None
    found = -solved[:, 0]
    if label is not None:  # corrected twice, since the first correction leaves a rounding error
        own, wanted = label[inside], -float(label @ step)
        found += (wanted - float(own @ found)) / float(own @ solved[:, 1]) * solved[:, 1]
        found += own * (wanted - float(own @ found)) / len(own)
    return found if np.isfinite(found).all() else None
