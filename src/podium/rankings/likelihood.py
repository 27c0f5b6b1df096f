"""The likelihood of rankings: skills, ties and prior in one objective.

Stage by stage, a set S of the items A that remain comes first with probability

    δ_|S| (Π_S α)^(1/|S|) / Σ_T δ_|T| (Π_T α)^(1/|T|),    T ⊆ A, δ_1 = 1

(Davidson and Luce; Turner et al. 2020). T runs over the subsets whose size is 1 or that of a tie that occurs.
Without ties this is the model of Plackett and Luce. An unordered rest is part of A and never chosen.

A point x holds θ = log α, then log δ_d for every tie size d. The objective is the negative log-likelihood
plus a prior: that of eq. (7) of [GeneralizedBT], -μ Σ log(α_i / Σ α), for every group of items that is ranked
together, or normal skills. It is convex in x, since log Z is the logarithm of a sum of exponentials.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats
from podium.core.groups import group_sums
from podium.core.links import WIDE
from podium.core.smooth import TINY
from podium.numerics.descent import Derivatives
from podium.numerics.threads import over_rows
from podium.rankings import passes
from podium.rankings.ballots import Ballots
from podium.skill.plan import LOCAL
from podium.skill.problem import SkillProblem


@dataclass(frozen=True, eq=False)
class RankingProblem(SkillProblem):
    """Rankings, and the parameters to estimate from them."""

    ballots: Ballots
    met: Ballots | None = None  # says where pseudo-choices are, if not ``ballots``
    wide: float = WIDE  # if log-skills span more than this, the passes do without skills

    convex = True

    @property
    def games(self) -> Floats:
        """In how many choices each item was."""
        return self.ballots.tally.choices

    @property
    def n_ties(self) -> int:
        """The number of tie parameters."""
        return len(self.ballots.sizes) - 1

    @cached_property
    def pseudo(self) -> "RankingProblem | None":
        """The pseudo-choices of the local prior, without ties."""
        if not self.local.any():
            return None
        ballots = (self.met or self.ballots).pseudo_choices(np.where(self.local, LOCAL, 0.0))
        return RankingProblem.without_prior(self.rank_group, ballots)

    def start(self) -> Floats:
        """The start: skills as if all choices were among average items, and ties as frequent as they are."""
        tally = self.ballots.tally
        x = np.zeros(self.n_items + self.n_ties)
        lost = tally.choices - tally.score
        x[: self.n_items] = np.log((tally.score + 0.5) / (lost + 0.5))
        x[self.n_items :] = np.log(np.maximum(tally.winners[1:], 0.1) / np.maximum(tally.subsets[1:], 0.1))
        return self.placed(self.centred(x))

    def scale(self) -> Floats:
        """The scale of each entry of the gradient: the choices of the item, and the ties."""
        tally = self.ballots.tally
        ties = tally.winners[1:] if self.ridge is None else tally.winners[1:] + self.ridge
        return np.asarray(np.maximum(np.concatenate([self.skill_scale(), ties]), TINY))

    # ------------------------------------------------------------------------------------ derivatives

    def derivatives(self, x: Floats) -> Derivatives:
        """Gradient and diagonal curvature; with ties the curvature is approximate."""
        tally = self.ballots.tally
        if self._is_plain(x):
            p = self._skills(x)
            sums = self._sum(passes.plain_slope, p, self.ballots.longest)
            expected, rest = p * sums[:, 0], np.zeros(0)
            curvature, rest_curvature = expected - p**2 * sums[:, 1], np.zeros(0)
        else:
            _, expected, tied = self._tied(x)
            rest = tied[1:] - tally.winners[1:]
            share = expected / np.maximum(tally.choices, TINY)
            curvature = expected * (1 - share)
            rest_curvature = tied[1:] * (1 - tied[1:] / max(tally.winners.sum(), TINY))
        prior_gradient, prior_curvature = self.prior_derivatives(x)
        gradient = self.held(np.concatenate([expected - tally.score, rest]) + prior_gradient)
        curvature = (
            np.concatenate([np.maximum(curvature, 0.0), np.maximum(rest_curvature, 0.0)]) + prior_curvature
        )
        return Derivatives(gradient, curvature + np.maximum(1e-12 * self.scale(), TINY))

    def times(self, x: Floats, v: Floats) -> Floats:
        """The second derivatives at x times the columns of v."""
        k, b = self.n_items, self.ballots
        v = np.ascontiguousarray(v)
        if self._is_plain(x):
            p = self._skills(x)
            found = p[:, None] * self._sum(passes.plain_times, p, v, b.longest)
        else:
            padded = np.concatenate([np.zeros((1, v.shape[1])), v[k:]])
            arguments = (b.sizes, self._roots(x), self.delta(x), v[:k].copy(), padded, b.longest)
            items, ties = self._sum(passes.tied_times, *arguments)
            found = np.concatenate([items, ties[1:]])
        if self.pseudo is not None:
            found[:k] += self.pseudo.times(x[:k], v[:k])
        return np.asarray(found + self._prior_times(x, v))

    def information(self, x: Floats) -> Floats:
        """The second derivatives of the objective, dense: the observed information and the prior."""
        k, b = self.n_items, self.ballots
        if self._is_plain(x):
            p, out = self._skills(x), np.zeros((k, k))
            passes.plain_products(b.indptr, b.entries, b.won, b.mass, p, b.longest, out, (0, len(b)))
            out = -(out + out.T)
            np.fill_diagonal(out, -out.sum(axis=1))  # a shift of all skills changes nothing
        else:
            size = k + len(b.sizes)
            out = np.zeros((size, size))
            arguments = (b.sizes, self._roots(x), self.delta(x), b.longest, out, (0, len(b)))
            passes.tied_products(b.indptr, b.entries, b.won, b.mass, *arguments)
            out = np.delete(np.delete(out, k, axis=0), k, axis=1)
            out = np.tril(out) + np.tril(out, -1).T
        if self.pseudo is not None:
            out[:k, :k] += self.pseudo.information(x[:k])
        return out + self._prior_times(x, np.eye(len(x)))

    def scores(self, x: Floats) -> tuple[Floats, Floats]:
        """What each ranking expects: by entry, the share of its choices won; by ranking, ties by size."""
        b = self.ballots
        each = (np.zeros(len(b.entries)), np.zeros((len(b), len(b.sizes))))
        self._tied(x, each)
        return each

    # ------------------------------------------------------------------------------------ values

    def loss(self, x: Floats) -> float:
        """The negative log-likelihood."""
        tally, k = self.ballots.tally, self.n_items
        value, _, _ = self._tied(x)
        return float(value - tally.score @ (x[:k] - x[:k].max()) - tally.winners[1:] @ x[k:])

    # ------------------------------------------------------------------------------------ parts

    def _is_plain(self, x: Floats) -> bool:
        return not self.n_ties and float(np.ptp(x[: self.n_items])) <= self.wide

    def _skills(self, x: Floats) -> Floats:
        return np.asarray(np.exp(x[: self.n_items] - x[: self.n_items].max()))

    def _roots(self, x: Floats) -> tuple[Floats, Floats]:
        return passes.roots(x[: self.n_items], self.ballots.sizes, self.wide)

    def delta(self, x: Floats) -> Floats:
        """δ of every size, 1 first."""
        return np.asarray(np.exp(np.append(0.0, x[self.n_items :])))

    def _tied(self, x: Floats, each: Any = None) -> tuple[float, Floats, Floats]:
        b = self.ballots
        found = self._sum(passes.tied_slope, b.sizes, self._roots(x), self.delta(x), b.longest, each)
        return found[0], found[1], found[2]

    def _sum(self, one_pass: Any, *arguments: Any) -> Any:
        """The sum of what a pass returns for the ranges of rankings that the threads share."""
        b = self.ballots

        def part(start: int, end: int) -> Any:
            return one_pass(b.indptr, b.entries, b.won, b.mass, *arguments, (start, end))

        found = over_rows(b.indptr, part)
        if isinstance(found[0], tuple):
            return tuple(sum(column) for column in zip(*found, strict=True))
        return sum(found[1:], start=found[0])

    def _prior_times(self, x: Floats, v: Floats) -> Floats:
        """The second derivatives of the prior, apart from pseudo-choices, times the columns of v."""
        k, out = self.n_items, np.zeros_like(v)
        if self.ridge is not None:
            out[k:] = self.ridge[:, None] * v[k:]
        if self.normal is not None:
            out[:k] = v[:k] / self.normal.scale**2
        elif self.prior.any():
            share, weight = self.shares(x)
            mean = group_sums(share[:, None] * v[:k], self.rank_group)[self.rank_group]
            out[:k] = (weight * share)[:, None] * (v[:k] - mean)
        return out
