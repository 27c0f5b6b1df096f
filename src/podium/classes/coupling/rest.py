"""One-vs-rest in closed form, up to one number per row: §5.1 of [GeneralizedBT].

With r_s for class s and r'_s for the rest, and n_s = r_s + r'_s > 0, the gradient of eq. (4) vanishes where

    r_s / p_s - r'_s / (1 - p_s) = δ   for all s,     that is   δ p_s² - (n_s + δ) p_s + r_s = 0.

The root between 0 and 1, without cancellation, is 2 r_s / ((n_s + δ) + √D_s) if δ ≥ -n_s, and ((n_s + δ) -
√D_s) / 2δ below, with D_s = (n_s + δ)² - 4 r_s δ = (n_s - δ)² + 4 r'_s δ, where the form without cancellation
is used. It decreases in δ at the rate p_s (1 - p_s) / √D_s, so that Σ p_s = 1 has one solution. At the
smallest and the largest value of k r_s - r'_s k / (k - 1) all p_s are on one side of 1/k, so the solution
lies between them, and Newton's method, kept between them, finds it.
"""

import numpy as np
from numpy.typing import NDArray

from podium.classes.coupling.likelihood import gradient_in_log_p, likelihood
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.result import SolverResult

MAX_ITER = 200  # Newton steps for one row at most
ROUNDING = 2e-16  # the rounding error of a number near 1


def single_classes(code: NDArray[np.int8]) -> NDArray[np.intp] | None:
    """The class that each problem compares with all others; None if the code is not one-vs-rest."""
    m, k = code.shape
    positive = (code > 0).sum(axis=1)
    alone = (code != 0).all(axis=1) & ((positive == 1) | (positive == k - 1))
    if m != k or not alone.all():
        return None
    single = np.argmax(code * np.where(positive == 1, 1, -1)[:, None], axis=1)
    return single if len(np.unique(single)) == k else None


def couple_with_rest(
    code: NDArray[np.int8], single: NDArray[np.intp], won: Floats, lost: Floats
) -> SolverResult:
    """One row of probabilities per row of ``won`` (r) and ``lost`` (r')."""
    straight = code[np.arange(len(code)), single] > 0
    order = np.argsort(single)
    r = np.ascontiguousarray(np.where(straight, won, lost)[:, order])
    rest = np.ascontiguousarray(np.where(straight, lost, won)[:, order])
    p = np.empty_like(r)
    iterations, delta = np.zeros(len(r), dtype=np.int64), np.zeros(len(r))
    _solve_rows(r, rest, p, delta, iterations)
    gradient = np.abs(gradient_in_log_p(code, won, lost, p)).max(axis=1)
    return SolverResult(
        solution=p,
        objective_of=likelihood(code, won, lost),
        gradient_norm=float(gradient.max(initial=0.0)),
        iterations=int(iterations.max(initial=0)),
        converged=True,
        solver="delta",
        details={"delta": delta, "row_gradient": gradient, "row_converged": np.ones(len(r), dtype=np.bool_)},
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _solve_rows(r, rest, p, delta, iterations):  # type: ignore[no-untyped-def]
    k = r.shape[1]
    for row in range(len(r)):
        low, high = np.inf, -np.inf
        for s in range(k):
            at_equal = k * r[row, s] - rest[row, s] * k / (k - 1)
            low, high = min(low, at_equal), max(high, at_equal)
        d = min(max(0.0, low), high)
        for trial in range(MAX_ITER):
            total, rate = _fill(r[row], rest[row], d, p[row])
            if total > 1.0:
                low = d
            else:
                high = d
            step = (total - 1.0) / rate if rate > 0.0 else np.inf
            if abs(total - 1.0) <= 2 * ROUNDING or min(abs(step), high - low) <= ROUNDING * abs(d):
                break
            d = d + step if low < d + step < high else low + (high - low) / 2
            iterations[row] = trial + 1
        p[row] /= total
        delta[row] = d


@njit(cache=True, nogil=True, error_model="numpy")
def _fill(r, rest, d, p):  # type: ignore[no-untyped-def]
    """Write p at δ = d; return its sum, and how fast that falls with δ."""
    total = rate = 0.0
    for s in range(len(r)):
        n = r[s] + rest[s]
        D = (n - d) ** 2 + 4.0 * rest[s] * d if d > 0.0 else (n + d) ** 2 - 4.0 * r[s] * d
        root = np.sqrt(D)
        if d < -n:
            p[s] = ((n + d) - root) / (2.0 * d)
        else:
            p[s] = 2.0 * r[s] / ((n + d) + root) if r[s] > 0.0 else 0.0
        total += p[s]
        if root > 0.0:
            rate += p[s] * (1.0 - p[s]) / root
    return total, rate
