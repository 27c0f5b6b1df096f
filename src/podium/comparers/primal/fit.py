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

from dataclasses import replace
from itertools import islice

import numpy as np

from podium.comparers.primal.interior import FlippedRows
from podium.comparers.primal.losses import HINGE, LOGISTIC
from podium.comparers.primal.newton import DENSE_FEATURES, SmoothedNewton
from podium.comparers.primal.problem import LinearPairs, objective
from podium.comparisons.arrays import Floats
from podium.numerics.hinge import relative_gap
from podium.numerics.result import Known, SolverResult

__all__ = ["LOSSES", "LinearPairs", "fit_linear_pairs"]


LOSSES = {"hinge": HINGE, "logistic": LOGISTIC}
SMALLEST_SAMPLE = 10_000
FEW = 25  # steps after which Newton's method on the hinge is taken to be stuck


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
    rng = random_state or np.random.RandomState(0)
    kind = LOSSES[loss]
    start, width = np.zeros(problem.n_features + 1), 0.5
    order = rng.permutation(len(problem)) if len(problem) >= 8 * SMALLEST_SAMPLE else np.empty(0, np.intp)
    for share in (64, 8):
        if (size := len(order) // share) >= max(SMALLEST_SAMPLE, 20 * problem.n_features):
            part = problem.sample(np.sort(order[:size]))
            if fixed_bias or 0 < part.tie.sum() < size:
                run = SmoothedNewton(part, kind, fixed_bias, rng, width)
                found = run(start, max(tol, 1e-3), min(max_iter, FEW))
                start, width = found.solution, run.width if found.converged else width
    inside = kind == HINGE and problem.n_features <= DENSE_FEATURES
    result = SmoothedNewton(problem, kind, fixed_bias, rng, width)(
        start, tol, min(max_iter, FEW) if inside else max_iter
    )
    if inside and not result.converged and max_iter > FEW:
        return _along_interior_path(problem, result, tol, max_iter - FEW, fixed_bias)
    return result


def _along_interior_path(
    problem: LinearPairs, result: SolverResult, tol: float, max_iter: int, fixed_bias: bool
) -> SolverResult:
    """Where large costs make sharp corners (nearly separable pairs), Newton's steps are short: go inside."""
    best, history = result.solution, list(result.history)
    primal, dual = result.details["primal"], result.details["dual"]
    rows = FlippedRows(problem, fixed_bias)
    path = rows.path()
    x = next(path)
    for x in islice(path, max_iter):
        here = np.append(x.u, 0.0 if fixed_bias else x.b)
        if (value := objective(problem, HINGE, here)) < primal:
            best, primal = here, value
        dual = max(dual, _dual_value(rows, x.alpha))
        history.append(relative_gap(primal - dual, primal))
        if history[-1] <= tol or x.products < 2e-14 * primal:
            break
    return replace(
        result,
        solution=best,
        objective_of=Known(primal),
        gradient_norm=float(np.linalg.norm(x.u - rows.pull(x.alpha))) / max(1.0, float(np.linalg.norm(x.u))),
        iterations=len(history) - 1,
        converged=history[-1] <= tol,
        solver="smoothed newton, interior point",
        history=tuple(history),
        details={"primal": primal, "dual": dual, "width": result.details["width"]},
        gap=history[-1],
        stalled=history[-1] > tol and len(history) - len(result.history) < max_iter,
    )


def _dual_value(rows: FlippedRows, alpha: Floats) -> float:
    """Of (18), the larger kind of dual variables shrunk so that both balance."""
    if not rows.fixed_bias:
        sums = alpha[rows.label > 0].sum(), alpha[rows.label < 0].sum()
        alpha = alpha * np.where(rows.label > 0, min(sums) / sums[0], min(sums) / sums[1])
    v = rows.pull(alpha)
    return float(alpha.sum() - 0.5 * v @ v)
