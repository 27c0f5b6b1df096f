"""A small quadratic program over a simplex by the interior point method, for ill-conditioned problems.

    max_x  b'x - ½ x'Gx   where x ≥ 0 and Σ x = c,      G symmetric without negative eigenvalues

At the optimum the slopes b - Gx are at most ν, and equal to ν where x > 0. So with s = ν - (b - Gx) ≥ 0, all
products x s are 0. Mehrotra's predictor-corrector method follows the path on which all products are μ > 0.
The distance of any x from the optimum is at most c · max(b - Gx) - x'(b - Gx).

This is one of the duals of `podium.numerics.interior`. But there w is eliminated before ν, which leaves ν as
a difference of large numbers. On features of very different scales that took 5 times as long, or did not
reach a gap of 1e-3 with 300 planes. Here a step solves with G + diag(s / x), whose Cholesky factor is
accurate however badly conditioned G is.
"""

from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.interior import BACK, longest

MOST_STEPS = 80  # a limit for the case that rounding errors keep the gap open


def maximise_on_simplex(G: Floats, b: Floats, x: Floats, gap: float) -> Floats:
    """Solve to within ``gap`` of the optimum, or as close as rounding allows; start from x ≥ 0 of sum c."""
    from scipy.linalg import LinAlgError, cho_factor

    total, best, least = float(x.sum()), x, _shortfall(x, b - G @ x)
    x = 0.5 * x + 0.5 * total / len(x)
    slope = b - G @ x
    nu = float(slope.max()) + 1e-3 * float(np.abs(slope).max())
    s = nu - slope
    for _ in range(MOST_STEPS):
        with np.errstate(all="ignore"):  # the last steps may overflow or divide by 0
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
    """An upper bound of the distance from the optimum."""
    return float(x.sum() * slope.max() - x @ slope)


def _corrected(
    factor: Any, x: Floats, s: Floats, off: Floats, missing: float
) -> tuple[Floats, float, Floats]:
    """Mehrotra's step: a first step towards x s = 0 gives μ and the second-order term of the step taken."""
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
