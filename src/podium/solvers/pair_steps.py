"""The dual of `pair_qp` over a working set, whose kernel is a small matrix: coordinate and Newton steps."""

import numpy as np
from numba import njit

from podium.kernels import Floats
from podium.solvers.free_newton import newton_step

BURST = 4  # coordinate steps for each pair of the working set, before Newton's
BURSTS = 50


def solve_with_bias(K: Floats, f: Floats, v: Floats, cap: Floats, a: int, eps: float) -> None:
    """Coordinate steps, and Newton's for the free variables when there is no end to them; in place."""
    n = len(f)
    row = np.concatenate([np.arange(n), np.arange(a, n)])
    label = np.where(np.arange(len(v)) < a, 1.0, -1.0)
    sign = np.where((np.arange(len(v)) < a) | (np.arange(len(v)) >= n), 1.0, -1.0)
    caps, zero = cap[row], np.zeros(len(v))
    for _ in range(BURSTS):
        if _pair_steps(K, f, v, cap, a, eps, BURST * n):
            return
        newton_step(K, f, v, row, sign, -np.ones(len(v)), zero, caps, label)


def solve_without(K: Floats, f: Floats, s: Floats, cap: Floats, a: int, eps: float) -> None:
    """The same for the problem in s; a tie's |s| has the slope of the side on which s is."""
    n = len(f)
    one, tie = np.ones(n), np.arange(n) >= a
    for _ in range(BURSTS):
        if _single_steps(K, f, s, cap, a, eps, BURST * n):
            return
        slope = np.where(tie, np.sign(s), -1.0)
        low, high = np.where(tie & (s < 0), -cap, 0.0), np.where(tie & (s <= 0), 0.0, cap)
        newton_step(K, f, s, np.arange(n), one, slope, low, high, None)


@njit(cache=True, nogil=True)
def _pair_steps(K, f, v, cap, a, eps, max_steps):  # type: ignore[no-untyped-def]
    """Move two variables at a time until max_up - min_low of the scores is at most eps; f and v in place.

    Raising the variable i of the up side and the variable j of the low side by λ (lowering it, where ỹ is -1)
    keeps the equality constraint and changes u by λ (ρ_i d_i - ρ_j d_j), ρ being -1 for mirrored rows.
    """
    n = len(f)
    ties = n - a
    for _ in range(max_steps):
        best, i = -np.inf, -1
        for k in range(a):
            if v[k] < cap[k] and 1.0 - f[k] > best:
                best, i = 1.0 - f[k], k
        for k in range(a, n):
            if v[k] > 0.0 and -1.0 - f[k] > best:
                best, i = -1.0 - f[k], k
            if v[k + ties] > 0.0 and -1.0 + f[k] > best:
                best, i = -1.0 + f[k], k + ties
        if i < 0:
            return True
        row_i = i if i < n else i - ties
        rho_i = 1.0 if i < n else -1.0
        K_i, own = K[row_i], K[row_i, row_i]
        worst, gain, j = np.inf, -1.0, -1
        for k in range(a):
            if v[k] > 0.0:
                score = 1.0 - f[k]
                worst = min(worst, score)
                b = best - score
                if b > 0.0:
                    bend = max(own + K[k, k] - 2.0 * rho_i * K_i[k], 1e-12)
                    if b * b > gain * bend:
                        gain, j = b * b / bend, k
        for k in range(a, n):
            twice = 2.0 * rho_i * K_i[k]
            if v[k] < cap[k]:
                score = -1.0 - f[k]
                worst = min(worst, score)
                b = best - score
                if b > 0.0:
                    bend = max(own + K[k, k] - twice, 1e-12)
                    if b * b > gain * bend:
                        gain, j = b * b / bend, k
            if v[k + ties] < cap[k]:
                score = -1.0 + f[k]
                worst = min(worst, score)
                b = best - score
                if b > 0.0:
                    bend = max(own + K[k, k] + twice, 1e-12)
                    if b * b > gain * bend:
                        gain, j = b * b / bend, k + ties
        if j < 0 or best - worst <= eps:
            return True
        row_j = j if j < n else j - ties
        rho_j = 1.0 if j < n else -1.0
        score = 1.0 - f[j] if j < a else -1.0 - rho_j * f[row_j]
        bend = max(own + K[row_j, row_j] - 2.0 * rho_i * rho_j * K_i[row_j], 1e-12)
        room_i = cap[i] - v[i] if i < a else v[i]
        room_j = v[j] if j < a else cap[row_j] - v[j]
        step = min((best - score) / bend, room_i, room_j)
        if step == room_i:
            v[i] = cap[i] if i < a else 0.0
        else:
            v[i] += step if i < a else -step
        if step == room_j:
            v[j] = 0.0 if j < a else cap[row_j]
        else:
            v[j] -= step if j < a else -step
        K_j = K[row_j]
        step_i, step_j = step * rho_i, step * rho_j
        for k in range(n):
            f[k] += step_i * K_i[k] - step_j * K_j[k]
    return False


@njit(cache=True, nogil=True)
def _single_steps(K, f, s, cap, a, eps, max_steps):  # type: ignore[no-untyped-def]
    """Move the variable that lowers ½s'Ks - Σ_{decisive} s + Σ_{ties} |s| most, until none violates eps."""
    n = len(f)
    for _ in range(max_steps):
        gain, worst, i, moved = 0.0, 0.0, -1, 0.0
        for k in range(n):
            bend = max(K[k, k], 1e-12)
            if k < a:
                g = f[k] - 1.0
                if (g < 0.0 and s[k] >= cap[k]) or (g > 0.0 and s[k] <= 0.0):
                    continue
                new = min(max(s[k] - g / bend, 0.0), cap[k])
                step = new - s[k]
                drop = -step * (g + 0.5 * bend * step)
                violation = abs(g)
            else:
                centre = s[k] - f[k] / bend
                new = max(abs(centre) - 1.0 / bend, 0.0)
                new = min(new, cap[k]) * (1.0 if centre > 0.0 else -1.0)
                step = new - s[k]
                if step == 0.0:
                    continue
                drop = abs(s[k]) - abs(new) - step * (f[k] + 0.5 * bend * step)
                if step > 0.0:
                    violation = -f[k] - (1.0 if s[k] >= 0.0 else -1.0)
                else:
                    violation = f[k] - (1.0 if s[k] <= 0.0 else -1.0)
            worst = max(worst, violation)
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
