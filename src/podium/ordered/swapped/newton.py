"""The ranking machine on all pairs, eq. (9) of [SwappedPairs] with its loss Δ_SP: Newton's method.

What makes it fast. The pairs of many items are smooth together although each hinge has a corner, so there
Newton's steps need no rounding, and their second derivatives may be those of some pairs in a window around
the corner. Some of the items (the objective is a mean over pairs) give a start and these second derivatives,
steps with scores in cells (`podium.numerics.swapped.cells`) go on from there with all items, and one or two
exact passes are left to prove it. Where there are few pairs, or steps run into the corners, the hinge is
rounded off in a window of half-width δ that shrinks as far as the tolerance asks.
"""

from typing import Any, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse
from podium.numerics.hinge import narrowed
from podium.numerics.result import Known, SolverResult
from podium.numerics.threads import one_blas_thread
from podium.ordered.swapped.metric import Factored, Metric, Operator
from podium.ordered.swapped.problem import SwappedPairs

MARGIN = 1.0
SMOOTH_FROM = 1_000  # items from which on the pairs are taken to be smooth together
SMOOTH_STEPS = 8  # after which they are not
SMOOTHING = 0.2  # the window of the second derivatives where the hinge itself is not rounded off
HESSIAN_ITEMS = 4_096  # up to which the second derivatives are of all pairs
HESSIAN_PAIRS = 30_000  # that are drawn for them beyond
DENSE_FEATURES = 1_000  # above, the Newton system is solved by conjugate gradients
SAMPLE = 4_000  # items that give a start, before what many features ask for
ENOUGH = 100  # items a feature whose second derivatives serve for all
ROUGH = 0.01  # the gap at which a sample has said what it knows
CELLS = 1e-4  # and at which cells have
FLATTER = 0.3  # a step is good when it takes most of the slope away
NARROWEST = 1e-8
ROUNDING = 1e-9
MAX_TRIALS = 30  # lengths of a step
FEW_NUMBERS = 2_000_000  # in the features of the sample, up to which one thread is faster


class Point(NamedTuple):
    """A place with one pass over the items: what is known there."""

    w: Floats
    score: Floats
    slope: Floats  # by which the pairs pull at every item
    v: Floats
    primal: float
    dual: float

    @property
    def apart(self) -> float:
        """The part of the gap that is not the rounding of the hinge."""
        return 0.5 * float(np.sum((self.w - self.v) ** 2))

    @property
    def rounding(self) -> float:
        return max(self.primal - self.dual - self.apart, 0.0)


def fit_swapped_newton(
    problem: SwappedPairs,
    tol: float = 1e-3,
    max_iter: int = 1_000,
    random_state: np.random.RandomState | None = None,
) -> SolverResult:
    """Solve to a relative duality gap ``tol``.

    ``details`` holds the ``primal`` and ``dual`` values, and the final ``width`` δ (0: not rounded off).
    """
    rng = random_state or np.random.RandomState(0)
    n, d = problem.X.shape
    w, metric, size = np.zeros(d), None, SAMPLE + 2 * d
    with one_blas_thread(min(n, HESSIAN_ITEMS) * d <= FEW_NUMBERS):
        if size <= n // 2:
            part = problem.sample(problem.items.sample(size, rng))
            if part.items.n_pairs > 0:
                newton = _Newton(part, rng, None, rough=True)
                w = newton(w, max(tol, ROUGH), SMOOTH_STEPS).solution
                metric = newton.metric if size >= ENOUGH * d else None
        if n >= SMOOTH_FROM and problem.items.one_group:
            newton = _Newton(problem, rng, metric, rough=True)
            w, metric = newton(w, max(tol / 4, CELLS), SMOOTH_STEPS).solution, newton.metric
        return _Newton(problem, rng, metric)(w, tol, max_iter)


