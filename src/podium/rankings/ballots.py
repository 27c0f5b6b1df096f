"""Rankings as the passes read them: the entries of all rankings, and where a choice is made.

A ranking is a sequence of choices: the best of all, the best of those that remain, and so on. Before entry e
the items from e to the end of the ranking remain. ``won[e]`` is 0 if no choice is made there (the last item
alone, an unordered rest, the later items of a tie), otherwise 1 + the position of the number of tied winners
in ``sizes``. The first size is always 1: a sole winner.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats, Index
from podium.comparisons.rankings.table import Rankings
from podium.numerics.compiled import njit

LARGEST_TIE = 100  # the work for a tie grows with its size, and so do the numbers in between


@dataclass(frozen=True, eq=False)
class Ballots:
    """Rankings with their mass (count times weight); the tie sizes that occur, 1 first."""

    n_items: int
    indptr: Index
    entries: Codes
    won: NDArray[np.int8]
    mass: Floats
    sizes: Index

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def with_mass(self, mass: Floats) -> "Ballots":
        """The same rankings with other masses; a ranking of mass 0 counts as absent."""
        return Ballots(self.n_items, self.indptr, self.entries, self.won, mass, self.sizes)

    @property
    def has_ties(self) -> bool:
        return len(self.sizes) > 1

    @property
    def longest(self) -> int:
        """The number of entries of the longest ranking."""
        return int(np.diff(self.indptr).max(initial=0))

    @cached_property
    def tally(self) -> "Tally":
        """What the rankings add up to."""
        return Tally(*_tally(self.n_items, self.indptr, self.entries, self.won, self.mass, self.sizes))


class Tally(NamedTuple):
    """Sums over all choices, each times its mass."""

    score: Floats  # 1 for each choice that the item won, 1 / d if d items tied
    choices: Floats  # in which the item was there
    winners: Floats  # choices by the position of their number of winners in ``sizes``
    subsets: Floats  # by size, the sum of the number of subsets of this size per item that remains
    most: Floats  # by size, the largest number of items that remained at such a choice


def ballots_of(
    rankings: Rankings, n_items: int, codes: Codes, *, ignore_ties: bool = False, sizes: Any = ()
) -> Ballots:
    """The ballots of rankings whose items have these codes, -1 for an item that does not appear.

    With ``ignore_ties``, choices with several winners are left out. ``sizes`` are tie sizes to keep even if
    they do not occur.
    """
    indptr = rankings.indptr
    winners = _winners(indptr, rankings.level, rests(rankings))
    if ignore_ties:
        winners[winners > 1] = 0
    count = np.bincount(winners)
    sizes = np.unique(np.concatenate([[1], np.flatnonzero(count), sizes])).astype(np.int64)
    sizes = sizes[sizes > 0]
    if sizes[-1] > LARGEST_TIE:
        row = int(np.searchsorted(indptr, np.argmax(winners), side="right"))
        raise ValueError(
            f"ranking {row:,} (counting from 1) has a tie of {sizes[-1]:,} items, and a tie may have at most "
            f"{LARGEST_TIE}; if their order is just unknown, make them an unordered rest (rest=)"
        )
    number = np.zeros(sizes[-1] + 1, dtype=np.int8)
    number[sizes] = np.arange(1, len(sizes) + 1)
    return Ballots(
        n_items=n_items,
        indptr=indptr,
        entries=codes[rankings.entries],
        won=number[winners],
        mass=np.ascontiguousarray(rankings.mass),
        sizes=sizes,
    )


def record_of(rankings: Rankings, n_items: int, codes: Codes) -> dict[str, Floats]:
    """How often each item was above, level with or below another one in a ranking, as a record of games."""
    arrays = (rankings.indptr, codes[rankings.entries], rankings.level, rests(rankings))
    wins, ties, losses = _placings(n_items, *arrays, np.ascontiguousarray(rankings.mass))
    return {"games": wins + ties + losses, "wins": wins, "ties": ties, "losses": losses}


def rests(rankings: Rankings) -> NDArray[np.bool_]:
    """For each ranking, whether its last level is an unordered rest."""
    if rankings.rest is None:
        return np.zeros(len(rankings), dtype=np.bool_)
    return np.ascontiguousarray(rankings.rest)


@njit(cache=True, nogil=True)
def _winners(indptr, level, rest):  # type: ignore[no-untyped-def]
    """For each entry, the number of winners of the choice that begins there; 0 if none does."""
    winners = np.zeros(indptr[-1], np.int64)
    for r in range(len(indptr) - 1):
        start, end = indptr[r], indptr[r + 1]
        first = start
        for e in range(start, end):
            if level[e] != level[first]:
                winners[first] = e - first
                first = e
        if end - first > 1 and not rest[r]:
            winners[first] = end - first
    return winners


@njit(cache=True, nogil=True)
def _tally(n_items, indptr, entries, won, mass, sizes):  # type: ignore[no-untyped-def]
    score, choices = np.zeros(n_items), np.zeros(n_items)
    winners, subsets, most = np.zeros(len(sizes)), np.zeros(len(sizes)), np.zeros(len(sizes))
    for r in range(len(indptr) - 1):
        so_far, end = 0, indptr[r + 1]
        if mass[r] <= 0.0:
            continue
        for e in range(indptr[r], end):
            if won[e]:
                so_far += 1
                size, remain = sizes[won[e] - 1], end - e
                winners[won[e] - 1] += mass[r]
                most[won[e] - 1] = max(most[won[e] - 1], remain)
                for f in range(e, e + size):
                    score[entries[f]] += mass[r] / size
                for s in range(1, len(sizes)):
                    ways = 1.0
                    for j in range(sizes[s]):
                        ways *= (remain - j) / (j + 1.0)
                    subsets[s] += mass[r] * max(ways, 0.0) / remain
            choices[entries[e]] += mass[r] * so_far
    return score, choices, winners, subsets, most


@njit(cache=True, nogil=True)
def _placings(n_items, indptr, entries, level, rest, mass):  # type: ignore[no-untyped-def]
    """How often each item was above, level with and below another one of the same ranking."""
    above, tied, below = np.zeros(n_items), np.zeros(n_items), np.zeros(n_items)
    for r in range(len(indptr) - 1):
        start, end = indptr[r], indptr[r + 1]
        first = start
        while first < end:
            last = first
            while last < end and level[last] == level[first]:
                last += 1
            unknown = rest[r] and last == end
            for e in range(first, last):
                above[entries[e]] += mass[r] * (end - last)
                below[entries[e]] += mass[r] * (first - start)
                if not unknown:
                    tied[entries[e]] += mass[r] * (last - first - 1)
            first = last
    return above, tied, below
