"""Refits to other results of the same pairs, with whatever a fit to them would add."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.bootstrap.resample import Replicate
from podium.bradley_terry.determined import open_effects
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.fit import fit_paired
from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.prior import plan_again, planned, runaway
from podium.comparisons.arrays import Floats
from podium.numerics.result import SolverResult
from podium.skill.plan import WEAK
from podium.skill.refits import DENSE_ITEMS, TOL, Refit, quick_refit


def refitter(
    problem: PairedProblem, x: Floats, items: NDArray[Any], tol: float = TOL, max_iter: int = 500
) -> Callable[[Replicate], Refit]:
    """A function that returns the estimate for other results, from the estimate x of a fit.

    Quick refits are for likelihoods that are convex, so those of teams are left to the full solver.
    """
    quick = problem.teams is None and problem.n_items <= DENSE_ITEMS
    inverse = np.ascontiguousarray(exact_covariance(problem, x)) if quick else None

    def refit(replicate: Replicate) -> Refit:
        same = _with_results(problem, replicate)
        plan = plan_again(same, items)
        if inverse is not None and same.size == len(x) and not plan.notes:
            found = quick_refit(same, x, inverse, tol)
            if found is not None:
                return Refit(problem.centred(found), False, False)
        result, needed = _bounded(planned(same, plan), x[_kept(problem, same)], tol, max_iter)
        solution = np.full(len(x), 0.0 if problem.rao_kupper else -np.inf)  # the tie parameter without ties
        solution[_kept(problem, same)] = result.solution
        return Refit(solution, needed or bool(plan.notes), not result.converged)

    return refit


def _with_results(problem: PairedProblem, replicate: Replicate) -> PairedProblem:
    """The problem with other results; without ties there is no tie parameter."""
    counts = problem.counts.with_sums(*replicate)
    free_tie = problem.free_tie and bool(counts.ties.any())
    return replace(problem, counts=counts, rao_kupper=problem.rao_kupper and free_tie, free_tie=free_tie)


def _kept(problem: PairedProblem, same: PairedProblem) -> NDArray[np.bool_]:
    """Which parameters are left in the problem with other results."""
    kept = np.ones(problem.size, dtype=np.bool_)
    kept[problem.n_items : problem.n_items + int(problem.free_tie)] = same.free_tie
    return kept


def _bounded(
    problem: PairedProblem, start: Floats, tol: float, max_iter: int
) -> tuple[SolverResult, bool]:
    """The estimate by a full solver, and whether it shows that more must be added to bound it."""

    def solve(problem: PairedProblem) -> SolverResult:
        return fit_paired(problem, "auto", tol, max_iter, start)

    result, needed = solve(problem), False
    if runaway(problem, result.solution) is not None:
        problem, needed = replace(problem, prior=np.maximum(problem.prior, WEAK)), True
        result = solve(problem)
    if (unbounded := open_effects(problem, result.solution)).any():
        problem, needed = replace(problem, ridge=np.where(unbounded, WEAK, 0.0)), True
        result = solve(problem)
    return result, needed
