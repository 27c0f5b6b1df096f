"""Teams: sets of items that compete as one side, each distinct team stored once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Index, ranges
from podium.comparisons.labels import factorize, factorize_rows
from podium.comparisons.messages import InputError, first_true, quoted


@dataclass(frozen=True, eq=False)
class Teams:
    """Teams in compressed rows: team t holds the items ``members[indptr[t]:indptr[t + 1]]``."""

    indptr: Index
    members: Codes

    @classmethod
    def from_sizes(cls, sizes: NDArray[np.integer[Any]], members: Codes) -> Self:
        return cls(np.concatenate([[0], np.cumsum(sizes)]), members)

    def __post_init__(self) -> None:
        self.indptr.flags.writeable = self.members.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Teams):
            return NotImplemented
        return np.array_equal(self.indptr, other.indptr) and np.array_equal(self.members, other.members)

    @property
    def sizes(self) -> Index:
        return np.diff(self.indptr)

    def expand(self, codes: NDArray[np.integer[Any]]) -> "Teams":
        """One team for each code, in that order."""
        _, position = ranges(self.indptr[codes], self.indptr[codes + 1])
        return Teams.from_sizes(self.sizes[codes], self.members[position])

    def labels(self, items: NDArray[Any]) -> list[tuple[Any, ...]]:
        """Each team as a tuple of item labels."""
        names = items[self.members].tolist()
        return [tuple(names[i:j]) for i, j in zip(self.indptr[:-1], self.indptr[1:], strict=True)]

    def matrix(self, n_items: int) -> Any:
        """Teams as rows of zeros and ones: ``matrix @ skill`` is the strength of every team."""
        from scipy.sparse import csr_array

        ones = np.ones(len(self.members))
        return csr_array((ones, self.members, self.indptr), shape=(len(self), n_items))


def stack(parts: Sequence[Teams]) -> Teams:
    """The teams of all parts, one after the other."""
    sizes = np.concatenate([part.sizes for part in parts])
    return Teams.from_sizes(sizes, np.concatenate([part.members for part in parts]))


def intern(teams: Teams, rows: Index, items: NDArray[Any]) -> tuple[Teams, Codes]:
    """Store equal teams once, in the order of their size and members; the code of every team among them.

    ``rows`` tells, for messages, in which row of the table each team stands.
    """
    codes = np.zeros(len(teams), dtype=np.int32)
    distinct = [Teams.from_sizes(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32))]
    for size in np.flatnonzero(np.bincount(teams.sizes)):
        of_size = np.flatnonzero(teams.sizes == size)
        table = teams.members[teams.indptr[of_size, None] + np.arange(size)]
        table.sort(axis=1)  # so that equal teams look equal
        _check_members(table, rows[of_size], items)
        first, code = factorize_rows(table)
        order = np.lexsort(table[first].T[::-1])
        codes[of_size] = np.argsort(order)[code] + sum(map(len, distinct))
        distinct.append(Teams.from_sizes(np.full(len(first), size), table[first[order]].ravel()))
    return stack(distinct), codes


def _check_members(table: Codes, rows: Index, items: NDArray[Any]) -> None:
    """Check teams, one per row with its members in order: none is empty, and nobody is there twice."""
    if table.shape[1] == 0:
        raise InputError("a team is empty at {@row}", row=int(rows.min()))
    twice = table[:, 1:] == table[:, :-1]
    if (strange := twice.any(axis=1)).any():
        team = np.flatnonzero(strange)[rows[strange].argmin()]
        name = items[table[team, first_true(twice[team])]]
        raise InputError(f"item {quoted(name)} is twice in one team at {{@row}}", row=int(rows[team]))


def shared_member(
    teams: Teams, left: NDArray[np.integer[Any]], right: NDArray[np.integer[Any]], n_items: int
) -> tuple[int, int] | None:
    """The first row whose two teams share an item, and that item; None if there is no such row."""
    first, pair = factorize(left.astype(np.int64) * len(teams) + right)
    members = teams.matrix(n_items)
    clash, item = members[left[first]].multiply(members[right[first]]).nonzero()
    if not len(clash):
        return None
    row = first_true(np.isin(pair, clash))
    return row, int(item[first_true(clash == pair[row])])
