"""Newton's method on the smoothed problem of `fit`, with the duality gap of the true one."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparers.primal.losses import (
    HINGE,
    LOGISTIC,
    best_bias,
    curvatures,
    dual_terms,
    slope_along,
    slopes,
)
from podium.comparers.primal.problem import LinearPairs, second_derivatives
from podium.comparisons.arrays import Floats
from podium.numerics.hinge import line_search, narrowed, relative_gap
from podium.numerics.result import Known, SolverResult
from podium.numerics.shifted_cholesky import inverse_of_identity_plus

HESSIAN_ROWS = 60_000
DENSE_FEATURES = 1_000  # above, the Newton system is solved by conjugate gradients
NARROWEST = 1e-9


class Point(NamedTuple):
    """Where the solver is, with u·d of every pair."""

    u: Floats
    bias: float
    d: Floats


class Slope(NamedTuple):
    """The gradient of the smoothed problem."""

    u: Floats
    bias: float


class Certificate(NamedTuple):
    """The true objective at a point, and a lower bound of the optimum."""

    primal: float
    dual: float
    rounding: float  # the part of the gap that the window and the balance cost, without ½‖u - v‖²


class SmoothedNewton:
    """Newton's method on the smoothed problem; the window shrinks when it is what keeps the gap open."""

    def __init__(
        self, problem: LinearPairs, kind: int, fixed_bias: bool, rng: np.random.RandomState, width: float
    ) -> None:
        self.problem, self.kind, self.fixed_bias, self.rng, self.width = problem, kind, fixed_bias, rng, width

    def __call__(self, start: Floats, tol: float, max_iter: int) -> SolverResult:
        u = start[:-1].copy()
        point = self._polished(Point(u, float(start[-1]), self.problem.project(u)))
        best, primal, dual = start, np.inf, -np.inf
        history: list[float] = []
        while True:
            slope, found = self._certify(point, tol)
            if found.primal < primal:
                primal, best = found.primal, np.append(point.u, point.bias)
            dual = max(dual, found.dual)
            apart = 0.5 * float(slope.u @ slope.u)
            gap = (
                primal - dual if dual > -np.inf else found.rounding + apart
            )  # the latter without the balance
            history.append(relative_gap(gap, primal))
            if history[-1] <= tol or len(history) > max_iter or self.width < NARROWEST:
                break
            if self.kind == HINGE and found.rounding > apart:
                self.width = narrowed(self.width, tol * primal, found.rounding)
                if found.rounding > 4 * apart:
                    continue  # the smoothed problem is solved: begin with the next
            moved = self._step(point, slope)
            if moved is None:
                if self.kind == LOGISTIC:
                    break
                self.width *= 0.15
            else:
                point = moved
        if dual == -np.inf:
            dual = self._certify(point, np.inf)[1].dual
            history[-1] = relative_gap(primal - dual, primal)
        return SolverResult(
            solution=best,
            objective_of=Known(primal),
            gradient_norm=float(np.linalg.norm(slope.u)) / max(1.0, float(np.linalg.norm(point.u))),
            iterations=len(history) - 1,
            converged=history[-1] <= tol,
            solver="smoothed newton",
            history=tuple(history),
            details={"primal": primal, "dual": dual, "width": self.width},
            gap=history[-1],
            stalled=history[-1] > tol and len(history) <= max_iter,
        )

    def _polished(self, point: Point) -> Point:
        """The same u with its best β; the logistic loss is curved everywhere and does without."""
        if self.fixed_bias or self.kind == LOGISTIC:
            return point
        bias = best_bias(self.kind, self.width, point.d, point.bias, self.problem.tie, self.problem.cost)
        return point._replace(bias=bias)

    def _certify(self, point: Point, tol: float) -> tuple[Slope, Certificate]:
        """The slopes of the smoothed problem; with the slopes of the loss as dual variables, the gap.

        The larger kind of dual variables is shrunk so that both balance. That costs a pass over the items, so
        it is done only where the gap is small enough without; else there is no dual value.
        """
        args = (self.kind, self.width, point.d, point.bias, self.problem.tie, self.problem.cost)
        alpha, decisive, tied = slopes(*args)
        slope = Slope(point.u - self.problem.pull(alpha), 0.0 if self.fixed_bias else tied - decisive)
        loss, rounding = dual_terms(*args, 1.0, 1.0)
        primal = 0.5 * float(point.u @ point.u) + loss
        gap = rounding + 0.5 * float(slope.u @ slope.u)
        if not self.fixed_bias and decisive != tied:
            if gap > tol * primal:
                return slope, Certificate(primal, -np.inf, rounding)
            least = min(decisive, tied)
            up, down = least / decisive if decisive > 0 else 1.0, least / tied if tied > 0 else 1.0
            apart = point.u - self.problem.pull(alpha * np.where(self.problem.tie, down, up))
            gap = dual_terms(*args, up, down)[1] + 0.5 * float(apart @ apart)
        return slope, Certificate(primal, primal - gap, rounding)

    def _step(self, point: Point, slope: Slope) -> Point | None:
        du, db = self._direction(point, slope)
        dd = self.problem.project(du)
        flat = float(point.u @ du), float(du @ du)
        args = (self.kind, self.width, point.d, dd, point.bias, db, self.problem.tie, self.problem.cost)
        length = line_search(lambda t: flat[0] + t * flat[1] + slope_along(*args, t))
        if length == 0:
            return None
        moved = Point(point.u + length * du, point.bias + length * db, point.d + length * dd)
        # Where no pair is in its window β is in the dark, and Newton's method cannot move it.
        return self._polished(moved) if db == 0.0 else moved

    def _direction(self, point: Point, slope: Slope) -> tuple[Floats, float]:
        args = (point.d, point.bias, self.problem.tie, self.problem.cost)
        both, cross = curvatures(self.kind, self.width, *args)
        rows = np.flatnonzero(both)
        bias_curvature = 0.0 if self.fixed_bias else float(both.sum())
        if self.problem.n_features > DENSE_FEATURES:
            return self._conjugate_direction(slope, both, cross, rows, bias_curvature)
        scale = 1.0
        if len(rows) > HESSIAN_ROWS:
            chosen = rows[np.sort(self.rng.choice(len(rows), HESSIAN_ROWS, replace=False))]
            scale = float(both.sum() / both[chosen].sum())
            rows = chosen
        H, h = second_derivatives(self.problem, rows, scale * both[rows], scale * cross[rows])
        return _eliminate(inverse_of_identity_plus(H), slope, h, bias_curvature)

    def _conjugate_direction(
        self, slope: Slope, both: Floats, cross: Floats, rows: NDArray[np.intp], bias_curvature: float
    ) -> tuple[Floats, float]:
        """The Newton system by conjugate gradients, each step a pass over the items."""
        from scipy.sparse.linalg import LinearOperator, cg

        problem, p = self.problem, self.problem.n_features
        diagonal = np.ones(p)
        for part, D in problem.chunks(rows):
            diagonal += (D * D).T @ both[rows[part]]
        H = LinearOperator((p, p), lambda q: q + problem.pull(both * problem.project(np.ravel(q))))
        M = LinearOperator((p, p), lambda q: np.ravel(q) / diagonal)

        def solve(b: Floats) -> Floats:
            return np.asarray(cg(H, b, rtol=1e-3, maxiter=100, M=M)[0])

        return _eliminate(solve, slope, problem.pull(cross), bias_curvature)


def _eliminate(
    solve: Callable[[Floats], Floats], slope: Slope, h: Floats, bias_curvature: float
) -> tuple[Floats, float]:
    """Newton's step, β eliminated; it stays where it has no curvature."""
    du = -solve(slope.u)
    if bias_curvature <= 0:
        return du, 0.0
    across = solve(h)
    left = max(bias_curvature - float(h @ across), 1e-10 * bias_curvature)
    db = -(slope.bias + float(h @ du)) / left
    return du - db * across, db
