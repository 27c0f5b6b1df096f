"""The bootstrap of a Bradley–Terry model: refits to resampled rows or groups of rows."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.bootstrap.refit import careful_refit, quick_refit
from podium.bradley_terry.bootstrap.resample import resample_groups, resample_rows
from podium.bradley_terry.fitted import PairedFit
from podium.comparisons.arrays import Floats
from podium.comparisons.random_states import generator
from podium.numerics.result import NotConverged
from podium.numerics.threads import n_cores, one_blas_thread
from podium.skill.bootstrap import Bootstrap


def run_bootstrap(fit: PairedFit, n: int, random_state: Any, n_jobs: int | None, groups: bool) -> Bootstrap:
    """Refit to n resamples.

    Replicate r depends only on the random state, on r and on the comparisons, but not on their order or on
    the number of threads.
    """
    if not n >= 2:
        raise ValueError(f"a bootstrap needs at least 2 replicates, not {n!r}")
    if np.isinf(fit.tie):
        raise ValueError("there are only ties, so a bootstrap would say nothing about the skills")
    rng = generator(random_state)
    resample = resample_groups(fit, n, rng) if groups else resample_rows(fit, n, rng)
    problem, x = fit.problem, fit.solution
    refit = quick_refit(problem, x)
    solutions = np.empty((n, len(x)))
    with_prior, stopped_early = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)

    def work(chunk: NDArray[np.int64]) -> None:
        for r in chunk:
            replicate = resample(int(r))
            found = refit(replicate)
            if found is None:
                found, with_prior[r], stopped_early[r] = careful_refit(problem, x, replicate)
            solutions[r] = problem.centred(found)

    jobs = _n_threads(n_jobs)
    with one_blas_thread():
        if jobs == 1:
            work(np.arange(n))
        else:
            with ThreadPoolExecutor(jobs) as pool:
                list(pool.map(work, np.array_split(np.arange(n), 4 * jobs)))
    _warn_of(int(stopped_early.sum()), n)
    return _result(fit, solutions, int(with_prior.sum()))


def _warn_of(n_early: int, n: int) -> None:
    if n_early:
        message = f"{n_early:,} of the {n:,} refits stopped before they converged"
        warnings.warn(message, NotConverged, stacklevel=4)


def _n_threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    return max(1, n_jobs if n_jobs > 0 else n_cores() + 1 + n_jobs)


def _result(fit: PairedFit, solutions: Floats, with_prior: int) -> Bootstrap:
    problem, k, n = fit.problem, len(fit.items), len(solutions)
    tie, order = np.full(n, fit.tie), np.zeros(n)
    if problem.free_tie:
        tie = np.exp(solutions[:, k])
    if problem.free_order:
        order = solutions[:, -1].copy()
    first = len(fit.solution) - problem.n_effects
    used = solutions[:, first : first + int(fit.covariates.used.sum())]
    effects = np.array([fit.covariates.in_units(row) for row in used]).reshape(n, -1)
    skills = solutions[:, :k].copy()
    return Bootstrap(fit.items, skills, tie, order, fit.component, with_prior, effects)
