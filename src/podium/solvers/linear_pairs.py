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

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.solvers.linear_losses import (
    HINGE,
    LOGISTIC,
    best_bias,
    curvatures,
    dual_terms,
    slope_along,
    slopes,
)
from podium.solvers.result import SolverResult

if TYPE_CHECKING:
    from podium.solvers.linear_interior import Rows

Floats = NDArray[np.float64]

LOSSES = {"hinge": HINGE, "logistic": LOGISTIC}
HESSIAN_ROWS = 60_000
DENSE_FEATURES = 1_000  # above, the Newton system is solved by conjugate gradients
SMALLEST_SAMPLE = 10_000
FEW = 25  # steps after which Newton's method on the hinge is taken to be stuck
CHUNK = 8_192  # pairs whose differences are formed at once
FLATTER = 0.2  # a step is good when it takes four fifths of the slope away
NARROWEST = 1e-9


@dataclass(frozen=True)
class LinearPairs:
    """Features of items, and pairs of them: ``upper`` is better than ``lower``, unless ``tie``."""

    X: Any
    lower: NDArray[np.int32]
    upper: NDArray[np.int32]
    tie: NDArray[np.bool_]
    cost: Floats

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    def project(self, u: Floats) -> Floats:
        """u·d of every pair, in one pass over the items."""
        s = self.X @ u
        return np.asarray(s[self.upper] - s[self.lower])

    def pull(self, a: Floats) -> Floats:
        """Σ a d over the pairs, in one pass over the items."""
        n_items = self.X.shape[0]
        return np.asarray(
            self.X.T @ (np.bincount(self.upper, a, n_items) - np.bincount(self.lower, a, n_items))
        )

    def chunks(self, rows: NDArray[np.intp]) -> Iterator[tuple[slice, Any]]:
        """The differences of some pairs, a few thousand at a time."""
        for start in range(0, len(rows), CHUNK):
            part = rows[start : start + CHUNK]
            yield slice(start, start + CHUNK), self.X[self.upper[part]] - self.X[self.lower[part]]

    def sample(self, rows: NDArray[np.intp]) -> "LinearPairs":
        """Some of the pairs with only their items, the costs scaled up to those of all."""
        codes, inverse = np.unique(np.concatenate([self.lower[rows], self.upper[rows]]), return_inverse=True)
        lower, upper = np.split(inverse.astype(np.int32), 2)
        cost = self.cost[rows] * (self.cost.sum() / self.cost[rows].sum())
        return LinearPairs(self.X[codes], lower, upper, self.tie[rows], cost)


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
                run = _Newton(part, kind, fixed_bias, rng, width)
                found = run(start, max(tol, 1e-3), min(max_iter, FEW))
                start, width = found.solution, run.width if found.converged else width
    inside = kind == HINGE and problem.n_features <= DENSE_FEATURES
    result = _Newton(problem, kind, fixed_bias, rng, width)(
        start, tol, min(max_iter, FEW) if inside else max_iter
    )
    if inside and not result.converged and max_iter > FEW:
        return _along_interior_path(problem, result, tol, max_iter - FEW, fixed_bias)
    return result


def _along_interior_path(
    problem: LinearPairs, result: SolverResult, tol: float, max_iter: int, fixed_bias: bool
) -> SolverResult:
    """Where large costs make sharp corners (nearly separable pairs), Newton's steps are short: go inside."""
    from podium.solvers.linear_interior import interior_path

    best, history = result.solution, list(result.history)
    primal, dual = result.details["primal"], result.details["dual"]
    path = interior_path(problem, fixed_bias, max_iter)
    for x in path:
        here = np.append(x.u, x.bias)
        if (value := objective(problem, HINGE, here)) < primal:
            best, primal = here, value
        dual = max(dual, _dual_value(path.rows, x.alpha))
        history.append(_relative(primal - dual, primal))
        if history[-1] <= tol or x.mu < 1e-14 * primal / len(x.s):
            break
    return replace(
        result,
        solution=best,
        gradient_norm=float(np.linalg.norm(x.u - problem.pull(path.rows.fold(x.alpha)))),
        iterations=len(history),
        converged=history[-1] <= tol,
        solver="smoothed newton, interior point",
        history=tuple(history),
        details={"primal": primal, "dual": dual, "width": result.details["width"]},
        gap=history[-1],
    )


