"""The heuristic of Zadrozny (2002), eq. (9) of [GeneralizedBT], for comparison only.

    p_s ← p_s · (Σ_{i: s ∈ I⁺} r_i + Σ_{i: s ∈ I⁻} r'_i) / (Σ_{i: s ∈ I⁺} n_i q⁺/q + Σ_{i: s ∈ I⁻} n_i q⁻/q),

then p is scaled to Σ p = 1. For pairs this is the update of Hastie and Tibshirani (1998), which converges to
the optimum of eq. (4). For others it may stop where the factor is not one, or where the gradient of eq. (4)
is not zero: §5.2. A row counts as converged if all its factors are one to ``tol``.
"""

import numpy as np
from numpy.typing import ArrayLike

from podium.classes.coupling.couple import checked_code, masses
from podium.classes.coupling.likelihood import gradient_in_log_p, likelihood, side_sums
from podium.numerics.result import SolverResult

STANDSTILL = 1e-15  # a row stops when no p changes by more than this, which is a rounding error


def couple_by_heuristic(
    code: ArrayLike, r: ArrayLike, *, tol: float = 1e-10, max_iter: int = 1000
) -> SolverResult:
    """One row of probabilities per row of r; ``code`` and r are those of `podium.couple`."""
    code = checked_code(code)
    won, lost = masses(np.asarray(r, dtype=np.float64), None, None, len(code))
    k = code.shape[1]
    p = np.full((len(won), k), 1.0 / k)
    deviation = np.full(len(won), np.inf)
    plus_side, minus_side = (code > 0).astype(np.float64), (code < 0).astype(np.float64)
    seen = won @ plus_side + lost @ minus_side
    moving = np.arange(len(won))
    iterations = 0
    while len(moving) and iterations < max_iter:
        iterations += 1
        here = p[moving]
        plus, minus = side_sums(code, here)
        share = np.divide(plus, plus + minus, out=np.full_like(plus, 0.5), where=plus + minus > 0)
        n = won[moving] + lost[moving]
        expected = (n * share) @ plus_side + (n * (1 - share)) @ minus_side
        factor = np.divide(seen[moving], expected, out=np.ones_like(here), where=expected > 0)
        deviation[moving] = np.abs(factor - 1).max(axis=1)
        there = here * factor
        total = there.sum(axis=1, keepdims=True)
        there = np.divide(there, total, out=here.copy(), where=total > 0)
        p[moving] = there
        still = np.abs(there - here).max(axis=1) <= STANDSTILL
        moving = moving[(deviation[moving] > tol) & ~still]
    converged = deviation <= tol
    gradient = np.abs(gradient_in_log_p(code, won, lost, p)).max(axis=1)
    return SolverResult(
        solution=p,
        objective_of=likelihood(code, won, lost),
        gradient_norm=float(gradient.max(initial=0.0)),
        iterations=iterations,
        converged=bool(converged.all()),
        solver="zadrozny",
        details={"row_gradient": gradient, "row_converged": converged, "row_deviation": deviation},
    )
