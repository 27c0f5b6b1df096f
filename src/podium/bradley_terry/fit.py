"""Fit the paired likelihood: choose a method, run it and certify the result."""

from typing import Literal

import numpy as np

from podium.bradley_terry.errors.information import Newton
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.numerics.descent import LBFGS, Descent, descend
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

SolverName = Literal["auto", "lbfgs", "newton", "mm"]

# L-BFGS converges in a dozen passes if items are well connected, but hardly ever on a chain. After every
# `PATIENCE` passes the number of remaining passes is predicted; if it is above `FAR`, Newton's method takes
# over. Without this, a chain of 2,000 items takes 2.4 times as long.
PATIENCE, FAR = 60, 1_200
# With covariates or features, Newton's method is used at once up to this many items.
NEWTON_ITEMS = 2_000


def fit_paired(
    problem: PairedProblem, solver: SolverName, tol: float, max_iter: int, start: Floats | None = None
) -> SolverResult:
    """Minimise ``problem.objective``; the certificate is the gradient relative to ``problem.scale()``."""
    with one_blas_thread():
        found, name = _run(problem, solver, problem.start() if start is None else start, tol, max_iter)
    x = problem.centred(found.x)
    return SolverResult(
        solution=x,
        objective_of=problem.objective,
        gradient_norm=found.history[-1],
        iterations=len(found.history) - 1,
        converged=found.converged,
        solver=name,
        history=tuple(found.history),
        stalled=not found.converged and len(found.history) <= max_iter,
    )


def _run(
    problem: PairedProblem, solver: SolverName, x: Floats, tol: float, max_iter: int
) -> tuple[Descent, str]:
    if solver == "auto":
        return _automatic(problem, x, tol, max_iter)
    if solver == "mm":
        if problem.counts.design is not None or problem.normal is not None:
            raise ValueError("solver='mm' takes no covariates, neutral ground or normal prior; use 'auto'")
        from podium.bradley_terry.mm import minorize_maximize

        return minorize_maximize(problem, x, tol, max_iter), solver
    rule = LBFGS() if solver == "lbfgs" else Newton(problem)
    return _descend(problem, rule, x, tol, max_iter), solver


def _automatic(problem: PairedProblem, x: Floats, tol: float, max_iter: int) -> tuple[Descent, str]:
    """Use L-BFGS; if it is too slow and there are no teams, Newton's method takes over."""
    if problem.teams is not None:
        return _descend(problem, LBFGS(), x, tol, max_iter), "lbfgs"
    more = problem.counts.design is not None or problem.normal is not None
    if more and problem.n_items <= NEWTON_ITEMS:
        return _descend(problem, Newton(problem), x, tol, max_iter), "newton"
    rule = LBFGS()
    found = _descend(problem, rule, x, tol, min(PATIENCE, max_iter))
    while not found.converged and (left := max_iter - len(found.history) + 1) > 0:
        if _passes_to_go(found.history, tol) > FAR:
            return _then(found, _descend(problem, Newton(problem), found.x, tol, left)), "lbfgs, then newton"
        found = _then(found, _descend(problem, rule, found.x, tol, min(PATIENCE, left)))
    return found, "lbfgs"


def _passes_to_go(history: list[float], tol: float) -> float:
    """How many more passes until the gradient is at ``tol``, if it falls as it did in the last half."""
    since = len(history) // 2
    rate = np.log(min(history[: since + 1]) / min(history)) / (len(history) - 1 - since)
    return float(np.log(history[-1] / tol) / rate) if rate > 0 else np.inf


def _then(first: Descent, rest: Descent) -> Descent:
    return Descent(rest.x, [*first.history, *rest.history[1:]], rest.converged)


def _descend(problem: PairedProblem, rule: LBFGS | Newton, x: Floats, tol: float, max_iter: int) -> Descent:
    return descend(
        rule.slope if isinstance(rule, Newton) else problem.slope,
        rule,
        x,
        problem.scale(),
        tol=tol,
        max_iter=max_iter,
        longest=problem.longest,
        objective=None if problem.teams is None else problem.objective,
    )
