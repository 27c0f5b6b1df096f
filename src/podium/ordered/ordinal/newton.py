"""Ordinal regression (see `problem`) by the shared Newton method, for many more inputs than features.

The thresholds are eliminated: the objective is taken at the best b for w (ordered, with explicit
constraints). Its Hessian is I + X'HX - Q diag(1/κ) Q', where H and κ are the curvatures summed by input and
by threshold, and Q are the mixed derivatives. The method starts from w = 0. There the best b are within [-1,
1] and no |t| is above 2. So in the first window every hinge is rounded off, and the first step is one of
least squares.
"""

from typing import Self

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics import hinge
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.shifted_cholesky import inverse_of_identity_plus
from podium.numerics.smoothed_newton import Loss, Point, Start, smoothed_newton, warm_start
from podium.ordered.ordinal.problem import Ordinal, rows_of
from podium.ordered.ordinal.spaces import weighted_square

SMALLEST_SAMPLE = 500  # inputs; a fit of fewer takes too little time to be worth a sample


class Inputs:
    """The rows are the inputs, the offsets are the thresholds."""

    def __init__(self, problem: Ordinal) -> None:
        self.problem = problem

    def scores(self, w: Floats) -> Floats:
        return np.asarray(self.problem.X @ w)

    def pull(self, alpha: Floats) -> Floats:
        return np.asarray(self.problem.X.T @ alpha)

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


def newton(problem: Ordinal, tol: float, max_iter: int) -> SolverResult:
    """Solve to a relative gap ``tol``, or stop after ``max_iter`` steps."""
    rows, bounds = Inputs(problem), Bounds(tol, max_iter)
    cold = Start(np.zeros(problem.X.shape[1]), np.zeros(problem.n_thresholds))
    point = smoothed_newton(rows, bounds, warm_start(rows, cold, tol))
    return bounds.result("smoothed newton", width=point.width)
