"""The counts of all pairs that met, and of each side."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.core.pair_pass import Pairs
from podium.numerics.compiled import njit
from podium.numerics.threads import over_rows

NO_GRADES = np.zeros((0, 0))
ROUNDING = 1e-12  # a smaller share of the games is not a win but a rounding error of the sums


@dataclass(frozen=True)
class PairCounts:
    """The pairs that met, and for each side its ``games`` and its ``score``; a win counts 1 and a tie ½.

    If ``ordered``, the first side of a pair was on the left; otherwise it is the smaller number of the two.

    With a ``design`` (see `covariates`), games of the same two sides are one pair only if their rows of the
    design are equal too; the rows belong to the right side minus the left, so such pairs are ordered.

    ``grades``, if they are modelled, counts the grades -G to G (rows) of every pair.
    """

    indptr: NDArray[np.int64]
    partner: NDArray[np.int32]
    total: Floats
    ties: Floats
    margin: Floats
    score: Floats
    games: Floats
    ordered: bool
    design: Floats | None = None
    grades: Floats | None = None

    @classmethod
    def of_pairs(cls, pairs: Pairs, ordered: bool, design: Floats | None = None) -> "PairCounts":
        games = _by_side(pairs, pairs.total, pairs.total)
        lead = _by_side(pairs, -pairs.margin, pairs.margin)  # wins minus losses
        return cls(*pairs, (games + lead) / 2, games, ordered, design)

    @property
    def pairs(self) -> Pairs:
        """What a pass over the pairs reads."""
        return Pairs(self.indptr, self.partner, self.total, self.ties, self.margin)

    @property
    def n_sides(self) -> int:
        return len(self.games)

    @property
    def n_games(self) -> float:
        return float(self.games.sum() / 2)

    @property
    def n_ties(self) -> float:
        return float(self.ties.sum())

    @property
    def first(self) -> NDArray[np.int32]:
        """The first side of every pair, aligned with ``partner``."""
        return np.repeat(np.arange(self.n_sides, dtype=np.int32), np.diff(self.indptr))

    @property
    def appears(self) -> NDArray[np.bool_]:
        """For each side, whether it has any games."""
        met = self.games > 0
        if not met.all():  # games of weight 0 count too
            met |= np.diff(self.indptr) > 0
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
        """For each side, the sum of ``values`` over its pairs."""
        return _by_side(self.pairs, values, values)

    def net_by_side(self, values: Floats) -> Floats:
        """Like `by_side`, but subtracted from the first side of a pair and added to its partner."""
        return _by_side(self.pairs, -values, values)

    def of_sides(self, keep: NDArray[np.bool_]) -> "PairCounts":
        """The same counts with only the sides in ``keep``, renumbered; the others must have no games."""
        number = np.cumsum(keep, dtype=np.int32) - np.int32(1)
        indptr = np.concatenate([self.indptr[:-1][keep], self.indptr[-1:]])
        score, games = self.score[keep], self.games[keep]
        return replace(self, indptr=indptr, partner=number[self.partner], score=score, games=games)

    def merged(self, node: Codes) -> "PairCounts":
        """The same pairs, of sides with these numbers; a side may meet itself."""
        first = node[self.first]
        order, ends = (
            np.argsort(first, kind="stable"),
            np.cumsum(np.bincount(first, minlength=node.max() + 1)),
        )
        columns: Any = (column[order] for column in (node[self.partner], *self.pairs[2:]))
        design = None if self.design is None else self.design[order]
        grades = None if self.grades is None else self.grades[:, order]
        found = PairCounts.of_pairs(Pairs(np.append(0, ends), *columns), self.ordered, design)
        return replace(found, grades=grades)

    def without_ties(self) -> "PairCounts":
        """The same counts without the ties."""
        return self.with_sums(self.total - self.ties, np.zeros_like(self.ties), self.margin)

    def with_sums(
        self, total: Floats, ties: Floats, margin: Floats, grades: Floats = NO_GRADES
    ) -> "PairCounts":
        """The same pairs with other results."""
        pairs = self.pairs._replace(total=total, ties=ties, margin=margin)
        counts = PairCounts.of_pairs(pairs, self.ordered, self.design)
        return replace(counts, grades=grades) if len(grades) else counts

    @property
    def outcomes(self) -> Floats:
        """How often each outcome or grade (rows) occurred in every pair."""
        plain = (self.left_wins, self.ties, self.right_wins)
        return np.stack(plain) if self.grades is None else self.grades

    def of_wins_by(self, level: float) -> "PairCounts":
        """Only the wins by that grade; without grades, all wins."""
        if self.grades is None:
            return self.without_ties()
        middle = len(self.grades) // 2
        left, right = self.grades[middle - int(level)], self.grades[middle + int(level)]
        return self.with_sums(left + right, np.zeros_like(left), right - left)

    @property
    def levels(self) -> Floats:
        """The |grades| that occurred, ascending; the largest that is possible, if nobody won."""
        assert self.grades is not None
        seen = self.grades.sum(axis=1)
        middle = len(seen) // 2
        occurred = seen[middle:] + seen[middle::-1] > 0
        occurred[-1] |= not occurred[1:].any()
        return np.flatnonzero(occurred).astype(np.float64)

    @property
    def edges(self) -> "PairCounts":
        """Wins that lead only one way: those by the largest grade; smaller grades are bounded both ways."""
        if self.grades is None:
            return self
        widest = self.of_wins_by(self.levels[-1])
        return self.with_sums(self.total, self.total - widest.total, widest.margin)


class Replicate(NamedTuple):
    """Other results of the same pairs, such as those of a resample, one entry per pair."""

    total: Floats
    ties: Floats
    margin: Floats
    grades: Floats = NO_GRADES

    @classmethod
    def of_grades(cls, grades: Floats) -> Self:
        """From the counts of the grades -G to G (rows)."""
        middle = len(grades) // 2
        left, right = grades[:middle].sum(axis=0), grades[middle + 1 :].sum(axis=0)
        return cls(left + grades[middle] + right, grades[middle], right - left, grades)


def _by_side(pairs: Pairs, of_first: Floats, of_partner: Floats) -> Floats:
    """For each side, the sum of the numbers of its pairs, which have one for each of their two sides."""
    columns = (pairs.indptr, pairs.partner, of_first, of_partner)
    return np.asarray(sum(over_rows(pairs.indptr, lambda start, end: _sums(*columns, start, end))))


@njit(cache=True, nogil=True)
def _sums(indptr, partner, of_first, of_partner, start, end):  # type: ignore[no-untyped-def]
    """The sums of all sides, over the pairs of some rows."""
    out = np.zeros(len(indptr) - 1)
    for i in range(start, end):
        own = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            own += of_first[e]
            out[partner[e]] += of_partner[e]
        out[i] += own
    return out
