"""The two sides of a table: one label per row, or a team in lists, in several columns or in one cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.arrays.devices.boundary import from_device
from podium.comparisons.arrays import Codes, Index
from podium.comparisons.labels import alike, as_column, dictionary_encode, encode, factorize, is_text
from podium.comparisons.messages import InputError, few, first_true, type_name
from podium.comparisons.teams import Teams, intern, stack

TEAM_TYPES = (tuple, list, set, frozenset)


@dataclass(frozen=True)
class Side:
    """One side of every row before its labels are encoded.

    ``labels`` has the labels of all members, row after row. ``sizes`` has the number of members of each row,
    or is None if every row has a single label.
    """

    name: str
    labels: pa.ChunkedArray
    sizes: Index | None = None

    def rows(self) -> Index:
        """The row in which each label stands."""
        n_members = self.n_members()
        return np.repeat(np.arange(len(n_members)), n_members)

    def row_of(self, position: int) -> int:
        """The row in which one of the labels stands."""
        return int(self.rows()[position])

    def n_members(self) -> Index:
        """How many members each row has."""
        return np.ones(len(self.labels), dtype=np.int64) if self.sizes is None else self.sizes

    def rows_with(self, labels: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each row, whether it has one of the labels of a mask."""
        return np.asarray(np.bincount(self.rows()[labels], minlength=len(self.n_members())) > 0)

    def empty_rows(self) -> NDArray[np.bool_]:
        """For each row, whether nobody is on this side."""
        return np.asarray(self.n_members() == 0)


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
    parts = [Teams.from_sizes(side.n_members(), code) for side, code in zip(both_sides, codes, strict=True)]
    rows = np.concatenate([np.arange(len(part)) for part in parts])
    teams, of_team = intern(stack(parts), rows, items)
    left_team, right_team = np.split(of_team, [len(parts[0])])
    return Sides(items, left_team, right_team, teams)


def meets_itself(left: Side, right: Side, *, text: bool = False) -> NDArray[np.bool_]:
    """For each row, whether an item is on both sides, or twice on one."""
    items, codes = encode([left.labels, right.labels], [left.name, right.name], text=text)
    if left.sizes is None and right.sizes is None:
        return np.asarray(codes[0] == codes[1])
    row, code = np.concatenate([left.rows(), right.rows()]), np.concatenate(codes)
    _, key = factorize(row * (len(items) + 1) + code)
    return np.bincount(row[np.bincount(key)[key] > 1], minlength=len(left.n_members())) > 0


def side_of_values(values: Any, name: str) -> Side:
    """A side from an array, series or list of labels; a tuple, list or set among them is a team."""
    values = from_device(values)
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
    named = pc.not_equal(members, "").to_numpy(zero_copy_only=False)
    cell = np.repeat(np.arange(len(cells)), pc.list_value_length(split).to_numpy(zero_copy_only=False))
    n_named = np.bincount(cell[named], minlength=len(cells))
    teams = Teams.from_sizes(n_named, np.flatnonzero(named).astype(np.int32)).expand(codes)
    labels = pa.DictionaryArray.from_arrays(pa.array(teams.members), members)
    return Side(name, pa.chunked_array([labels]), teams.sizes)
