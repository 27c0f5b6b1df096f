"""The two sides of a table: one label per row, or a team in lists, in several columns or in one cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.arrays.devices.boundary import off_device
from podium.comparisons.arrays import Codes, Index
from podium.comparisons.labels import (
    alike,
    as_column,
    dictionary_encode,
    encode,
    factorize,
    first_rows,
    is_text,
)
from podium.comparisons.messages import InputError, few, first_true, type_name
from podium.comparisons.teams import Teams, intern, stack

TEAM_TYPES = (tuple, list, set, frozenset)


@dataclass(frozen=True)
class Side:
    """One side of every row before its labels are encoded.

    ``labels`` has the labels of all members, team after team. ``sizes`` has the size of each team, or is None
    if every team has one member. ``team_of_row`` is None if every row has a team of its own.
    """

    name: str
    labels: pa.ChunkedArray
    sizes: Index | None = None
    team_of_row: Codes | None = None

    def rows(self) -> Index:
        """For each team, the first row that has it."""
        if self.team_of_row is not None:
            return first_rows(self.team_of_row)
        return np.arange(len(self.labels) if self.sizes is None else len(self.sizes))

    def row_of(self, position: int) -> int:
        """The row in which one of the labels stands."""
        sizes = np.ones(len(self.labels)) if self.sizes is None else self.sizes
        return int(self.rows()[np.searchsorted(np.cumsum(sizes), position, side="right")])

    def rows_with(self, labels: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each row, whether it has one of the labels of a mask."""
        teams = labels
        if self.sizes is not None:
            team = np.repeat(np.arange(len(self.sizes)), self.sizes)
            teams = np.bincount(team[labels], minlength=len(self.sizes)) > 0
        return teams if self.team_of_row is None else teams[self.team_of_row]

    def empty_rows(self) -> NDArray[np.bool_]:
        """For each row, whether nobody is on this side."""
        empty = np.zeros(len(self.labels), dtype=bool) if self.sizes is None else self.sizes == 0
        return empty if self.team_of_row is None else empty[self.team_of_row]

    def members(self, codes: Codes) -> tuple[Index, Codes]:
        """The row and the code of every member of every row, given the codes of the labels."""
        sizes = np.ones(len(codes), dtype=np.int64) if self.sizes is None else self.sizes
        teams = Teams.from_sizes(sizes, codes)
        if self.team_of_row is not None:
            teams = teams.expand(self.team_of_row)
        return np.repeat(np.arange(len(teams)), teams.sizes), teams.members


class Sides(NamedTuple):
    """Both sides as codes of items, or of teams if there are any."""

    items: NDArray[Any]
    left: Codes
    right: Codes
    teams: Teams | None


def encode_sides(left: Side, right: Side, *, text: bool = False) -> Sides:
    both_sides = (left, right)
    items, codes = encode(
        [side.labels for side in both_sides],
        [side.name for side in both_sides],
        text=text,
        row_of=[side.row_of for side in both_sides],
    )
    if left.sizes is None and right.sizes is None:
        return Sides(items, codes[0], codes[1], None)
    parts = [
        Teams.from_sizes(np.ones(len(members), dtype=np.int64) if side.sizes is None else side.sizes, members)
        for side, members in zip(both_sides, codes, strict=True)
    ]
    teams, of_team = intern(stack(parts), np.concatenate([side.rows() for side in both_sides]), items)
    of_sides = np.split(of_team, [len(parts[0])])
    both = [
        team if side.team_of_row is None else team[side.team_of_row]
        for side, team in zip(both_sides, of_sides, strict=True)
    ]
    return Sides(items, both[0], both[1], teams)


def meets_itself(left: Side, right: Side, *, text: bool = False) -> NDArray[np.bool_]:
    """For each row, whether an item is on both sides, or twice on one."""
    items, codes = encode([left.labels, right.labels], [left.name, right.name], text=text)
    if left.sizes is None and right.sizes is None:
        return np.asarray(codes[0] == codes[1])
    members = [side.members(code) for side, code in zip((left, right), codes, strict=True)]
    row, code = (np.concatenate(each) for each in zip(*members, strict=True))
    _, key = factorize(row * (len(items) + 1) + code)
    n_rows = len(left.empty_rows())
    return np.bincount(row[np.bincount(key)[key] > 1], minlength=n_rows) > 0


def side_of_values(values: Any, name: str) -> Side:
    """A side from an array, series or list of labels; a tuple, list or set among them is a team."""
    values = off_device(values)
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return Side(name, as_column(values.ravel(), name), np.full(values.shape[0], values.shape[1]))
    listed = isinstance(values, list | tuple) or getattr(values, "dtype", None) == np.dtype(object)
    if listed and any(issubclass(kind, TEAM_TYPES) for kind in set(map(type, values))):
        rows = [label if isinstance(label, TEAM_TYPES) else (label,) for label in values]
        flat = as_column(list(chain.from_iterable(rows)), name)
        return Side(name, flat, np.array([len(row) for row in rows], dtype=np.int64))
    return side_of_column(as_column(values, name), name)


def side_of_column(column: pa.ChunkedArray, name: str) -> Side:
    """A side from a column of labels or of lists of labels."""
    if not isinstance(column.type, pa.ListType | pa.LargeListType | pa.FixedSizeListType):
        return Side(name, column)
    if column.null_count:
        raise InputError(
            f"column '{name}' has no team at {{@row}}", column=name, row=first_true(column.is_null())
        )
    sizes = pc.list_value_length(column).to_numpy().astype(np.int64)
    return Side(name, pa.chunked_array(pc.list_flatten(column)), sizes)


def side_of_columns(columns: Sequence[pa.ChunkedArray], names: Sequence[str]) -> Side:
    """A side from several columns with one member each; an empty cell means one member less."""
    name = few(names).replace(", ", "', '")
    present = np.column_stack([column.is_valid().to_numpy() for column in columns])
    try:
        end_to_end = pa.chunked_array([chunk for column in alike(columns) for chunk in column.chunks])
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        kinds = few([type_name(column.type) for column in columns])
        raise ValueError(f"the columns '{name}' of one side hold different types ({kinds})") from None
    row, column = np.nonzero(present)
    members = end_to_end.take(pa.array(column * len(present) + row))
    return Side(name, members, present.sum(axis=1))


def side_of_cells(column: pa.ChunkedArray, name: str, separator: str) -> Side:
    """A side from cells that name all members of a team; each distinct cell is split once."""
    if column.null_count:
        raise InputError(
            f"column '{name}' has no team at {{@row}}", column=name, row=first_true(column.is_null())
        )
    cells, codes = dictionary_encode(column)
    if not is_text(cells.type) and not pa.types.is_integer(cells.type):
        raise InputError(
            f"column '{name}' holds {type_name(column.type)}; {{@team_separator}} is for teams in one cell"
        )
    split = pc.split_pattern(cells.cast(pa.large_string()), pattern=separator)
    members = pc.utf8_trim_whitespace(split.flatten())
    named = pc.not_equal(members, "")
    cell = np.repeat(np.arange(len(cells)), pc.list_value_length(split).to_numpy(zero_copy_only=False))
    sizes = np.bincount(cell[named.to_numpy(zero_copy_only=False)], minlength=len(cells))
    return Side(name, pa.chunked_array([members.filter(named)]), sizes, codes)
