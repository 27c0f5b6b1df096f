"""Minimise a smooth function by its gradient alone, along directions from a given rule.

The objective of a paired-comparison model takes a logarithm per pair, its gradient only divisions. So the
step length is chosen by the slope along the direction, which is zero at the minimum of a convex function.
This also reaches gradients of 1e-12, where rounding hides differences of the objective.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from podium.comparisons.arrays import Floats

T = TypeVar("T")

FLATTER = 0.9  # a step is good enough if it reduces the slope by a tenth; more trials rarely pay
LONGER = 4.0  # factor by which a step grows while the objective still falls
MAX_TRIALS = 40  # a limit on one line search, for the case that rounding errors hide the slope
ROUNDING = 1e-12  # a smaller relative rise of the objective is rounding error


class Derivatives(NamedTuple):
    """The gradient at a point, and the diagonal of the second derivatives there.

    ``terms`` are what the second derivatives are made of, if the gradient needed them too.
    """

    gradient: Floats
    curvature: Floats
    terms: Any = None


class Direction(Protocol):
    """A rule for directions: it returns the next direction, and learns from every step."""

    def __call__(self, x: Floats, here: Derivatives) -> Floats: ...

    def learn(self, step: Floats, change: Floats) -> None: ...


class Descent(NamedTuple):
    """Where the descent ended, and its relative gradient before every step."""

    x: Floats
    history: list[float]
    converged: bool


class LBFGS:
    """Limited-memory BFGS [Nocedal 1980].

    It starts from ``inverse``, which multiplies by the inverse of the second derivatives at a point nearby,
    or else from their diagonal.
    """

    def __init__(self, memory: int = 8, inverse: Callable[[Floats], Floats] | None = None) -> None:
        self.memory, self.inverse = memory, inverse
        self.pairs: list[tuple[Floats, Floats, float]] = []

    def __call__(self, x: Floats, here: Derivatives) -> Floats:
        q = here.gradient.copy()
        weights = []
        for step, change, product in reversed(self.pairs):
            weights.append(step @ q / product)
            q -= weights[-1] * change
        q = q / here.curvature if self.inverse is None else self.inverse(q)
        for (step, change, product), weight in zip(self.pairs, reversed(weights), strict=True):
            q += (weight - change @ q / product) * step
        return -q

    def learn(self, step: Floats, change: Floats) -> None:
        product = float(step @ change)
        if product > 1e-14 * np.sqrt(float(step @ step) * float(change @ change)):
            self.pairs = [*self.pairs[1 - self.memory :], (step, change, product)]


def descend(
    derivatives_at: Callable[[Floats], Derivatives],
    direction: Direction,
    x: Floats,
    scale: Floats,
    *,
    tol: float,
    max_iter: int,
    longest: Callable[[Floats, Floats], float] = lambda x, d: np.inf,
    objective: Callable[[Floats], float] | None = None,
) -> Descent:
    """Descend until every entry of the gradient is at most ``tol`` times its ``scale``.

    ``longest`` bounds the step along a direction. ``objective`` is needed only if the function is not convex:
    then a step must also lower it.
    """
    here = derivatives_at(x)
    history: list[float] = []
    while True:
        history.append(float(np.max(np.abs(here.gradient) / scale, initial=0.0)))
        if history[-1] <= tol:
            return Descent(x, history, True)
        if len(history) > max_iter:
            return Descent(x, history, False)
        d = direction(x, here)
        if not here.gradient @ d < 0:
            d = -here.gradient / here.curvature
        found = _search(derivatives_at, x, here, d, longest(x, d), objective)
        if found is None:
            return Descent(x, history, False)
        length, there = found
        direction.learn(length * d, there.gradient - here.gradient)
        x, here = x + length * d, there


def line_search(
    trial: Callable[[float], tuple[float, T]], start: float, *, flatter: float, longest: float = np.inf
) -> T | None:
    """Find a step after which the slope is at most ``flatter`` times the slope ``start`` before it.

    ``trial(length)`` returns the slope after a step, and the point there in any form. A slope of nan means
    that the step was too long. Return the point, or None if no step goes down.
    """
    if not start < 0:
        return None
    low, low_slope, high, high_slope, found = 0.0, start, np.inf, np.nan, None
    length = min(1.0, longest)
    for _ in range(MAX_TRIALS):
        slope, there = trial(length)
        if abs(slope) <= flatter * abs(start) or (-np.inf < slope < 0 and length >= longest):
            return there
        if -np.inf < slope < 0:
            low, low_slope, found = length, slope, there
        else:
            high, high_slope = length, slope
        if np.isinf(high):
            length = min(LONGER * length, longest)
        elif np.isfinite(high_slope):  # the secant step, but not too close to either end
            share = low_slope / (low_slope - high_slope)
            length = low + (high - low) * min(max(share, 0.1), 0.9)
        else:
            length = low + (high - low) / 2
    return found


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # a trial step may go too far
def _search(
    derivatives_at: Callable[[Floats], Derivatives],
    x: Floats,
    here: Derivatives,
    d: Floats,
    longest: float,
    objective: Callable[[Floats], float] | None,
) -> tuple[float, Derivatives] | None:
    highest = np.inf
    if objective is not None:
        height = objective(x)
        highest = height + ROUNDING * (1 + abs(height))

    def trial(length: float) -> tuple[float, tuple[float, Derivatives]]:
        there = derivatives_at(x + length * d)
        rises = objective is not None and objective(x + length * d) > highest
        return np.nan if rises else float(there.gradient @ d), (length, there)

    return line_search(trial, float(here.gradient @ d), flatter=FLATTER, longest=longest)
