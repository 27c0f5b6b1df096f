"""The two models of a tie, each as one compiled pass over the pairs that met.

Side i has the strength t_i², the left side's raised by bias². With x = t_weaker / t_stronger <= 1:

- Davidson: win, tie, loss of the stronger in the proportions 1 : ν x : x². Without ties (ν = 0) this is the
  model of Bradley and Terry, eq. (2) of [GeneralizedBT].
- Rao and Kupper: the stronger wins with 1 / (1 + κ x²), the weaker with x² / (x² + κ), κ >= 1; else a tie.

Divisions only, no exponential for a pair: the pass is bound by memory.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class PassSums(NamedTuple):
    """What a pass adds up beside the arrays it fills, for the tie parameter and the order effect."""

    expected_left: float
    tie_gradient: float
    tie_curvature: float
    order_curvature: float


@njit(cache=True, nogil=True, error_model="numpy")
def davidson_pass(indptr, partner, total, ties, margin, t, bias, nu, expected, curvature, pair_terms):  # type: ignore[no-untyped-def]
    """Fill the expected scores and the curvature of every side; sums for log ν and the order effect.

    ``pair_terms``, if it has rows, takes for every pair the second derivatives by the difference and by the
    difference and log ν.
    """
    expected[:] = 0.0
    curvature[:] = 0.0
    expected_left = tie_gradient = tie_curvature = order_curvature = 0.0
    for i in range(len(indptr) - 1):
        t_left = t[i] * bias
        score_i = curvature_i = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            n = total[e]
            left_is_stronger = t_left >= t[j]
            x = min(t_left, t[j]) / max(t_left, t[j])  # without a branch, which would be guessed wrong
            square = x * x
            z = 1.0 / (1.0 + square + nu * x)
            weaker = n * (square + 0.5 * nu * x) * z
            bend = n * (square + 0.25 * nu * x * (1.0 + square)) * z * z
            left = n - weaker if left_is_stronger else weaker
            score_i += left
            curvature_i += bend
            expected[j] += n - left
            curvature[j] += bend
            if nu > 0.0:
                tie = n * nu * x * z
                tie_gradient += tie - ties[e]
                tie_curvature += tie * (1.0 + square) * z
                if len(pair_terms):
                    cross = 0.5 * tie * (1.0 - square) * z
                    pair_terms[e, 1] = cross if left_is_stronger else -cross
            if len(pair_terms):
                pair_terms[e, 0] = bend
        expected[i] += score_i
        curvature[i] += curvature_i
        expected_left += score_i
        order_curvature += curvature_i
    return expected_left, tie_gradient, tie_curvature, order_curvature


@njit(cache=True, nogil=True, error_model="numpy")
def rao_kupper_pass(indptr, partner, total, ties, margin, t, bias, eta, expected, curvature, pair_terms):  # type: ignore[no-untyped-def]
    """As `davidson_pass`, for log κ = ``eta``; a tie counts as a win of both sides."""
    expected[:] = 0.0
    curvature[:] = 0.0
    expected_left = tie_gradient = tie_curvature = order_curvature = 0.0
    kappa = np.exp(eta)
    for i in range(len(indptr) - 1):
        t_left = t[i] * bias
        score_i = curvature_i = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            right_or_tie = 0.5 * (total[e] + ties[e] + margin[e])
            left_or_tie = 0.5 * (total[e] + ties[e] - margin[e])
            if t_left >= t[j]:
                square = (t[j] / t_left) ** 2
                not_right, not_left = kappa / (square + kappa), kappa * square / (1.0 + kappa * square)
            else:
                square = (t_left / t[j]) ** 2
                not_right, not_left = kappa * square / (1.0 + kappa * square), kappa / (square + kappa)
            a, b = right_or_tie * not_right, left_or_tie * not_left
            bend_a, bend_b = a * (1.0 - not_right), b * (1.0 - not_left)
            score_i += left_or_tie - b + a
            expected[j] += right_or_tie - a + b
            curvature_i += bend_a + bend_b
            curvature[j] += bend_a + bend_b
            tie_gradient += a + b
            tie_curvature += bend_a + bend_b
            if len(pair_terms):
                pair_terms[e, 0] = bend_a + bend_b
                pair_terms[e, 1] = bend_b - bend_a
            if ties[e] > 0.0:
                tie_gradient -= ties[e] * 2.0 * kappa**2 / (kappa**2 - 1.0)
                tie_curvature += ties[e] * 4.0 * kappa**2 / (kappa**2 - 1.0) ** 2
        expected[i] += score_i
        curvature[i] += curvature_i
        expected_left += score_i
        order_curvature += curvature_i
    return expected_left, tie_gradient, tie_curvature, order_curvature
