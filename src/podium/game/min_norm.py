"""Wolfe's algorithm for the point of least norm in a convex hull, from inner products of the points.

    min_p  p'Kp  where p ≥ 0 and Σ p = 1,   K_ij = z_i · z_j   (eq. (3) and (4) of [PreferenceGame])

P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976). A *corral* is a set of
affinely independent points whose affine hull has its point of least norm inside their convex hull. Each round
adds the point with the smallest z_i · x, and drops points until the rest is a corral again. The norm falls in
every round, so no corral repeats. Nearly dependent points do no harm: the Cholesky factor of K + τ11' of the
corral, τ > 0, exists exactly if its points are affinely independent. It is updated one point at a time.
"""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.game.certificate import ROUNDING
from podium.numerics.compiled import njit

TINY = 1e-13  # pivots below this share of K_ii, and weights below it, are rounding
MOST_ROUNDS = 1_000_000  # a safeguard: in exact arithmetic the number of rounds is finite


def min_norm_point(K: Floats, p: Floats, *, tol: float, max_iter: int = MOST_ROUNDS) -> Floats:
    """The weights of the points, from those of p on, at a relative gap of ``tol`` or a value of 0 (`End`)."""
    order = np.flatnonzero(p > 0)
    order = order[np.argsort(-p[order], kind="stable")]
    if not len(order):
        order = np.array([np.argmin(np.diagonal(K))])
    mass = p[order] + (p[order] == 0)
    return np.asarray(_wolfe(np.ascontiguousarray(K), order, mass, tol, max_iter))


@njit(cache=True, nogil=True)
def _wolfe(K, first, mass, tol, max_iter):  # type: ignore[no-untyped-def]
    m, diagonal = len(K), np.diag(K)
    shift = np.max(diagonal)
    if shift == 0.0:  # all points are 0
        shift = 1.0
    room = min(m, 2 * len(first) + 64)
    L = np.zeros((room, room))
    corral = np.empty(m, dtype=np.intp)
    x = np.zeros(m)
    inside = np.zeros(m, dtype=np.bool_)
    k = 0
    for a in range(len(first)):
        if _append(L, K, shift, corral[:k], first[a]):
            corral[k], x[k], inside[first[a]] = first[a], mass[a], True
            k += 1
    x[:k] /= x[:k].sum()
    rounds, fresh = 0, k > 1
    f = np.zeros(m)
    while True:
        if fresh:  # there is a new point, or the start is not a corral yet
            k = _corral(L, corral, x, inside, k)
        f[:] = 0.0
        value, size = 0.0, 0.0
        for a in range(k):
            _add(x[a], K[corral[a]], f)
        for a in range(k):
            value += x[a] * f[corral[a]]
            size += x[a] * diagonal[corral[a]]
        j = np.argmin(f)
        low = max(f[j], 0.0)
        if value <= ROUNDING * size or inside[j] or 1.0 - (low / value) ** 2 <= tol or rounds >= max_iter:
            break
        if k == len(L):
            larger = np.zeros((min(m, 2 * k), min(m, 2 * k)))
            larger[:k, :k] = L
            L = larger
        if not _append(L, K, shift, corral[:k], j):
            break
        corral[k], x[k], inside[j] = j, 0.0, True
        k += 1
        rounds += 1
        fresh = True
    p = np.zeros(m)
    p[corral[:k]] = x[:k]
    return p


@njit(cache=True, nogil=True, inline="always")
def _dot(x, y, n):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(n):
        total += x[i] * y[i]
    return total


@njit(cache=True, nogil=True, inline="always")
def _add(factor, x, y):  # type: ignore[no-untyped-def]
    for i in range(len(y)):
        y[i] += factor * x[i]


@njit(cache=True, nogil=True)
def _append(L, K, shift, corral, j):  # type: ignore[no-untyped-def]
    """One more row of the factor; False if the point depends on the others."""
    k, row = len(corral), L[len(corral)]
    square = K[j, j] + shift
    for a in range(k):
        row[a] = (K[j, corral[a]] + shift - _dot(row, L[a], a)) / L[a, a]
    rest = square - _dot(row, row, k)
    if rest <= TINY * square:
        return False
    row[k] = np.sqrt(rest)
    return True


@njit(cache=True, nogil=True)
def _corral(L, corral, x, inside, k):  # type: ignore[no-untyped-def]
    """Walk to the affine minimiser, dropping the points whose weight reaches 0 on the way."""
    while True:
        y = _affine(L, k)
        step, first = 1.0, -1
        for a in range(k):
            if y[a] <= TINY and x[a] < step * (x[a] - y[a]):
                step, first = x[a] / (x[a] - y[a]), a
        for a in range(k):
            x[a] += step * (y[a] - x[a])
        if first >= 0:
            x[first] = 0.0
        before = k
        for a in range(k - 1, -1, -1):
            if y[a] <= TINY and x[a] <= TINY and k > 1:
                inside[corral[a]] = False
                _delete(L, k, a)
                corral[a : k - 1], x[a : k - 1] = corral[a + 1 : k].copy(), x[a + 1 : k].copy()
                k -= 1
        if k == before:
            return k
        x[:k] /= x[:k].sum()


@njit(cache=True, nogil=True)
def _affine(L, k):  # type: ignore[no-untyped-def]
    """The weights of the affine minimiser: (K + τ11')⁻¹ 1, scaled to sum to 1."""
    y = np.ones(k)
    for a in range(k):
        y[a] = (y[a] - _dot(L[a], y, a)) / L[a, a]
    for a in range(k - 1, -1, -1):
        y[a] /= L[a, a]
        _add(-y[a], L[a], y[:a])
    return y / y.sum()


@njit(cache=True, nogil=True)
def _delete(L, k, gone):  # type: ignore[no-untyped-def]
    """The factor without one of its points, by Givens rotations."""
    for a in range(gone, k - 1):
        L[a, : a + 2] = L[a + 1, : a + 2]
    for a in range(gone, k - 1):
        c, s = L[a, a], L[a, a + 1]
        r = np.hypot(c, s)
        c, s = c / r, s / r
        L[a, a], L[a, a + 1] = r, 0.0
        for i in range(a + 1, k - 1):
            one, two = L[i, a], L[i, a + 1]
            L[i, a], L[i, a + 1] = c * one + s * two, c * two - s * one