class _Newton:
    """Newton's method on some items or on all; ``rough``: with scores in cells, to find a start."""

    def __init__(
        self, problem: SwappedPairs, rng: np.random.RandomState, metric: Metric | None, rough: bool = False
    ) -> None:
        self.problem, self.rng, self.rough = problem, rng, rough
        self.width = 0.0 if rough or problem.X.shape[0] >= SMOOTH_FROM else 0.5
        # Second derivatives of some items serve for more of them.
        self.metric: Metric | None = metric if isinstance(metric, Factored) else None

    def __call__(self, w: Floats, tol: float, max_iter: int) -> SolverResult:
        here = self._pass(w, self.problem.scores(w))
        best, dual = here, -np.inf
        history: list[float] = []
        while True:
            best = here if here.primal < best.primal else best
            if here.dual <= (1.0 + ROUNDING) * best.primal:  # more is not possible, but for lost digits
                dual = max(dual, here.dual)
            history.append(max(best.primal - dual, 0.0) / best.primal)
            if history[-1] <= tol or len(history) > max_iter or 0 < self.width < NARROWEST:
                break
            if self.width == 0 and len(history) > SMOOTH_STEPS:
                self._set_width(SMOOTHING / 2)
                here = self._pass(here.w, here.score)
            if self.width > 0 and here.rounding > here.apart:
                self._set_width(narrowed(self.width, tol * best.primal, here.rounding))
                here = self._pass(here.w, here.score)
            moved = self._step(here)
            if moved is None and self.rough:
                break
            if moved is None:
                self._set_width(SMOOTHING / 2 if self.width == 0 else self.width / 4)
            here = self._pass(here.w, here.score) if moved is None else moved
        return SolverResult(
            solution=best.w,
            objective_of=Known(best.primal),
            gradient_norm=float(np.linalg.norm(here.w - here.v)) / max(1.0, float(np.linalg.norm(here.w))),
            iterations=len(history) - 1,
            converged=history[-1] <= tol,
            solver="newton",
            history=tuple(history),
            details={"primal": best.primal, "dual": dual, "width": self.width},
            gap=history[-1],
            stalled=history[-1] > tol and len(history) <= max_iter,
        )

    def _set_width(self, width: float) -> None:
        self.width, self.metric = width, None

    def _pass(self, w: Floats, score: Floats) -> Point:
        p = self.problem
        found = p.items.about(score, MARGIN) if self.rough else p.items.violations(score, MARGIN, self.width)
        slope = p.items.weight * (found.below - found.above)
        v = p.pull(slope)
        primal = 0.5 * float(w @ w) + p.unit * found.loss
        dual = p.unit * float(p.items.weight @ found.below) - 0.5 * float(v @ v)
        return Point(w, score, slope, v, primal, dual)

    def _step(self, here: Point) -> Point | None:
        """Newton's step, shortened until it is flat; None where the direction does not go down."""
        if self.metric is None or self.width > 0:
            self.metric = self._second_derivatives(here.score)
        metric = self.metric
        dw = metric.direction(here.w - here.v)
        ds = self.problem.scores(dw)
        start = float((here.w - here.v) @ dw)
        if not start < 0:
            return None
        low, high, length = 0.0, np.inf, 1.0
        for _ in range(MAX_TRIALS):
            there = self._pass(here.w + length * dw, here.score + length * ds)
            slope = float((there.w - there.v) @ dw)
            if abs(slope) <= FLATTER * abs(start):
                metric.learn(there.w - here.w, there.w - there.v - here.w + here.v)
                if not 0.5 <= length <= 2.0:
                    self.metric = None  # it is not that good
                return there
            low, high = (low, length) if slope > 0 else (length, high)
            length = 2 * length if np.isinf(high) else (low + high) / 2
        self.metric = None
        return there if low > 0 else None

    def _second_derivatives(self, score: Floats) -> Metric:
        """I + H: factored, of all pairs or of a sample; an operator where there are many features."""
        p, (n, d) = self.problem, self.problem.X.shape
        # Where all scores are alike no pair is near its corner: then all are taken.
        width = (self.width or SMOOTHING) if np.ptp(score) > 0 else 2.0 * MARGIN
        if d > DENSE_FEATURES:
            return Operator(p, score, MARGIN, width)
        if n > max(HESSIAN_ITEMS, 4 * d):
            width = max(width, SMOOTHING)
            pairs = p.items.sample_window(score, MARGIN, width, max(HESSIAN_PAIRS, 20 * d), self.rng)
            D = p.X[pairs.upper] - p.X[pairs.lower]
            H = _dense(D.T @ _times(D, pairs.weight))
        else:
            X = _dense(p.X)
            H = X.T @ p.items.laplacian(score, MARGIN, width, X)
        H *= 2.0 * p.unit / width
        H[np.diag_indices_from(H)] += 1.0
        return Factored(H)


def _dense(X: Any) -> Floats:
    return X.toarray() if is_sparse(X) else np.asarray(X)


def _times(D: Any, weight: Floats) -> Any:
    """Rows times weights."""
    return D.multiply(weight[:, None]).tocsr() if is_sparse(D) else D * weight[:, None]
