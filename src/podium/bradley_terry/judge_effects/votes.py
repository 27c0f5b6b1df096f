"""The votes of every judge: equal votes of a judge are counted, and rows are in the order of the judges.

Judge j has u = (α, t, o). A comparison has δ = r_right - r_left + z·g, and the outcomes -1, 0 and 1 are in
the proportions e^(-η/2) : ν e^t : e^(η/2), with η = e^α δ - (h + o), or η = e^α δ on neutral ground. A point
x is that of `podium.bradley_terry.likelihood`: r, log ν, g, h.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.fitted import PairedFit
from podium.bradley_terry.judge_effects.nodes import Rows
from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import InputError


@dataclass(frozen=True, eq=False)
class Votes:
    """What every judge said; ``judge`` has the labels of the first ones, ``votes`` their numbers of votes."""

    start: NDArray[np.int64]  # of the rows of each judge, and the number of rows
    left: Codes
    right: Codes
    z: Floats
    home: Floats  # 0 on neutral ground
    wins: Floats  # how often each outcome was seen
    judge: NDArray[Any]
    votes: Floats
    n_items: int
    free_tie: bool
    has_order_effect: bool

    @classmethod
    def of(cls, fit: PairedFit) -> "Votes":
        """The votes behind a plain fit. A row without a group is a judge of its own."""
        c = fit.rows
        assert c is not None
        if c.group is None:
            raise InputError("judge effects need to know who voted; give {@group} when you read or make them")
        if fit.ties == "ignore":
            c = c[c.outcome != 0]
        assert c.group is not None
        assert c.groups is not None
        assert c.outcome is not None
        known, group = np.unique(c.group, return_inverse=True)
        alone, first = group == 0 if known[0] < 0 else np.zeros(len(c), bool), int(known[0] < 0)
        group = np.where(alone, len(known) + np.arange(len(c)), group) - first
        group = np.unique(group, return_inverse=True)[1]
        place = find_labels(fit.items, c.items)
        home = np.ones(len(c)) if c.neutral is None else (~c.neutral).astype(np.float64)
        z, k = fit.covariates.columns_of(c), len(fit.items)
        left, right = place[c.left], place[c.right]
        row = ((group * k + left) * k + right) * 2 + (home > 0)
        if z.shape[1]:  # then equal rows are rare
            row = group * len(c) + np.arange(len(c))
        _, at, row = np.unique(row, return_index=True, return_inverse=True)
        wins = np.stack([np.bincount(row, c.count * (c.outcome == y), len(at)) for y in (-1, 0, 1)], axis=1)
        n_judges = int(group.max()) + 1
        return cls(
            start=np.searchsorted(group[at], np.arange(n_judges + 1)),
            left=left[at].astype(np.int32),
            right=right[at].astype(np.int32),
            z=np.ascontiguousarray(z[at]),
            home=home[at],
            wins=wins.astype(np.float64),
            judge=c.groups[known[first:]],
            votes=np.bincount(group, c.count, n_judges).astype(np.float64),
            n_items=k,
            free_tie=fit.problem.free_tie,
            has_order_effect=fit.has_order_effect,
        )

    @property
    def n_judges(self) -> int:
        return len(self.votes)

    @property
    def columns(self) -> Codes:
        """The places of the effects, the order effect last, in a point."""
        return (
            np.arange(self.z.shape[1] + self.has_order_effect, dtype=np.int32) + self.n_items + self.free_tie
        )

    def rows(self, x: Floats, log_tie: float) -> Rows:
        """What the integrals need at a point; without a free tie parameter it is ``log_tie``."""
        p, effects = self.z.shape[1], x[self.n_items + self.free_tie :]
        delta = x[self.right] - x[self.left] + self.z @ effects[:p]
        tilt = self.home * (effects[-1] if self.has_order_effect else 0.0)
        return Rows(
            self.start,
            delta,
            tilt,
            self.home,
            self.wins,
            float(x[self.n_items]) if self.free_tie else log_tie,
        )

    def gradient(self, by_delta: Floats, by_eta: Floats, by_tie: float) -> Floats:
        """The gradient by the point, from those by δ and η of every row."""
        k = self.n_items
        theta = np.bincount(self.right, by_delta, k) - np.bincount(self.left, by_delta, k)
        order = [-float(self.home @ by_eta)] * self.has_order_effect
        return np.concatenate([theta, [by_tie] * self.free_tie, self.z.T @ by_delta, order])
