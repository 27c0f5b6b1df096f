"""Which rows of a table are read: by a condition, without repeats, from a time on, with ties or without."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes
from podium.comparisons.labels import dictionary_encode, factorize_rows, is_text
from podium.comparisons.messages import InputError, listed, quoted
from podium.comparisons.table import Comparisons
from podium.options import DateOrder
from podium.reading.casts import number_cells, times
from podium.reading.cells import trimmed
from podium.reading.header import names_given
from podium.reading.skipped import Read

ROW = "podium's number of the row"
NUMBERS = (pa.int64(), pa.float64())
KEYS = ("left", "right", "outcome", "group", "time", "category", "ballot", "item")  # columns by their use
UNKNOWN = re.compile(r'Binder Error: (?:Referenced (?:column|table)|Could not find key) "(.+?)"')


class Used(Protocol):
    """The columns of a table by their meaning."""

    def used(self) -> list[str]:
        """Every column that has to be read."""


@dataclass(frozen=True)
class Selection:
    """What was asked for; some of it is applied before cells are parsed, some after."""

    where: str | None
    since: Any
    dedup: tuple[str, ...]
    drop_ties: bool
    dates: DateOrder | None  # of ``since``, as of the column of time

    @classmethod
    def of(cls, where: Any, since: Any, dedup: Any, drop_ties: bool, dates: DateOrder | None) -> "Selection":
        if where is not None and not (isinstance(where, str) and where.strip()):
            raise InputError(f'{{@where}} takes a condition such as "turn = 1", not {quoted(where)}')
        return cls(where, since, names_given(dedup, "dedup"), bool(drop_ties), dates)

    def columns(self, header: Sequence[str], columns: Used) -> list[str]:
        """The columns to load: those that are used anyway, and those that the selection needs."""
        keys = [column for name in self.dedup for column in _key_columns(name, header, columns)]
        return list(dict.fromkeys([*columns.used(), *named_in(self.where, header), *keys]))

    def rows_of(self, table: pa.Table, header: Sequence[str]) -> NDArray[np.int64] | None:
        """The positions of the rows that meet the condition; None if there is no condition."""
        return None if self.where is None else rows_where(table, self.where, header)

    def without_repeats(self, table: pa.Table, columns: Used) -> tuple[pa.Table, list[str]]:
        """The first of rows that agree, and what was left out, in words.

        A row that cannot be read and is skipped before repeats none.
        """
        if not self.dedup:
            return table, []
        keys = [column for name in self.dedup for column in _key_columns(name, table.column_names, columns)]
        first = np.sort(factorize_rows(np.column_stack([_codes(table, name) for name in keys]))[0])
        lost = table.num_rows - len(first)
        words = f"{lost:,} of {table.num_rows:,} rows that repeat {', '.join(self.dedup)} of an earlier row"
        return (table.take(first), [words]) if lost else (table, [])

    def in_time(self, c: Read) -> Read:
        """The rows from a time on; ``columns`` says what was left out."""
        if self.since is None:
            return c
        latest = c.time.max() if c.time is not None and len(c) else None
        kept, words = rows_since(c, self.since, self.dates)
        if not len(kept):
            raise ValueError(f"no row is from {self.since} on; the latest is from {shown_time(latest)}")
        return with_left_out(kept, words)

    def of_comparisons(self, c: Comparisons) -> Comparisons:
        """The rows from a time on, with ties or without; ``columns`` says what was left out."""
        c = self.in_time(c)
        left_out: list[str] = []
        if self.drop_ties:
            if c.outcome is None:
                raise InputError("{@drop_ties} needs outcomes, and none are read")
            ties = c.outcome == 0
            left_out += [f"{int(ties.sum()):,} {'tie' if ties.sum() == 1 else 'ties'}"] * bool(ties.any())
            c = c[~ties]
        return with_left_out(c, left_out)


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


def _key_columns(name: str, header: Sequence[str], columns: Used) -> tuple[str, ...]:
    """The column of this name; or the columns of a side, of the outcome and so on."""
    if name in header:
        return (name,)
    found = getattr(columns, name, None) if name in KEYS else None
    if not found:
        raise InputError(
            f"{{@dedup}} names {quoted(name)}, which is no column; the columns are {listed(header)}"
        )
    return (found,) if isinstance(found, str) else tuple(found)


# ------------------------------------------------------------------------------------ a condition


def named_in(where: str | None, header: Sequence[str]) -> list[str]:
    """The columns that a condition names, and perhaps some more; in SQL, case does not matter."""
    text = (where or "").casefold().replace('""', '"')
    return [name for name in header if name.casefold() in text]


def rows_where(table: pa.Table, where: str, header: Sequence[str]) -> NDArray[np.int64]:
    """The rows for which a condition in SQL holds. Cells of text files are numbers if all of a column are."""
    import duckdb

    columns = {name: _typed(table[name]) for name in named_in(where, header)}
    taken = set(map(str.casefold, columns))
    structs = {name: struct for name, struct in _structs(columns).items() if name.casefold() not in taken}
    columns |= {**structs, ROW: pa.array(np.arange(table.num_rows))}
    with duckdb.connect() as connection:
        connection.execute("SET python_enable_replacements = false")
        try:
            relation = connection.from_arrow(pa.table(columns))
            connection.execute("SET enable_external_access = false")
            kept = relation.filter(where).project(f'"{ROW}"').fetchnumpy()[ROW]
        except duckdb.Error as error:
            raise InputError(why_no_condition(str(error), header)) from None
    if not len(kept):
        raise InputError(f"no row meets {{@where}}{quoted(where)}; check its spelling")
    return np.sort(np.asarray(kept))


def _structs(columns: Mapping[str, pa.ChunkedArray]) -> dict[str, pa.Array]:
    """Columns with dotted names as structs: in SQL, conversation.turn is the field of a column."""
    within: dict[str, dict[str, pa.ChunkedArray]] = {}
    for name, column in columns.items():
        above, dot, field = name.partition(".")
        if dot:
            within.setdefault(above, {})[field] = column
    return {above: _struct(fields) for above, fields in within.items()}


def _struct(fields: Mapping[str, pa.ChunkedArray]) -> pa.StructArray:
    arrays = {name: column.combine_chunks() for name, column in fields.items() if "." not in name}
    arrays = {**_structs(fields), **arrays}
    return pa.StructArray.from_arrays(list(arrays.values()), names=list(arrays))


def _typed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers, if all cells that are not empty are; else as it is."""
    column = trimmed(column)
    if not is_text(column.type):
        return column
    filled = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
    for kind in NUMBERS:
        try:
            return filled.cast(kind)
        except pa.ArrowInvalid:
            continue
    return column


def why_no_condition(text: str, header: Sequence[str]) -> str:
    """What is wrong with a condition, in a sentence, from what DuckDB says."""
    first = text.partition("\n")[0]
    if unknown := UNKNOWN.match(first):
        return f"{{@where}} names {quoted(unknown[1])}, which is no column; the columns are {listed(header)}"
    reason = first.partition(": ")[2].rstrip(".!")
    return (
        f'{{@where}} is no condition that can be checked ({reason}); write for example "turn = 1", and put '
        "names of columns that are words of SQL, such as left, in double quotes"
    )


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
        number = number_cells(cells[name], name, NUMBERS)
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
