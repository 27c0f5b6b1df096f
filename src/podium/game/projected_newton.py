"""Projected Newton steps [Bertsekas 1982] for the game over some preferences.

    min ½ v'Kv - Σ v  where v ≥ 0,   p = v / Σ v.

The variables that are above 0, or would grow, are free. A step goes towards the solution of K v = 1 for them
and is cut at 0, so that whole blocks enter and leave at once.
"""

from typing import NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.certificate import relative_gap

SMALL_PIVOT = 1e-11  # pivots below this share of K_aa are rounding errors, so the factor is not used
HALVINGS = 12  # a step that does not lower the objective or the gap is halved this often


class Point(NamedTuple):
    """v and K v, with the objective and the relative gap of the game there."""

    v: Floats
    f: Floats

    @property
    def height(self) -> float:
        return float(self.v @ (0.5 * self.f - 1.0))

    @property
    def gap(self) -> float:
        return relative_gap(float(self.v @ self.f), float(self.f.min()) * float(self.v.sum()))


def projected_newton(K: Floats, p: Floats, *, tol: float, max_iter: int) -> tuple[Floats, bool]:
    """Start from p; return the strategy, and whether it reached the gap ``tol``."""
    f = K @ p
    square = float(p @ f)
    here = Point(p / square, f / square) if square > 0 else Point(p, f)
    for _ in range(max_iter):
        free = np.flatnonzero((here.v > 0) | (here.f < 1.0))
        step = _solve(K, free, 1.0 - here.f[free])
        there = None if step is None else _descend(K, here, free, step)
        if there is None:
            break
        here = there
        if here.gap <= tol:
            return here.v / here.v.sum(), True
    total = float(here.v.sum())
    return (here.v / total if total > 0 else p), False


def _solve(K: Floats, free: Positions, right: Floats) -> Floats | None:
    """The x with K x = right for the free variables; None if K is singular to rounding."""
    from scipy.linalg.lapack import dpotrf, dpotrs  # scipy's wrappers take longer than small matrices

    part = K if len(free) == len(K) else K[np.ix_(free, free)]
    factor, failed = dpotrf(part.T, lower=1, clean=0)
    if failed or np.any(np.diagonal(factor) ** 2 <= SMALL_PIVOT * np.diagonal(part)):
        return None
    return np.asarray(dpotrs(factor, right, lower=1)[0])


def _descend(K: Floats, here: Point, free: Positions, step: Floats) -> Point | None:
    """The longest of the steps 1, ½, ¼ …, cut at 0, that lowers the objective or the gap."""
    length = 1.0
    for _ in range(HALVINGS):
        v = np.zeros_like(here.v)
        v[free] = np.maximum(here.v[free] + length * step, 0.0)
        there = Point(v, K @ v)
        if there.height < here.height or there.gap < here.gap:
            return there
        length /= 2
    return None
