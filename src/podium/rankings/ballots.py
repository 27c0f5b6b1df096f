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

from podium.comparisons.arrays import Codes, Floats, Index, frozen, ranges
from podium.comparisons.flat_rankings import starts_of_levels
from podium.comparisons.rankings import Rankings
from podium.numerics.compiled import njit
from podium.numerics.threads import over_rows

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

    def __post_init__(self) -> None:
        """Make all arrays read-only: Numba compiles a function again for arrays that can be written to."""
        for name in ("indptr", "entries", "won", "mass", "sizes"):
            object.__setattr__(self, name, frozen(np.ascontiguousarray(getattr(self, name))))

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def with_mass(self, mass: Floats) -> "Ballots":
        """The same rankings with other masses; a ranking of mass 0 counts as absent."""
        return Ballots(self.n_items, self.indptr, self.entries, self.won, mass, self.sizes)

    def pseudo_choices(self, weight: Floats) -> "Ballots":
        """A choice among the items of each ballot, with the sum of weight / d over these items as its share.

        d is the mass of the ballots of an item. All items win equally often, and ties are impossible.
        """
        at = np.flatnonzero(self.won)
        row, first = np.unique(np.searchsorted(self.indptr, at, side="right") - 1, return_index=True)
        size = self.indptr[row + 1] - at[first]  # items before the first choice are in none
        which, places = ranges(at[first], self.indptr[row + 1])
        entries, mass = self.entries[places], self.mass[row]
        d = np.bincount(entries, mass[which], self.n_items)
        each = np.divide(weight, d, out=np.zeros(self.n_items), where=d > 0)
        mass = mass * np.bincount(which, each[entries], len(row))
        indptr = np.append(0, np.cumsum(size))
        won = np.zeros(len(entries), dtype=np.int8)
        won[indptr[:-1]] = 1  # whoever it is, the expectation is the same
        found = Ballots(self.n_items, indptr, entries, won, mass, np.ones(1, np.int64))
        score: Floats = np.bincount(entries, (mass / size)[which], self.n_items).astype(np.float64)
        found.__dict__["tally"] = found.tally._replace(score=score)
        return found

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
        arrays = (self.n_items, self.indptr, self.entries, self.won, self.mass, self.sizes)
        parts = over_rows(self.indptr, lambda start, end: _tally(*arrays, (start, end)))
        *sums, most = zip(*parts, strict=True)
        score, choices, winners, subsets = (np.asarray(sum(part)) for part in sums)
        return Tally(score, choices, winners, subsets, np.max(most, axis=0))


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
    winners = _winners(rankings)
    found = np.flatnonzero(np.bincount(winners))
    sizes = np.unique(np.concatenate([[1], [] if ignore_ties else found[found > 0], sizes])).astype(np.int64)
    number = np.zeros(max(int(winners.max(initial=1)), int(sizes[-1])) + 1, dtype=np.int8)
    if sizes[-1] > LARGEST_TIE:
        row = np.searchsorted(rankings.indptr, np.argmax(winners == sizes[-1]), side="right")
        raise ValueError(
            f"ranking {row:,} (counting from 1) has a tie of {sizes[-1]:,} items, and a tie may have at most "
            f"{LARGEST_TIE}; if their order is just unknown, make them an unordered rest (rest=)"
        )
    number[sizes] = np.arange(1, len(sizes) + 1)
    return Ballots(
        n_items=n_items,
        indptr=rankings.indptr,
        entries=rankings.entries if np.array_equal(codes, np.arange(len(codes))) else codes[rankings.entries],
        won=number[winners],
        mass=rankings.mass,
        sizes=sizes,
    )


def _winners(rankings: Rankings) -> Index:
    """For each entry, the number of winners of the choice that begins there; 0 if there is none."""
    start = np.flatnonzero(starts_of_levels(rankings.indptr, rankings.level))
    size = np.diff(start, append=len(rankings.level))
    last = np.searchsorted(start, rankings.indptr[1:]) - 1  # of the levels of each ranking
    size[last] *= ~rests(rankings) & (size[last] > 1)
    winners = np.zeros(len(rankings.level), np.int64)
    winners[start] = size
    return winners


def record_of(rankings: Rankings, b: Ballots) -> dict[str, Floats]:
    """How often each item was above, level with or below another one in a ranking, as a record of games."""
    arrays = (b.n_items, b.indptr, b.entries, rankings.level, rests(rankings), b.mass)
    found = sum(over_rows(b.indptr, lambda start, end: _placings(*arrays, (start, end))))
    wins, ties, losses = np.ascontiguousarray(found.T)
    return {"games": wins + ties + losses, "wins": wins, "ties": ties, "losses": losses}


def rests(rankings: Rankings) -> NDArray[np.bool_]:
    """For each ranking, whether its last level is an unordered rest.

    It is always read-only, as the arrays of `Ballots` are.
    """
    if rankings.rest is None:
        return frozen(np.zeros(len(rankings), dtype=np.bool_))
    return frozen(np.ascontiguousarray(rankings.rest))


@njit(cache=True, nogil=True)
def _tally(n_items, indptr, entries, won, mass, sizes, rows):  # type: ignore[no-untyped-def]
    score, choices = np.zeros(n_items), np.zeros(n_items)
    winners, subsets, most = np.zeros(len(sizes)), np.zeros(len(sizes)), np.zeros(len(sizes))
    for r in range(rows[0], rows[1]):
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
def _placings(n_items, indptr, entries, level, rest, mass, rows):  # type: ignore[no-untyped-def]
    """How often each item was above, level with and below another one of the same ranking."""
    out = np.zeros((n_items, 3))
    for r in range(rows[0], rows[1]):
        start, end = indptr[r], indptr[r + 1]
        first = start
        while first < end:
            last = first + 1
            while last < end and level[last] == level[first]:
                last += 1
            tied = 0.0 if last == end and rest[r] else mass[r] * (last - first - 1)
            for e in range(first, last):
                own = out[entries[e]]
                own[0] += mass[r] * (end - last)
                own[1] += tied
                own[2] += mass[r] * (first - start)
            first = last
    return out
