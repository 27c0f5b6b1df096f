"""The pass of `counts` for hinges that are not smoothed: counting by the digits of the labels.

Sort the items of a group by score. Item k then forms violated pairs with the items from ``lo[k]`` on that
have a lower label, and with the items before ``hi[k]`` that have a higher label.

Labels are numbered, and the numbers are written with a few digits, the most significant first. A table says
how many of the first k items have a digit below c. It counts the violated pairs that differ in this digit. It
also says where every item, lo and hi moves when the items are distributed to blocks of equal digit; within
these blocks the next digit is processed. Five labels have one digit, n labels have O(log n), and scores are
compared only once.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.swapped.walks import distribute

Ints = NDArray[np.integer[Any]]

MOST_VALUES = 15  # of a digit; with one more column, a row of the table is 64 bytes, one line of the cache

# Columns that move along with an item: its number, the remaining digits of its label, lo and hi.
ITEM, REST, LO, HI = 0, 1, 2, 3


class Labels(NamedTuple):
    """The number of every item's label within its group, and the digits of these numbers.

    ``worth`` is the value of each digit. ``start`` says for each digit where the blocks begin whose items
    agree in the digits before it; the last entry is the number of items.
    """

    rank: NDArray[np.int32]
    base: int
    worth: list[int]
    start: list[NDArray[np.int64]]


def numbered(run_of: Ints, start: Ints, group: Ints) -> Labels:
    """Number the labels of the runs in `OrderedItems`."""
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    rank = np.arange(len(group), dtype=np.int32)
    if len(first) > 1:
        rank -= np.repeat(first, np.diff(np.append(first, len(group)))).astype(np.int32)

    def blocks(n_labels: int) -> NDArray[np.int64]:
        """Where blocks of ``n_labels`` labels begin."""
        at = slice(None, None, n_labels) if len(first) == 1 else np.flatnonzero(rank % n_labels == 0)
        return np.append(start[:-1][at], start[-1]).astype(np.int64)

    n_labels = int(rank.max(initial=0)) + 1
    count = 1
    while MOST_VALUES**count < n_labels:
        count += 1
    base = max(2, int(np.ceil(n_labels ** (1.0 / count))))
    base += base**count < n_labels  # if rounding made it too small
    worth = [base**place for place in range(count - 1, -1, -1)]
    return Labels(rank[run_of], base, worth, [blocks(base * one) for one in worth])


class Room(NamedTuple):
    """Memory for the passes. It is reused, since allocating it takes about as long as a pass."""

    marks: NDArray[np.int32]
    values: Floats
    counts: NDArray[np.int32]
    sums: Any

    @classmethod
    def of(cls, labels: Labels, weighted: bool) -> Self:
        n, size = len(labels.rank), int(np.diff(labels.start[0]).max(initial=0)) + 1
        columns = 8 if labels.base < 8 else 16  # more than the values of a digit, and whole vectors
        width = 3 if weighted else 2
        # One allocation, for which the system uses large pages.
        piece = np.empty(4 * n + 2 * width * n + size * columns // 2 + weighted * size * columns)
        marks, values, counts, sums = np.split(piece, np.cumsum([4 * n, 2 * width * n, size * columns // 2]))
        table = counts.view(np.int32).reshape(size, columns)
        totals = sums.reshape(size, columns) if weighted else table
        table[0] = totals[0] = 0
        return cls(marks.view(np.int32).reshape(2, n, 4), values.reshape(2, n, width), table, totals)


def count_violated(
    score: Floats,
    weight: Floats,
    equal_weight: float,
    group_of: Ints | None,
    labels: Labels,
    margin: float,
    room: Room,
) -> tuple[Floats, Floats, float]:
    """The weight of the violated pairs below and above every item, and their loss.

    If all weights are equal, pairs are counted, and the counts are multiplied by ``equal_weight`` at the end.
    """
    item = np.argsort(score).astype(np.int32)
    if group_of is not None:
        item = distribute(item, group_of, labels.start[0][:-1].copy(), np.empty_like(item))
    (marks, to_marks), (values, to_values) = room.marks, room.values
    marks[:, ITEM], marks[:, REST], values[:, :2] = item, labels.rank[item], 0.0
    if not equal_weight:
        values[:, 2] = weight[item]
    _meet(labels.start[0], score[item], margin, marks)
    for worth, start in zip(labels.worth, labels.start, strict=True):
        _look_up(start, worth, marks, values, room.counts, room.sums, to_marks, to_values)
        marks, to_marks, values, to_values = to_marks, marks, to_values, values
    middle = float(score.mean())  # a common offset of the scores cancels
    return _summed(values, score - middle, weight, equal_weight or 1.0, margin)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def _meet(start, s, margin, marks):  # type: ignore[no-untyped-def]  # pragma: no cover
    """LO: the first item at most the margin below this one; HI: the first item more than the margin above."""
    for b in range(start.shape[0] - 1):
        i, j, z = start[b], start[b], start[b + 1]
        while i < z:
            far = s[i] - s[j] > margin
            marks[i, LO], marks[j, HI] = j, i  # overwritten until i or j moves on; the last values are right
            j += far
            i += not far
        while j < z:
            marks[j, HI] = z
            j += 1


@njit(cache=True, nogil=True)
def _count(a, size, worth, marks, values, counts, sums):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The table of a block: how many of its first k items have a digit below c, and their total weight."""
    for k in range(size):
        d = marks[a + k, REST] // worth
        for c in range(counts.shape[1]):
            counts[k + 1, c] = counts[k, c] + (1 if c > d else 0)
    if values.shape[1] == 3:
        for k in range(size):
            d = marks[a + k, REST] // worth
            for c in range(counts.shape[1]):
                sums[k + 1, c] = sums[k, c] + (values[a + k, 2] if c > d else 0)


