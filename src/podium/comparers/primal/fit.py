"""Linear comparison machines in the primal, for many pairs: Newton on a smoothed loss, certified by the dual.

For pairs whose ``upper`` side is the better one, or which are ties, with d = x_upper - x_lower and costs c:

    minimise over u, β   ½ u'u + Σ_decisive c L(β + u·d) + Σ_tie c [L(-β - u·d) + L(-β + u·d)]

the soft-margin problem (15) of [SVMcompare] with a linear kernel on the flipped data (8), in which a tie is
two mirrored rows. L(m) is max(0, 1 - m), or log(1 + e^-m). Its dual, with 0 ≤ α ≤ c and α balanced between
decisive rows and tie rows (unless β is fixed), is (18): with v = Σ α ỹ d and α in the slope of the loss,

    gap = ½ ‖u - v‖² + Σ c [L(m) + L*(-α/c) + (α/c) m].

What makes it fast. Items are stored once: a pass projects the items and gathers differences. The hinge is
rounded off in a window of half-width δ (Huber's hinge), where Newton needs a handful of steps and the
rounding costs a gap of the order of δ²; δ shrinks only as far as the tolerance asks. A subsample of n/8 pairs
(and of n/64 before it) gives a start that is wrong by about √(8p/n), so two or three steps see all pairs.
The second derivatives are those of at most HESSIAN_ROWS pairs, the first derivatives are exact.
"""

from itertools import islice

import numpy as np

from podium.comparers.primal.interior import FlippedRows
from podium.comparers.primal.newton import DENSE_FEATURES, PairRows
from podium.comparers.primal.problem import LinearPairs
from podium.comparisons.arrays import Floats
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.smoothed_newton import FIRST, Start, smoothed_newton, warm_start

__all__ = ["LinearPairs", "fit_linear_pairs"]

FEW = 25  # steps after which Newton's method on the hinge is taken to be stuck
TALL = 5  # pairs per feature from which on Newton's method is tried at all
ROUNDING = 2e-14  # of the objective: a smaller gap on the path is rounding


def fit_linear_pairs(
    problem: LinearPairs,
    loss: str = "hinge",
    tol: float = 1e-3,
    max_iter: int = 200,
    *,
    fixed_bias: bool = False,
    random_state: np.random.RandomState | None = None,
) -> SolverResult:
    """Solve to a relative duality gap ``tol``; the solution is u with β behind it.

    With ``fixed_bias`` β stays 0 and the dual has no balance. ``details`` holds the ``primal`` and
    ``dual`` values and the final ``width`` δ.
    """
    rows = PairRows(problem, loss, fixed_bias, random_state or np.random.RandomState(0))
    bounds, p = Bounds(tol, max_iter), problem.n_features
    by_interior = loss == "hinge" and p <= DENSE_FEATURES
    solvers, width = [], 0.0
    if not by_interior or len(problem) >= TALL * p:
        cold = Start(np.zeros(p), np.zeros(1), 0.0 if loss == "logistic" else FIRST)
        width = smoothed_newton(rows, bounds, warm_start(rows, cold, tol), FEW if by_interior else None).width
        solvers.append("smoothed newton")
    if by_interior and not (bounds.history and bounds.done):
        _along_interior_path(FlippedRows(problem, fixed_bias), bounds)
        solvers.append("interior point")
    return bounds.result(", ".join(solvers), width=width)


def _along_interior_path(rows: FlippedRows, bounds: Bounds) -> None:
    """Where large costs make sharp corners (nearly separable pairs), Newton's steps are short: go inside."""
    for x in islice(rows.path(), 1 if bounds.history else 0, None):
        bias = 0.0 if rows.fixed_bias else float(x.b[0])
        margins = rows.margins(x.u) + bias * rows.label
        primal = 0.5 * float(x.u @ x.u) + float(rows.cost @ np.maximum(1.0 - margins, 0.0))
        bounds.add(primal, _dual_value(rows, x.alpha), np.append(x.u, bias), x.u, x.u - rows.pull(x.alpha))
        if bounds.done or x.products < ROUNDING * bounds.primal:
            break


def _dual_value(rows: FlippedRows, alpha: Floats) -> float:
    """Of (18), the larger kind of dual variables shrunk so that both balance."""
    if not rows.fixed_bias:
        sums = alpha[rows.label > 0].sum(), alpha[rows.label < 0].sum()
        alpha = alpha * np.where(rows.label > 0, min(sums) / sums[0], min(sums) / sums[1])
    v = rows.pull(alpha)
    return float(alpha.sum() - 0.5 * v @ v)
