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
from podium.comparisons.arrays import Floats
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import InputError


@dataclass(frozen=True, eq=False)
class Votes:
    """What every judge said; ``judge`` has the labels of the first ones, ``votes`` their numbers of votes.

    ``start`` has the first row of each judge, and the number of rows; ``sides`` the items, left and right;
    ``home`` 0 on neutral ground; ``seen`` is that of `Rows`.
    """

    start: NDArray[np.int64]
    sides: NDArray[np.int64]
    z: Floats
    home: Floats
    seen: Floats
    judge: NDArray[Any]
    votes: Floats
    fit: PairedFit

    @classmethod
    def of(cls, fit: PairedFit) -> "Votes":
        """The votes behind a plain fit. A row without a group is a judge of its own."""
        c: Any = fit.rows
        if c.group is None:
            raise InputError("judge effects need to know who voted; give {@group} when you read or make them")
        c = c[c.outcome != 0] if fit.ties == "ignore" else c
        alone = len(c.groups) + np.arange(len(c))
        count: Any = np.bincount
        known, group = np.unique(np.where(c.group < 0, alone, c.group), return_inverse=True)
        sides = find_labels(fit.items, c.items)[np.column_stack([c.left, c.right])]
        home = np.ones(len(c)) if c.neutral is None else (~c.neutral).astype(np.float64)
        z, k = fit.covariates.columns_of(c), len(fit.items)
        row = ((group * k + sides[:, 0]) * k + sides[:, 1]) * 2 + (home > 0)
        if z.shape[1]:  # then equal rows are rare
            row = group * len(c) + np.arange(len(c))
        _, at, row = np.unique(row, return_index=True, return_inverse=True)
        values = (1, c.outcome, c.outcome == 0)
        seen = np.column_stack([count(row, c.count * each, len(at)) for each in values])
        start = np.searchsorted(group[at], np.arange(len(known) + 1))
        judge, votes = c.groups[known[known < len(c.groups)]], count(group, c.count)
        return cls(start, sides[at], np.ascontiguousarray(z[at]), home[at], seen, judge, votes, fit)

    @property
    def n_judges(self) -> int:
        return len(self.votes)

    @property
    def places(self) -> NDArray[np.int64]:
        """The parameters by which each row has derivatives, the tie parameter last."""
        k, tie = len(self.fit.items), int(self.fit.problem.free_tie)
        others = np.append(np.arange(k + tie, len(self.fit.solution)), [k] * tie).astype(np.int64)
        return np.hstack([self.sides, np.broadcast_to(others, (len(self.sides), len(others)))])

    def rows(self, x: Floats, log_tie: float) -> Rows:
        """What the integrals need at a point; without a free tie parameter it is ``log_tie``."""
        k, tie, p = len(self.fit.items), self.fit.problem.free_tie, self.z.shape[1]
        effects, (left, right) = x[k + tie :], x[self.sides].T
        tilt = self.home * (effects[-1] if self.fit.has_order_effect else 0.0)
        log_tie = float(x[k]) if tie else log_tie
        return Rows(self.start, right - left + self.z @ effects[:p], tilt, self.home, self.seen, log_tie)

    def gradient(self, by_delta: Floats, by_eta: Floats, by_tie: float) -> Floats:
        """The gradient by the point, from those by δ and η of every row."""
        left, right = (np.bincount(side, by_delta, len(self.fit.items)) for side in self.sides.T)
        order = [-float(self.home @ by_eta)] * self.fit.has_order_effect
        tie = [by_tie] * self.fit.problem.free_tie
        return np.concatenate([right - left, tie, self.z.T @ by_delta, order])
