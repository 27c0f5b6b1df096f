"""The problem of `problem` by Newton's method on a smoothed hinge, for many more inputs than features.

The thresholds are eliminated: F(w) is the smoothed objective at the best b for w, ordered if that is
demanded. Its gradient is w - v with v = Σ σ α x, the slopes α of the smoothed hinge being feasible for the
dual at the best b, so that every point has its certificate,

    gap = ½‖w - v‖² + Σ c [(t)₊ - α t],   t = 1 - σ (w·x - b_j),

and its Hessian is I + X'HX - Q diag(1/κ) Q', H and κ being the curvatures summed by input and by threshold, Q
the mixed derivatives. The second term of the gap is what rounding off costs; the window of half-width δ in
which the hinge is round shrinks as the gap asks for it, as in `podium.comparers.primal`. A sample gives the
start. That of the sample is w = 0, where the best b are within [-1, 1] and no |t| is above 2: in a window
that wide every hinge is round, and the first step is one of least squares.
"""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.hinge import line_search, narrowed, relative_gap
from podium.numerics.result import Known, SolverResult
from podium.numerics.shifted_cholesky import TOO_LARGE, inverse_of_identity_plus
from podium.ordered.ordinal import losses as loops
from podium.ordered.ordinal.problem import Ordinal, rows_of
from podium.ordered.ordinal.spaces import weighted_square

FIRST, WIDEST, NARROWEST = 2.0, 0.5, 1e-9
SMALLEST_SAMPLE = 500
ROUGH = 0.1  # the gap at which a sample has said what it knows


class Smoothed:
    """F and its derivatives at one w; thresholds that the order makes equal are one of ``b``."""

    def __init__(self, problem: Ordinal, w: Floats, f: Floats, width: float, start: Floats) -> None:
        self.problem, self.w, self.f, self.width = problem, w, f, width
        self.b, self.pool, self.folded, self.loss, self.rounding = loops.smoothed(
            width, f, start, problem.ends, problem.cost
        )

    @property
    def thresholds(self) -> Floats:
        return np.asarray(self.b[self.pool])

    def slope_along(self, direction: Floats, projected: Floats) -> float:
        return float(self.w @ direction - self.folded @ projected)

    def moved(self, direction: Floats, projected: Floats, length: float) -> "Smoothed":
        w, f = self.w + length * direction, self.f + length * projected
        return Smoothed(self.problem, w, f, self.width, self.thresholds)

    def newton_direction(self, gradient: Floats) -> Floats:
        problem = self.problem
        items, G = loops.curvatures(self.width, self.f, self.b, self.pool, problem.ends, problem.cost)
        X = rows_of(problem.X, items)
        H = weighted_square(X, G @ np.ones(G.shape[1]))
        total = np.ones(len(G)) @ G
        curved = total > 0
        Q = np.asarray(X.T @ G[:, curved]) / np.sqrt(total[curved])
        H -= (1.0 - 1e-12) * (Q @ Q.T)
        return -inverse_of_identity_plus(H)(gradient)


def newton(problem: Ordinal, tol: float, max_iter: int, enough: float = 0.0) -> SolverResult:
    """Solve to a relative gap, or stop after some steps.

    At a gap of ``enough`` it also stops; ``details["width"]`` is then the window that ``tol`` asks for.
    """
    n, p = problem.X.shape
    w, b, width = np.zeros(p), np.zeros(problem.n_thresholds), FIRST
    every_sixteenth = slice(8, None, 16)
    if n // 16 >= max(SMALLEST_SAMPLE, 20 * p) and (part := problem.sample(every_sixteenth)) is not None:
        start = newton(part, tol, max_iter, ROUGH)
        if start.converged:
            w, b, width = start.solution[:p], start.solution[p:], start.details["width"]
    return _Descent(problem, tol, max_iter, max(tol, enough))(w, b, width)


class _Descent:
    """Newton's steps with a line search, the window narrowing when it is what keeps the gap open."""

    def __init__(self, problem: Ordinal, tol: float, max_iter: int, enough: float) -> None:
        self.problem, self.tol, self.max_iter, self.enough = problem, tol, max_iter, enough

    def __call__(self, w: Floats, b: Floats, width: float) -> SolverResult:
        X = self.problem.X
        point = Smoothed(self.problem, w, X @ w, width, b)
        primal, dual = np.inf, -np.inf
        history: list[float] = []
        while True:
            gradient = point.w - np.asarray(X.T @ point.folded)
            apart = 0.5 * float(gradient @ gradient)
            value = 0.5 * float(point.w @ point.w) + point.loss
            if not np.isfinite(value + apart):
                raise ValueError(TOO_LARGE)
            dual = max(dual, value - apart - point.rounding)
            if value < primal:
                primal, best = value, point
            history.append(relative_gap(primal - dual, primal))
            if history[-1] <= self.enough or len(history) > self.max_iter or point.width < NARROWEST:
                break
            narrower = min(point.width, WIDEST)
            if point.rounding > apart:
                narrower = narrowed(narrower, self.tol * primal, point.rounding, power=0.5)
            if point.rounding <= 4 * apart or point.width > WIDEST:
                moved = self._step(point, gradient)
                point, narrower = (point, 0.25 * narrower) if moved is None else (moved, narrower)
            if narrower < point.width:
                point = Smoothed(self.problem, point.w, point.f, narrower, point.thresholds)
        width = point.width * min(1.0, np.sqrt(0.6 * self.tol * primal / max(point.rounding, 1e-300)))
        return SolverResult(
            solution=np.append(best.w, best.thresholds),
            objective_of=Known(primal),
            gradient_norm=float(np.sqrt(2 * apart)) / max(1.0, float(np.linalg.norm(best.w))),
            iterations=len(history) - 1,
            converged=history[-1] <= self.enough,
            solver="smoothed newton",
            history=tuple(history),
            details={"primal": primal, "dual": dual, "coefficients": best.folded, "width": width},
            gap=history[-1],
            stalled=history[-1] > self.enough and len(history) <= self.max_iter,
        )

    def _step(self, point: Smoothed, gradient: Floats) -> Smoothed | None:
        direction = point.newton_direction(gradient)
        projected = self.problem.X @ direction
        tried: dict[float, Smoothed] = {0.0: point}

        def slope(length: float) -> float:
            if length not in tried:
                tried[length] = point.moved(direction, projected, length)
            return tried[length].slope_along(direction, projected)

        length = line_search(slope)
        return tried[length] if length > 0 else None
