"""Newton's method for machines with hinges, on hinges rounded off around their corners.

    minimise over w   ½ w'w + L(s),   s = Aw the score of every row,

where L is a convex loss with corners, such as a sum of hinges, after its own variables (a bias, thresholds)
took their best values. Within a window of half-width δ around each corner the loss is rounded off (Huber).
Minus the slopes of the rounded loss are dual variables α; with v = A'α the gradient is w - v and the duality
gap of the true problem is

    gap = ½‖w - v‖² + rounding,

where ``rounding`` is what rounding off costs. The window is narrowed when that is what keeps the gap open.
A family supplies a `Problem`: its rows, its loss and its second derivatives.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, Self

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.descent import line_search
from podium.numerics.result import Bounds
from podium.numerics.shifted_cholesky import TOO_LARGE

FLATTER = 0.3  # a step is good enough if it takes most of the slope away (0.2 takes 1.5 times the passes)
FIRST, WIDEST, NARROWEST = 2.0, 0.5, 1e-9  # the window before the first step, after it, and when to give up
ROUGH, SAMPLE_STEPS = 0.1, 25  # the gap at which a sample has said what it knows, and when to give up on it
CG_RESIDUAL, CG_STEPS = 0.05, 50
ROUNDING = 1e-9  # by which rounding may lift the dual above the primal
SOLVED = 4.0  # if rounding is so many times the rest of the gap, the next window needs no step in this one


class Loss(NamedTuple):
    """The loss at some scores."""

    value: float  # of the true loss
    rounding: float  # what the window adds to the duality gap
    alpha: Floats  # minus the slope of the rounded loss by every score
    offsets: Floats  # the best bias or thresholds, if the machine has any
    gain: float | None = None  # the dual is gain - ½ v'v, if that is more accurate than the gap


@dataclass(frozen=True)
class Point:
    """A place w, and what is known there. Everything that costs a pass over the rows is computed on demand."""

    problem: "Problem"
    w: Floats
    score: Floats
    width: float
    loss: Loss

    @property
    def value(self) -> float:
        """The true objective."""
        return 0.5 * float(self.w @ self.w) + self.loss.value

    @cached_property
    def gradient(self) -> Floats:
        """Of the rounded objective: w - v."""
        return self.w - self.problem.pull(self.loss.alpha)

    @property
    def apart(self) -> float:
        """½‖w - v‖², the part of the gap that is not due to rounding."""
        return 0.5 * float(self.gradient @ self.gradient)

    @property
    def dual(self) -> float:
        """A lower bound of the optimum, unless digits were lost."""
        if self.loss.gain is None:
            return self.value - self.apart - self.loss.rounding
        v = self.w - self.gradient
        return self.loss.gain - 0.5 * float(v @ v)


class Start(NamedTuple):
    """Where to begin: w, offsets, and the window."""

    w: Floats
    offsets: Floats
    width: float = FIRST


class Problem(Protocol):
    """What a family supplies."""

    def scores(self, w: Floats) -> Floats:
        """Aw."""

    def pull(self, alpha: Floats) -> Floats:
        """A'α."""

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        """The loss at the best offsets for these scores; a search for them may begin at the given ones."""

    def direction(self, point: Point) -> Floats:
        """Newton's direction: minus the inverse of the second derivatives, or nearly, times the gradient."""

    def part(self) -> "Self | None":
        """A sample of the rows, with the costs of all, whose solution is a good start; None for few rows."""


def warm_start(problem: Problem, cold: Start, tol: float) -> Start:
    """The solution of a sample of the rows, to a gap of ROUGH, in the window that ``tol`` asks for."""
    part = problem.part()
    if part is None:
        return cold
    bounds = Bounds(max(tol, ROUGH), SAMPLE_STEPS)
    point = smoothed_newton(part, bounds, warm_start(part, cold, tol))
    if not bounds.closed:
        return cold
    w, offsets = np.split(bounds.solution, [len(cold.w)])
    cost = max(point.loss.rounding, np.finfo(float).tiny)
    return Start(w, offsets, point.width * min(1.0, np.sqrt(0.6 * tol * bounds.primal / cost)))


def smoothed_newton(problem: Problem, bounds: Bounds, start: Start, limit: int | None = None) -> Point:
    """Take steps until the bounds are close, at most ``limit`` of them; return the last point.

    A window of 0 is a loss that is not rounded off: then the method ends where no step goes down.
    """
    score, width = problem.scores(start.w), start.width
    point = _at(problem, start.w, score, width, start.offsets)
    last = np.inf if limit is None else len(bounds.history) + limit
    while True:
        loss, width = point.loss, point.width
        value, apart = point.value, point.apart
        if not np.isfinite(value + apart):
            raise ValueError(TOO_LARGE)
        dual = point.dual
        dual = dual if dual <= (1.0 + ROUNDING) * min(value, bounds.primal) else -np.inf
        bounds.add(
            value, dual, np.append(point.w, loss.offsets), point.w, point.gradient, coefficients=loss.alpha
        )
        if bounds.done or len(bounds.history) > last or 0 < width < NARROWEST:
            return point
        narrower = min(width, WIDEST)
        if loss.rounding > apart:
            narrower = narrowed(narrower, bounds.tol * bounds.primal, loss.rounding)
        if loss.rounding <= SOLVED * apart or width > WIDEST:
            moved = _moved(problem, point)
            if moved is None and width == 0:
                return point
            if moved is None or (abs(moved.value - value) <= ROUNDING * value and moved.apart >= apart):
                narrower /= 4  # it is stuck
            point = moved or point
        if narrower < width:
            point = _at(problem, point.w, point.score, narrower, point.loss.offsets)


def narrowed(width: float, wanted: float, rounding: float) -> float:
    """The window in which rounding off should cost what is ``wanted``, if its cost falls with δ²."""
    return width * float(min(max(np.sqrt(0.6 * wanted / rounding), 0.1), 0.5))


def _at(problem: Problem, w: Floats, score: Floats, width: float, offsets: Floats) -> Point:
    return Point(problem, w, score, width, problem.loss(score, width, offsets))


def _moved(problem: Problem, point: Point) -> Point | None:
    """The point after one step of Newton's method; None if no step goes down."""
    step = problem.direction(point)
    along = problem.scores(step)

    def trial(length: float) -> tuple[float, Point]:
        w, score = point.w + length * step, point.score + length * along
        there = _at(problem, w, score, point.width, point.loss.offsets)
        return float(w @ step - there.loss.alpha @ along), there  # the gradient times the step

    return line_search(trial, float(point.gradient @ step), flatter=FLATTER)


def solve_by_conjugate_gradients(
    times: Callable[[Floats], Floats], right: Floats, diagonal: Floats | None = None
) -> Floats:
    """Solve Hx = ``right`` where H is too large to be formed; it is scaled by its ``diagonal``, if known."""
    from scipy.sparse.linalg import LinearOperator, cg

    shape = (len(right), len(right))
    scale = None if diagonal is None else LinearOperator(shape, lambda q: np.ravel(q) / diagonal)
    H = LinearOperator(shape, lambda q: times(np.ravel(q)))
    return np.asarray(cg(H, right, rtol=CG_RESIDUAL, maxiter=CG_STEPS, M=scale)[0])
