"""Fit the paired likelihood and certify the result."""

from typing import Literal

from podium.bradley_terry.errors.information import Curved
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.core.smooth import FEW, certified, minimise
from podium.numerics.result import SolverResult

SolverName = Literal["auto", "lbfgs", "newton", "mm"]


def fit_paired(
    problem: PairedProblem, solver: SolverName, tol: float, max_iter: int, start: Floats | None = None
) -> SolverResult:
    """Minimise ``problem.objective``; the certificate is the gradient relative to ``problem.scale()``."""
    if solver == "mm":
        own = (problem.counts.design, problem.graded, problem.normal, problem.ridge)
        if any(part is not None for part in own) or len(problem.known.at):
            what = "covariates, grades, neutral ground, normal prior or fixed skills"
            raise ValueError(f"solver='mm' takes no {what}; use 'auto'")
        from podium.bradley_terry.mm import minorize_maximize

        found = minorize_maximize(problem, problem.start() if start is None else start, tol, max_iter)
        return certified(problem, found, solver, max_iter)
    # L-BFGS takes dozens of passes if effects and skills depend on each other, Newton's method about four.
    auto = 0 if problem.counts.design is not None and problem.n_items <= FEW else None
    patience = {"auto": auto, "lbfgs": max_iter, "newton": 0}[solver]
    return minimise(problem, Curved(problem), tol, max_iter, start, patience)
