"""The dual of `qp` over a working set with a small kernel matrix: coordinate steps and Newton steps.

There is one Newton step after every n coordinate steps, n being the number of pairs. On 5,000 pairs with
C = 1000, a Newton step after every 4n takes twice as long, and no Newton steps take ten times as long.
"""

import numpy as np

from podium.comparers.dual.certificate import TINY
from podium.comparers.dual.free_newton import newton_step
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit

BURSTS = 50  # at most this many times, n coordinate steps and a Newton step are taken in a working set


def solve_with_bias(K: Floats, f: Floats, v: Floats, cap: Floats, a: int, eps: float) -> None:
    """Coordinate steps, with Newton steps for the free variables while they do not converge; in place."""
    n = len(f)
    row = np.concatenate([np.arange(n), np.arange(a, n)])
    label = np.where(np.arange(len(v)) < a, 1.0, -1.0)
    sign = np.where((np.arange(len(v)) < a) | (np.arange(len(v)) >= n), 1.0, -1.0)
    caps, zero = cap[row], np.zeros(len(v))
    for _ in range(BURSTS):
        if _pair_steps(K, f, v, cap, a, eps, n):
            return
        newton_step(K, f, v, row, sign, -np.ones(len(v)), zero, caps, label)


def solve_without_bias(K: Floats, f: Floats, s: Floats, cap: Floats, a: int, eps: float) -> None:
    """The same for the problem in s; in a Newton step, the s of a tie keeps its sign, so |s| is linear."""
    n = len(f)
    one, tie = np.ones(n), np.arange(n) >= a
    for _ in range(BURSTS):
        if _single_steps(K, f, s, cap, a, eps, n):
            return
        slope = np.where(tie, np.sign(s), -1.0)
        low, high = np.where(tie & (s < 0), -cap, 0.0), np.where(tie & (s <= 0), 0.0, cap)
        newton_step(K, f, s, np.arange(n), one, slope, low, high, None)


# ------------------------------------------------------------------------------------ with a bias

# A variable belongs to a pair and a direction ρ, which is -1 for the mirrored row of a tie. Its label ỹ is 1
# for a decisive pair and -1 for a tie, and its score is ỹ - ρ f. Variables whose ỹ v may grow are on the up
# side, and variables whose ỹ v may fall are on the low side.


@njit(cache=True, nogil=True)
def _pair_steps(K, f, v, cap, a, eps, max_steps):  # type: ignore[no-untyped-def]
    """Move two variables at a time until max_up - min_low of the scores is at most eps; f and v in place."""
    diagonal = np.diag(K).copy()
    for _ in range(max_steps):
        i, best = _first(f, v, cap, a)
        if i < 0:
            return True
        j, worst, length = _second(K, diagonal, f, v, cap, a, i, best)
        if j < 0 or best - worst <= eps:
            return True
        _move(K, f, v, cap, a, i, j, length)
    return False


@njit(cache=True, nogil=True)
def _first(f, v, cap, a):  # type: ignore[no-untyped-def]
    """The variable of the up side with the largest score."""
    n = len(f)
    best, i = -np.inf, -1
    for k in range(a):
        if 1.0 - f[k] > best and v[k] < cap[k]:
            best, i = 1.0 - f[k], k
    for k in range(a, n):
        if -1.0 - f[k] > best and v[k] > 0.0:
            best, i = -1.0 - f[k], k
        if -1.0 + f[k] > best and v[k + n - a] > 0.0:
            best, i = -1.0 + f[k], k + n - a
    return i, best


