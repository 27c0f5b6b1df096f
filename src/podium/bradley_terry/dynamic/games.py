"""Comparisons in the order of time, as sparse rows over the movers: effects and items."""

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, Index, ranges
from podium.comparisons.table import Comparisons
from podium.core.links import derivatives, loss, root, seen_score
from podium.numerics.compiled import njit


class Entries(NamedTuple):
    """The members and effects of games, one after the other.

    Game g has ``indptr[g]:right[g]`` (left members), ``right[g]:effects[g]`` (right members) and
    ``effects[g]:indptr[g + 1]``. Its difference is d = log Σ e^x over its right members - the same over its
    left members + Σ coefficient · x over its effects, with x at ``place``. ``coefficient`` is -1, 1 and the
    factors of the effects.
    """

    indptr: Index
    right: Index
    effects: Index
    place: Index
    coefficient: Floats


@dataclass(frozen=True, eq=False)
class Games:
    """The games, sorted by time and, within a time, by who played; their entries are those of `Entries`."""

    indptr: Index
    right: Index
    effects: Index
    mover: Index
    coefficient: Floats
    outcome: NDArray[np.int8]
    mass: Floats
    moment: Index  # of every game: the number of its time
    when: Floats  # of every moment
    game: Index  # of every row of the comparisons
    turn: Index  # of every row: -1 if its sides were exchanged, otherwise 1

    @classmethod
    def of(cls, c: Comparisons, mover: Index, when: Floats, factors: Floats) -> Self:
        """The games of comparisons with outcomes, whose items are these movers, at these times.

        ``factors`` are those of the effects in d, with one column per effect.

        Games do not remember which side was called left, or the order of the rows of one time: the numbers,
        and their rounding, are the same however these are written. Equal rows are merged.
        """
        times, moment = np.unique(when, return_inverse=True)
        turn = np.where(c.left > c.right, -1, 1)
        first, second = np.minimum(c.left, c.right), np.maximum(c.left, c.right)
        outcome, factors = turn * np.asarray(c.outcome), turn[:, None] * factors
        keys = (*factors.T[::-1], outcome, second, first, moment)
        order = np.lexsort(keys)
        new = np.ones(len(c), dtype=bool)
        new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
        game, kept = np.empty(len(c), dtype=np.int64), order[new]
        game[order] = np.cumsum(new) - 1
        mass = np.asarray(np.bincount(game, np.asarray(c.mass), len(kept)), dtype=np.float64)
        rows = _entries(_members(c, first[kept], mover), _members(c, second[kept], mover), factors[kept])
        return cls(*rows, outcome[kept].astype(np.int8), mass, moment[kept], times, game, turn)

    def by_row(self, probability: Floats) -> Floats:
        """The probabilities of the outcomes of the games, for the rows of the comparisons."""
        table = probability[self.game]
        return np.where(self.turn[:, None] < 0, table[:, ::-1], table)

    def __len__(self) -> int:
        return len(self.outcome)

    def then(self, later: "Games") -> "Games":
        """These games, then games that are not earlier; ``game`` and ``turn`` are those of the later rows."""
        joins = int(self.when[-1] == later.when[0])
        at, entries = len(self.when) - joins, len(self.mover)
        moved = replace(
            later,
            indptr=later.indptr[1:] + entries,
            right=later.right + entries,
            effects=later.effects + entries,
            moment=later.moment + at,
            when=later.when[joins:],
        )
        names = [field.name for field in fields(self) if field.name not in ("game", "turn")]
        whole: Any = {name: np.append(getattr(self, name), getattr(moved, name)) for name in names}
        return replace(later, game=later.game + len(self), **whole)

    def at(self, place: Index) -> Entries:
        """The entries, if the skill of each is at this place."""
        return Entries(self.indptr, self.right, self.effects, place, self.coefficient)

    @property
    def has_teams(self) -> bool:
        return bool((self.effects - self.indptr[:-1] > 2).any())

    @property
    def starts(self) -> Index:
        """Where the games of each moment start, and the number of games."""
        return np.searchsorted(self.moment, np.arange(len(self.when) + 1))


def _entries(
    left: tuple[Index, Index], right: tuple[Index, Index], factors: Floats
) -> tuple[Index, Index, Index, Index, Floats]:
    """The entries of all games: left members, right members and effects, game by game."""
    n, n_effects = factors.shape
    sizes = np.column_stack([left[0], right[0], np.full(n, n_effects)])
    ends = np.append(0, np.cumsum(sizes.ravel()))
    starts = ends[:-1].reshape(n, 3)
    mover, coefficient = np.empty(ends[-1], dtype=np.int64), np.empty(ends[-1])
    effects = np.tile(np.arange(n_effects), n)
    for k, (movers, factor) in enumerate([(left[1], -1.0), (right[1], 1.0), (effects, factors.ravel())]):
        position = ranges(starts[:, k], starts[:, k] + sizes[:, k])[1]
        mover[position], coefficient[position] = movers, factor
    return ends[::3].copy(), starts[:, 1].copy(), starts[:, 2].copy(), mover, coefficient


def _members(c: Comparisons, side: NDArray[Any], mover: Index) -> tuple[Index, Index]:
    """The number of members of the side of each row, and the movers of all members."""
    if c.teams is None:
        return np.ones(len(side), dtype=np.int64), mover[side]
    every = c.teams.expand(side)
    return every.sizes, mover[every.members]


# ------------------------------------------------------------------------------------ differences and losses


@njit(cache=True, nogil=True)
def linearise(entries, x, slopes, d):  # type: ignore[no-untyped-def]
    """Write the differences of games at x, and their slopes by every entry."""
    for g in range(len(d)):
        d[g] = _side(entries, entries.indptr[g], entries.right[g], x, slopes, -1.0)
        d[g] += _side(entries, entries.right[g], entries.effects[g], x, slopes, 1.0)
        for e in range(entries.effects[g], entries.indptr[g + 1]):
            slopes[e] = entries.coefficient[e]
            d[g] += slopes[e] * x[entries.place[e]]


@njit(cache=True, nogil=True)
def _side(entries, start, stop, x, slopes, sign):  # type: ignore[no-untyped-def]
    """± log Σ e^x over the members of a side; their slopes are their shares."""
    place = entries.place
    if stop == start + 1:
        slopes[start] = sign
        return sign * x[place[start]]
    top = -np.inf
    for e in range(start, stop):
        top = max(top, x[place[e]])
    total = 0.0
    for e in range(start, stop):
        slopes[e] = np.exp(x[place[e]] - top)
        total += slopes[e]
    for e in range(start, stop):
        slopes[e] *= sign / total
    return sign * (top + np.log(total))


@njit(cache=True, nogil=True)
def losses(d, outcome, mass, link, slope, weight):  # type: ignore[no-untyped-def]
    """The loss of games with these differences; writes its slope and curvature by each difference."""
    total, (tie, rao_kupper) = 0.0, link
    for g in range(len(d)):
        n, ties, margin = mass[g], mass[g] * (outcome[g] == 0), mass[g] * outcome[g]
        total += loss(d[g], n, ties, margin, tie, rao_kupper)
        expected, weight[g], _, _, _ = derivatives(root(d[g]), n, ties, margin, tie, rao_kupper)
        slope[g] = seen_score(n, ties, margin, rao_kupper) - expected
    return total
