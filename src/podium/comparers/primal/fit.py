"""Linear comparison machines, solved in the primal for many pairs, and certified by the dual.

In a pair the ``upper`` item is the better one, unless it is a tie. With d = x_upper - x_lower and costs c:

    minimise over u, β   ½ u'u + Σ_decisive c L(β + u·d) + Σ_tie c [L(-β - u·d) + L(-β + u·d)]

This is the soft-margin problem (15) of [SVMcompare] with a linear kernel on the flipped data (8), where a tie
is two mirrored rows. L(m) is max(0, 1 - m) or log(1 + e^-m). The dual is (18). It has 0 ≤ α ≤ c, and Σ α over
the decisive rows equals Σ α over the tie rows unless β is fixed. With v = Σ α ỹ d and α the derivative of the
loss,

    gap = ½ ‖u - v‖² + Σ c [L(m) + L*(-α/c) + (α/c) m].

Many pairs are solved by Newton's method on a rounded hinge (`podium.numerics.smoothed_newton`). Three things
make it fast. Items are stored once: a pass projects the items, then takes differences. A sample of an eighth
of the pairs, itself started from a sample if it is large, gives a start that is wrong by about √(8p/n). From
there, two or three steps over all pairs are enough. The second derivatives are estimated from at most
HESSIAN_ROWS pairs; the first derivatives are exact. If there are few pairs per feature, or Newton's method
gets stuck, the interior point method solves the problem. If there are too many features for it and they are
sparse, coordinate descent in the dual does.
"""

from itertools import islice

import numpy as np

from podium.comparers.primal.coordinates import balanced, coordinate_descent
from podium.comparers.primal.interior import FlippedRows
from podium.comparers.primal.newton import DENSE_FEATURES, LIMITS, Limits, PairRows
from podium.comparers.primal.problem import LinearPairs
from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse
from podium.numerics.interior import SMALLEST_GAP
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.smoothed_newton import FIRST, STUCK, TALL, Start, smoothed_newton, warm_start

# Sparse pairs per feature up to which coordinate descent is used. With 1 it took 0.4 s instead of over 20 s,
# with 24 9.4 s instead of 7.8 s.
WIDE = 20


def fit_linear_pairs(
    problem: LinearPairs,
    loss: str = "hinge",
    tol: float = 1e-3,
    max_iter: int = 200,
    *,
    fixed_bias: bool = False,
    random_state: np.random.RandomState | None = None,
    limits: Limits = LIMITS,
) -> SolverResult:
    """Solve to a relative duality gap ``tol``; the solution is u followed by β.

    With ``fixed_bias``, β stays 0. ``details`` holds the ``primal`` and ``dual`` values and, unless
    coordinate descent was used, the final smoothing width, ``width``.
    """
    rng = random_state or np.random.RandomState(0)
    bounds, p = Bounds(tol, max_iter), problem.n_features
    if loss == "hinge" and p > DENSE_FEATURES and len(problem) < WIDE * p and is_sparse(problem.X):
        coordinate_descent(FlippedRows(problem, fixed_bias), bounds, rng)
        return bounds.result("coordinate descent")
    rows = PairRows(problem, loss, fixed_bias, rng, limits)
    by_interior = loss == "hinge" and p <= DENSE_FEATURES
    solvers, width = [], 0.0
    if not by_interior or len(problem) >= TALL * p:
        cold = Start(np.zeros(p), np.zeros(1), 0.0 if loss == "logistic" else FIRST)
        limit = STUCK if by_interior else None
        point = smoothed_newton(rows, bounds, warm_start(rows, cold, tol), limit)
        if (exact := rows.exact()) is not None:  # float32: certify with sums in float64, or go on with them
            bounds = bounds.again()
            point = smoothed_newton(exact, bounds, Start(point.w, point.loss.offsets, point.width), limit)
        width = point.width
        solvers.append("smoothed newton")
    if by_interior and not (bounds.history and bounds.done):
        _along_interior_path(FlippedRows(problem.in_numpy("the interior point method"), fixed_bias), bounds)
        solvers.append("interior point")
    return bounds.result(", ".join(solvers), width=width)


def _along_interior_path(rows: FlippedRows, bounds: Bounds) -> None:
    """Solve by the interior point method. Large costs and nearly separable pairs do not slow it down."""
    for x in islice(rows.path(), 1 if bounds.history else 0, None):
        bias = 0.0 if rows.fixed_bias else float(x.b[0])
        margins = rows.margins(x.u) + bias * rows.label
        primal = 0.5 * float(x.u @ x.u) + float(rows.cost @ np.maximum(1.0 - margins, 0.0))
        dual, gradient = _dual_value(rows, x.alpha), x.u - rows.transpose_times(x.alpha)
        bounds.add(primal, dual, np.append(x.u, bias), x.u, gradient, coefficients=x.alpha * rows.label)
        if bounds.done or x.products < SMALLEST_GAP * bounds.primal:
            break


def _dual_value(rows: FlippedRows, alpha: Floats) -> float:
    """The value of (18) at the balanced α."""
    alpha = balanced(rows, alpha)
    v = rows.transpose_times(alpha)
    return float(alpha.sum() - 0.5 * v @ v)
