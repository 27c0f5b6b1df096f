"""The dual of `qp` over a working set with a small kernel matrix: coordinate steps and Newton steps.

There is one Newton step after every n coordinate steps, n being the number of pairs. On 5,000 pairs with
C = 1000, a Newton step after every 4n takes twice as long, and no Newton steps take ten times as long.

Coordinate steps quickly find the variables that end at a bound, but are slow for the others if C is large.
For those the problem is a linear system, which a Newton step solves. If its solution is beyond some bounds,
the variables that reach theirs first are put on them, and the system is solved again for the rest, until all
are inside. If the result is not downhill, the step goes towards the first solution up to the first bound.
"""

import numpy as np
from numpy.typing import NDArray

from podium.comparers.dual.certificate import TINY, Variables
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit

BURSTS = 50  # at most this many times, n coordinate steps and a Newton step are taken in a working set
RIDGE = 1e-10  # added to the diagonal, as a share of its mean, since kernel matrices are rank deficient
BATCHES = 40  # at most this many times, a batch of variables is put on its bounds and the system solved again
# If the share of variables beyond their bounds is above FEW, a batch is only the share FIRST of them that
# reach their bounds first. With FEW = 0, 2,000 pairs with C = 100 take 1.7 times as long; with FIRST = 1,
# 5,000 pairs with C = 1000 take 4 times as long.
FEW, FIRST = 0.1, 0.2


def solve_working_set(K: Floats, f: Floats, y: Floats, variables: Variables, bias: bool, eps: float) -> None:
    """Coordinate steps, with Newton steps for the free variables while they do not converge; in place."""
    steps, few = _pair_steps if bias else _single_steps, variables
    for _ in range(BURSTS):
        if steps(K, f, y, few.pair, few.side, few.label, few.low, few.high, eps, len(f)):
            return
        newton_step(K, f, y, variables, bias)


# ------------------------------------------------------------------------------------ coordinate steps


@njit(cache=True, nogil=True)
def _pair_steps(K, f, y, row, side, label, low, high, eps, max_steps):  # type: ignore[no-untyped-def]
    """Raise one y and lower another by as much, which keeps Σ y, until the scores of those that can rise are
    at most eps above the scores of those that can fall; f and y in place.
    """
    diagonal = np.diag(K).copy()
    for _ in range(max_steps):
        best, i = -np.inf, -1
        for k in range(len(y)):
            score = label[k] - side[k] * f[row[k]]
            if score > best and y[k] < high[k]:
                best, i = score, k
        if i < 0:
            return True
        worst, gain, j, length = np.inf, -1.0, -1, 0.0
        K_i, own, rho = K[row[i]], diagonal[row[i]], 2.0 * side[i]
        for k in range(len(y)):
            if y[k] > low[k]:
                r = row[k]
                score = label[k] - side[k] * f[r]
                worst, slope = min(worst, score), best - score
                if slope > 0.0:
                    curvature = max(own + diagonal[r] - rho * side[k] * K_i[r], TINY)
                    if slope * slope > gain * curvature:
                        gain, j, length = slope * slope / curvature, k, slope / curvature
        if j < 0 or best - worst <= eps:
            return True
        step = min(length, high[i] - y[i], y[j] - low[j])
        y[i] = high[i] if step == high[i] - y[i] else y[i] + step
        y[j] = low[j] if step == y[j] - low[j] else y[j] - step
        K_j, step_i, step_j = K[row[j]], step * side[i], step * side[j]
        for k in range(len(f)):
            f[k] += step_i * K_i[k] - step_j * K_j[k]
    return False


@njit(cache=True, nogil=True)
def _single_steps(K, f, y, row, side, label, low, high, eps, max_steps):  # type: ignore[no-untyped-def]
    """Move the y that gains most, until no score of one that can move is beyond eps; f and y in place."""
    curvature = np.maximum(np.diag(K), TINY)
    inverse = 1.0 / curvature
    for _ in range(max_steps):
        gain, worst, i, moved = 0.0, 0.0, -1, 0.0
        for k in range(len(y)):
            r = row[k]
            score = label[k] - side[k] * f[r]
            new = min(max(y[k] + score * inverse[r], low[k]), high[k])
            step = new - y[k]
            if step != 0.0:
                worst = max(worst, abs(score))
                rise = step * (score - 0.5 * curvature[r] * step)
                if rise > gain:
                    gain, i, moved = rise, k, new
        if i < 0 or worst <= eps:
            return True
        step, K_i = side[i] * (moved - y[i]), K[row[i]]
        y[i] = moved
        for k in range(len(f)):
            f[k] += step * K_i[k]
    return False


# ------------------------------------------------------------------------------------ Newton steps


def newton_step(K: Floats, f: Floats, y: Floats, variables: Variables, balanced: bool) -> None:
    """Move the free variables and f = K s, in place; if ``balanced``, Σ y stays."""
    low, high = variables.low, variables.high
    free = np.flatnonzero((y > low) & (y < high))
    if len(free) < 2:
        return
    own, side = variables.pair[free], variables.side[free]
    H = K[own[:, None], own]
    H *= side[:, None]
    H *= side
    gradient = -variables.scores(f)[free]
    least, most = low[free] - y[free], high[free] - y[free]
    step = _step_inside(H, gradient, least, most, balanced)
    slope, curvature = float(gradient @ step), float(step @ H @ step)
    if not slope < 0:
        return
    length = min(1.0, -slope / curvature) if curvature > 0 else 1.0
    moved = np.clip(y[free] + length * step, low[free], high[free])
    if length == 1.0:  # exactly on the bound, without rounding
        moved = np.where(step == least, low[free], np.where(step == most, high[free], moved))
    f += (side * (moved - y[free])) @ K[own]
    y[free] = moved


def _step_inside(H: Floats, gradient: Floats, least: Floats, most: Floats, balanced: bool) -> Floats:
    """The step to the minimum on the face of the box that the batches lead to; 0 if there is none."""
    H = H.copy()
    H.flat[:: len(H) + 1] += RIDGE * (np.trace(H) / len(H) + 1e-300)
    step, inside = np.zeros(len(H)), np.arange(len(H))
    first: Floats | None = None
    for _ in range(BATCHES):
        found = _minimum(H, gradient, step, inside, balanced)
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
    H: Floats, gradient: Floats, step: Floats, inside: NDArray[np.intp], balanced: bool
) -> Floats | None:
    """The minimum of ½x'Hx + gradient'x over the variables inside, given the steps of the others."""
    from scipy.linalg.lapack import dposv  # scipy's own functions take longer than small matrices

    if not len(inside):
        return None
    slope = (gradient + H @ step)[inside]
    sides = np.column_stack([slope, np.ones(len(slope))]) if balanced else slope[:, None]
    part = H[inside[:, None], inside]
    _, solved, failed = dposv(part.T, sides, overwrite_a=True)
    if failed:
        return None
    found = -solved[:, 0]
    if balanced:  # corrected twice, since the first correction leaves a rounding error
        wanted = -float(step.sum())
        found += (wanted - float(found.sum())) / float(solved[:, 1].sum()) * solved[:, 1]
        found += (wanted - float(found.sum())) / len(found)
    return found if np.isfinite(found).all() else None