def _dual_value(rows: "Rows", alpha: Floats) -> float:
    """Of (18), the larger kind of dual variables shrunk so that both balance."""
    if not rows.fixed_bias:
        sums = alpha[rows.sign > 0].sum(), alpha[rows.sign < 0].sum()
        alpha = alpha * np.where(rows.sign > 0, min(sums) / sums[0], min(sums) / sums[1])
    v = rows.problem.pull(rows.fold(alpha))
    return float(alpha.sum() - 0.5 * v @ v)


class _Newton:
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
            history.append(_relative(gap, primal))
            if history[-1] <= tol or len(history) > max_iter or self.width < NARROWEST:
                break
            if self.kind == HINGE and found.rounding > apart:
                self._narrow(tol * primal / max(found.rounding, tol * primal * 1e-3))
                if found.rounding > 4 * apart:
                    continue  # the smoothed problem is solved: begin with the next
            moved = self._step(point, slope)
            if moved is None:
                if self.kind == LOGISTIC:
                    break
                self._narrow(0.25)
            else:
                point = moved
        if dual == -np.inf:
            dual = self._certify(point, np.inf)[1].dual
            history[-1] = _relative(primal - dual, primal)
        return SolverResult(
            solution=best,
            objective_of=lambda x: objective(self.problem, self.kind, x),
            gradient_norm=float(np.linalg.norm(slope.u)) / max(1.0, float(np.linalg.norm(point.u))),
            iterations=len(history),
            converged=history[-1] <= tol,
            solver="smoothed newton",
            history=tuple(history),
            details={"primal": primal, "dual": dual, "width": self.width},
            gap=history[-1],
        )

    def _narrow(self, ratio: float) -> None:
        """Rounding's share of the gap falls with δ, and with δ² where many pairs are in the window."""
        self.width *= min(max(0.6 * ratio, 0.1), 0.5)

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
        length = _line_search(lambda t: flat[0] + t * flat[1] + slope_along(*args, t))
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
        H[np.diag_indices_from(H)] += 1.0
        return _eliminate(lambda b: _solved(H, b), slope, h, bias_curvature)

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


def _relative(gap: float, primal: float) -> float:
    return max(gap, 0.0) / max(primal, np.finfo(float).tiny)


def objective(problem: LinearPairs, kind: int, solution: Floats) -> float:
    """The true objective of u with β behind it."""
    u, bias = solution[:-1], float(solution[-1])
    loss, _ = dual_terms(kind, 1.0, problem.project(u), bias, problem.tie, problem.cost, 1.0, 1.0)
    return 0.5 * float(u @ u) + float(loss)


def second_derivatives(
    problem: LinearPairs, rows: NDArray[np.intp], both: Floats, cross: Floats
) -> tuple[Floats, Floats]:
    """Of the loss: by u twice, and by u and β."""
    p = problem.n_features
    H, h = np.zeros((p, p)), np.zeros(p)
    for part, D in problem.chunks(rows):
        if isinstance(D, np.ndarray):
            scaled = D * np.sqrt(both[part])[:, None]
            H += scaled.T @ scaled
        else:
            H += (D.T @ D.multiply(both[part][:, None]).tocsr()).toarray()
        h += D.T @ cross[part]
    return H, h


def _solved(H: Floats, b: Floats) -> Floats:
    from scipy.linalg import cho_factor, cho_solve

    return np.asarray(cho_solve(cho_factor(H, check_finite=False), b, check_finite=False))


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


def _line_search(slope: Callable[[float], float]) -> float:
    """A step after which the slope is flat; 0 if the direction does not go down."""
    start = slope(0.0)
    if not start < 0:
        return 0.0
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(40):
        here = slope(length)
        if abs(here) <= FLATTER * abs(start):
            return length
        low, high = (low, length) if here > 0 else (length, high)
        length = 2 * length if np.isinf(high) else (low + high) / 2
    return low
