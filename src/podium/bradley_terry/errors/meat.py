"""The covariance M of the gradient, for the sandwich A⁻¹ M A⁻¹ [Huber 1967, White 1982].

The inverse of the information is the covariance of the estimate if the comparisons are independent and the
model is right. The sandwich needs less. With weights that are not counts, and if ties count as half a win,
M adds up the squared gradients of single comparisons (`Robust`). If comparisons of a group depend on each
other, because a judge has tastes of their own, M adds up the squared gradients of groups (`Clustered`).

A comparison that stands for n equal ones and has the weight w adds n w² s sᵀ, where s is its gradient.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from podium.bradley_terry.counts.pairs import PairCounts
from podium.bradley_terry.errors.information import Information, PairTerms, blocks, jacobian, whole
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Codes, Floats
from podium.core.links import scores


class Meat(Protocol):
    """The covariance M of the gradient."""

    def __matmul__(self, other: Floats) -> Floats:
        """M times a matrix."""


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
        n = np.stack([self.squares.left_wins, self.squares.ties, self.squares.right_wins])
        r, t = found
        cross = (n * r * t).sum(axis=0) if self.problem.free_tie else np.zeros(0)
        return PairTerms((n * r * r).sum(axis=0), cross, float((n * t * t).sum()))

    @cached_property
    def blocks(self) -> Information:
        return blocks(self.problem, self.x, self.terms)

    def __matmul__(self, other: Floats) -> Floats:
        skills, border, corner = self.blocks
        k = self.problem.n_items
        above = whole(skills) @ other[:k] + border @ other[k:]
        found = np.concatenate([above, border.T @ other[:k] + corner @ other[k:]])
        if self.problem.normal is not None:
            prior = prior_scores(self.problem)
            found += prior.T @ (prior @ other)
        return np.asarray(found)


@dataclass(frozen=True)
class Clustered:
    """Comparisons of a group vary together; ``scores`` has the gradient of each group in a row (sparse)."""

    scores: Any

    def __matmul__(self, other: Floats) -> Floats:
        return np.asarray(self.scores.T @ (self.scores @ other))


class Rows(NamedTuple):
    """Single comparisons: their sides by number, outcomes, predicted differences and groups."""

    left: Codes
    right: Codes
    outcome: Any
    mass: Floats
    design: Floats | None
    differences: Floats
    group: Codes


def group_scores(problem: PairedProblem, x: Floats, rows: Rows) -> Any:
    """The gradient of every group, one per row.

    The factor √(G / (G - 1)) allows for few groups: the estimate is drawn to their own votes.
    """
    from scipy.sparse import coo_array, csr_array, hstack, vstack

    found = scores(rows.differences, problem.parts(x).link)
    which, at = rows.outcome.astype(np.int64) + 1, np.arange(len(rows.outcome))
    pull, by_tie = found.difference[which, at] * rows.mass, found.tie[which, at] * rows.mass
    n_groups = int(rows.group.max()) + 1
    values, places = np.concatenate([-pull, pull]), np.concatenate([rows.left, rows.right])
    shape = (n_groups, problem.counts.n_sides)
    skills = coo_array((values, (np.tile(rows.group, 2), places)), shape=shape).tocsr()
    if problem.teams is not None:
        skills = (skills @ jacobian(problem, x)).tocsr()
    columns = [by_tie] * problem.free_tie + [np.zeros_like(pull)] * problem.n_features
    if rows.design is not None:
        columns += list((rows.design * pull[:, None]).T)
    sums = np.array([np.bincount(rows.group, column, n_groups) for column in columns])
    rest = csr_array(sums.reshape(-1, n_groups).T)
    found = hstack([skills, rest], format="csr") * np.sqrt(n_groups / (n_groups - 1))
    return found if problem.normal is None else vstack([found, prior_scores(problem)], format="csr")


def prior_scores(problem: PairedProblem) -> Any:
    """One row per item, such that the sum of their squares is the information of the normal prior.

    Skills vary around their mean by the prior, whatever the comparisons do. Without this, the sandwich would
    call the skill of an item without comparisons certain.
    """
    from scipy.sparse import csr_array, eye_array, hstack

    assert problem.normal is not None
    k, normal = problem.n_items, problem.normal
    others = np.zeros((k, problem.size - k))
    others[:, problem.free_tie : problem.free_tie + problem.n_features] = -normal.features
    return hstack([eye_array(k), csr_array(others)], format="csr") / normal.scale
