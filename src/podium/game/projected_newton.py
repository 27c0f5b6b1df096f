"""A game over a working set small enough for a factor: projected Newton steps [Bertsekas 1982].

    min ½ v'Kv - Σ v  where v ≥ 0,   p = v / Σ v.

The variables that are above 0, or would grow, are free; a step goes towards the solution of K v = 1 for them
and is cut at 0, so that whole blocks enter and leave at once. The objective falls in every step.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.certificate import relative_gap

SMALL_PIVOT = 1e-11  # below this share of K_aa the factor is no guide
NEWTON_STEPS = 30


def projected_newton(K: Floats, p: Floats, tol: float) -> tuple[Floats, bool]:
    """Projected Newton steps for ½v'Kv - Σv, v ≥ 0; False if they are not to be trusted."""
    f = K @ p
    square = float(p @ f)
    v = p / square if square > 0 else p
    g = K @ v - 1.0
    height = 0.5 * float(v @ g) - 0.5 * float(v.sum())
    for _ in range(NEWTON_STEPS):
        free = np.flatnonzero((v > 0) | (g < 0))
        target = _solution(K[np.ix_(free, free)])
        if target is None:
            break
        moved = _step(K, v, free, target, height)
        if moved is None:
            break
        v, g, height = moved
        square = float(v @ (g + 1.0))
        if relative_gap(square, float(g.min() + 1.0) * float(v.sum())) <= tol and np.all(target >= 0):
            return v / v.sum(), True
    total = float(v.sum())
    return (v / total if total > 0 else p), False


def _solution(K: Floats) -> Floats | None:
    """K⁻¹1, or None if K is singular to rounding."""
    from scipy.linalg import LinAlgError, cho_solve, cholesky

    diagonal = np.diagonal(K).copy()
    try:
        factor = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    if np.any(np.diagonal(factor) ** 2 <= SMALL_PIVOT * diagonal):
        return None
    return np.asarray(cho_solve((factor, True), np.ones(len(K)), check_finite=False))


def _step(
    K: Floats, v: Floats, free: Positions, target: Floats, height: float
) -> tuple[Floats, Floats, float] | None:
    """The longest of the steps 1, ½, ¼ … towards the target, cut at 0, that goes down."""
    length = 1.0
    for _ in range(12):
        trial = np.zeros_like(v)
        trial[free] = np.maximum(v[free] + length * (target - v[free]), 0.0)
        g = K @ trial - 1.0
        there = 0.5 * float(trial @ g) - 0.5 * float(trial.sum())
        if there < height:
            return trial, g, there
        length /= 2
    return None
