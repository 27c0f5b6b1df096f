"""Where the header of a sheet is: below its titles, with a name for every column."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa


def header_row(rows: Iterable[Sequence[str]]) -> int:
    """The row that names the columns: the first with two names or more.

    Spreadsheets begin with titles, which fill one cell of a line, and with blank lines.

    >>> header_row([["Club championship", "", ""], ["", "", ""], ["white", "black", "result"]])
    2
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    several = (number for number, count in enumerate(filled) if count > 1)
    any_at_all = (number for number, count in enumerate(filled) if count)
    return next(several, next(any_at_all, 0))


def names_of_columns(cells: Sequence[str], file: object) -> list[str]:
    """The names in a header; a column without a name gets its number."""
    header = [cell.strip() or f"column {number}" for number, cell in enumerate(cells, start=1)]
    count = Counter(cell.casefold() for cell in header)
    if twice := [cell for cell in header if count[cell.casefold()] > 1]:
        raise ValueError(f"'{file}' has the column '{twice[0]}' more than once; rename one of them")
    return header


def without_blank_rows(table: pa.Table) -> pa.Table:
    """A table of distinct rows without the blank one, whose last column has the counts."""
    filled = np.logical_or.reduce([column.is_valid().to_numpy() for column in table.columns[:-1]])
    return table if filled.all() else table.filter(pa.array(filled))


def without_blank_end(table: pa.Table) -> pa.Table:
    """The table without blank rows at its end."""
    if table.num_rows == 0 or table.num_columns == 0:
        return table
    if any(column[-1].is_valid for column in table.columns):
        return table
    filled = np.logical_or.reduce([column.is_valid().to_numpy() for column in table.columns])
    return table.slice(0, int(np.flatnonzero(filled)[-1]) + 1 if filled.any() else 0)
