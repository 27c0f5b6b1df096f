"""Ordinal regression (see `problem`) with a kernel, by the interior point method in the span of the inputs.

In this span w = Σ s_i Φ(x_i). If K = ZZ' and Z has few columns, the rows of Z are the inputs of a linear
machine. An interior point has no zeros. So at the end, small coefficients are set to 0 if the duality gap
stays within the tolerance.
"""

from dataclasses import replace

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.factor import checked_factor
from podium.numerics.result import ConstantObjective, SolverResult, relative_gap
from podium.numerics.threads import one_blas_thread
from podium.ordered.ordinal.interior import Linear, Span, interior
from podium.ordered.ordinal.problem import Ordinal, best_thresholds, sorted_by_class

ROUNDING = 1e-14  # pivots below this, times n and the largest entry of K, are rounding errors
LOW_RANK = 0.5  # rank of K, as a share of n, up to which steps with Z take less time than steps with K
SMALL = (1e-2, 1e-4, 1e-6, 0.0)  # coefficients below this share of the cost become 0; tried in turn
FEW_ROWS = 1_000  # rows up to which BLAS uses one thread: more cost more than they save


def fit_ordinal_kernel(
    K: Floats, level: Positions, cost: Floats, *, explicit: bool, tol: float = 1e-3, max_iter: int = 200
) -> SolverResult:
    """Solve to a relative duality gap ``tol``; the solution is b, and ``details["coefficients"]`` is s.

    ``details`` also holds the ``primal`` and ``dual`` values.
    """
    with one_blas_thread(len(K) <= FEW_ROWS):
        problem, order = sorted_by_class(K, level, cost, explicit)
        K = problem.X[:, order]
        centred = _centred(K)
        space = space_of(centred, float(np.abs(K).max()))
        result = interior(problem, 0.5 * tol, max_iter, space)
        s = result.details["coefficients"]
        # A low rank leaves out a part of w'w.
        left_out = float(s @ (centred @ s - space.scores(space.transpose_times(s))))
        dual = result.details["dual"] - 0.5 * max(left_out, 0.0)
        return _with_few_coefficients(K, problem, order, result, dual, tol)


def space_of(K: Floats, largest: float) -> Linear:
    """R^r if K has a low rank r, else the span of the inputs; rounding errors in K scale with ``largest``."""
    factor = checked_factor(K, ROUNDING * len(K), largest)
    return Linear(factor.Z) if len(factor.pivots) <= LOW_RANK * len(K) else Span(K)


def _centred(K: Floats) -> Floats:
    """The kernel of Φ minus its mean, which avoids rounding errors; since Σ s = 0, score differences stay."""
    mean = K.mean(axis=0)
    mean -= 0.5 * mean.mean()
    return np.asarray(K - (mean + mean[:, None]))


def _with_few_coefficients(
    K: Floats, problem: Ordinal, order: Positions, result: SolverResult, dual: float, tol: float
) -> SolverResult:
    """Set small coefficients to 0, as far as the duality gap stays within ``tol``."""
    s = result.details["coefficients"]
    for small in SMALL:
        kept = np.flatnonzero(np.abs(s) > small * problem.cost)
        f = K[:, kept] @ s[kept]
        b = best_thresholds(problem, f)
        primal = 0.5 * float(s[kept] @ f[kept]) + problem.loss(f, b)
        gap = relative_gap(primal - dual, primal)
        if gap <= tol:
            break
    coefficients = np.zeros(len(K))
    coefficients[order[kept]] = s[kept]
    details = {"primal": primal, "dual": dual, "coefficients": coefficients}
    return replace(
        result,
        solution=b,
        objective_of=ConstantObjective(primal),
        converged=gap <= tol,
        details=details,
        gap=gap,
        stalled=gap > tol and (result.converged or result.stalled),
    )
