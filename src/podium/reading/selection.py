"""Which rows of a table are read: by a condition, without repeats, from a time on, with ties or without."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from podium.comparisons.arrays import Codes
from podium.comparisons.labels import dictionary_encode, factorize_rows
from podium.comparisons.messages import InputError, listed, quoted
from podium.comparisons.table import Comparisons
from podium.options import AnyReading, DateOrder
from podium.reading.formats.cells import trimmed
from podium.reading.formats.dates import times
from podium.reading.formats.numbers import number_cells
from podium.reading.header import names_given
from podium.reading.skipped import Read

KEYS = ("left", "right", "outcome", "group", "time", "category", "ballot", "item")  # columns by their use


class Used(Protocol):
    """The columns of a table by their meaning."""

    def used(self) -> list[str]:
        """Every column that has to be read."""


def check_selection(given: AnyReading) -> None:
    where = given.where
    if where is not None and not (isinstance(where, str) and where.strip()):
        raise InputError(f'{{@where}} takes a condition such as "turn = 1", not {quoted(where)}')
    names_given(given.dedup, "dedup")


def without_repeats(table: pa.Table, given: AnyReading, columns: Used) -> tuple[pa.Table, list[str]]:
    """The first of rows that agree, and what was left out, in words.

    A row that cannot be read and is skipped before repeats none.
    """
    if not given.dedup:
        return table, []
    keys = key_columns(given, table.column_names, columns)
    first = np.sort(factorize_rows(np.column_stack([_codes(table, name) for name in keys]))[0])
    lost, names = table.num_rows - len(first), ", ".join(names_given(given.dedup, "dedup"))
    words = f"{lost:,} of {table.num_rows:,} rows that repeat {names} of an earlier row"
    return (table.take(first), [words]) if lost else (table, [])


def in_time(c: Read, given: AnyReading) -> Read:
    """The rows from a time on; ``columns`` says what was left out."""
    if given.since is None:
        return c
    latest = c.time.max() if c.time is not None and len(c) else None
    kept, words = rows_since(c, given.since, given.dates)
    if not len(kept):
        raise ValueError(f"no row is from {given.since} on; the latest is from {shown_time(latest)}")
    return with_left_out(kept, words)


def without_ties(c: Comparisons) -> Comparisons:
    """The rows with a winner; ``columns`` says what was left out."""
    if c.outcome is None:
        raise InputError("{@drop_ties} needs outcomes, and none are read")
    ties = c.outcome == 0
    left_out = [f"{int(ties.sum()):,} {'tie' if ties.sum() == 1 else 'ties'}"] * bool(ties.any())
    return with_left_out(c[~ties], left_out)


def _codes(table: pa.Table, name: str) -> Codes:
    try:
        return dictionary_encode(trimmed(table[name]))[1]
    except pa.ArrowNotImplementedError:
        raise InputError(
            f"{{@dedup}} cannot compare column '{name}', which holds {table[name].type}"
        ) from None


def with_left_out(c: Read, words: Sequence[str]) -> Read:
    """The table, whose ``columns`` say what was left out besides."""
    columns: Any = c.columns
    if not words or columns is None:
        return c
    return replace(c, columns=replace(columns, left_out=(*columns.left_out, *words)))


def key_columns(given: AnyReading, header: Sequence[str], columns: Used) -> list[str]:
    """The columns that identify repeated rows: by name, or those of a side, of the outcome and so on."""
    keys: list[str] = []
    for name in names_given(given.dedup, "dedup"):
        found = name if name in header else getattr(columns, name, None) if name in KEYS else None
        if not found:
            raise InputError(
                f"{{@dedup}} names {quoted(name)}, which is no column; the columns are {listed(header)}"
            )
        keys += [found] if isinstance(found, str) else found
    return keys


# ------------------------------------------------------------------------------------ times


def rows_since(
    c: Read, since: Any, dates: DateOrder | None = None, *, strictly: bool = False
) -> tuple[Read, list[str]]:
    """The rows from a time on, or ``strictly`` after it, and how many were left out, in words."""
    if c.time is None:
        raise InputError("{@since} needs a column of time, and none is read; name it with {@time}")
    bound = moment_like(since, c.time, dates, "since")
    keep = c.time > bound if strictly else c.time >= bound
    lost = len(c) - int(keep.sum())
    when = f"{'up to' if strictly else 'before'} {shown_time(bound)}"
    return c[keep], [f"{lost:,} of {len(c):,} rows {when}"] * bool(lost)


def shown_time(time: Any) -> str:
    """A time without the zeros at its end: midnight, or no fraction of a second."""
    return re.sub(r"\.0+$", "", str(time)).removesuffix("T00:00:00")


def moment_like(value: Any, time: np.ndarray[Any, Any], dates: DateOrder | None, name: str) -> Any:
    """The argument ``name`` as a time like those of the column: a date, or a number."""
    text = str(value)
    if time.dtype.kind == "M" and text.isdecimal() and len(text) == 4:
        text = f"{text}-01-01"
    cells = pa.table({name: [text]})
    try:
        number = number_cells(cells[name], name, whole=True)
        if time.dtype.kind != "M" and not number.bad.any():
            return number.values[0]  # even if it could be seconds since 1970
        [moment] = times(cells, name, dates)[0]
    except ValueError:
        raise InputError(
            f"{{@{name}}} takes a number or a date such as 2022-09-05, not {quoted(value)}"
        ) from None
    if (moment.dtype.kind == "M") != (time.dtype.kind == "M"):
        kind = "dates" if time.dtype.kind == "M" else "numbers"
        raise InputError(f"{{@{name}}}{quoted(value)} does not fit the column of time, which has {kind}")
    return moment
