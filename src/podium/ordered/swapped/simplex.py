"""A small quadratic program over a simplex by an interior point method, where single steps creep.

    max_x  b'x - ½ x'Gx   where x ≥ 0 and Σ x = c,      G symmetric without negative eigenvalues

At the optimum the slopes b - Gx are at most ν, and equal to it where x > 0: with s = ν - (b - Gx) ≥ 0, x s =
0. Mehrotra's predictor and corrector follow the path on which all products x s are μ > 0. No x falls short of
the optimum by more than c · max(b - Gx) - x'(b - Gx).

Why not `podium.numerics.interior`: this is one of its duals, but it eliminates w before ν, and what is left
for ν is then a difference of large numbers. On features of very different scales that took 5 times as long,
or did not come to a gap of 1e-3 in 300 planes. Here a step solves with G + diag(s / x), which has an accurate
Cholesky factor however G is conditioned.
"""

from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.interior import BACK, longest

MOST_STEPS = 80


def maximise_on_simplex(G: Floats, b: Floats, x: Floats, gap: float) -> Floats:
    """Start near x ≥ 0, whose sum is c; end within ``gap`` of the optimum, or as close as rounding allows."""
    from scipy.linalg import LinAlgError, cho_factor

    total, best, least = float(x.sum()), x, _shortfall(x, b - G @ x)
    x = 0.5 * x + 0.5 * total / len(x)
    slope = b - G @ x
    nu = float(slope.max()) + 1e-3 * float(np.abs(slope).max())
    s = nu - slope
    for _ in range(MOST_STEPS):
        with np.errstate(all="ignore"):  # the last steps may lead beyond what floats can tell apart
            try:
                factor = cho_factor(G + np.diag(s / x), lower=True, check_finite=False)
            except LinAlgError:
                break
            dx, d_nu, ds = _corrected(factor, x, s, slope + s - nu, total - float(x.sum()))
            length = min(1.0, BACK * longest(x, dx), BACK * longest(s, ds))
            x, nu, s = x + length * dx, nu + length * d_nu, s + length * ds
            slope = b - G @ x
            here = _shortfall(x, slope)
        if here < least:
            best, least = x, here
        if least <= gap or not np.isfinite(here):
            break
    return np.asarray(best * (total / best.sum()))


def _shortfall(x: Floats, slope: Floats) -> float:
    return float(x.sum() * slope.max() - x @ slope)


def _corrected(
    factor: Any, x: Floats, s: Floats, off: Floats, missing: float
) -> tuple[Floats, float, Floats]:
    """Newton's step towards x s = μ, where μ and the second order come from a first step towards 0."""
    from scipy.linalg import cho_solve

    across = cho_solve(factor, np.ones_like(x), check_finite=False)

    def step(product: Any) -> tuple[Floats, float, Floats]:
        dx = cho_solve(factor, off + product / x - s, check_finite=False)
        d_nu = float(dx.sum() - missing) / float(across.sum())
        dx = dx - d_nu * across
        return dx, d_nu, product / x - s - s / x * dx

    dx, _, ds = step(0.0)
    length = min(1.0, longest(x, dx), longest(s, ds))
    mu, ahead = float(x @ s) / len(x), float((x + length * dx) @ (s + length * ds)) / len(x)
    return step((ahead / mu) ** 3 * mu - dx * ds)
