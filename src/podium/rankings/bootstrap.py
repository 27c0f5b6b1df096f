"""The bootstrap of a Plackett–Luce model: refits to resampled rankings or groups of rankings."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError
from podium.comparisons.random_states import generator
from podium.numerics.progress import Progress
from podium.rankings.existence import connections, ties_are_bounded
from podium.rankings.fit import fit_rankings
from podium.rankings.fitted import RankingFit
from podium.rankings.likelihood import RankingProblem
from podium.rankings.prior import unbounded_ties
from podium.skill.bootstrap import Bootstrap
from podium.skill.existence import WEAK, outside_the_largest
from podium.skill.refits import Refit, refit_resamples

TOL, MAX_ITER = 1e-7, 200  # of a refit: its error is far below that of the resampling


def run_bootstrap(
    fit: RankingFit,
    n: int,
    random_state: Any,
    n_jobs: int | None,
    groups: bool,
    progress: Progress | None = None,
) -> Bootstrap:
    """Refit to n resamples; replicate r depends only on the random state, on r and on the rankings."""
    if not n >= 2:
        raise ValueError(f"a bootstrap needs at least 2 replicates, not {n!r}")
    resample = _groups(fit) if groups else _rows(fit)
    problem, x, streams = fit.problem, fit.solution, generator(random_state).spawn(n)

    def refit_to(r: int) -> Refit:
        ballots = problem.ballots.with_mass(resample(streams[r]))
        resampled, with_prior = bounded(replace(problem, ballots=ballots))
        result = fit_rankings(resampled, TOL, MAX_ITER, x)
        return Refit(result.solution, with_prior, not result.converged)

    solutions, with_prior = refit_resamples(refit_to, n, n_jobs, progress)
    k = len(fit.items)
    tie = np.exp(solutions[:, k:])
    return Bootstrap(fit.items, solutions[:, :k].copy(), tie, np.zeros(n), fit.component, with_prior)


def bounded(problem: RankingProblem) -> tuple[RankingProblem, bool]:
    """The problem with weak priors for what has no finite estimate, and whether it needed any."""
    b, group = problem.ballots, problem.group
    unbounded = unbounded_ties(b)
    weak = np.zeros(b.n_items, dtype=bool)
    if problem.normal_scale is None and not problem.prior.all():
        fault = outside_the_largest(connections(b)[1], group)
        weak = np.isin(group, group[fault]) | (not unbounded.any() and not ties_are_bounded(b))
        weak &= problem.prior == 0
    if not (weak.any() or unbounded.any()):
        return problem, False
    ridge = np.zeros(len(unbounded)) if problem.ridge is None else problem.ridge
    ridge = np.where(unbounded, np.maximum(ridge, WEAK), ridge)
    return replace(problem, prior=np.where(weak, WEAK, problem.prior), ridge=ridge), True


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
