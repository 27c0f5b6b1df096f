"""The two sides of a table: one label a cell, several columns, lists, or teams written in one cell."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.columns import Side, as_list
from podium.labels import Labels, encode, first_true, row_name
from podium.outcomes import SideLabels
from podium.teams import Teams, intern


class Sides(NamedTuple):
    """Codes of both sides, of items or of teams if there are any, and what the cells themselves say."""

    labels: Labels
    teams: Teams | None
    cells: SideLabels | None


def encode_sides(
    table: pa.Table, left: Side | None, right: Side | None, separator: str | None, is_text: bool
) -> Sides:
    names = as_list(left), as_list(right)
    columns = [*names[0], *names[1]]
    if separator is None and len(columns) == 2 and not any(_is_list(table[name]) for name in columns):
        labels = encode([table[name] for name in columns], columns, text=is_text)
        return Sides(labels, None, SideLabels(labels.distinct, *labels.codes))
    if separator is None:
        return _encode_rows(table, names, is_text)
    if len(columns) != 2:
        raise ValueError("team_separator is for teams in one cell; name one column a side")
    return _encode_cells(table, columns, separator, is_text)


def _encode_cells(table: pa.Table, columns: list[str], separator: str, is_text: bool) -> Sides:
    """Only the distinct cells are taken apart."""
    cells = encode([table[name] for name in columns], columns)
    texts = pa.array(cells.distinct.astype(str), pa.large_string())
    split = pc.split_pattern(texts, pattern=separator)
    members = pc.utf8_trim_whitespace(split.flatten())
    filled = pc.not_equal(members, "").to_numpy(zero_copy_only=False)
    cell = np.repeat(np.arange(len(texts)), pc.list_value_length(split).to_numpy(zero_copy_only=False))
    sizes = np.bincount(cell[filled], minlength=len(texts))
    items, (codes,) = encode(
        [pa.chunked_array([members.filter(pa.array(filled))])], columns[:1], text=is_text
    )
    first_row = np.full(len(texts), table.num_rows)
    for side in cells.codes:
        np.minimum.at(first_row, side, np.arange(len(side)))
    teams, (team_of_cell,) = intern([Teams.from_sizes(sizes, codes)], items, rows=[first_row])
    sides = [team_of_cell[side] for side in cells.codes]
    return Sides(Labels(items, sides), teams, SideLabels(cells.distinct, *cells.codes))


def _encode_rows(table: pa.Table, names: tuple[list[str], list[str]], is_text: bool) -> Sides:
    """Columns of lists, or several columns a side in which an empty cell is a member less."""
    leaves, leaf_names = [], []
    present: list[list[NDArray[np.bool_]] | NDArray[np.int64]] = []
    for side in names:
        if len(side) == 1 and _is_list(table[side[0]]):
            column = table[side[0]]
            if column.null_count:
                row = row_name(first_true(column.is_null()))
                raise ValueError(f"column '{side[0]}' has no team at {row}")
            present.append(pc.list_value_length(column).to_numpy().astype(np.int64))
            leaves.append(pc.list_flatten(column))
        else:
            present.append([table[name].is_valid().to_numpy() for name in side])
            leaves += [table[name].drop_null() for name in side]
        leaf_names += side
    labels = encode(leaves, leaf_names, text=is_text)
    codes = iter(labels.codes)
    rows = [
        Teams.from_sizes(sizes, next(codes))
        if isinstance(sizes, np.ndarray)
        else _row_by_row([(mask, next(codes)) for mask in sizes])
        for sizes in present
    ]
    teams, sides = intern(rows, labels.distinct)
    return Sides(Labels(labels.distinct, sides), teams, None)


def _row_by_row(columns: list[tuple[NDArray[np.bool_], NDArray[np.int32]]]) -> Teams:
    table = np.full((len(columns[0][0]), len(columns)), -1, dtype=np.int32)
    for k, (mask, codes) in enumerate(columns):
        table[mask, k] = codes
    return Teams.from_sizes((table >= 0).sum(axis=1), table[table >= 0])


def _is_list(column: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_list(column.type) or pa.types.is_large_list(column.type))
