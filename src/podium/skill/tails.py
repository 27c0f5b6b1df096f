"""Tail probabilities of sums of independent discrete variables, far out and with few terms.

This is the approximation of Lugannani and Rice (1980). With the cumulant generating function K of the sum S
and the solution t of K'(t) = x,

    P(S >= x)  ≈  Φ(-w) + φ(w) (1/u - 1/w),    w² = 2 (t x - K(t)),    u² = t² K''(t).

It is capped by Chernoff's bound exp(K(t) - t x), which is exact at the largest possible value of S.
"""

import math

import numpy as np

from podium.comparisons.arrays import Floats, frozen
from podium.numerics.compiled import njit

TOL = 1e-9  # relative, of the tilt t
MAX_STEPS = 100  # Newton steps inside a bracket; about ten are enough
STEEPEST = 500.0  # the largest t, in standard deviations of one variable; there S is at its largest value
CENTRE = 1e-3  # nearer to the mean than this many standard deviations, the tail is a half


def upper_tail(x: float, values: Floats, probability: Floats, times: Floats, noise: float = 0.0) -> float:
    """P(S >= x) for x above the mean, where S is the sum of centred variables and of a normal error.

    Parameters
    ----------
    x : float
        How far the sum is above its mean.
    values, probability : ndarray of shape (n_variables, n_values)
        The values of every variable, and their probabilities.
    times : ndarray of shape (n_variables,)
        How many independent copies of each variable are in the sum.
    noise : float, default=0.0
        The variance of the normal error.

    Returns
    -------
    float

    Examples
    --------
    Ten heads of ten coins, where 5 are expected:

    >>> coins = np.tile([0.0, 1.0], (10, 1))
    >>> round(upper_tail(5.0, coins, np.full((10, 2), 0.5), np.ones(10)) * 2**10, 3)
    1.0
    """
    if not x > 0:
        return 0.5
    centred = values - (probability * values).sum(axis=1, keepdims=True)
    times = frozen(np.ascontiguousarray(times))  # one layout, so that one function is compiled
    t, cumulant, curvature = _saddle(x, centred, probability, times, noise)
    squared = max(2 * (t * x - cumulant), 0.0)
    w, u = math.sqrt(squared), t * math.sqrt(curvature)
    if w < CENTRE:
        return 0.5
    bound = math.exp(-squared / 2)
    if u <= 0:
        return bound
    tail = math.erfc(w / math.sqrt(2)) / 2 + bound / math.sqrt(2 * math.pi) * (1 / u - 1 / w)
    return float(min(max(tail, 0.0), bound))


@njit(cache=True, nogil=True)
def _saddle(x, values, probability, times, noise):  # type: ignore[no-untyped-def]
    """The t with K'(t) = x, K(t) and K''(t): Newton's method, with bisection if a step leaves the bracket."""
    _, _, curvature = _cumulants(0.0, values, probability, times, 0.0)
    low, high = 0.0, STEEPEST * np.sqrt(times.sum() / curvature)
    t = 0.0
    for _ in range(MAX_STEPS):
        _, slope, curvature = _cumulants(t, values, probability, times, noise)
        if slope < x:
            low = t
        else:
            high = t
        moved = t + (x - slope) / curvature if curvature > 0.0 else high
        if not low < moved < high:
            moved = 0.5 * (low + high)
        done = abs(moved - t) <= TOL * moved
        t = moved
        if done:
            break
    cumulant, _, curvature = _cumulants(t, values, probability, times, noise)
    return t, cumulant, curvature


@njit(cache=True, nogil=True)
def _cumulants(t, values, probability, times, noise):  # type: ignore[no-untyped-def]
    """K(t), K'(t) and K''(t)."""
    cumulant, slope, curvature = 0.5 * noise * t * t, noise * t, noise
    for i in range(len(values)):
        top = t * values[i].max()
        whole = first = second = 0.0
        for k in range(values.shape[1]):
            part = probability[i, k] * np.exp(t * values[i, k] - top)
            whole += part
            first += part * values[i, k]
            second += part * values[i, k] * values[i, k]
        mean = first / whole
        cumulant += times[i] * (np.log(whole) + top)
        slope += times[i] * mean
        curvature += times[i] * (second / whole - mean * mean)
    return cumulant, slope, curvature
