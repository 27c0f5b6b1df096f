"""Projected Newton steps [Bertsekas 1982] for the game over some preferences.

    min ½ v'Kv - Σ v  where v ≥ 0,   p = v / Σ v.

The variables that are above 0, or would grow, are free. A step goes towards the solution of K v = 1 for them
and is cut at 0, so that whole blocks enter and leave at once. A `System` knows K, either as a matrix with a
Cholesky factor, or by products alone with conjugate gradients, which need no memory for K. Supports too large
for a factor only occur if K is well conditioned (a ridge, a narrow kernel), since at most rank + 1 of the z
are needed; then few products are enough.
"""

from typing import NamedTuple, Protocol

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.certificate import relative_gap
from podium.game.kernel import GameKernel

SMALL_PIVOT = 1e-11  # pivots below this share of K_aa are rounding errors, so the factor is not used
HALVINGS = 12  # a step that does not lower the objective or the gap is halved this often
DAMPING = 1e-3  # conjugate gradients add the share DAMPING · gap of the diagonal to K
MOST_PRODUCTS = 200  # the most products with K in one Newton step by conjugate gradients


class System(Protocol):
    """What a Newton step needs to know about K."""

    def product(self, v: Floats) -> Floats:
        """K v."""

    def solve(self, free: Positions, right: Floats, accuracy: float) -> Floats | None:
        """The x with K x = right for the free variables; None if K is singular to rounding."""


class Factored(NamedTuple):
    """A matrix K that is small enough for a Cholesky factor."""

    K: Floats

    def product(self, v: Floats) -> Floats:
        return self.K @ v

    def solve(self, free: Positions, right: Floats, accuracy: float) -> Floats | None:
        from scipy.linalg import LinAlgError, cho_solve, cholesky

        part = self.K[np.ix_(free, free)]
        diagonal = np.diagonal(part).copy()
        try:
            factor = cholesky(part, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        if np.any(np.diagonal(factor) ** 2 <= SMALL_PIVOT * diagonal):
            return None
        return np.asarray(cho_solve((factor, True), right, check_finite=False))


class Products(NamedTuple):
    """A K that is never formed: conjugate gradients, scaled by the diagonal, to a relative accuracy.

    Preferences may be linearly dependent, so a share of the diagonal is added to K, which shrinks with the
    gap.
    """

    kernel: GameKernel

    def product(self, v: Floats) -> Floats:
        support = np.flatnonzero(v)
        return self.kernel.product(support, v[support])

    def solve(self, free: Positions, right: Floats, accuracy: float) -> Floats | None:
        from scipy.sparse.linalg import LinearOperator, cg

        part = Products(self.kernel.take(free))
        scale = 1.0 / np.sqrt(np.maximum(part.kernel.diagonal, np.finfo(float).tiny))

        def scaled(x: Floats) -> Floats:
            return np.asarray(scale * part.product(scale * x) + DAMPING * accuracy * x)

        operator = LinearOperator((len(free), len(free)), scaled, dtype=np.float64)
        x, _ = cg(operator, scale * right, rtol=min(0.1, accuracy), maxiter=MOST_PRODUCTS)
        return np.asarray(scale * x)


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


def projected_newton(
    system: System, p: Floats, *, tol: float, max_iter: int
) -> tuple[Floats, list[float], bool]:
    """Start from p; return the strategy, the gap after each step, and whether it reached ``tol``."""
    f = system.product(p)
    square = float(p @ f)
    here = Point(p / square, f / square) if square > 0 else Point(p, f)
    gaps: list[float] = []
    while len(gaps) < max_iter:
        free = np.flatnonzero((here.v > 0) | (here.f < 1.0))
        step = system.solve(free, 1.0 - here.f[free], gaps[-1] if gaps else 1.0)
        there = None if step is None else _descend(system, here, free, step)
        if there is None:
            break
        here = there
        gaps.append(here.gap)
        if gaps[-1] <= tol:
            return here.v / here.v.sum(), gaps, True
    total = float(here.v.sum())
    return (here.v / total if total > 0 else p), gaps, False


def _descend(system: System, here: Point, free: Positions, step: Floats) -> Point | None:
    """The longest of the steps 1, ½, ¼ …, cut at 0, that lowers the objective or the gap."""
    length = 1.0
    for _ in range(HALVINGS):
        v = np.zeros_like(here.v)
        v[free] = np.maximum(here.v[free] + length * step, 0.0)
        there = Point(v, system.product(v))
        if there.height < here.height or there.gap < here.gap:
            return there
        length /= 2
    return None
