"""One driver for every smooth likelihood: L-BFGS, then Newton's method.

L-BFGS needs a dozen passes over the data if items are well connected, but hardly ever ends on a chain. There
the equations of Newton's method are cheap (see `linear`), so it takes over after some passes.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from podium.comparisons.arrays import Floats
from podium.core.linear import Curvature
from podium.numerics.descent import LBFGS, Derivatives, Descent, descend
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

TINY = 1e-300  # replaces 0 in a scale, such as that of an item without games, since 0 / 0 is nan
# Passes of L-BFGS before Newton's method takes over, for few items and for many. Up to FEW items a step takes
# a factorization of at most 20 ms.
PATIENCE, FEW, PATIENCE_IF_MANY = 25, 1_000, 150
LONGEST_STEP = 10.0  # in log-skill, of L-BFGS; with longer ones it once ran to 10^6, and stayed there
# Newton's method adds a diagonal if steps had to be shortened by half, UP times as much each time. The least
# bounds a step by 400; with 1/100 or 1/2000, random games with prior=1e-4 took twice as many steps or more.
LEAST_DAMPING, UP = 1 / 400, 4.0
MOST_ATTEMPTS = 3  # to factorize with a larger diagonal, before a step goes along the gradient
ROUGH = 0.1  # the largest relative residual of a step of Newton's method; it falls with the gradient


class Smooth(Protocol):
    """A likelihood with its prior, as a function of a point."""

    @property
    def convex(self) -> bool:
        """If not, every step must lower the objective."""

    def start(self) -> Floats: ...

    def centred(self, x: Floats) -> Floats:
        """The same point, shifted where the objective does not change; by default nowhere."""
        return x

    def scale(self) -> Floats:
        """What every entry of the gradient is compared with."""

    def derivatives(self, x: Floats) -> Derivatives: ...

    def objective(self, x: Floats) -> float: ...

    def longest(self, x: Floats, d: Floats) -> float:
        """The longest step along d; by default it has no bound."""
        return np.inf


# The second derivatives at a point with this slope, plus a diagonal; and the relative residual of solutions.
CurvatureAt = Callable[[Floats, Derivatives, Floats, float], Curvature]


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
        patience = min(patience, max_iter // 2)  # so that Newton's method still has passes
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

    def run(rule: LBFGS | _Newton, x: Floats, most: int, longest: float) -> Descent:
        return descend(
            problem.derivatives,
            rule,
            x,
            scale,
            tol=tol,
            max_iter=most,
            longest=lambda x, d: min(problem.longest(x, d), longest / float(np.abs(d).max())),
            objective=None if problem.convex else problem.objective,
        )

    newton = _Newton(problem, curvature, scale, tol)
    if not patience:
        return run(newton, x, max_iter, 1 / LEAST_DAMPING), "newton"
    found = run(LBFGS(), x, min(patience, max_iter), LONGEST_STEP)
    left = max_iter - len(found.history) + 1
    if found.converged or patience >= max_iter or left <= 0:
        return found, "lbfgs"
    rest = run(newton, found.x, left, 1 / LEAST_DAMPING)
    return Descent(rest.x, [*found.history, *rest.history[1:]], rest.converged), "lbfgs, then newton"


class _Newton:
    """Newton's direction with a diagonal added to the second derivatives, if steps had to be shortened.

    If some skills hardly change the likelihood any more, their steps could be thousands, and then no length
    is right for all of them. Second derivatives by skills are a matrix H with a positive diagonal, negative
    entries elsewhere and row sums >= 0. With a positive diagonal E, max |(H + E)⁻¹ g| <= max |g| / E. E is
    ``damping`` times the gradient and the scale, so no skill moves further than 1 / damping. At the solution
    E is 0 and the convergence quadratic.
    """

    def __init__(self, problem: Smooth, curvature: CurvatureAt, scale: Floats, tol: float) -> None:
        self.problem, self.curvature, self.scale, self.tol = problem, curvature, scale, tol
        self.damping, self.step = 0.0, np.zeros(0)

    def __call__(self, x: Floats, here: Derivatives) -> Floats:
        away = float(np.max(np.abs(here.gradient) / self.scale))
        enough = max(min(ROUGH, away), 0.3 * self.tol / away)
        for _ in range(MOST_ATTEMPTS):
            try:
                extra = self.damping * away * self.scale
                self.step = -self.curvature(x, here, extra, enough).solve(here.gradient)
            except np.linalg.LinAlgError:  # singular by rounding
                self._damp()
            else:
                break
        else:
            self.step = -here.gradient / self.scale
        return self.step

    def learn(self, step: Floats, change: Floats) -> None:
        length = float(np.abs(step).max()) / float(np.abs(self.step).max())
        if length < 0.5:
            self._damp()
        elif length >= 1.0:
            self.damping = self.damping / UP if self.damping > LEAST_DAMPING else 0.0

    def _damp(self) -> None:
        self.damping = max(UP * self.damping, LEAST_DAMPING)
