"""The objective that couples binary probabilities: eq. (4) of [GeneralizedBT], for many rows at once.

l(p) = - Σ_i (r_i log(q_i⁺ / q_i) + r'_i log(q_i⁻ / q_i)),   one column of r per problem, one row per
instance.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats


def likelihood(code: NDArray[np.int8], won: Floats, lost: Floats) -> Callable[[Floats], float]:
    """The sum of l over the rows, as a function of p."""

    def objective(p: Floats) -> float:
        from scipy.special import xlogy

        plus, minus = side_sums(code, p)
        q = plus + minus
        return float(-np.sum(xlogy(won, plus / q) + xlogy(lost, minus / q)))

    return objective


def side_sums(code: NDArray[np.int8], p: Floats) -> tuple[Floats, Floats]:
    """q⁺ and q⁻: one row per instance, one column per problem."""
    return p @ (code > 0).T.astype(np.float64), p @ (code < 0).T.astype(np.float64)


def gradient_in_log_p(code: NDArray[np.int8], won: Floats, lost: Floats, p: Floats) -> Floats:
    """The gradient p_s ∂l/∂p_s of (4) in log p, relative to the mass Σ (r + r') of the row.

    Its rows add up to 0, since l does not depend on the scale of p.
    """
    plus, minus = side_sums(code, p)
    residual = (lost * plus - won * minus) / (plus + minus)
    with np.errstate(divide="ignore", invalid="ignore"):
        on_plus, on_minus = np.nan_to_num(residual / plus), np.nan_to_num(residual / minus)
    mass = np.sum(won + lost, axis=1, keepdims=True)
    gradient = p * (on_plus @ (code > 0) - on_minus @ (code < 0))
    return np.asarray(np.divide(gradient, mass, out=np.zeros_like(p), where=mass > 0))
