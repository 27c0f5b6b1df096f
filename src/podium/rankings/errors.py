"""The covariance of the estimates: the inverse of the observed information, or a sandwich.

The sandwich A⁻¹ M A⁻¹ replaces the information by M = Σ s sᵀ over the gradients s of single rankings
("robust"; a ranking that stands for n equal ones and has the weight w adds n w² s sᵀ), or of groups of them
("cluster"). Up to `EXACT_ITEMS` items everything is dense. With more items, conjugate gradients solve for
single contrasts, and for random draws of the gradient: random choices at every stage have the information as
their covariance, and random signs of the gradients of rankings have M.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, ranges
from podium.core.groups import centred, group_sums
from podium.core.linear import DRAW_RESIDUAL, RESIDUAL, inverse_of
from podium.rankings.ballots import Ballots
from podium.rankings.choices import random_scores
from podium.rankings.fit import equations, regular
from podium.rankings.likelihood import RankingProblem
from podium.skill.joint import DRAWS, FEWEST_DRAWS, TOGETHER

# The number of draws is limited so that a pass for all of them reads about this many entries.
MOST_ENTRIES = 10**8


def exact_covariance(problem: RankingProblem, x: Floats, scores: Any = None) -> Floats:
    """The covariance of all of x, by a dense inverse; ``scores`` has one gradient per row."""
    whole, known = problem.information(x), problem.known
    across = whole[:, known.at]
    joint = inverse_of(regular(problem, whole))
    moved = known.moves(joint, across)
    joint = joint if scores is None else np.asarray(joint @ (scores.T @ scores).toarray() @ joint)
    return np.asarray(problem.covariance_of(joint) + moved @ moved.T)


# ------------------------------------------------------------------------------------ gradients


def ranking_scores(problem: RankingProblem, x: Floats, factor: Floats) -> Any:
    """The gradient of the log-likelihood of each ranking, times a factor, as rows of a sparse matrix."""
    from scipy.sparse import csr_array, hstack

    b = problem.ballots
    alone = RankingProblem.without_prior(problem.rank_group, b.with_mass(np.ones(len(b))))
    expected, tied = alone.scores(x)
    won, sizes = observed(b)
    length = np.repeat(factor, np.diff(b.indptr))
    skills = csr_array(((won - expected) * length, b.entries, b.indptr), shape=(len(b), b.n_items))
    ties = (sizes - tied)[:, 1:] * factor[:, None]
    return hstack([skills, csr_array(ties)], format="csr")


def observed(b: Ballots) -> tuple[Floats, Floats]:
    """By entry, the share of a choice that it won; by ranking, the number of choices of each size."""
    at = np.flatnonzero(b.won)
    number = b.won[at] - 1
    size = b.sizes[number]
    won = np.zeros(len(b.entries))
    which, places = ranges(at, at + size)
    won[places] = 1 / size[which]
    sizes = np.zeros((len(b), len(b.sizes)))
    np.add.at(sizes, (np.searchsorted(b.indptr, at, side="right") - 1, number), 1.0)
    return won, sizes


# ------------------------------------------------------------------------------------ many items


class Sampled(NamedTuple):
    """The variance of each log-skill, and random draws of the errors, one row per item."""

    variance: Floats
    errors: NDArray[np.float32]


def variance_of_contrast(problem: RankingProblem, x: Floats, contrast: Floats, scores: Any = None) -> float:
    """The variance of a linear function of x, by conjugate gradients."""
    right = centred(contrast[:, None], problem.rank_group)
    y = equations(problem, x, RESIDUAL).solve(right)[:, 0]
    return float(right[:, 0] @ y if scores is None else ((scores @ y) ** 2).sum())


def sampled_errors(problem: RankingProblem, x: Floats, scores: Any = None) -> Sampled:
    """Draws of the errors with fixed seeds, and the variances.

    Without ties and with errors from the information, a part of each variance is known: if w has the
    covariance A and y = A⁻¹ w, then Var(y_i) = 1 / A_ii + E(y_i - w_i / A_ii)², apart from the centring. For
    well connected items the second term is small, so few draws are enough.
    """
    k, n_entries = problem.n_items, max(len(problem.ballots.entries), 1)
    n_blocks = int(np.clip(MOST_ENTRIES // n_entries, FEWEST_DRAWS, DRAWS)) // TOGETHER
    diagonal = problem.derivatives(x).curvature[:k]
    errors = np.empty((k, n_blocks * TOGETHER), dtype=np.float32)
    onward = np.zeros(k)
    for block in range(n_blocks):
        noise = _noise(problem, x, scores, np.random.default_rng(block))
        y = centred(equations(problem, x, DRAW_RESIDUAL).solve(noise), problem.rank_group)[:k]
        errors[:, block * TOGETHER : (block + 1) * TOGETHER] = y
        onward += ((y - noise[:k] / diagonal[:, None]) ** 2).sum(axis=1)
    drawn = (errors.astype(np.float64) ** 2).mean(axis=1)
    if scores is not None or problem.n_ties:
        return Sampled(drawn, errors)
    size = np.bincount(problem.rank_group)[problem.rank_group]
    variance = (1 - 2 / size) / diagonal + onward / (n_blocks * TOGETHER)
    ratio = np.sqrt(variance / np.maximum(drawn, 1e-300))
    return Sampled(variance, (errors * ratio[:, None]).astype(np.float32))


def _noise(problem: RankingProblem, x: Floats, scores: Any, rng: np.random.Generator) -> Floats:
    """Random gradients whose covariance is the information, or that of ``scores``."""
    if scores is not None:
        return np.asarray(scores.T @ (2.0 * rng.integers(0, 2, (scores.shape[0], TOGETHER)) - 1.0))
    k, b = problem.n_items, problem.ballots
    drawn = random_scores(b, x, TOGETHER, rng)
    roots = RankingProblem.without_prior(problem.rank_group, b.with_mass(np.sqrt(b.mass)))
    tally = roots.ballots.tally
    expected = roots.derivatives(x).gradient + np.concatenate([tally.score, tally.winners[1:]])
    drawn = np.delete(drawn, k, axis=0) - expected[:, None]
    return np.asarray(drawn + _prior_noise(problem, x, rng))


def _prior_noise(problem: RankingProblem, x: Floats, rng: np.random.Generator) -> Floats:
    """Random numbers whose covariance is the second derivative of the prior."""
    k, out = problem.n_items, np.zeros((len(x), TOGETHER))
    if problem.pseudo is not None:
        out[:k] = _noise(problem.pseudo, x[:k], None, rng)
    signs = rng.standard_normal((len(x), TOGETHER))
    if problem.ridge is not None:
        out[k:] = np.sqrt(problem.ridge)[:, None] * signs[k:]
    if problem.normal is not None:
        out[:k] = signs[:k] / problem.normal.scale
        return out
    share, weight = problem.shares(x)
    roots = np.sqrt(share)[:, None] * signs[:k]
    total = group_sums(roots, problem.rank_group)[problem.rank_group]
    out[:k] += np.sqrt(weight)[:, None] * (roots - share[:, None] * total)
    return out
