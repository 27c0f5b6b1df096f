"""The ranking machine on all pairs, eq. (9) of [SwappedPairs] with its loss Δ_SP: the shared Newton method.

Three things make it fast. The hinges of many pairs add up to a smooth function, so with many items they are
not rounded off (δ = 0), and the second derivatives are those of the pairs in a window around the corner. A
sample of the items gives a start. From there, passes with scores in cells (`podium.numerics.swapped.cells`)
come close to the optimum, and one or two exact passes prove it. With few items, or if these steps run into
corners, the hinges are rounded off.
"""

from typing import Any, Self

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.smoothed_newton import FIRST, Loss, Point, Start, smoothed_newton, warm_start
from podium.numerics.threads import one_blas_thread
from podium.ordered.swapped.metric import Factored, Metric, Operator
from podium.ordered.swapped.problem import SwappedPairs

MARGIN = 1.0
SMOOTH_FROM = 1_000  # items from which on the hinges are not rounded off
SMOOTH_STEPS = 8  # after which they are
SMOOTHING = 0.2  # the window of the second derivatives where the hinges are not rounded off
HESSIAN_ITEMS = 4_096  # up to which the second derivatives are of all pairs
HESSIAN_PAIRS = 30_000  # that are drawn for them beyond
DENSE_FEATURES = 1_000  # above, the Newton system is solved by conjugate gradients
SAMPLE = 4_000  # items that give a start, before what many features ask for
FEW_NUMBERS = 2_000_000  # in the features of the sample, up to which one thread is faster


def fit_swapped_newton(
    problem: SwappedPairs,
    tol: float = 1e-3,
    max_iter: int = 1_000,
    random_state: np.random.RandomState | None = None,
) -> SolverResult:
    """Solve to a relative duality gap ``tol``.

    ``details`` holds the ``primal`` and ``dual`` values, and the final ``width`` δ (0: not rounded off).
    """
    n, d = problem.X.shape
    smooth = n >= SMOOTH_FROM
    pairs, bounds = AllPairs(problem, random_state or np.random.RandomState(0)), Bounds(tol, max_iter)
    none = np.empty(0)
    with one_blas_thread(min(n, HESSIAN_ITEMS) * d <= FEW_NUMBERS):
        start = warm_start(pairs, Start(np.zeros(d), none, 0.0), tol)
        if smooth and problem.items.one_group:
            pairs.rough, near = True, Bounds(tol / 4, SMOOTH_STEPS)
            smoothed_newton(pairs, near, start)
            pairs.rough, pairs.last, start = False, None, start._replace(w=near.solution)
        if smooth:
            point = smoothed_newton(pairs, bounds, start, SMOOTH_STEPS)
            start = Start(bounds.solution, none, SMOOTHING / 2)
        if not smooth or not bounds.done:
            point = smoothed_newton(pairs, bounds, start if smooth else start._replace(width=FIRST))
    return bounds.result("newton", width=point.width)


class AllPairs:
    """All pairs of the items; the rows are the items. ``rough``: with scores in cells, to find a start."""

    def __init__(self, problem: SwappedPairs, rng: np.random.RandomState, rough: bool = False) -> None:
        self.problem, self.rng, self.rough = problem, rng, rough
        self.scores, self.pull = problem.scores, problem.pull
        self.sampled: Self | None = None
        self.metric: Metric | None = None
        self.last: tuple[Floats, Floats] | None = (
            None  # where the metric was used last, and the gradient there
        )

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        items, unit = self.problem.items, self.problem.unit
        found = items.about(score, MARGIN) if self.rough else items.violations(score, MARGIN, width)
        alpha = unit * items.weight * (found.below - found.above)
        value, gain = unit * found.loss, unit * MARGIN * float(items.weight @ found.below)
        rounding = max(value - gain + float(alpha @ score), 0.0) if width > 0 else 0.0
        return Loss(value, rounding, alpha, offsets, gain)

    def direction(self, point: Point) -> Floats:
        if self.metric is None and self.sampled is not None and isinstance(self.sampled.metric, Factored):
            self.metric, self.sampled = self.sampled.metric, None
        elif point.width > 0 or not isinstance(self.metric, Factored):
            self.metric = self._second_derivatives(point)
        elif self.last is not None:
            self.metric.learn(point.w - self.last[0], point.gradient - self.last[1])
        self.last = point.w, point.gradient
        return self.metric.direction(point.gradient)

    def _second_derivatives(self, point: Point) -> Metric:
        """I + H: factored, of all pairs or of a sample; an operator where there are many features."""
        p, (n, d), score = self.problem, self.problem.X.shape, point.score
        # Where all scores are alike no pair is near its corner: then all are taken.
        width = (point.width or SMOOTHING) if np.ptp(score) > 0 else 2.0 * MARGIN
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

    def part(self) -> Self | None:
        """Some of the items, if there are many more."""
        n, d = self.problem.X.shape
        size = SAMPLE + 2 * d
        if size > n // 2 or self.rough:
            return None
        part = self.problem.sample(self.problem.items.sample(size, self.rng))
        if not part.items.n_pairs > 0:
            return None
        sampled = type(self)(part, self.rng, rough=True)
        self.sampled = sampled
        return sampled


def _dense(X: Any) -> Floats:
    return X.toarray() if is_sparse(X) else np.asarray(X)


def _times(D: Any, weight: Floats) -> Any:
    """Rows times weights."""
    return D.multiply(weight[:, None]).tocsr() if is_sparse(D) else D * weight[:, None]
