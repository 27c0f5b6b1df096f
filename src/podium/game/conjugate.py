"""The exact game when its support is too large for a factor: conjugate gradients on products K p.

    min ½ v'Kv - Σ v  where v ≥ 0,   p = v / Σ v,

as in `active_set`, by projected Newton steps [Bertsekas 1982] over all preferences at once. The
equations K v = 1 of the free variables are solved by conjugate gradients, preconditioned by the diagonal, a
share of which is added to K (as much as keeps the steps short: preferences may depend on each other). A
product computes kernel rows and forgets them, so memory stays linear. Supports are that large only where K is
well conditioned (a ridge, a narrow kernel), for at most rank + 1 of the z are needed; then few products do.
"""

from typing import NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.kernel import GameKernel

MOST_PRODUCTS = 200  # for one Newton step
HALVINGS = 6
DAMPING = 1e-4  # at first


class Point(NamedTuple):
    """v with K v; the value of the game there and its relative gap."""

    v: Floats
    f: Floats

    @property
    def height(self) -> float:
        return float(self.v @ (0.5 * self.f - 1.0))

    @property
    def gap(self) -> float:
        square = float(self.v @ self.f)
        return 1.0 - (max(float(self.f.min()), 0.0) * float(self.v.sum()) / square) ** 2


def solve_large_game(
    kernel: GameKernel, p: Floats, *, tol: float, max_iter: int
) -> tuple[Floats, list[float]]:
    """The strategy from the strategy p on, and the gaps on the way."""
    f = _product(kernel, p)
    here = Point(p / (p @ f), f / (p @ f))
    history = [here.gap]
    damping = DAMPING
    while history[-1] > tol and len(history) <= max_iter:
        free = np.flatnonzero((here.v > 0) | (here.f < 1.0))
        step = _newton_step(kernel.take(free), 1.0 - here.f[free], min(0.1, history[-1]), damping)
        there, length = _descend(kernel, here, free, step)
        if length == 0.0 and damping > 1.0:
            break
        damping = damping / 10 if length > 0.5 else min(10 * damping, 10.0)
        here = there
        history.append(here.gap)
    return here.v / here.v.sum(), history


def _product(kernel: GameKernel, v: Floats) -> Floats:
    support = np.flatnonzero(v)
    return kernel.product(support, v[support])


def _newton_step(kernel: GameKernel, residual: Floats, accuracy: float, damping: float) -> Floats:
    """(K + damping · its diagonal)⁻¹ times the residual, to a relative accuracy."""
    x, r = np.zeros_like(residual), residual.copy()
    scale = np.maximum(kernel.diagonal, np.finfo(float).tiny)
    z = r / scale
    d, rz = z.copy(), float(r @ z)
    enough = accuracy**2 * rz
    for _ in range(MOST_PRODUCTS):
        image = _product(kernel, d) + damping * scale * d
        curvature = float(d @ image)
        if curvature <= 0:
            break
        length = rz / curvature
        x += length * d
        r -= length * image
        z = r / scale
        last, rz = rz, float(r @ z)
        if rz <= enough:
            break
        d = z + (rz / last) * d
    return x


def _descend(kernel: GameKernel, here: Point, free: Positions, step: Floats) -> tuple[Point, float]:
    """The longest of the steps 1, ½, ¼ …, cut at 0, that goes down, and its length; 0 if none does."""
    length = 1.0
    for _ in range(HALVINGS):
        v = np.zeros_like(here.v)
        v[free] = np.maximum(here.v[free] + length * step, 0.0)
        there = Point(v, _product(kernel, v))
        if there.height < here.height:
            return there, length
        length /= 2
    return here, 0.0
