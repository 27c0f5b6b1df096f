"""The bootstrap of a Bradley–Terry model: refits to resampled results of the same pairs.

A refit adds whatever a fit to the same results would add. The quick refit is compiled if there is neither a
design nor a normal or local prior; without this, a bootstrap of 100 items takes 1.8 to 2.7 times as long.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.pairs import Replicate
from podium.bradley_terry.determined import hardly_bound, open_effects
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.fit import fit_paired
from podium.bradley_terry.fitted import PairedFit
from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.prior import held, plan_again, planned, runaway, with_weak_normal
from podium.bradley_terry.resample import resample_groups, resample_rows
from podium.comparisons.arrays import Floats
from podium.comparisons.random_states import generator
from podium.core.links import tie_term
from podium.core.pair_pass import Pairs, pair_pass
from podium.numerics.compiled import njit
from podium.numerics.progress import Progress
from podium.numerics.result import SolverResult
from podium.skill.bootstrap import Bootstrap
from podium.skill.plan import WEAK
from podium.skill.refits import DENSE_ITEMS, TOL, Near, Refit, check_replicates, quick_refit, refit_resamples


def run_bootstrap(
    fit: PairedFit,
    n: int,
    random_state: Any,
    n_jobs: int | None,
    groups: bool,
    progress: Progress | None = None,
) -> Bootstrap:
    """Refit to n resamples.

    Replicate r depends only on the random state, on r and on the comparisons, but not on their order or on
    where the refits run.
    """
    check_replicates(n)
    if np.isinf(fit.tie):
        raise ValueError("there are only ties, so a bootstrap would say nothing about the skills")
    rng = generator(random_state)
    resample = resample_groups(fit, n, rng) if groups else resample_rows(fit, n, rng)
    refit = refitter(fit.problem, fit.solution, fit.items)
    return _result(fit, *refit_resamples(lambda r: refit(resample(r)), n, n_jobs, progress))


def _result(fit: PairedFit, solutions: Floats, with_prior: int) -> Bootstrap:
    problem, k, n = fit.problem, len(fit.items), len(solutions)
    tie, order = np.full(n, fit.tie), np.zeros(n)
    if problem.free_tie:
        tie = np.exp(solutions[:, k])
    if problem.free_order:
        order = solutions[:, -1].copy()
    used = solutions[:, fit.covariates_at]
    effects = np.array([fit.covariates.in_units(row) for row in used]).reshape(n, -1)
    skills = solutions[:, :k].copy()
    return Bootstrap(fit.items, skills, tie, order, fit.component, with_prior, effects)


def refitter(
    problem: PairedProblem, x: Floats, items: NDArray[Any], tol: float = TOL, max_iter: int = 500
) -> Callable[[Replicate], Refit]:
    """A function that returns the estimate for other results, from the estimate x of a fit.

    Quick refits are for likelihoods that are convex, so those of teams are left to the full solver. The
    compiled gradient does not hold known skills.
    """
    quick = problem.teams is None and problem.n_items <= DENSE_ITEMS and not len(problem.known.at)
    near = Near(np.ascontiguousarray(exact_covariance(problem, x)), problem.scale()) if quick else None

    def refit(replicate: Replicate) -> Refit:
        same = _with_results(problem, replicate)
        plan = plan_again(same, items)
        if near is not None and same.size == len(x) and not plan.notes:
            plain = all(
                part is None
                for part in (same.counts.design, same.normal, same.ridge, same.pseudo, same.graded)
            )
            found = (_quick_refit if plain else quick_refit)(same, x, near, tol)
            if found is not None and not hardly_bound(same, found).any():
                return Refit(problem.centred(found), False, False)
        result, needed = _bounded(planned(same, plan), x[_kept(problem, same)], tol, max_iter)
        solution = np.full(len(x), 0.0 if problem.rao_kupper else -np.inf)  # the tie parameter without ties
        solution[_kept(problem, same)] = result.solution
        return Refit(solution, needed or bool(plan.notes), not result.converged)

    return refit


def _with_results(problem: PairedProblem, replicate: Replicate) -> PairedProblem:
    """The problem with other results; without ties there is no tie parameter.

    Pseudo-games stay where they were, so that items that the results do not connect stay connected.
    """
    counts = problem.counts.with_sums(*replicate)
    free_tie = problem.free_tie and bool(counts.ties.any())
    rao_kupper = problem.rao_kupper and (free_tie or counts.grades is not None)
    same = replace(problem, counts=counts, rao_kupper=rao_kupper, free_tie=free_tie, met=problem.counts)
    if problem.ridge is None:
        return same
    return replace(same, ridge=problem.ridge[_kept(problem, same)[problem.n_items :]])


def _kept(problem: PairedProblem, same: PairedProblem) -> NDArray[np.bool_]:
    """Which parameters are left in the problem with other results."""
    kept = np.ones(problem.size, dtype=np.bool_)
    kept[problem.n_items : problem.n_items + int(problem.free_tie)] = same.free_tie
    gone = problem.size - same.size - int(problem.free_tie and not same.free_tie)  # grades that did not occur
    kept[problem.n_items + problem.n_link - gone : problem.n_items + problem.n_link] = False
    return kept


def _bounded(problem: PairedProblem, start: Floats, tol: float, max_iter: int) -> tuple[SolverResult, bool]:
    """The estimate by a full solver, and whether it shows that more must be added to bound it."""

    def solve(problem: PairedProblem) -> SolverResult:
        return fit_paired(problem, "auto", tol, max_iter, start)

    result, needed = solve(problem), False
    if runaway(problem, result.solution) is not None:
        problem, needed = replace(problem, prior=np.maximum(problem.prior, WEAK)), True
        result = solve(problem)
    if (separating := open_effects(problem, result.solution)).any():
        problem, needed = with_weak_normal(problem, separating), True
        result = solve(problem)
    if (vague := hardly_bound(problem, result.solution)).any():
        problem, needed = held(problem, vague), True
        result = solve(problem)
    return result, needed


# ------------------------------------------------------------------------------------ compiled


class Terms(NamedTuple):
    """What the gradient of a problem consists of; ``size`` is the size of the group of each item."""

    pairs: Pairs
    free: tuple[bool, bool, bool]  # Rao and Kupper's model, a tie parameter, an order effect
    observed: tuple[Any, ...]
    prior: Floats
    group: NDArray[np.int32]
    size: Floats


def _quick_refit(
    problem: PairedProblem, x: Floats, near: Near, tol: float, most: int = 60, farthest: float = 2.0
) -> Floats | None:
    """`quick_refit`, compiled."""
    p, c = problem, problem.counts
    size = np.bincount(p.rank_group)[p.rank_group].astype(np.float64)
    free = (p.rao_kupper, p.free_tie, p.free_order)
    terms, x = Terms(c.pairs, free, tuple(p.observed), np.asarray(p.prior), p.rank_group, size), x.copy()
    return x if _chord(terms, p.scale(), near, x, tol, most, farthest) else None


@njit(cache=True, nogil=True, error_model="numpy")
def _chord(terms, scale, near, x, tol, most, farthest):  # type: ignore[no-untyped-def]
    """Move x in place; False if that fails."""
    k = len(terms.prior)
    state, gradient, before = np.empty((k, 3)), np.empty(len(x)), np.nan
    fewer = np.sqrt(near.scale / scale)
    for _ in range(most):
        _gradient(terms, x, state, gradient)
        worst = np.max(np.abs(gradient / scale))
        if worst <= tol:
            return True
        step = fewer * (near.inverse @ (fewer * gradient))
        far = np.max(np.abs(step))
        step *= farthest / max(far, farthest)
        if not far < np.inf or (terms.free[0] and x[k] <= step[k]):  # κ <= 1
            return False
        x -= step
        if worst * worst / before <= tol:
            return True
        before = worst
    return False


@njit(cache=True, nogil=True, error_model="numpy")
def _gradient(terms, x, state, gradient):  # type: ignore[no-untyped-def]
    """Fill the gradient at x, as `PairedProblem.slope` does."""
    pairs, (rao_kupper, free_tie, free_order), (score, all_ties, left), prior, group, size = terms
    k = len(score)
    p, group_sum = np.exp(x[:k]), np.zeros(k)
    for i in range(k):
        state[i, 0], state[i, 1], state[i, 2] = np.sqrt(p[i]), 0.0, 0.0
        group_sum[group[i]] += p[i]
    bias, empty = np.exp(x[-1] / 2.0) if free_order else 1.0, np.zeros((3, 0))
    tie = np.exp(x[k]) if free_tie else 1.0 * rao_kupper
    sums = pair_pass(pairs, state, tie, rao_kupper, bias, empty[0], empty, np.int64(0), k)
    for i in range(k):
        share = p[i] / group_sum[group[i]]
        gradient[i] = state[i, 1] - score[i] + prior[i] * (size[i] * share - 1.0)
    if free_tie:
        gradient[k] = sums[1] - tie_term(x[k], rao_kupper)[1] * all_ties
    if free_order:
        gradient[-1] = sums[0] - left
