"""Newton's method for machines with hinges, whose corners are smoothed.

    minimise over w   ½ w'w + L(s),   s = Aw the score of every row,

where L is a convex loss with corners, such as a sum of hinges. If the loss has variables of its own (a bias
or thresholds), L is its value at their optimum. Within δ, the smoothing width, of each corner, the loss
is smoothed (Huber). Minus its derivatives are dual variables α. With v = A'α the gradient
is w - v, and the duality gap of the true problem is

    gap = ½‖w - v‖² + rounding,

where ``rounding`` is the error caused by smoothing. The width is reduced if that is the larger part of
the gap. Each family supplies a `Problem`: its rows, its loss and its second derivatives. What has one number
per row, scores and α, may be on a device; w and gradients are in NumPy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.descent import line_search
from podium.numerics.result import Bounds
from podium.numerics.shifted_cholesky import TOO_LARGE

FLATTER = 0.3  # a step is good enough if it leaves this share of the slope (0.2 took 1.5 times the passes)
FIRST, WIDEST = 2.0, 0.5  # the smoothing width from w = 0, where no |t| is above 2, and after it
NARROWEST = 1e-9  # with a smaller smoothing width, rounding errors prevent progress
TALL = 5  # rows per feature; with fewer, the interior point method is used at once
STUCK = 25  # steps after which Newton has failed: 1,000 to 10,000 rows with C up to 10,000 took at most 15
ROUGH = 0.1  # relative gap to which a sample is solved; more would fit what is particular to the sample
CG_RESIDUAL, CG_STEPS = 0.05, 50  # a rough direction suffices, since the line search corrects its length
ROUNDING = 1e-9  # relative error of the objective by which the dual may exceed the primal
SOLVED = 4.0  # if smoothing is this many times the rest of the gap, reduce it without another step


class Loss(NamedTuple):
    """The loss at some scores."""

    value: float  # of the true loss
    rounding: float  # the part of the duality gap that is due to smoothing
    alpha: Any  # minus the derivative of the smoothed loss by every score
    offsets: Floats  # the best bias or thresholds, if the machine has any
    gain: float | None = None  # the dual is gain - ½ v'v, if that is more accurate than the gap


@dataclass(frozen=True)
class Point:
    """A point w with its scores and loss. The gradient, a pass over the rows, is computed on demand."""

    problem: "Problem"
    w: Floats
    score: Any
    width: float
    loss: Loss

    @property
    def value(self) -> float:
        """The true objective."""
        return 0.5 * float(self.w @ self.w) + self.loss.value

    @cached_property
    def gradient(self) -> Floats:
        """Of the rounded objective: w - v."""
        return self.w - self.problem.transpose_times(self.loss.alpha)

    @property
    def apart(self) -> float:
        """½‖w - v‖², the part of the gap that is not due to rounding."""
        return 0.5 * float(self.gradient @ self.gradient)

    @property
    def dual(self) -> float:
        """A lower bound of the optimum, up to rounding errors."""
        if self.loss.gain is None:
            return self.value - self.apart - self.loss.rounding
        v = self.w - self.gradient
        square = float(v @ v)
        share = min(1.0, self.loss.gain / square) if square > 0 else 1.0  # of α, which gives the best bound
        return share * self.loss.gain - 0.5 * share**2 * square


class Start(NamedTuple):
    """Where to begin: w, offsets, and the smoothing width."""

    w: Floats
    offsets: Floats
    width: float = FIRST


class Problem(Protocol):
    """What a family supplies."""

    def scores(self, w: Floats) -> Any:
        """Aw."""

    def transpose_times(self, alpha: Any) -> Floats:
        """A'α."""

    def loss(self, score: Any, width: float, offsets: Floats) -> Loss:
        """The loss at the best offsets for these scores; the search for them may start at ``offsets``."""

    def direction(self, point: Point) -> Floats:
        """Newton's direction -H⁻¹ g, for exact or approximate second derivatives H."""

    def part(self) -> "Problem | None":
        """A sample of the rows, with the total cost of all, to find a start; None for few rows."""


