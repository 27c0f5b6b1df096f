"""One driver for every smooth likelihood: L-BFGS, then Newton's method.

L-BFGS needs a dozen passes over the data if items are well connected, but hardly ever ends on a chain. There
the equations of Newton's method are cheap (see `linear`), so it takes over after some passes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from podium.comparisons.arrays import Floats
from podium.core.linear import Curvature
from podium.numerics.descent import LBFGS, Descent, Slope, descend
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

# Passes of L-BFGS before Newton's method takes over, for few items and for many. Up to FEW items a step takes
# a factorization of at most 20 ms.
PATIENCE, FEW, PATIENCE_IF_MANY = 25, 1_000, 300
LONGEST_STEP = 10.0  # in log-skill; if the likelihood is flat, the length of a Newton step could be thousands
ROUGH = 0.1  # the largest relative residual of a step of Newton's method; it falls with the gradient


class Smooth(Protocol):
    """A likelihood with its prior, as a function of a point."""

    @property
    def convex(self) -> bool:
        """If not, every step must lower the objective."""

    def start(self) -> Floats: ...

    def centred(self, x: Floats) -> Floats:
        """The same point, shifted where the objective does not change."""

    def scale(self) -> Floats:
        """What every entry of the gradient is compared with."""

    def slope(self, x: Floats) -> Slope: ...

    def objective(self, x: Floats) -> float: ...

    def longest(self, x: Floats, d: Floats) -> float:
        """The longest step along d."""


CurvatureAt = Callable[[Floats, float], Curvature]  # at a point, with a relative residual of its solutions


def minimise(
    problem: Smooth,
    curvature: CurvatureAt,
    tol: float,
    max_iter: int,
    start: Floats | None = None,
    patience: int | None = None,
) -> SolverResult:
    """Descend until every entry of the gradient is at most ``tol`` times its scale.

    The first ``patience`` passes are those of L-BFGS. If the problem is not convex, all of them are.
    """
    x = problem.start() if start is None else start
    if patience is None:
        patience = PATIENCE if len(x) <= FEW else PATIENCE_IF_MANY
    if not problem.convex and patience:
        patience = max_iter
    with one_blas_thread():
        found, name = _run(problem, curvature, x, tol, max_iter, patience)
    return certified(problem, found, name, max_iter)


def certified(problem: Smooth, found: Descent, name: str, max_iter: int) -> SolverResult:
    """The report of a descent."""
    return SolverResult(
        solution=problem.centred(found.x),
        objective_of=problem.objective,
        gradient_norm=found.history[-1],
        iterations=len(found.history) - 1,
        converged=found.converged,
        solver=name,
        history=tuple(found.history),
        stalled=not found.converged and len(found.history) <= max_iter,
    )


def _run(
    problem: Smooth, curvature: CurvatureAt, x: Floats, tol: float, max_iter: int, patience: int
) -> tuple[Descent, str]:
    scale = problem.scale()

    def run(rule: LBFGS | _Newton, x: Floats, most: int) -> Descent:
        return descend(
            problem.slope,
            rule,
            x,
            scale,
            tol=tol,
            max_iter=most,
            longest=problem.longest,
            objective=None if problem.convex else problem.objective,
        )

    newton = _Newton(problem, curvature, scale, tol)
    if not patience:
        return run(newton, x, max_iter), "newton"
    found = run(LBFGS(), x, min(patience, max_iter))
    left = max_iter - len(found.history) + 1
    if found.converged or patience >= max_iter or left <= 0:
        return found, "lbfgs"
    rest = run(newton, found.x, left)
    return Descent(rest.x, [*found.history, *rest.history[1:]], rest.converged), "lbfgs, then newton"


@dataclass(frozen=True, eq=False)
class _Newton:
    """Newton's direction; along the gradient if rounding makes the second derivatives singular."""

    problem: Smooth
    curvature: CurvatureAt
    scale: Floats
    tol: float

    def __call__(self, x: Floats, slope: Slope) -> Floats:
        away = float(np.max(np.abs(slope.gradient) / self.scale))
        try:
            step = -self.curvature(x, max(min(ROUGH, away), 0.3 * self.tol / away)).solve(slope.gradient)
        except np.linalg.LinAlgError:
            return np.asarray(-slope.gradient / self.scale)
        longest = np.abs(self.problem.centred(step)).max(initial=LONGEST_STEP)
        return np.asarray(step * (LONGEST_STEP / longest))

    def learn(self, step: Floats, change: Floats) -> None:
        """Newton's method needs no memory."""
