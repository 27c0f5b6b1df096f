"""The bootstrap of a Bradley–Terry model: refits to resampled rows or groups of rows."""

from typing import Any

import numpy as np

from podium.bradley_terry.bootstrap.refit import refitter
from podium.bradley_terry.bootstrap.resample import resample_groups, resample_rows
from podium.bradley_terry.fitted import PairedFit
from podium.comparisons.arrays import Floats
from podium.comparisons.random_states import generator
from podium.numerics.progress import Progress
from podium.skill.bootstrap import Bootstrap
from podium.skill.refits import refit_resamples


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
    first = len(fit.solution) - problem.n_effects
    used = solutions[:, first : first + int(fit.covariates.used.sum())]
    effects = np.array([fit.covariates.in_units(row) for row in used]).reshape(n, -1)
    skills = solutions[:, :k].copy()
    return Bootstrap(fit.items, skills, tie, order, fit.component, with_prior, effects)
