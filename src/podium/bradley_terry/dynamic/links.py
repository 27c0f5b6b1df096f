"""The loss of one comparison: minus the log-probability of its outcome, given the difference of its sides.

Davidson: P(-1, 0, 1) ∝ (e^(-d/2), ν, e^(d/2)); with ν = 0 a tie is half a win of each side. Rao and Kupper:
P(1) = 1 / (1 + κ e^(-d)), P(-1) = 1 / (1 + κ e^d).
"""

import numpy as np

from podium.numerics.compiled import njit


@njit(cache=True, nogil=True)
def loss(d, outcome, tie, rao_kupper):  # type: ignore[no-untyped-def]
    """The loss without constants, its slope and its curvature."""
    if rao_kupper:
        return _rao_kupper(d, outcome, tie)
    x = np.exp(-0.5 * abs(d))  # stronger : tie : weaker = 1 : ν x : x²
    whole = 1.0 + tie * x + x * x
    mean = 0.5 * (1.0 - x * x) / whole
    curvature = 0.25 * (1.0 + x * x) / whole - mean * mean
    sign = 1.0 if d > 0 else -1.0
    value = np.log(whole) + 0.5 * abs(d) - 0.5 * outcome * d
    return value, sign * mean - 0.5 * outcome, curvature


@njit(cache=True, nogil=True)
def _rao_kupper(d, outcome, kappa):  # type: ignore[no-untyped-def]
    value, slope, curvature = 0.0, 0.0, 0.0
    if outcome >= 0:  # the right side did not lose
        z = d - np.log(kappa)
        miss = _logistic(-z)
        value, slope, curvature = value + _softplus(-z), slope - miss, curvature + miss * (1 - miss)
    if outcome <= 0:
        z = -d - np.log(kappa)
        miss = _logistic(-z)
        value, slope, curvature = value + _softplus(-z), slope + miss, curvature + miss * (1 - miss)
    return value, slope, curvature


@njit(cache=True, nogil=True)
def probabilities(d, tie, rao_kupper):  # type: ignore[no-untyped-def]
    """P(-1), P(0), P(1)."""
    if rao_kupper:
        left, right = _logistic(-d - np.log(tie)), _logistic(d - np.log(tie))
        return left, (tie * tie - 1.0) * left * right, right
    x = np.exp(-0.5 * abs(d))
    whole = 1.0 + tie * x + x * x
    stronger, tied, weaker = 1.0 / whole, tie * x / whole, x * x / whole
    return (weaker, tied, stronger) if d > 0 else (stronger, tied, weaker)


@njit(cache=True, nogil=True)
def losses(d, outcome, mass, tie, rao_kupper):  # type: ignore[no-untyped-def]
    """The total loss of many comparisons, and their slopes and curvatures."""
    slope, curvature = np.empty(len(d)), np.empty(len(d))
    total = 0.0
    for g in range(len(d)):
        value, first, second = loss(d[g], outcome[g], tie, rao_kupper)
        total += mass[g] * value
        slope[g], curvature[g] = mass[g] * first, mass[g] * second
    return total, slope, curvature


@njit(cache=True, nogil=True)
def _logistic(z):  # type: ignore[no-untyped-def]
    e = np.exp(-abs(z))
    return (1.0 if z > 0 else e) / (1.0 + e)


@njit(cache=True, nogil=True)
def _softplus(z):  # type: ignore[no-untyped-def]
    return max(z, 0.0) + np.log1p(np.exp(-abs(z)))