@njit(cache=True, nogil=True)
def _look_up(start, worth, marks, values, counts, sums, to_marks, to_values):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Add the violated pairs that differ in this digit, and move the items to the blocks of the next digit.

    After the last digit, the counts are written in the order of the input.
    """
    every = counts.shape[1] - 1
    for b in range(start.shape[0] - 1):
        a, size = start[b], start[b + 1] - start[b]
        _count(a, size, worth, marks, values, counts, sums)
        for k in range(size):
            d, p, q = marks[a + k, REST] // worth, marks[a + k, LO] - a, marks[a + k, HI] - a
            below = values[a + k, 0] + (sums[size, d] - sums[p, d])
            above = values[a + k, 1] + (sums[q, every] - sums[q, d + 1])
            to = marks[a + k, ITEM]
            if worth > 1:
                child = a + counts[size, d]
                to = child + counts[k, d + 1] - counts[k, d]
                to_marks[to, ITEM] = marks[a + k, ITEM]
                to_marks[to, REST] = marks[a + k, REST] - d * worth
                to_marks[to, LO] = child + counts[p, d + 1] - counts[p, d]
                to_marks[to, HI] = child + counts[q, d + 1] - counts[q, d]
                if values.shape[1] == 3:
                    to_values[to, 2] = values[a + k, 2]
            to_values[to, 0], to_values[to, 1] = below, above


@njit(cache=True, nogil=True)
def _summed(values, score, weight, factor, margin):  # type: ignore[no-untyped-def]  # pragma: no cover
    """The counts times the common weight, and the loss Σ ω_i ω_j (margin - s_i + s_j)."""
    n = score.shape[0]
    below, above, loss = np.empty(n), np.empty(n), 0.0
    for i in range(n):
        below[i], above[i] = factor * values[i, 0], factor * values[i, 1]
        loss += weight[i] * (below[i] * (margin - score[i]) + above[i] * score[i])
    return below, above, loss
