"""The covariance of the estimates of a paired-comparison model: the inverse of the information.

This is Theorem 2 of [GeneralizedBT] with its factor corrected: the covariance is the inverse of the
information summed over the comparisons, without another 1/n. It is that of all parameters together, with
skills as logarithms, and includes the prior as in Laplace's approximation. Log-skills have mean 0 in every
rank group: with A = H + γ v vᵀ of `information` and C the matrix that subtracts group means, C A⁻¹ C is the
pseudo-inverse of H.

If the comparisons do not vary as the model says, the sandwich C A⁻¹ M A⁻¹ C is used instead, where M is the
covariance of the gradient [Huber 1967, White 1982]. With weights that are not counts, and if ties count as
half a win, M adds up the squared gradients of single comparisons (`Robust`). If comparisons of a group depend
on each other, because a judge has tastes of their own, M adds up the squared gradients of groups
(`Clustered`). A comparison that stands for n equal ones and has the weight w adds n w² s sᵀ, where s is its
gradient.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from podium.bradley_terry.counts.pairs import PairCounts
from podium.bradley_terry.errors.information import (
    Information,
    PairTerms,
    blocks,
    exactly,
    information,
    observed,
    regular,
    whole,
)
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.core.groups import centred
from podium.core.linear import dense, inverse_of
from podium.core.links import scores
from podium.numerics.threads import one_blas_thread
from podium.skill.known import NOTHING

# Up to this many items BLAS gets one thread, which takes as long and rounds in the same way every time.
FEW_ITEMS = 500


# ------------------------------------------------------------------------------------ the gradient


@dataclass(frozen=True)
class Robust:
    """Every comparison varies on its own; ``squares`` counts the pairs with n w² instead of n w."""

    problem: PairedProblem
    x: Floats
    squares: PairCounts

    @cached_property
    def terms(self) -> PairTerms:
        """For every pair, the sums of squares and products of the gradients of its comparisons."""
        found = scores(self.problem.differences(self.x), self.problem.parts(self.x).link)
        graded, squares = self.problem.graded, self.squares
        n = squares.outcomes if graded is None else replace(self.problem, counts=squares).by_grade
        r, t = found.difference, found.tie.reshape(-1, *found.difference.shape)[: self.problem.n_link]
        tie = np.einsum("kp,akp,bkp->ab", n, t, t)
        return PairTerms((n * r * r).sum(axis=0), (n * r * t).sum(axis=1), tie)

    @cached_property
    def blocks(self) -> Information:
        return blocks(self.problem, self.x, self.terms)

    def __matmul__(self, other: Floats) -> Floats:
        found = self.blocks._replace(skills=whole(self.blocks.skills)).times(other)
        if self.problem.normal is not None:
            prior = prior_scores(self.problem)
            found += prior.T @ (prior @ other)
        return found


@dataclass(frozen=True)
class Clustered:
    """Comparisons of a group vary together; ``scores`` has the gradient of each group in a row (sparse).

    With several kinds of groups, the squares of some rows are subtracted: their ``signs`` are -1.
    """

    scores: Any
    signs: Floats | None = None

    def __matmul__(self, other: Floats) -> Floats:
        found = self.scores @ other
        return np.asarray(self.scores.T @ (found if self.signs is None else (found.T * self.signs).T))


ScoreCovariance = Robust | Clustered  # the covariance M of the gradient


def prior_scores(problem: PairedProblem) -> Any:
    """One row per item, such that the sum of their squares is the information of the normal prior.

    Skills vary around their mean by the prior, whatever the comparisons do. Without this, the sandwich would
    call the skill of an item without comparisons certain.
    """
    from scipy.sparse import csr_array, eye_array, hstack

    assert problem.normal is not None
    k, normal = problem.n_items, problem.normal
    others = np.zeros((k, problem.size - k))
    others[:, problem.n_link : problem.n_link + problem.n_features] = -normal.features
    return hstack([eye_array(k), csr_array(others)], format="csr") / normal.scale


# ------------------------------------------------------------------------------------ the estimate


def exact_covariance(
    problem: PairedProblem, x: Floats, score_covariance: ScoreCovariance | None = None
) -> Floats:
    """The covariance of all of x, by a dense inverse."""
    known, across = problem.known, np.zeros((len(x), len(problem.known.at)))
    with one_blas_thread(problem.n_items <= FEW_ITEMS):
        found = observed(problem, x)
        if known.error.any():
            free = information(replace(problem, known=NOTHING), x)
            across = np.vstack([whole(dense(free.skills))[:, known.at], free.border[known.at].T])
        inverse = inverse_of(regular(problem, x, found.skills))
        joint = _bordered_inverse(inverse, found.border, found.corner)
        moved = known.moves(joint, across)
        if (
            score_covariance is not None
        ):  # before centring, which mixes the error of a hardly known item into all others
            joint = np.asarray(joint @ (score_covariance @ joint))
        joint = problem.covariance_of(joint)
        if getattr(score_covariance, "signs", None) is not None:
            values, vectors = np.linalg.eigh((joint + joint.T) / 2)
            joint = np.asarray((vectors * values.clip(min=0)) @ vectors.T)
    return np.asarray(joint + moved @ moved.T)


def exact_variances(problem: PairedProblem, x: Floats) -> Floats | None:
    """The variance of each log-skill minus the mean of its group; None if a factorization takes too long.

    No pair joins two groups, so A⁻¹ 1 holds the sum of every row over the group of its item.
    """
    k, group = problem.n_items, problem.rank_group
    found = exactly(problem, x)
    if found is None:
        return None
    variance, row_sum = found.skills.inverse_diagonal(), found.skills.solve(np.ones(k))
    row_mean = row_sum / np.bincount(group)[group]
    variance -= row_mean + centred(row_mean, group)
    if not found.border.shape[1]:
        return variance
    across = centred(found.across, group)
    return np.asarray(variance + ((across @ found.rest) * across).sum(axis=1))


def _bordered_inverse(inverse: Floats, border: Floats, corner: Floats) -> Any:
    """The inverse of [[A, B], [Bᵀ, D]] from that of A."""
    if not border.shape[1]:
        return inverse
    across = inverse @ border
    rest = np.linalg.inv(corner - border.T @ across)
    skills = inverse + across @ rest @ across.T
    return np.block([[skills, -across @ rest], [-rest @ across.T, rest]])
