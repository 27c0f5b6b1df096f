"""The objective of one row of coupled probabilities, and its derivatives in log p; see `newton`."""

import numpy as np

from podium.numerics.compiled import njit

PRIOR = 1e-12  # μ of eq. (7) of [GeneralizedBT], relative to the mass of the row
FLOOR = 1e-290  # smallest p, so that products and quotients of p do not underflow
# The kinds of codes: every problem has two classes, every problem has all classes, or neither. CONVEX_PART
# is the convex part of the objective of the last kind.
PAIRS, WHOLE, OTHER, CONVEX_PART = 0, 1, 2, 3


@njit(cache=True, nogil=True, error_model="numpy")
def objective(start, cut, member, won, lost, x, mass):  # type: ignore[no-untyped-def]
    value = 0.0
    for i in range(len(cut)):
        plus, minus = 0.0, 0.0
        for e in range(start[i], cut[i]):
            plus += x[member[e]]
        for e in range(cut[i], start[i + 1]):
            minus += x[member[e]]
        value += (won[i] + lost[i]) * np.log(plus + minus) - won[i] * np.log(plus) - lost[i] * np.log(minus)
    for s in range(len(x)):
        value -= PRIOR * mass * np.log(x[s])
    return value


@njit(cache=True, nogil=True, error_model="numpy")
def derivatives(start, cut, member, kind, won, lost, x, mass, share, g, H):  # type: ignore[no-untyped-def]
    """Compute the gradient g in log p, and the upper half of the matrix H of the step.

    With the kind `CONVEX_PART`, H is positive definite.
    """
    k = len(x)
    for s in range(k):
        g[s] = PRIOR * mass * (k * x[s] - 1.0)
        for t in range(s, k):
            H[s, t] = mass * x[s] * x[t]  # changes no step, since steps are orthogonal to p
    if kind == PAIRS:
        _add_pairs(member, won, lost, x, g, H)
    for i in range(len(cut) if kind != PAIRS else 0):
        first, middle, last = start[i], cut[i], start[i + 1]
        plus, minus = 0.0, 0.0
        for e in range(first, middle):
            plus += x[member[e]]
        for e in range(middle, last):
            minus += x[member[e]]
        on, off, n = plus / (plus + minus), minus / (plus + minus), won[i] + lost[i]
        residual = lost[i] * on - won[i] * off  # n s - r without cancellation
        for e in range(first, middle):
            share[e] = x[member[e]] / plus
            g[member[e]] += residual * share[e]
        for e in range(middle, last):
            share[e] = x[member[e]] / minus
            g[member[e]] -= residual * share[e]
        if kind == WHOLE:
            if middle - first <= last - middle:
                rest = lost[i] * (plus / minus) ** 2 if lost[i] > 0.0 else 0.0  # 0 · ∞ is 0
                _add_square(H, member, share, first, middle, won[i] + rest)
            else:
                rest = won[i] * (minus / plus) ** 2 if won[i] > 0.0 else 0.0
                _add_square(H, member, share, middle, last, lost[i] + rest)
            continue
        cross = n * on * off
        if kind == OTHER:
            on_plus, on_minus = won[i] - n * on * on, lost[i] - n * off * off
        else:
            on_plus, on_minus, cross = won[i], lost[i], 0.0
        add_problem(H, member, share, first, middle, last, on_plus, on_minus, cross)
    for s in range(k):
        H[s, s] += PRIOR * mass
        if kind != PAIRS:
            H[s, s] += max(g[s], 0.0)
        if x[s] <= FLOOR and g[s] > 0.0:  # p cannot become smaller
            g[s] = 0.0
            for t in range(k):
                H[min(s, t), max(s, t)] = mass if s == t else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _add_pairs(member, won, lost, x, g, H):  # type: ignore[no-untyped-def]
    """`derivatives` for problems with one class per side; H has the second derivative in log p."""
    for i in range(len(won)):
        a, b = member[2 * i], member[2 * i + 1]
        inverse = 1.0 / (x[a] + x[b])
        on, off = x[a] * inverse, x[b] * inverse
        residual = lost[i] * on - won[i] * off
        g[a] += residual
        g[b] -= residual
        weight = (won[i] + lost[i]) * on * off
        H[a, a] += weight
        H[b, b] += weight
        H[min(a, b), max(a, b)] -= weight


@njit(cache=True, nogil=True, error_model="numpy")
def add_problem(  # type: ignore[no-untyped-def]
    H, member, share, first, middle, last, on_plus, on_minus, cross
):
    """Add on_plus e⁺e⁺ᵀ + on_minus e⁻e⁻ᵀ - cross (e⁺e⁻ᵀ + e⁻e⁺ᵀ)."""
    _add_square(H, member, share, first, middle, on_plus)
    _add_square(H, member, share, middle, last, on_minus)
    if cross != 0.0:
        for e in range(first, middle):
            for f in range(middle, last):
                a, b = min(member[e], member[f]), max(member[e], member[f])
                H[a, b] -= cross * share[e] * share[f]


@njit(cache=True, nogil=True, error_model="numpy")
def _add_square(H, member, share, first, last, factor):  # type: ignore[no-untyped-def]
    for e in range(first, last):
        scaled = factor * share[e]
        for f in range(e, last):
            H[member[e], member[f]] += scaled * share[f]
