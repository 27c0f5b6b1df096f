"""The bootstrap of a Plackett–Luce model: refits to resampled rankings or groups of rankings."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError
from podium.comparisons.random_states import generator
from podium.numerics.progress import Progress
from podium.numerics.threads import one_blas_thread
from podium.rankings.errors import exact_covariance
from podium.rankings.existence import plan_again
from podium.rankings.fit import fit_rankings
from podium.rankings.fitted import RankingFit
from podium.rankings.likelihood import RankingProblem
from podium.skill.bootstrap import Bootstrap
from podium.skill.refits import DENSE_ITEMS, TOL, Near, Refit, check_replicates, quick_refit, refit_resamples


def run_bootstrap(
    fit: RankingFit,
    n: int,
    random_state: Any,
    n_jobs: int | None,
    groups: bool,
    progress: Progress | None = None,
) -> Bootstrap:
    """Refit to n resamples; replicate r depends only on the random state, on r and on the rankings."""
    check_replicates(n)
    resample = _groups(fit) if groups else _rows(fit)
    refit, streams = refitter(fit.problem, fit.solution, fit.items), generator(random_state).spawn(n)
    solutions, with_prior = refit_resamples(lambda r: refit(resample(streams[r])), n, n_jobs, progress)
    k = len(fit.items)
    tie = np.exp(solutions[:, k:])
    return Bootstrap(fit.items, solutions[:, :k].copy(), tie, np.zeros(n), fit.component, with_prior)


def refitter(
    problem: RankingProblem, x: Floats, items: NDArray[Any], tol: float = TOL, max_iter: int = 500
) -> Callable[[Floats], Refit]:
    """A function that returns the estimate for other masses of the rankings, from the estimate x of a fit."""
    near = None
    if problem.n_items <= DENSE_ITEMS:
        with one_blas_thread():
            near = Near(exact_covariance(problem, x), problem.scale())

    def refit(mass: Floats) -> Refit:
        same = replace(problem, ballots=problem.ballots.with_mass(mass), met=problem.ballots)
        plan = plan_again(same, items)
        if near is not None and not plan.notes:
            found = quick_refit(same, x, near, tol)
            if found is not None:
                return Refit(problem.centred(found), False, False)
        result = fit_rankings(same.with_plan(plan), tol, max_iter, x)
        return Refit(result.solution, bool(plan.notes), not result.converged)

    return refit


def _rows(fit: RankingFit) -> Callable[[np.random.Generator], Floats]:
    """Every ranking is drawn a Poisson number of times; weights are counts unless errors are robust."""
    mass, weight = fit.problem.ballots.mass, np.ones(1)
    if fit.covariance_kind == "robust" and fit.rankings is not None:
        weight = np.asarray(fit.rankings.weight)
    return lambda rng: weight * rng.poisson(mass / weight)


def _groups(fit: RankingFit) -> Callable[[np.random.Generator], Floats]:
    """As many groups as there are, with replacement."""
    if fit.rankings is None or fit.rankings.group is None:
        raise InputError("the rankings have no groups to resample; give {@group} when you read or make them")
    group = np.unique(fit.rankings.group, return_inverse=True)[1]
    n, mass = int(group.max()) + 1, fit.problem.ballots.mass
    if n < 2:
        raise ValueError("all rankings are in one group; resampling groups needs at least two")
    return lambda rng: mass * rng.multinomial(n, np.full(n, 1 / n))[group]
