"""Tail probabilities of sums of independent discrete variables, far out and with few terms.

This is the approximation of Lugannani and Rice (1980). With the cumulant generating function K of the sum S
and the solution t of K'(t) = x,

    P(S >= x)  ≈  Φ(-w) + φ(w) (1/u - 1/w),    w² = 2 (t x - K(t)),    u² = t² K''(t).

It is capped by Chernoff's bound exp(K(t) - t x), which is exact at the largest possible value of S.
"""

import math

import numpy as np

from podium.comparisons.arrays import Floats

TOL = 1e-9  # relative, of the tilt t
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
    from scipy.optimize import brentq

    if not x > 0:
        return 0.5
    centred = values - (probability * values).sum(axis=1, keepdims=True)
    top = centred.max(axis=1)

    def parts(t: float) -> Floats:
        """What each value of a variable adds to the mean of e^(t (variable - top))."""
        return np.asarray(probability * np.exp(t * (centred - top[:, None])))

    def slope(t: float) -> float:
        part = parts(t)
        return float(times @ ((part * centred).sum(axis=1) / part.sum(axis=1)) + noise * t)

    t = STEEPEST * math.sqrt(times.sum() / (times @ (probability * centred**2).sum(axis=1)))
    if slope(t) > x:
        t = float(brentq(lambda t: slope(t) - x, 0.0, t, xtol=1e-300, rtol=TOL))
    part = parts(t)
    whole = part.sum(axis=1)
    mean = (part * centred).sum(axis=1) / whole
    cumulant = float(times @ (np.log(whole) + t * top)) + noise * t * t / 2
    curvature = max(float(times @ ((part * centred**2).sum(axis=1) / whole - mean**2)) + noise, 0.0)
    squared = max(2 * (t * x - cumulant), 0.0)
    w, u = math.sqrt(squared), t * math.sqrt(curvature)
    if w < CENTRE:
        return 0.5
    bound = math.exp(-squared / 2)
    if u <= 0:
        return bound
    tail = math.erfc(w / math.sqrt(2)) / 2 + bound / math.sqrt(2 * math.pi) * (1 / u - 1 / w)
    return float(min(max(tail, 0.0), bound))