@njit(cache=True, nogil=True)
def _second(K, diagonal, f, v, cap, a, i, best):  # type: ignore[no-untyped-def]
    """The variable of the low side that gains most beside i, the least score there, and how far to go."""
    n = len(f)
    row, rho = (i, 1.0) if i < n else (i - n + a, -1.0)
    own, K_i = diagonal[row], K[row]
    found = (np.inf, -1.0, -1, 0.0)
    for k in range(a):
        if v[k] > 0.0:
            found = _compared(found, k, best, 1.0 - f[k], own + diagonal[k] - 2.0 * rho * K_i[k])
    for k in range(a, n):
        if v[k] < cap[k]:
            found = _compared(found, k, best, -1.0 - f[k], own + diagonal[k] - 2.0 * rho * K_i[k])
        if v[k + n - a] < cap[k]:
            found = _compared(found, k + n - a, best, -1.0 + f[k], own + diagonal[k] + 2.0 * rho * K_i[k])
    worst, _, j, length = found
    return j, worst, length


@njit(cache=True, nogil=True)
def _compared(found, k, best, score, bend):  # type: ignore[no-untyped-def]
    """Update the least score, the largest gain, its variable and its step length with the variable k."""
    worst, gain, j, length = found
    worst, slope = min(worst, score), best - score
    if slope > 0.0:
        bend = max(bend, TINY)
        if slope * slope > gain * bend:
            gain, j, length = slope * slope / bend, k, slope / bend
    return worst, gain, j, length


@njit(cache=True, nogil=True)
def _move(K, f, v, cap, a, i, j, length):  # type: ignore[no-untyped-def]
    """Raise ỹ v of i and lower ỹ v of j by the same amount, up to a bound; this keeps Σ ỹ v.

    u changes by step (ρ_i d_i - ρ_j d_j), and f with it.
    """
    n = len(f)
    row_i, rho_i = (i, 1.0) if i < n else (i - n + a, -1.0)
    row_j, rho_j = (j, 1.0) if j < n else (j - n + a, -1.0)
    room_i = cap[row_i] - v[i] if i < a else v[i]
    room_j = v[j] if j < a else cap[row_j] - v[j]
    step = min(length, room_i, room_j)
    if step == room_i:
        v[i] = cap[row_i] if i < a else 0.0
    else:
        v[i] += step if i < a else -step
    if step == room_j:
        v[j] = 0.0 if j < a else cap[row_j]
    else:
        v[j] -= step if j < a else -step
    K_i, K_j, step_i, step_j = K[row_i], K[row_j], step * rho_i, step * rho_j
    for k in range(n):
        f[k] += step_i * K_i[k] - step_j * K_j[k]


# ------------------------------------------------------------------------------------ without a bias


@njit(cache=True, nogil=True)
def _single_steps(K, f, s, cap, a, eps, max_steps):  # type: ignore[no-untyped-def]
    """Move the variable that lowers ½s'Ks - Σ_{decisive} s + Σ_{ties} |s| most, until none violates eps."""
    n = len(f)
    bend = np.maximum(np.diag(K), TINY)
    inverse = 1.0 / bend
    for _ in range(max_steps):
        gain, worst, i, moved = 0.0, 0.0, -1, 0.0
        for k in range(a):
            g = f[k] - 1.0
            new = min(max(s[k] - g * inverse[k], 0.0), cap[k])
            step = new - s[k]
            if step != 0.0:
                worst = max(worst, abs(g))
                drop = -step * (g + 0.5 * bend[k] * step)
                if drop > gain:
                    gain, i, moved = drop, k, new
        for k in range(a, n):
            centre = s[k] - f[k] * inverse[k]
            new = min(max(abs(centre) - inverse[k], 0.0), cap[k]) * (1.0 if centre > 0.0 else -1.0)
            step = new - s[k]
            if step == 0.0:
                continue
            if step > 0.0:
                worst = max(worst, -f[k] - (1.0 if s[k] >= 0.0 else -1.0))
            else:
                worst = max(worst, f[k] - (1.0 if s[k] <= 0.0 else -1.0))
            drop = abs(s[k]) - abs(new) - step * (f[k] + 0.5 * bend[k] * step)
            if drop > gain:
                gain, i, moved = drop, k, new
        if i < 0 or worst <= eps:
            return True
        step = moved - s[i]
        s[i] = moved
        K_i = K[i]
        for k in range(n):
            f[k] += step * K_i[k]
    return False
