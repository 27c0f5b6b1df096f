"""A Newton step for the variables of a box-constrained QP that are not at a bound.

    min_x  ½ s'Ks + linear'x,  s_i = Σ_{k: row_k = i} sign_k x_k,  low ≤ x ≤ high,  and label'x kept, if
    given.

Coordinate steps find out fast which variables end at a bound, and then creep along the others when C is
large. On those the problem is a linear system. Of the variables that its solution carries beyond a bound,
those that get there first are put on it, and the system is solved again for the others, until all are
inside. Where the way there is not downhill, the step goes towards the first solution as far as the first
bound.
"""

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats

RIDGE = 1e-10  # of the mean of the diagonal: kernel matrices have no full rank
BATCHES = 40  # of variables that are put on their bounds
FEW = 0.1  # of the variables: if no more are beyond, they are one batch
FIRST = 0.2  # of those beyond are the next batch, if they are many (as where the system is nearly singular)


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
    """Move the free variables, and f = K s with them, in place."""
    free = np.flatnonzero((x > low) & (x < high))
    if len(free) < 2:
        return
    own, s = row[free], sign[free]
    H = K[own[:, None], own] * np.outer(s, s)
    gradient = s * f[own] + linear[free]
    least, most = low[free] - x[free], high[free] - x[free]
    step = _step_inside(H, gradient, least, most, None if label is None else label[free])
    slope, bend = float(gradient @ step), float(step @ H @ step)
    if not slope < 0:
        return
    length = min(1.0, -slope / bend) if bend > 0 else 1.0
    moved = np.clip(x[free] + length * step, low[free], high[free])
    if length == 1.0:  # on a bound, not next to it
        moved = np.where(step == least, low[free], np.where(step == most, high[free], moved))
    f += (s * (moved - x[free])) @ K[own]
    x[free] = moved


def _step_inside(H: Floats, gradient: Floats, least: Floats, most: Floats, label: Floats | None) -> Floats:
    """To the minimum on the face of the box to which the batches lead; 0 if there is none."""
    H = H.copy()
    H[np.diag_indices_from(H)] += RIDGE * (np.trace(H) / len(H) + 1e-300)
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
            beyond &= room <= np.quantile(room[beyond], FIRST)
        step[inside[beyond]] = np.where(found > 0, most[inside], least[inside])[beyond]
        inside = inside[~beyond]
    if first is None:
        return np.zeros(len(H))
    room = _room(first, least, most)
    length = min(1.0, float(room.min()))
    return np.where(room == length, np.where(first > 0, most, least), length * first)


def _room(step: Floats, least: Floats, most: Floats) -> Floats:
    """How much of the step every variable can go."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(step == 0, np.inf, np.where(step > 0, most, least) / step)


def _minimum(
    H: Floats, gradient: Floats, step: Floats, inside: NDArray[np.intp], label: Floats | None
) -> Floats | None:
    """Of ½x'Hx + gradient'x over the variables inside, the others having made their steps."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    if not len(inside):
        return None
    slope = (gradient + H @ step)[inside]
    sides = slope[:, None] if label is None else np.column_stack([slope, label[inside]])
    part = H[inside[:, None], inside]
    try:
        solved = cho_solve(cho_factor(part, overwrite_a=True, check_finite=False), sides, check_finite=False)
    except LinAlgError:
        return None
    found = -solved[:, 0]
    if label is not None:  # which takes two goes, for rounding leaves some of it after the first
        own, wanted = label[inside], -float(label @ step)
        found += (wanted - float(own @ found)) / float(own @ solved[:, 1]) * solved[:, 1]
        found += own * (wanted - float(own @ found)) / len(own)
    return found if np.isfinite(found).all() else None
