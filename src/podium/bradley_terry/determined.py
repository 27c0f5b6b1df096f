"""Whether the data determine the effects of a design.

A covariate has no effect of its own if its column is a combination of skills and of other columns. Such
columns are found by the Schur complement S of their cross products, which is what is left of them after the
skills are projected out.

An effect has no finite estimate if the likelihood rises in a direction without bound (the covariate
*separates* the outcomes). Where the solver stops, there is almost no information along such a direction: the
Schur complement of the information is almost singular relative to S. If so, a linear program decides
(`existence.separating_effects`).
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.covariates import DEPENDENT, Covariates, dependent_columns
from podium.bradley_terry.errors.information import (
    Information,
    PairTerms,
    blocks,
    information,
    pair_terms,
    regular,
    whole,
    with_diagonal,
)
from podium.bradley_terry.existence import separating_effects
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError, listed
from podium.core.linear import PER_STEP, RESIDUAL, Iterative, by_diagonal, factorized
from podium.core.links import WIDE
from podium.numerics.threads import one_blas_thread

# Information of at least this share of what it is at even odds rules out that a covariate separates.
CURVED = 1e-5


def without_dependent(
    problem: PairedProblem, covariates: Covariates
) -> tuple[PairedProblem, Covariates, tuple[str, ...]]:
    """Leave out covariates without an effect of their own; notes say which."""
    notes = equal_on_both_sides(covariates)
    design = problem.counts.design
    if design is None or not covariates.used.any():
        return problem, covariates, tuple(notes)
    dependent = _dependent(problem)
    if problem.free_order and dependent[-1]:
        raise InputError(
            "the order effect is a combination of skills in these comparisons, so it has no estimate; "
            "{@use order_effect=False}"
        )
    if dependent.any():
        kept = covariates.without(dependent[: int(covariates.used.sum())])
        names = [name for name in covariates.used_names if name not in kept.used_names]
        notes.append(
            f"{_covariates(names)} determined by the items and the other effects (collinear); left out"
        )
        counts = replace(problem.counts, design=np.ascontiguousarray(design[:, ~dependent]))
        problem, covariates = replace(problem, counts=counts), kept
    return problem, covariates, tuple(notes)


def equal_on_both_sides(covariates: Covariates) -> list[str]:
    """A note on the covariates that never differ between the two sides, if there are any."""
    equal = [name for name, used in zip(covariates.names, covariates.used, strict=True) if not used]
    return [f"{_covariates(equal)} the same on both sides of every comparison; left out"] if equal else []


def open_effects(problem: PairedProblem, x: Floats) -> NDArray[np.bool_]:
    """Which parameters after the skills are effects without a finite estimate, where the solver stopped."""
    found = np.zeros(problem.size - problem.n_items, np.bool_)
    if problem.counts.design is None or _is_curved(problem, x):
        return found
    found[len(found) - problem.n_effects :] = separating = separating_effects(problem)
    if not separating.any() and np.abs(problem.differences(x)).max(initial=0.0) > WIDE:
        raise ValueError(
            "the weights of the comparisons differ so much that the effects cannot be computed; use a longer "
            "half_life, or leave out comparisons that hardly count"
        )
    return found


def hardly_bound(
    problem: PairedProblem, x: Floats, farthest: float = 3.0, vague: float = 0.15
) -> NDArray[np.bool_]:
    """Which of the tie parameter and the effects are so far out and uncertain that they mean nothing.

    As log-odds, 3 is 20 : 1. Further out the likelihood flattens, so a parameter and its relative error grow
    together by chance. Effects that cancel out in all comparisons are not far out, even if each of them is.
    """
    rest, effects, c = x[problem.n_items :], problem.parts(x).effects, problem.counts
    far = np.abs(rest) > farthest
    if problem.ridge is not None:
        far &= problem.ridge == 0
    far[: int(problem.free_tie)] &= rest[:1] > 0  # few ties are no reason for concern
    first = len(far) - len(effects)
    far[int(problem.free_tie) : first] = False  # of grades and features
    if c.design is not None and c.total @ (c.design @ effects) ** 2 <= farthest**2 * c.n_games:
        far[first:] = False
    if far.any():
        variance = np.diag(np.linalg.inv(_rest(problem, x, information(problem, x))))
        far &= ~((variance > 0) & (variance <= (vague * rest) ** 2))  # by rounding it may be below 0
    return far


def _covariates(names: list[str]) -> str:
    return f"covariate {listed(names)} is" if len(names) == 1 else f"covariates {listed(names)} are"


def _dependent(problem: PairedProblem) -> NDArray[np.bool_]:
    """Which columns of the design are combinations of skills and of columns before them.

    The order effect comes before the covariates.
    """
    n, x = problem.n_effects, problem.start()
    even = blocks(problem, x, _even_odds(problem))
    limit = DEPENDENT * np.diag(even.corner)[-n:]
    rest = _schur(problem, x, even)[-n:, -n:]
    return dependent_columns(rest, limit, np.roll(np.arange(n), int(problem.free_order)))


def _is_curved(problem: PairedProblem, x: Floats) -> bool:
    """Whether there is information along every direction of the tie parameter and the effects."""
    terms = (_even_odds(problem), pair_terms(problem, x))
    even, here = (_schur(problem, x, blocks(problem, x, each)) for each in terms)
    if not np.diag(even).all():
        return False
    from scipy.linalg import eigvalsh

    return bool(eigvalsh(here, even + 1e-12 * np.diag(np.diag(even)))[0] > CURVED)


def _even_odds(problem: PairedProblem) -> PairTerms:
    """The information of every pair if both sides are equally good."""
    m = problem.n_link
    rest = np.diag(problem.scale()[problem.n_items :][:m])
    return PairTerms(problem.counts.total / 4, np.zeros((m, len(problem.counts.total))), rest)


def _schur(problem: PairedProblem, x: Floats, found: Information) -> Floats:
    """The block of the tie parameter and the effects after the skills are projected out."""
    skills, border, corner = found
    keep = np.r_[np.arange(problem.n_link), np.arange(corner.shape[0])[-problem.n_effects :]]
    return _rest(problem, x, Information(skills, border[:, keep], corner[np.ix_(keep, keep)]))


def _rest(problem: PairedProblem, x: Floats, found: Information) -> Floats:
    """The block of all parameters after the skills, with the skills projected out."""
    skills, border, corner = found
    matrix = regular(problem, x, skills)
    extra = 1e-10 * max(float(matrix.diagonal().max()), 1e-300)
    matrix = with_diagonal(matrix, np.full(len(border), extra))
    with one_blas_thread():
        factor = factorized(matrix, PER_STEP)
        solver = factor or Iterative(whole(matrix).__matmul__, by_diagonal(matrix.diagonal()), RESIDUAL)
        return np.asarray(corner - border.T @ solver.solve(border))
