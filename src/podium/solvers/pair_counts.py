"""Rows of comparisons become one count for each pair that met: what a paired-comparison model needs to know.

A radix partition by the first side of the pair, then one slot for each partner within it: two passes over the
rows and no sort.
"""

from dataclasses import dataclass, replace

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDING = 1e-12  # less than this share of the games is no win but an error of summation


@dataclass(frozen=True)
class PairCounts:
    """Distinct pairs in compressed rows: side i met ``partner[indptr[i]:indptr[i + 1]]``.

    Of each pair: how often they met, how often they tied, and how often the partner won less how often side
    i did. Of each side: its ``score``, a win counting one and a tie a half. If ``ordered``, side i stood on
    the left; else i is the smaller of the two.
    """

    indptr: NDArray[np.int64]
    partner: NDArray[np.int32]
    total: Floats
    ties: Floats
    margin: Floats
    score: Floats
    ordered: bool

    @property
    def n_sides(self) -> int:
        return len(self.indptr) - 1

    @property
    def first(self) -> NDArray[np.int32]:
        """The first side of every pair, beside ``partner``."""
        return np.repeat(np.arange(self.n_sides, dtype=np.int32), np.diff(self.indptr))

    @property
    def games(self) -> Floats:
        """How often each side met anybody."""
        return self.by_side(self.total)

    @property
    def appears(self) -> NDArray[np.bool_]:
        """For each side, whether it met anybody."""
        met = np.diff(self.indptr) > 0
        met[self.partner] = True
        return met

    @property
    def left_wins(self) -> Floats:
        """How often the first side of each pair won."""
        return self._whole(self.total - self.ties - self.margin)

    @property
    def right_wins(self) -> Floats:
        """How often the partner won."""
        return self._whole(self.total - self.ties + self.margin)

    def _whole(self, twice: Floats) -> Floats:
        return np.where(twice > ROUNDING * self.total, twice / 2, 0.0)

    def by_side(self, values: Floats) -> Floats:
        """The sum of a number of each pair over the pairs of each side."""
        k = self.n_sides
        return np.bincount(self.first, values, k) + np.bincount(self.partner, values, k)

    def of_sides(self, keep: NDArray[np.bool_]) -> "PairCounts":
        """The same counts when only the sides to keep are numbered; the others met nobody."""
        number = np.cumsum(keep, dtype=np.int32) - np.int32(1)
        indptr = np.concatenate([self.indptr[:-1][keep], self.indptr[-1:]])
        return replace(self, indptr=indptr, partner=number[self.partner], score=self.score[keep])

    def without_ties(self) -> "PairCounts":
        """As if the ties had not been played."""
        score = self.score - self.by_side(self.ties) / 2
        return replace(self, total=self.total - self.ties, ties=np.zeros_like(self.ties), score=score)

    def with_sums(self, total: Floats, ties: Floats, margin: Floats) -> "PairCounts":
        """Other results of the same pairs."""
        k = self.n_sides
        score = np.bincount(self.first, (total - margin) / 2, k) + np.bincount(self.partner, (total + margin) / 2, k)
        return replace(self, total=total, ties=ties, margin=margin, score=score)


def count_pairs(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    outcome: NDArray[np.int8],
    weight: Floats,
    n_sides: int,
    *,
    ordered: bool,
) -> PairCounts:
    """Count each pair's meetings."""
    step = 0 if weight.strides == (0,) else 1  # equal weights are one number
    weight = np.ascontiguousarray(weight[:1] if step == 0 else weight)
    start, packed, weights = _partition(left, right, outcome, weight, step, n_sides, ordered)
    indptr, partner, total, ties, margin = _merge(start, packed, weights, weight, step, n_sides)
    counts = PairCounts(indptr, partner, total, ties, margin, np.zeros(n_sides), ordered)
    return counts.with_sums(total, ties, margin)


@njit(cache=True, nogil=True)
def _partition(left, right, outcome, weight, step, n_sides, ordered):  # type: ignore[no-untyped-def]
    """Rows in the order of their first side, as partner * 3 + outcome + 1, and their weights."""
    n = len(left)
    start = np.zeros(n_sides + 1, np.int64)
    for i in range(n):
        a, b = left[i], right[i]
        start[(a if ordered or a < b else b) + 1] += 1
    for s in range(n_sides):
        start[s + 1] += start[s]
    place = start[:-1].copy()
    packed = np.empty(n, np.int32)  # room for 700 million sides
    weights = np.empty(n * step)
    for i in range(n):
        a, b, sign = left[i], right[i], outcome[i]
        if not ordered and b < a:
            a, b, sign = b, a, -sign
        at = place[a]
        place[a] = at + 1
        packed[at] = b * 3 + sign + 1
        if step:
            weights[at] = weight[i]
    return start, packed, weights


@njit(cache=True, nogil=True)
def _merge(start, packed, weights, weight, step, n_sides):  # type: ignore[no-untyped-def]
    n = len(packed)
    indptr = np.zeros(n_sides + 1, np.int64)
    partner = np.empty(n, np.int32)
    total, ties, margin = np.zeros(n), np.zeros(n), np.zeros(n)
    slot_of = np.full(n_sides, -1, np.int64)
    n_pairs = 0
    for a in range(n_sides):
        first_slot = n_pairs
        for at in range(start[a], start[a + 1]):
            b = packed[at] // 3
            sign = packed[at] - 3 * b - 1
            slot = slot_of[b]
            if slot < first_slot:  # not met by this side so far
                slot = n_pairs
                slot_of[b] = slot
                partner[slot] = b
                n_pairs += 1
            w = weights[at] if step else weight[0]
            total[slot] += w
            margin[slot] += sign * w
            if sign == 0:
                ties[slot] += w
        indptr[a + 1] = n_pairs
    return indptr, partner[:n_pairs].copy(), total[:n_pairs].copy(), ties[:n_pairs].copy(), margin[:n_pairs].copy()
