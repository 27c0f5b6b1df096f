"""The total weight of every item's violated pairs: Algorithm 2 of [SwappedPairs], without forming a pair.

Items have scores s, weights ω and ordered labels. Two items of one group with y_i > y_j are a pair of weight
ω_i ω_j. It is violated by t = margin - (s_i - s_j). Its hinge max(0, t) is smoothed where |t| < δ (Huber),
and the derivative of the hinge is

    a(t) = 0 for t < -δ,  (t + δ) / 2δ in the window,  1 from δ on   (δ = 0: 1 from t = 0 on).

The paper walks V in *descending* order and takes O(n r) for r labels. Here the items of each label are sorted
by score. Then neighbouring runs of labels are merged as in merge sort, separately in every group. Both runs
are sorted when they meet, so one walk over them finds the violated pairs, and memory is read in sequence.
This takes O(n log n) for any number of labels, even r = n. If the hinge is not smoothed (δ = 0), pairs
need only be counted, which is faster (`hinge`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, ranges
from podium.numerics.swapped.hinge import Labels, Room, count_violated, numbered
from podium.numerics.swapped.walks import (
    ABOVE,
    BELOW,
    ITEM,
    WEIGHT,
    count,
    distribute,
    merge,
    spread,
    weigh_pairs,
)

Ints = NDArray[np.integer[Any]]

LARGE_GROUPS = 500  # average size of a group; above it, a sample takes some items of each group


class Violations(NamedTuple):
    """The weight of the violated pairs of every item, in the order of the input."""

    below: Floats  # Σ_j ω_j a(t_ij) over the items that should be below this one
    above: Floats  # the same sum over the items that should be above
    loss: float  # Σ ω_i ω_j max(0, t_ij) over all pairs, not smoothed


@dataclass(frozen=True)
class OrderedItems:
    """Items sorted by group and label (``order``), in runs of equal group and label."""

    order: Ints
    start: Ints  # where each run begins; the last entry is the number of items
    group: Ints  # of each run
    weight: Floats  # of each item, in the order of the input

    @classmethod
    def of(cls, y: NDArray[Any], group: Ints | None = None, weight: Floats | None = None) -> Self:
        n = len(y)
        if group is not None and n and group.min() == group.max():
            group = None  # which is faster
        order = np.argsort(y, kind="stable") if group is None else np.lexsort((y, group))
        new = np.ones(n, dtype=bool)
        new[1:] = y[order[1:]] != y[order[:-1]]
        if group is not None:
            new[1:] |= group[order[1:]] != group[order[:-1]]
        first = np.flatnonzero(new)
        codes = np.zeros(len(first), np.int64) if group is None else group[order[first]].astype(np.int64)
        weight = np.ones(n) if weight is None else np.require(weight, np.float64, ["C", "W"])
        return cls(order.astype(np.int32, copy=False), np.append(first, n), codes, weight)

    def __len__(self) -> int:
        return len(self.order)

    @property
    def one_group(self) -> bool:
        return len(self.group) == 0 or bool(self.group[0] == self.group[-1])

    @cached_property
    def partners(self) -> tuple[Floats, Floats]:
        """For every item, the total weight of the items that should be below and above it: #neg and #pos."""
        found = self.violations(np.zeros(len(self)), margin=1.0)
        return found.below, found.above

    @cached_property
    def n_pairs(self) -> float:
        """The total weight of all pairs: N of eq. (10)."""
        run = (
            self._equal_weight * np.diff(self.start)
            if self._equal_weight
            else np.add.reduceat(self.weight[self.order], self.start[:-1])
        )
        return float(weigh_pairs(run.astype(np.float64, copy=False), self.group))

    def violations(self, score: Floats, margin: float, width: float = 0.0) -> Violations:
        """The violated pairs at these scores, in one pass over the items."""
        if width == 0.0:
            return self._counted(score, margin)
        s, rows = self._sorted_runs(score)
        room = np.empty_like(s), np.empty_like(rows)
        sums, places, loss = np.empty((2, len(s) + 1)), np.empty((3, len(s)), dtype=np.int32), 0.0
        for merges in self._levels:
            loss += count(*merges, s, rows, margin, width, places, sums)
            merge(*merges, s, rows, *room)
        below, above = np.empty(len(s)), np.empty(len(s))
        item = rows[:, ITEM].astype(np.intp)
        below[item], above[item] = rows[:, BELOW], rows[:, ABOVE]
        return Violations(below, above, float(loss))

    def _counted(self, score: Floats, margin: float) -> Violations:
        score = np.require(score, requirements=["C", "W"])  # the loops are compiled for this layout alone
        return Violations(
            *count_violated(
                score, self.weight, self._equal_weight, self._group_of, self._labels, margin, self._room
            )
        )

    def laplacian(self, score: Floats, margin: float, width: float, Q: Floats) -> Floats:
        """Σ_j ω_i ω_j (Q_i - Q_j) over the pairs inside the window, for every item i and column of Q.

        Divided by 2δ, this is Q times the second derivatives of the smoothed loss by the scores.
        """
        s, rows = self._sorted_runs(score)
        room = np.empty_like(s), np.empty_like(rows)
        sums, places = np.empty((len(s) + 1, Q.shape[1] + 1)), np.empty((2, len(s)), dtype=np.int32)
        Q = np.require(Q, requirements=["C", "W"])  # the loops are compiled for this layout alone
        out = np.zeros_like(Q)
        for merges in self._levels:
            spread(*merges, s, rows, margin, width, places, sums, Q, out)
            merge(*merges, s, rows, *room)
        return out

    # ------------------------------------------------------------------------------------ parts

    def part(self, rows: Ints) -> Self:
        """Some of the items, with the pairs between them."""
        run = self._run_of[rows]
        return type(self).of(run, self.group[run], self.weight[rows])

    def sample(self, size: int, rng: np.random.RandomState) -> Ints:
        """Sample about ``size`` items: some of each large group, or all items of some small groups."""
        n = len(self.order)
        size = min(size, n)
        ends = np.append(np.flatnonzero(self.group[1:] != self.group[:-1]) + 1, len(self.group))
        if n >= LARGE_GROUPS * len(ends):
            rows: Ints = ((np.arange(size) + rng.rand(size)) * (n / size)).astype(np.intp)  # one per stretch
            return np.asarray(rows[np.append(True, rows[1:] > rows[:-1])])
        end = self.start[ends]
        count = np.diff(end, prepend=0)
        chosen = rng.permutation(len(ends))
        chosen = chosen[: max(1, int(np.searchsorted(np.cumsum(count[chosen]), size)))]
        return np.sort(self.order[ranges(end[chosen] - count[chosen], end[chosen])[1]])

    # ------------------------------------------------------------------------------------ digits of labels

    @cached_property
    def _equal_weight(self) -> float:
        """The weight of every item, or 0 if weights differ."""
        first = float(self.weight[0]) if len(self.weight) else 1.0
        return first if (self.weight == first).all() else 0.0

    @cached_property
    def _room(self) -> Room:
        return Room.of(self._labels, weighted=not self._equal_weight)

    @cached_property
    def _labels(self) -> Labels:
        return numbered(self._run_of, self.start, self.group)

    @cached_property
    def _group_of(self) -> Ints | None:
        """The number of every item's group, from 0 on; None if there is one group."""
        if self.one_group:
            return None
        return np.cumsum(np.append(0, self.group[1:] != self.group[:-1]), dtype=np.int32)[self._run_of]

    # ------------------------------------------------------------------------------------ merge sort

    def _sorted_runs(self, score: Floats) -> tuple[Floats, Floats]:
        """The scores, sorted within every run, and the rows that move along with them (see `walks`)."""
        by_score = np.argsort(score).astype(np.int32)
        item = distribute(by_score, self._run_of, self.start[:-1].copy(), np.empty_like(self.order))
        rows = np.zeros((len(item), 4))
        rows[:, ITEM], rows[:, WEIGHT] = item, self.weight[item]
        return score[item], rows

    @cached_property
    def _levels(self) -> list[tuple[Ints, Ints, Ints]]:
        """The merges of every level: where the lower run begins, where the upper run begins and ends."""
        levels: list[tuple[Ints, Ints, Ints]] = []
        start, group = self.start, self.group
        while True:
            # Within a group, blocks are merged in pairs, beginning with the first.
            at = np.arange(len(group))
            if not self.one_group:
                first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
                at -= np.repeat(first, np.diff(np.append(first, len(group))))
            left = at % 2 == 0
            lower = np.flatnonzero(left[:-1] & (group[1:] == group[:-1]))
            if not len(lower):
                return levels
            levels.append((start[lower], start[lower + 1], start[lower + 2]))
            start, group = np.append(start[:-1][left], start[-1]), group[left]

    @cached_property
    def _run_of(self) -> Ints:
        run = np.empty(len(self.order), dtype=np.int32)
        run[self.order] = np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), np.diff(self.start))
        return run
