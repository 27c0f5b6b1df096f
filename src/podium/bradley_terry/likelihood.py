"""The likelihood of paired comparisons: skills, teams, ties, order effect and prior in one objective.

With p = exp(θ) and team strengths q = Σ p over the members (eq. (4) of [GeneralizedBT]; a single item is its
own team), a pair has the difference d = log q_right - log q_left - h, and the objective is the sum over pairs
of -log P(outcome | d, tie parameter) by one of the two models in `pair_losses`, plus the prior of eq. (7),
-μ Σ log(p_s / Σ p), for every group of items that is ranked together.

A point x is θ, then the tie parameter (log ν of Davidson, log κ of Rao and Kupper) and the order effect h, if
they are free.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts import PairCounts
from podium.bradley_terry.losses import davidson_pass, rao_kupper_pass, shared_pass
from podium.numerics.descent import Slope

Floats = NDArray[np.float64]
WIDE = 600.0  # a span of log-skill beyond which skills have no numbers
TINY = 1e-300  # in the place of no games at all, for 0 / 0 is not 0
STRETCH = 1.2  # opponents are not all average, which hides a part of the differences


class Seen(NamedTuple):
    """The score of each side, the ties, and the score of the left sides together; 0 where nobody asks."""

    score: Floats
    ties: float
    left: float


@dataclass(frozen=True)
class PairedProblem:
    """Counts of pairs, and what is to be estimated from them."""

    counts: PairCounts
    n_items: int
    teams: Any  # sparse matrix, sides by items, of zeros and ones; None if every side is an item
    rank_group: NDArray[np.int32]  # items ranked together have the same number
    prior: Floats  # μ of each item
    rao_kupper: bool = False  # with a free tie parameter only: without one the two models are one
    free_tie: bool = False
    free_order: bool = False

    def start(self) -> Floats:
        """Ties as frequent as they are in the data; skills as if all opponents of an item were average."""
        x = np.zeros(self.n_items + self.free_tie + self.free_order)
        if self.teams is None:
            c = self.counts
            x[: self.n_items] = STRETCH * np.log((c.score + 0.5) / (c.games - c.score + 0.5))
            x = self.centred(x)
        if self.free_tie:
            share = self.counts.ties.sum() / self.counts.total.sum()
            ratio = share / (1.0 - share)
            x[self.n_items] = np.log1p(2 * ratio) if self.rao_kupper else np.log(2 * ratio)
        return x

    def parts(self, x: Floats) -> tuple[Floats, float, float]:
        """θ, the tie parameter as the losses take it, and the order effect."""
        tie = x[self.n_items] if self.free_tie else (0.0 if self.rao_kupper else -np.inf)
        order = x[-1] if self.free_order else 0.0
        return x[: self.n_items], float(tie if self.rao_kupper else np.exp(tie)), float(order)

    def tie(self, x: Floats, ties: str) -> float:
        """The tie parameter as users know it: Davidson's ν, Rao and Kupper's κ; nan if it is not modelled."""
        if ties not in ("davidson", "rao-kupper"):
            return np.nan
        if not self.free_tie:
            return 0.0 if ties == "davidson" else 1.0
        return float(np.exp(x[self.n_items]))

    def scale(self) -> Floats:
        """What each entry of the gradient is compared with: the games of the item, the ties, all games."""
        games = self.counts.games if self.teams is None else self.teams.T @ self.counts.games
        extra = [self.seen.ties] * self.free_tie + [self.counts.total.sum()] * self.free_order
        return np.asarray(np.maximum(np.concatenate([games + self.prior, extra]), TINY))

    def centred(self, x: Floats) -> Floats:
        """The same point, every rank group with mean log-skill 0."""
        x = x.copy()
        x[: self.n_items] -= self._group_mean(x[: self.n_items])[self.rank_group]
        return x

    def longest(self, x: Floats, d: Floats) -> float:
        """How far along d one may go: log κ of Rao and Kupper stays above 0."""
        k = self.n_items
        if self.rao_kupper and self.free_tie and d[k] < 0:
            return float(0.9 * x[k] / -d[k])
        return float(np.inf)

    def slope(self, x: Floats, pair_terms: Floats | None = None) -> Slope:
        """Gradient and diagonal curvature; ``pair_terms`` takes the second derivatives of each pair."""
        theta, tie, order = self.parts(x)
        centred = theta - self._group_mean(theta)[self.rank_group]
        p = np.exp(centred - centred.max(initial=0.0))
        q = p if self.teams is None else self.teams @ p
        logs = True if self.teams is None and np.ptp(centred) > WIDE else None
        state = np.zeros((len(q), 3))
        state[:, 0] = centred / 2 if logs else np.sqrt(q)
        one_pass = rao_kupper_pass if self.rao_kupper else davidson_pass
        c, seen = self.counts, self.seen
        left, tie_part, tie_bend, order_bend = shared_pass(
            one_pass, c, state, np.exp(order / 2), tie if self.free_tie else None, pair_terms, logs
        )
        gradient, bend = state[:, 1] - seen.score, state[:, 2]
        if self.teams is not None:
            gradient = p * (self.teams.T @ (gradient / q))
            bend = p**2 * (self.teams.T @ (bend / q**2))
        share, size = self.shares(p)
        gradient = gradient + self.prior * (size * share - 1.0)
        bend = bend + self.prior * size * share
        tie_gradient = tie_part - seen.ties * self._worth_of_a_tie(tie)
        extra = [(tie_gradient, tie_bend)] * self.free_tie + [
            (left - seen.left, order_bend)
        ] * self.free_order
        tail = np.array(extra).reshape(-1, 2)
        return Slope(np.concatenate([gradient, tail[:, 0]]), np.concatenate([bend, tail[:, 1]]) + 1e-300)

    def _worth_of_a_tie(self, tie: float) -> float:
        """What a tie takes from the gradient in the tie parameter: d log(κ² - 1) / d log κ, or 1."""
        return 2.0 / -np.expm1(-2 * tie) if self.rao_kupper and tie > 0 else 1.0

    def objective(self, x: Floats) -> float:
        """The penalised negative log-likelihood; a pass of logarithms, so it is asked for rarely."""
        theta, tie, order = self.parts(x)
        centred = theta - self._group_mean(theta)[self.rank_group]
        p = np.exp(centred - centred.max(initial=0.0))
        strength = centred if self.teams is None else np.log(self.teams @ p)
        c = self.counts
        d = strength[c.partner] - strength[c.first] - order
        if self.rao_kupper:
            loss = (c.total + c.ties + c.margin) / 2 * np.logaddexp(0, tie - d)
            loss += (c.total + c.ties - c.margin) / 2 * np.logaddexp(0, tie + d)
            if tie > 0:
                loss -= c.ties * np.log(np.expm1(2 * tie))
        else:
            x_ratio = np.exp(-np.abs(d) / 2)
            loss = c.total * (np.abs(d) / 2 + np.log1p(x_ratio**2 + tie * x_ratio)) - c.margin * d / 2
            if tie > 0:
                loss -= c.ties * np.log(tie)
        ranked = self.prior > 0
        share, _ = self.shares(p)
        return float(loss.sum() - (self.prior[ranked] * np.log(share[ranked])).sum())

    @cached_property
    def seen(self) -> "Seen":
        """What was seen, as the model of ties has it: Rao and Kupper count a tie as a win of both."""
        c = self.counts
        score, ties = c.score, float(c.ties.sum()) if self.free_tie else 0.0
        left = float((c.total - c.margin).sum() / 2) if self.free_order else 0.0
        if self.rao_kupper:
            score, left = score + c.by_side(c.ties / 2), left + ties / 2
        return Seen(score, ties, left)

    def _group_mean(self, theta: Floats) -> Floats:
        size = np.bincount(self.rank_group)
        return np.asarray(np.bincount(self.rank_group, theta) / np.maximum(size, 1))

    def shares(self, p: Floats) -> tuple[Floats, Floats]:
        """Each item's share of the skill of its rank group, and the size of that group."""
        total = np.bincount(self.rank_group, p)
        return p / total[self.rank_group], np.bincount(self.rank_group)[self.rank_group].astype(np.float64)
