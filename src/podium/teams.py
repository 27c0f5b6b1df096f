"""Teams: sets of items that compete as one side, each distinct team stored once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.labels import factorize, first_true, quoted, row_name


@dataclass(frozen=True, eq=False)
class Teams:
    """Distinct teams in compressed rows: team t holds the items ``members[indptr[t]:indptr[t + 1]]``."""

    indptr: NDArray[np.int64]
    members: NDArray[np.int32]

    @classmethod
    def from_sizes(cls, sizes: NDArray[np.int64], members: NDArray[np.int32]) -> Self:
        return cls(np.concatenate([[0], np.cumsum(sizes)]), members)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.indptr)

    def expand(self, codes: NDArray[np.integer[Any]]) -> "Teams":
        """One team for each code, in that order."""
        sizes = self.sizes[codes]
        before = np.cumsum(sizes) - sizes
        position = np.arange(sizes.sum()) + np.repeat(self.indptr[codes] - before, sizes)
        return Teams.from_sizes(sizes, self.members[position])

    def labels(self, items: NDArray[Any]) -> list[tuple[Any, ...]]:
        """Each team as a tuple of item labels."""
        names = items[self.members].tolist()
        return [tuple(names[i:j]) for i, j in zip(self.indptr[:-1], self.indptr[1:], strict=True)]

    def matrix(self, n_items: int) -> Any:
        """Teams as rows of zeros and ones: ``matrix @ skill`` is the strength of every team."""
        from scipy.sparse import csr_array

        ones = np.ones(len(self.members))
        return csr_array((ones, self.members, self.indptr), shape=(len(self), n_items))

    def same(self, other: "Teams") -> bool:
        return np.array_equal(self.indptr, other.indptr) and np.array_equal(self.members, other.members)


def stack(parts: Sequence[Teams]) -> Teams:
    """The teams of all parts, one after the other."""
    sizes = np.concatenate([part.sizes for part in parts])
    return Teams.from_sizes(sizes, np.concatenate([part.members for part in parts]))


def intern(
    sides: Sequence[Teams], items: NDArray[Any], *, rows: Sequence[NDArray[np.int64]] | None = None
) -> tuple[Teams, list[NDArray[np.int32]]]:
    """Store equal teams once; returns the distinct teams and, for each side, the code of every team.

    ``rows`` tells, for messages, in which row of the table each team stands, if team i is not in row i.
    """
    every = stack(sides)
    where = np.concatenate([np.arange(len(side)) for side in sides] if rows is None else rows)
    codes = np.zeros(len(every), dtype=np.int32)
    distinct = [Teams.from_sizes(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32))]
    for size in np.flatnonzero(np.bincount(every.sizes)):
        of_size = np.flatnonzero(every.sizes == size)
        table = every.members[every.indptr[of_size, None] + np.arange(size)]
        table.sort(axis=1)  # so that equal teams look equal
        _check_members(table, where[of_size], items)
        key = table[:, 0].astype(np.int64)
        for k in range(1, int(size)):  # fold one member at a time into a code that stays small
            key = factorize(key)[1].astype(np.int64) * len(items) + table[:, k]
        first, code = factorize(key)
        codes[of_size] = code + sum(map(len, distinct))
        distinct.append(Teams.from_sizes(np.full(len(first), size), table[first].ravel()))
    bounds = np.cumsum([len(side) for side in sides])[:-1]
    return stack(distinct), np.split(codes, bounds)


def _check_members(table: NDArray[np.int32], rows: NDArray[np.int64], items: NDArray[Any]) -> None:
    """A row a team, its members in order: nobody is missing and nobody is there twice."""
    if table.shape[1] == 0:
        raise ValueError(f"a team is empty at {row_name(int(rows.min()))}")
    twice = table[:, 1:] == table[:, :-1]
    if (strange := twice.any(axis=1)).any():
        team = np.flatnonzero(strange)[rows[strange].argmin()]
        name = items[table[team, first_true(twice[team])]]
        raise ValueError(f"item {quoted(name)} is twice in one team at {row_name(int(rows[team]))}")


def shared_member(teams: Teams, left: NDArray[np.int32], right: NDArray[np.int32]) -> tuple[int, int] | None:
    """The first row whose two teams share an item, and that item; None if there is no such row."""
    first, pair_of_row = factorize(left.astype(np.int64) * len(teams) + right)
    both = stack([teams.expand(left[first]), teams.expand(right[first])])
    pair = np.repeat(np.tile(np.arange(len(first)), 2), both.sizes)
    order = np.lexsort((both.members, pair))
    pair, members = pair[order], both.members[order]
    clash = np.flatnonzero((members[1:] == members[:-1]) & (pair[1:] == pair[:-1]))
    if not clash.size:
        return None
    row = first_true(np.isin(pair_of_row, pair[clash]))
    return row, int(members[clash[pair[clash] == pair_of_row[row]][0]])
