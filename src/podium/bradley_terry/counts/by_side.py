"""Many games that hardly repeat, listed by each of their two sides instead of merged to pairs.

A pass over them reads what a side needs in one go and writes nothing for its partners, so the processor can
work on several games at once. Rows are packed as in `merged`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.merged import MergedPairs, merge
from podium.comparisons.arrays import Floats, frozen
from podium.numerics.compiled import njit

# Games are merged if at least this share of them repeats, as seen in the games of some sides.
SIDES_SEEN, WORTH_MERGING = 64, 0.3
MAX_SWEEPS = 40  # of the search for wins that lead from side to side


@dataclass(frozen=True, eq=False)
class GamesBySide:
    """The games of side i are ``packed[start[i]:start[i + 1]]``; every game is listed twice."""

    start: NDArray[np.int64]
    packed: NDArray[np.int32]

    @cached_property
    def score(self) -> Floats:
        """The score of each side; a tie counts ½."""
        return self._score_and_ties[0]

    @cached_property
    def n_ties(self) -> float:
        return float(self._score_and_ties[1] / 2)

    @cached_property
    def _score_and_ties(self) -> tuple[Floats, int]:
        found: tuple[Floats, int] = _score_and_ties(self.start, self.packed)
        return found

    @cached_property
    def pairs(self) -> MergedPairs:
        """The games, merged to pairs."""
        start, packed = _as_smaller_side(self.start, self.packed)
        return merge(start, packed, frozen(np.ones(1)), len(start) - 1)

    def of_sides(self, keep: NDArray[np.bool_], number: NDArray[np.int32]) -> "GamesBySide":
        """The same games with only the sides in ``keep``, renumbered; the others must have no games."""
        start = np.concatenate([self.start[:-1][keep], self.start[-1:]])
        return GamesBySide(start, (number[self.packed >> 2] << 2) | (self.packed & 3))

    def hardly_repeat(self) -> bool:
        """Whether merging would hardly make the games fewer, judged by some sides of evenly spaced games."""
        games = np.linspace(0, len(self.packed) - 1, SIDES_SEEN).astype(np.int64)
        sides = np.unique(np.searchsorted(self.start, games, side="right") - 1)
        return bool(_share_repeated(self.start, self.packed, sides) < WORTH_MERGING)

    @cached_property
    def strongly_connected(self) -> bool:
        """Whether wins lead from every side to every other; a tie leads both ways.

        If False, a longer search may find that they do.
        """
        return bool(_reach_all(self.start, self.packed, 0) and _reach_all(self.start, self.packed, 2))

    def some_beat_each_other(self) -> bool:
        """Whether two sides both won against the other."""
        return bool(_beat_each_other(self.start, self.packed))


@njit(cache=True, nogil=True)
def _score_and_ties(start, packed):  # type: ignore[no-untyped-def]
    """The score of each side, and how many ties all sides list together."""
    score, n_ties = np.empty(len(start) - 1), 0
    for i in range(len(score)):
        lost = 0
        for at in range(start[i], start[i + 1]):
            lost += packed[at] & 3
            n_ties += packed[at] & 1  # a tie is 1, a win 0, a loss 2
        score[i] = start[i + 1] - start[i] - 0.5 * lost
    return score, n_ties


@njit(cache=True, nogil=True)
def _as_smaller_side(start, packed):  # type: ignore[no-untyped-def]
    """Only the games that are listed by the side with the smaller number."""
    first, kept = np.zeros_like(start), np.empty(len(packed) // 2, packed.dtype)
    n = 0
    for i in range(len(start) - 1):
        for at in range(start[i], start[i + 1]):
            if packed[at] >> 2 > i:
                kept[n] = packed[at]
                n += 1
        first[i + 1] = n
    return first, kept


@njit(cache=True, nogil=True)
def _share_repeated(start, packed, sides):  # type: ignore[no-untyped-def]
    """The share of these sides' games whose partner they met before."""
    met_by = np.full(len(start) - 1, -1, np.int32)
    n_games = n_repeated = 0
    for i in sides:
        for at in range(start[i], start[i + 1]):
            j = packed[at] >> 2
            n_repeated += met_by[j] == i
            met_by[j] = i
        n_games += start[i + 1] - start[i]
    return n_repeated / n_games


@njit(cache=True, nogil=True)
def _reach_all(start, packed, barred):  # type: ignore[no-untyped-def]
    """Whether games that did not end in ``barred`` are seen to lead from side 0 to all others.

    Every sweep asks each side that is not reached yet for a game against one that is. This is faster than a
    search from side to side, which looks at all games for those few sides that hardly ever win or lose.
    """
    reached = np.zeros(len(start) - 1, np.bool_)
    reached[0] = True
    missing = len(reached) - 1
    for _ in range(MAX_SWEEPS):
        for i in range(len(reached)):
            if reached[i]:
                continue
            for at in range(start[i], start[i + 1]):
                if reached[packed[at] >> 2] and packed[at] & 3 != barred:
                    reached[i] = True
                    missing -= 1
                    break
        if missing == 0:
            return True
    return False


@njit(cache=True, nogil=True)
def _beat_each_other(start, packed):  # type: ignore[no-untyped-def]
    beaten = np.full((len(start) - 1, 3), -1, np.int32)  # the last side that won, tied, lost against each
    for i in range(len(beaten)):
        for at in range(start[i], start[i + 1]):
            j, outcome = packed[at] >> 2, packed[at] & 3
            beaten[j, outcome] = i
            if beaten[j, 0] == i and beaten[j, 2] == i:
                return True
    return False