def warm_start(problem: Problem, cold: Start, tol: float, rough: float = ROUGH) -> Start:
    """Solve a sample of the rows to a gap of ``rough``; start there, at the width that ``tol`` needs."""
    part = problem.part()
    if part is None:
        return cold
    bounds = Bounds(max(tol, rough), STUCK)
    point = smoothed_newton(part, bounds, warm_start(part, cold, tol, rough))
    if not bounds.closed:
        return cold
    w, offsets = np.split(bounds.solution, [len(cold.w)])
    wanted, rounding = 0.6 * tol * bounds.primal, point.loss.rounding
    return Start(w, offsets, point.width * (np.sqrt(wanted / rounding) if rounding > wanted else 1.0))


def smoothed_newton(problem: Problem, bounds: Bounds, start: Start, limit: int | None = None) -> Point:
    """Take at most ``limit`` steps until the duality gap of ``bounds`` is closed; return the last point.

    With a smoothing width of 0 the loss is not smoothed; then the method also ends if no step goes down.
    """
    score, width = problem.scores(start.w), start.width
    point = at(problem, start.w, score, width, start.offsets)
    last = np.inf if limit is None else len(bounds.history) + limit
    while True:
        loss, width = point.loss, point.width
        value, apart = point.value, point.apart
        record(point, bounds)
        if bounds.done or len(bounds.history) > last or 0 < width < NARROWEST:
            return point
        narrower = min(width, WIDEST)
        if loss.rounding > apart:
            narrower = narrowed(narrower, bounds.tol * bounds.primal, loss.rounding)
        if loss.rounding <= SOLVED * apart or width > WIDEST:
            after = moved(problem, point)
            if after is None and width == 0:
                return point
            if after is None or (abs(after.value - value) <= ROUNDING * value and after.apart >= apart):
                narrower /= 4  # it is stuck
            point = after or point
        if narrower < width:
            point = at(problem, point.w, point.score, narrower, point.loss.offsets)


def record(point: Point, bounds: Bounds) -> None:
    """Add a point to the bounds."""
    value, dual, loss = point.value, point.dual, point.loss
    if not np.isfinite(value + point.apart):
        raise ValueError(TOO_LARGE)
    dual = dual if dual <= (1.0 + ROUNDING) * min(value, bounds.primal) else -np.inf
    bounds.add(
        value, dual, np.append(point.w, loss.offsets), point.w, point.gradient, coefficients=loss.alpha
    )


def narrowed(width: float, wanted: float, rounding: float) -> float:
    """The smoothing width for which the error should be ``wanted``, if it is proportional to δ²."""
    return width * float(min(max(np.sqrt(0.6 * wanted / rounding), 0.1), 0.5))


def at(problem: Problem, w: Floats, score: Any, width: float, offsets: Floats) -> Point:
    """The point w, whose scores are known."""
    return Point(problem, w, score, width, problem.loss(score, width, offsets))


def moved(problem: Problem, point: Point) -> Point | None:
    """The point after one step of Newton's method; None if no step goes down."""
    step = problem.direction(point)
    along = problem.scores(step)

    def trial(length: float) -> tuple[float, Point]:
        w, score = point.w + length * step, point.score + length * along
        there = at(problem, w, score, point.width, point.loss.offsets)
        slope = float(w @ step) - float(there.loss.alpha @ along)  # the gradient times the step
        return slope, there

    return line_search(trial, float(point.gradient @ step), flatter=FLATTER)


def solve_by_conjugate_gradients(
    times: Callable[[Floats], Floats], right: Floats, diagonal: Floats | None = None
) -> Floats:
    """Solve Hx = ``right`` for an H that is too large to form, scaled by its ``diagonal`` if given."""
    from scipy.sparse.linalg import LinearOperator, cg

    shape = (len(right), len(right))
    scale = None if diagonal is None else LinearOperator(shape, lambda q: np.ravel(q) / diagonal)
    H = LinearOperator(shape, lambda q: times(np.ravel(q)))
    return np.asarray(cg(H, right, rtol=CG_RESIDUAL, maxiter=CG_STEPS, M=scale)[0])
