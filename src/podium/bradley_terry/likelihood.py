"""The likelihood of paired comparisons: skills, teams, ties, order effect and prior in one objective.

With p = exp(θ) and team strengths q = Σ p over the members (eq. (4) of [GeneralizedBT]; a single item is its
own team), a pair has the difference d = log q_right - log q_left - h; with a design (see `covariates`), it
is d = log q_right - log q_left + e·g instead. The objective is the sum over pairs of -log P(outcome | d, tie
parameter) under a model of ties (see `podium.core.links`), plus a prior (`podium.skill.problem`).

A point x holds θ, then, if they are free: the tie parameter (log ν of Davidson, log κ of Rao and Kupper), the
other parameters of a model of grades, the effects b of the items' features, and the effects g of the
comparisons, with the order effect h last.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.pairs import PairCounts
from podium.comparisons.arrays import Floats
from podium.core.groups import centred
from podium.core.links import WIDE, GradedLink, Link, loss, root, seen_score, tie_term
from podium.core.pair_pass import CURVATURE, EXPECTED, PAIR_CURVATURE, SCORE, T, no_terms, pair_sums
from podium.core.smooth import TINY
from podium.numerics.descent import Derivatives
from podium.skill.plan import LOCAL
from podium.skill.problem import SkillProblem


class Observed(NamedTuple):
    """The score of each side, the number of ties and the total score of the left sides; 0 if not needed."""

    score: Floats
    ties: float
    left: float


class Parts(NamedTuple):
    """A point by its parts."""

    theta: Floats
    link: Any  # `Link`, or `GradedLink`
    features: Floats
    effects: Floats


@dataclass(frozen=True)
class PairedProblem(SkillProblem):
    """Counts of pairs, and the parameters to estimate from them."""

    counts: PairCounts
    teams: Any  # sparse matrix, sides by items, of zeros and ones; None if every side is an item
    rao_kupper: bool = False  # only with a free tie parameter, or with grades; else the models are the same
    free_tie: bool = False
    free_order: bool = False
    met: PairCounts | None = None  # says where pseudo-games are, if not ``counts``

    @cached_property
    def pseudo(self) -> "PairedProblem | None":
        """The pseudo-games of the local prior: half a win for each side, without ties and effects."""
        if not self.local.any():
            return None
        met = self.met or self.counts
        each = np.divide(LOCAL * self.local, met.games, out=np.zeros(met.n_sides), where=met.games > 0)
        total = met.total * (each[met.first] + each[met.partner])
        pairs = met.pairs._replace(total=total, ties=np.zeros_like(total), margin=np.zeros_like(total))
        return PairedProblem.without_prior(self.rank_group, PairCounts.of_pairs(pairs, ordered=False), None)

    @property
    def merged(self) -> PairCounts:
        """The counts in which all items with known skills are one: the last."""
        counts, known = self.counts, self.known
        return counts.merged(known.nodes(self.n_items)) if len(known.at) else counts

    @property
    def at_home(self) -> NDArray[np.bool_]:
        """The pairs in which the order effect counts."""
        return np.asarray(self.design[:, -1] != 0)

    @property
    def games(self) -> Floats:
        """The games of each item; those of a team are games of all its members."""
        return np.asarray(self.counts.games if self.teams is None else self.teams.T @ self.counts.games)

    @property
    def games_per_item(self) -> float:
        """A game of a team counts once for all of its members together."""
        return float(self.counts.games.sum() / self.n_items)

    @property
    def features_at(self) -> slice:
        first = self.n_items + self.n_link
        return slice(first, first + self.n_features)

    @property
    def n_link(self) -> int:
        """The number of parameters of the model of ties or grades."""
        return int(self.free_tie) if self.graded is None else len(self.graded.parameters)

    @cached_property
    def graded(self) -> GradedLink | None:
        """The model of grades, with parameters of 0; None without grades."""
        if self.counts.grades is None:
            return None
        levels = self.counts.levels
        return GradedLink(levels, np.zeros(len(levels) - 1), self.rao_kupper)

    @cached_property
    def by_grade(self) -> Floats:
        """How often each grade of the model (rows) occurred in every pair."""
        assert self.graded is not None
        return self.counts.outcomes[self.graded.rows_in(len(self.counts.outcomes))]

    @property
    def n_features(self) -> int:
        return 0 if self.normal is None else self.normal.features.shape[1]

    @property
    def design(self) -> Floats:
        """What each effect adds to the difference of every pair; an order effect alone needs no memory."""
        if self.counts.design is not None:
            return self.counts.design
        return np.broadcast_to(-1.0, (len(self.counts.total), int(self.free_order)))

    @property
    def n_effects(self) -> int:
        return int(self.free_order) if self.counts.design is None else self.counts.design.shape[1]

    @property
    def convex(self) -> bool:
        """The log strength of a team is not linear in the log-skills of its members."""
        return self.teams is None

    @property
    def size(self) -> int:
        """The number of entries of a point."""
        return self.n_items + self.n_link + self.n_features + self.n_effects

    def start(self) -> Floats:
        """The start: ties as frequent as in the data, skills as if all opponents were average."""
        x = np.zeros(self.size)
        if self.teams is None:
            c = self.counts
            x[: self.n_items] = np.log((c.score + 0.5) / (c.games - c.score + 0.5))
            x = self.centred(x)
        if self.graded is not None:
            x[self.n_items : self.n_items + self.n_link] = (
                np.arange(self.n_link) + 0.5 if self.rao_kupper else 0.0
            )
        elif self.free_tie:
            share = self.counts.n_ties / self.counts.n_games
            ratio = share / (1.0 - share)
            x[self.n_items] = np.log1p(2 * ratio) if self.rao_kupper else np.log(2 * ratio)
        return self.placed(x)

    def parts(self, x: Floats) -> Parts:
        tie = np.exp(x[self.n_items]) if self.free_tie else float(self.rao_kupper)
        effects, link = x[len(x) - self.n_effects :], Link(float(tie), self.rao_kupper)  # type: Floats, Any
        if self.graded is not None:
            link = replace(self.graded, parameters=x[self.n_items : self.n_items + self.n_link])
        return Parts(x[: self.n_items], link, x[self.features_at], effects)

    def tie(self, x: Floats, ties: str) -> float:
        """The tie parameter as users know it: Davidson's ν, Rao and Kupper's κ; nan if ties have no model."""
        if ties not in ("davidson", "rao-kupper"):
            return np.nan
        if not self.free_tie:
            return 0.0 if ties == "davidson" else 1.0
        return float(np.exp(x[self.n_items]))

    def by_log_scale(self, x: Floats) -> Floats:
        """Minus the derivative of the gradient by the logarithm of the scale of the normal prior."""
        assert self.normal is not None
        by_skill, at = 2 * self.away(x) / self.normal.scale**2, self.n_items + self.n_link
        out = np.zeros(self.size)
        out[: self.n_items], out[at : at + self.n_features] = by_skill, -self.normal.features.T @ by_skill
        return out

    def scale(self) -> Floats:
        """The scale of each entry of the gradient: the games of the item, the ties, all games."""
        total = self.counts.n_games
        extra = [self.observed.ties if self.graded is None else total] * self.n_link
        if self.normal is not None:  # if s is tiny, rounding errors of the skills limit the gradient
            rounding = 1e-4 * (self.normal.features**2).sum(axis=0) / self.normal.scale**2
            extra += (total + rounding).tolist()
        extra += [total] * self.n_effects
        return np.asarray(np.maximum(np.concatenate([self.skill_scale(), extra]), TINY))

    def longest(self, x: Floats, d: Floats) -> float:
        """The longest step along d that keeps Rao and Kupper's log κ above 0, and cuts apart."""
        k, m = self.n_items, self.n_link * self.rao_kupper
        if m < 2:  # without NumPy, which small fits would notice
            return float(0.9 * x[k] / -d[k] if m and d[k] < 0 else np.inf)
        at = slice(k, k + m)
        gaps, steps = (np.diff(part[at], prepend=0.0) for part in (x, d))
        return float(np.min(0.9 * gaps[steps < 0] / -steps[steps < 0], initial=np.inf))

    def derivatives(self, x: Floats, pair_terms: Floats | None = None) -> Derivatives:
        """Gradient and diagonal curvature; ``pair_terms`` receives the second derivatives of each pair."""
        if pair_terms is None and self.counts.design is not None:
            pair_terms = self.no_terms()
        p, q, gradient, curvature, by_rest = self._by_side(x, pair_terms)
        if self.teams is not None:
            gradient = p * (self.teams.T @ (gradient / q))
            curvature = p**2 * (self.teams.T @ (curvature / q**2))
        prior_gradient, prior_curvature = self.prior_derivatives(x)
        return Derivatives(
            self.held(np.concatenate([gradient, by_rest[:, 0]]) + prior_gradient),
            np.concatenate([curvature, by_rest[:, 1]]) + prior_curvature + TINY,
            pair_terms,
        )

    def side_gradient(self, x: Floats) -> Floats:
        """The gradient by the log strength of every side."""
        return self._by_side(x, self.no_terms() if self.counts.design is not None else None)[2]

    def _by_side(self, x: Floats, pair_terms: Floats | None) -> tuple[Floats, ...]:
        """Skills, strengths of sides, gradient and curvature by log strength, and both by the rest."""
        theta = centred(x[: self.n_items], self.rank_group)
        p = np.exp(theta - theta.max(initial=0.0))
        q = p if self.teams is None else self.teams @ p
        state = np.zeros((len(q), 3))
        state[:, T] = np.sqrt(q)
        by_rest = self._pass(x, state, pair_terms, wide=self.teams is None and bool(np.ptp(theta) > WIDE))
        return p, q, state[:, EXPECTED] - self.observed.score, state[:, CURVATURE], by_rest

    def _graded_pass(self, x: Floats, state: Floats, terms: Floats | None) -> NDArray[np.float64]:
        """`_pass` with grades."""
        c, link, d, design = self.counts, self.parts(x).link, self.differences(x), self.design
        slope, *slopes = -np.einsum("gp,agp->ap", self.by_grade, link.scores(d))
        curvature, _, corner = link.information(d, self.by_grade)
        state[:, EXPECTED] = self.observed.score + c.net_by_side(slope)
        state[:, CURVATURE] = c.by_side(curvature)
        if terms is not None:
            terms[SCORE], terms[PAIR_CURVATURE] = self.observed_left - slope, curvature
        rest = np.zeros((self.size - self.n_items, 2))
        rest[: self.n_link, 0], rest[: self.n_link, 1] = np.sum(slopes, axis=-1), np.diag(corner)
        rest[len(rest) - self.n_effects :, 0] = slope @ design
        rest[len(rest) - self.n_effects :, 1] = curvature @ design**2
        return rest

    def _pass(self, x: Floats, state: Floats, terms: Floats | None, *, wide: bool) -> NDArray[np.float64]:
        """One pass over the pairs, which fills ``state``; the derivatives by the tie and the effects."""
        if self.graded is not None:
            return self._graded_pass(x, state, terms)
        c, observed, parts = self.counts, self.observed, self.parts(x)
        order, factor, design = (c.design is None and self.free_order), None, c.design
        if wide:
            state[:, T], factor = 1.0, root(self.differences(x))
        elif design is not None:
            factor = root(design @ parts.effects)
        tie, rao_kupper = parts.link
        left, tie_score, tie_curvature, order_curvature = pair_sums(
            c.pairs,
            state,
            tie if self.free_tie else None,
            rao_kupper=rao_kupper,
            bias=float(np.exp(parts.effects[-1] / 2)) if order and not wide else 1.0,
            factor=factor,
            terms=terms,
        )
        rest = np.zeros((self.size - self.n_items, 2))
        if self.free_tie:
            _, worth, curvature = tie_term(x[self.n_items], rao_kupper)
            rest[0] = tie_score - observed.ties * worth, tie_curvature - observed.ties * curvature
        if order:
            rest[-1] = left - observed.left, order_curvature
        if design is not None and terms is not None:  # the curvature roughly; L-BFGS needs no more
            rest[len(rest) - self.n_effects :, 0] = (self.observed_left - terms[SCORE]) @ design
            rest[len(rest) - self.n_effects :, 1] = terms[PAIR_CURVATURE].mean() * self.design_lengths
        return rest

    def no_terms(self) -> Floats:
        """Memory for the terms of all pairs."""
        return no_terms(len(self.counts.partner))

    def differences(self, x: Floats) -> Floats:
        """The difference d of every pair."""
        parts, c = self.parts(x), self.counts
        theta = centred(parts.theta, self.rank_group)
        strength = theta if self.teams is None else np.log(self.teams @ np.exp(theta - theta.max()))
        return np.asarray(strength[c.partner] - strength[c.first] + self.design @ parts.effects)

    def loss(self, x: Floats) -> float:
        """The negative log-likelihood; slow, since it takes logarithms of every pair."""
        c, link = self.counts, self.parts(x).link
        if self.graded is not None:
            return -float(np.sum(self.by_grade * link.log_probability(self.differences(x))))
        found = np.sum(loss(self.differences(x), c.total, c.ties, c.margin, *link))
        if self.free_tie:
            found -= self.observed.ties * tie_term(x[self.n_items], link.rao_kupper)[0]
        return float(found)

    @cached_property
    def observed(self) -> Observed:
        """The observed totals; Rao and Kupper count a tie as a win of both sides."""
        c = self.counts
        score, ties = c.score, c.n_ties if self.free_tie else 0.0
        if self.rao_kupper:
            score = score + c.by_side(c.ties / 2)
        return Observed(score, ties, float(self.observed_left.sum()) if self.free_order else 0.0)

    @cached_property
    def observed_left(self) -> Floats:
        """The observed score of the left side of every pair."""
        c = self.counts
        return np.asarray(seen_score(c.total, c.ties, c.margin, self.rao_kupper))

    @cached_property
    def design_lengths(self) -> Floats:
        """The sum of the squares of every column of the design."""
        return np.asarray(np.einsum("ec,ec->c", self.design, self.design))
