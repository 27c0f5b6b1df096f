"""Ordinal regression without a kernel: Newton's method, or the interior point method if that gets stuck.

With many rows per feature, the shared Newton method on rounded hinges is used. Otherwise, or if it gets
stuck, the interior point method (`interior`) is used. Both stop by the relative duality gap.

For Newton's method the thresholds are eliminated: the objective is taken at the best b for w (ordered, with
explicit constraints). Its Hessian is I + X'HX - Q diag(1/κ) Q', where H and κ are the curvatures summed by
input and by threshold, and Q are the mixed derivatives. The method starts from w = 0. There the best b are
within [-1, 1] and no |t| is above 2. So at first every hinge is smoothed, and the first step is
one of least squares.
"""

from typing import Any, Self

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.numerics import hinge
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.shifted_cholesky import inverse_of_identity_plus
from podium.numerics.smoothed_newton import STUCK, TALL, Loss, Point, Start, smoothed_newton, warm_start
from podium.numerics.threads import one_blas_thread
from podium.ordered.ordinal.interior import Linear, interior
from podium.ordered.ordinal.problem import Ordinal, rows_of, sorted_by_class, weighted_square

ONE_THREAD = 10_000_000  # numbers in X up to which BLAS uses one thread: more cost more than they save
SMALLEST_SAMPLE = 500  # inputs; a fit of fewer takes too little time to be worth a sample


def fit_ordinal(
    X: Any, level: Positions, cost: Floats, *, explicit: bool, tol: float = 1e-3, max_iter: int = 200
) -> SolverResult:
    """Solve for inputs of the classes ``level``, 0 to k, to a relative duality gap ``tol``.

    The solution is w followed by the thresholds b. ``details`` holds the ``primal`` and ``dual`` values and
    the ``coefficients`` Σ_j σ α of the inputs in v, which equals w at the optimum.
    """
    problem, order = sorted_by_class(X, level, cost, explicit)
    n, p = X.shape
    with one_blas_thread(n * p < ONE_THREAD):
        result = newton(problem, tol, min(max_iter, STUCK)) if n >= TALL * p else None
        if result is None or (not result.converged and max_iter > STUCK):
            result = interior(problem, tol, max_iter)
    coefficients = np.empty(n)
    coefficients[order] = result.details["coefficients"]
    result.details["coefficients"] = coefficients
    return result


def newton(problem: Ordinal, tol: float, max_iter: int) -> SolverResult:
    """Solve to a relative gap ``tol``, or stop after ``max_iter`` steps."""
    rows, bounds = Inputs(problem), Bounds(tol, max_iter)
    cold = Start(np.zeros(problem.X.shape[1]), np.zeros(problem.n_thresholds))
    point = smoothed_newton(rows, bounds, warm_start(rows, cold, tol))
    return bounds.result("smoothed newton", width=point.width)


class Inputs(Linear):
    """The rows are the inputs, the offsets are the thresholds."""

    def __init__(self, problem: Ordinal) -> None:
        super().__init__(problem.X)
        self.problem = problem

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        ends, cost = self.problem.ends, self.problem.cost
        b = hinge.settled(width, score, offsets, ends, cost)
        alpha, value, rounding = hinge.slopes(width, score, b, ends, cost)
        return Loss(value, rounding, alpha, b)

    def direction(self, point: Point) -> Floats:
        problem, b = self.problem, point.loss.offsets
        items, G = hinge.curvatures(point.width, point.score, b, problem.ends, problem.cost)
        if (b[1:] == b[:-1]).any():  # equal thresholds move together
            G = np.add.reduceat(G, np.flatnonzero(np.diff(b, prepend=-np.inf)), axis=1)
        X = rows_of(problem.X, items)
        H = weighted_square(X, G @ np.ones(G.shape[1]))
        total = np.ones(len(G)) @ G
        curved = total > 0
        Q = np.asarray(X.T @ G[:, curved]) / np.sqrt(total[curved])
        H -= (1.0 - 1e-12) * (Q @ Q.T)
        return np.asarray(-inverse_of_identity_plus(H)(point.gradient))

    def part(self) -> Self | None:
        """Every sixteenth input; None if that is too few, or if a class is missing."""
        n, p = self.problem.X.shape
        if n // 16 < max(SMALLEST_SAMPLE, 20 * p):
            return None
        part = self.problem.sample(slice(8, None, 16))
        return None if part is None else type(self)(part)
