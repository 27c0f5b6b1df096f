"""The exact game over all preferences at once, for supports that are too large for a Cholesky factor.

    min ½ v'Kv - Σ v  where v ≥ 0,   p = v / Σ v,   K = K_z + diag(ridge).

This is the proximal point method. A round adds ½ Σ σ_a (v_a - u_a)², where u is the solution of the last
round, so that its equations are well conditioned even if preferences are linearly dependent. With e = ridge +
σ and c = 1 + σu, a round is the dual of a machine with squared hinges,

    min_w ½‖w‖² + ½ Σ_a max(0, c_a - f_a)² / e_a,   f_a = w · z_a,   v_a = max(0, c_a - f_a) / e_a,

which Newton's method solves in a few steps [Keerthi and DeCoste 2005]. w = Σ x_a z_a is stored as x with its
margins f = K_z x. A step solves (I + H K_z) d = v - x, where H is diag(1 / e) for the preferences with f < c
and 0 for the others. Conjugate gradients in the inner product of K_z solve it by products with K_z alone, and
d goes downhill however early they stop.
"""

from typing import NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats
from podium.game.certificate import relative_gap
from podium.game.kernel import Products
from podium.numerics.descent import line_search

# The following were chosen on 5,000 to 10,000 preferences with rbf kernels, narrow and wide.
FIRST, SHRINK = 0.03, 0.5  # σ as a share of the diagonal in the first round, and its factor after a round
SMALLEST = 1e-12  # with a smaller share of the diagonal, rounding errors prevent progress
RESIDUAL = 0.03  # conjugate gradients stop at this share of the first residual ...
MOST_PRODUCTS = 300  # ... or after this many products
ENOUGH = 0.3  # a round ends if the margins of v and of w differ by less than this share of its change


class Round(NamedTuple):
    """The problem of one round: K_z, the centre u and the denominators e = ridge + σ."""

    products: Products
    u: Floats
    e: Floats

    @property
    def sigma(self) -> Floats:
        return self.e - self.products.game.ridge

    @property
    def c(self) -> Floats:
        return 1.0 + self.sigma * self.u

    def target(self, f: Floats) -> Floats:
        """The v for the margins f."""
        return np.maximum(self.c - f, 0.0) / self.e

    def direction(self, x: Floats, f: Floats) -> tuple[Floats, Floats]:
        """Newton's direction d and K_z d."""
        H = np.where(f < self.c, 1.0 / self.e, 0.0)
        r = self.target(f) - x
        Kr = self.products(r)
        p, Kp, left = r, Kr, float(r @ Kr)
        d, Kd, enough = np.zeros_like(x), np.zeros_like(x), RESIDUAL**2 * left
        for _ in range(MOST_PRODUCTS):
            if not left > enough:
                break
            q = p + H * Kp
            length = left / float(q @ Kp)
            d, Kd, r = d + length * p, Kd + length * Kp, r - length * q
            Kr = self.products(r)
            before, left = left, float(r @ Kr)
            p, Kp = r + left / before * p, Kr + left / before * Kp
        return d, Kd

    def step(self, x: Floats, f: Floats) -> tuple[Floats, Floats] | None:
        """The x and f after one step of Newton's method; None if no step goes downhill."""
        d, Kd = self.direction(x, f)

        def trial(length: float) -> tuple[float, tuple[Floats, Floats]]:
            there = x + length * d, f + length * Kd
            return float((there[0] - self.target(there[1])) @ Kd), there

        return line_search(trial, float((x - self.target(f)) @ Kd), flatter=0.3)

    def change(self, v: Floats) -> float:
        """How far the margins K v of the solution v are from 1, because of the centre."""
        return float(np.abs(self.sigma * (v - self.u)).max())


def proximal_newton(
    products: Products,
    p: Floats,
    value: float,
    *,
    tol: float,
    max_iter: int,
    most_products: int | None = None,
) -> tuple[Floats, list[float]]:
    """Start from the strategy p with p'Kp = ``value``; return a strategy and the gap after each step."""
    most = products.used + (np.inf if most_products is None else most_products)
    share, gaps = FIRST, list[float]()
    v = x = p / value
    f, this = products(x), _round(products, v, share)
    while len(gaps) < max_iter and products.used < most:
        moved = this.step(x, f)
        x, f = moved or (x, f)
        v = this.target(f)
        margins = products(v)
        gaps.append(_gap(v, margins + products.game.ridge * v))
        if gaps[-1] <= tol:
            break
        changed = this.change(v)
        if moved is None or np.abs(margins - f).max() <= ENOUGH * changed:
            share *= SHRINK
            if share < SMALLEST or not changed:
                break
            # x and v have the same w, but x may differ from v by a combination of the z that is 0.
            x, f, this = v, margins, _round(products, v, share)
    return v / v.sum(), gaps


def _round(products: Products, u: Floats, share: float) -> Round:
    ridge = products.game.ridge
    return Round(products, u, np.maximum(ridge, share * (products.game.diagonal - ridge)))


def _gap(v: Floats, Kv: Floats) -> float:
    value = float(v @ Kv)
    return relative_gap(value, float(Kv.min()) * float(v.sum())) if value > 0 else 1.0
