"""Coupling of one-vs-one probabilities by least squares [Wu, Lin, Weng 2004], as in LIBSVM.

For every row, with r_st + r_ts = 1 and a weight n_st per pair,

    min Σ_{s<t} n_st (r_ts p_s - r_st p_t)²   subject to   Σ p_s = 1,

whose solution is never negative. It solves the linear system Q p = b 1, Σ p_s = 1, which has one solution for
every r, including 0 and 1: if Q x = 0, then x is 0 or all its entries have one sign, so it does not add up to
0.
"""

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

ROWS = 1024  # the number of rows that are solved at once, which limits the memory for their matrices


def couple_by_squares(code: NDArray[np.int8], won: Floats, lost: Floats) -> SolverResult:
    """One row of probabilities per row of ``won`` (r) and ``lost`` (r'); their columns are pairs."""
    plus, minus = np.argmax(code, axis=1), np.argmin(code, axis=1)
    p = np.empty((len(won), code.shape[1]))
    worst = 0.0
    with one_blas_thread():
        for rows in (slice(at, at + ROWS) for at in range(0, len(won), ROWS)):
            Q = _quadratic(plus, minus, won[rows], lost[rows], code.shape[1])
            p[rows], residual = _solve(Q)
            worst = max(worst, residual)

    def objective(p: Floats) -> float:
        mass = np.where(won + lost > 0, won + lost, 1.0)
        return float(np.sum((lost * p[:, plus] - won * p[:, minus]) ** 2 / mass))

    return SolverResult(
        solution=p,
        objective_of=objective,
        gradient_norm=worst,
        iterations=1,
        converged=True,
        solver="least-squares",
        details={"row_converged": np.ones(len(won), dtype=np.bool_)},
    )


def _quadratic(plus: NDArray[np.intp], minus: NDArray[np.intp], won: Floats, lost: Floats, k: int) -> Floats:
    """Q of every row; n r² is won² / n."""
    root = np.sqrt(np.where(won + lost > 0, won + lost, 1.0))
    won, lost = won / root, lost / root
    Q = np.zeros((len(won), k, k))
    Q[:, plus, minus] = Q[:, minus, plus] = -won * lost
    of_class = np.eye(k)
    diagonal = lost**2 @ of_class[plus] + won**2 @ of_class[minus]
    Q[:, np.arange(k), np.arange(k)] = diagonal
    return Q


def _solve(Q: Floats) -> tuple[Floats, float]:
    """The p of every row, and the largest entry of Q p - b 1 relative to Q."""
    n, k, _ = Q.shape
    scale = np.maximum(np.abs(Q).max(axis=(1, 2)), np.finfo(float).tiny)
    bordered = np.ones((n, k + 1, k + 1))
    bordered[:, :k, :k] = Q / scale[:, None, None]
    bordered[:, k, k] = 0.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    x = np.linalg.solve(bordered, right)
    residual = np.abs(bordered @ x - right).max(initial=0.0)
    p = np.maximum(x[:, :k, 0], 0.0)  # negative by rounding alone
    return p / p.sum(axis=1, keepdims=True), float(residual)
