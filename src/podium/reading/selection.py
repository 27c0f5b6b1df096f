"""Which rows of a table are read: by a condition, without repeats, from a time on, with ties or without."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes
from podium.comparisons.labels import dictionary_encode, factorize_rows, is_text
from podium.comparisons.messages import listed, quoted
from podium.comparisons.summary import Columns
from podium.comparisons.table import Comparisons
from podium.reading.casts import times, trimmed
from podium.reading.header import names_given

ROW = "podium's number of the row"
NUMBERS = (pa.int64(), pa.float64())


@dataclass(frozen=True)
class Selection:
    """What was asked for; some of it is applied before cells are parsed, some after."""

    where: str | None
    since: Any
    dedup: tuple[str, ...]
    drop_ties: bool

    @classmethod
    def of(cls, where: Any, since: Any, dedup: Any, drop_ties: bool) -> "Selection":
        if where is not None and not (isinstance(where, str) and where.strip()):
            raise ValueError(f'where= takes a condition such as "turn = 1", not {quoted(where)}')
        return cls(where, since, names_given(dedup, "dedup"), bool(drop_ties))

    def columns(self, header: Sequence[str], columns: Columns) -> list[str]:
        """The columns to load: those that are used anyway, and those that the selection needs."""
        keys = [column for name in self.dedup for column in _key_columns(name, header, columns)]
        return list(dict.fromkeys([*columns.used(), *named_in(self.where, header), *keys]))

    def of_table(
        self, table: pa.Table, header: Sequence[str], columns: Columns
    ) -> tuple[pa.Table, NDArray[np.int64], list[str]]:
        """The rows that meet the condition, each once; their positions; what was left out, in words."""
        rows = np.arange(table.num_rows)
        if self.where is not None:
            rows = rows_where(table, self.where, header)
            table = table.take(rows)
        if not self.dedup:
            return table, rows, []
        keys = [column for name in self.dedup for column in _key_columns(name, header, columns)]
        codes = [_codes(table, name) for name in keys]
        first = np.sort(factorize_rows(np.column_stack(codes))[0])
        lost = table.num_rows - len(first)
        words = f"{lost:,} of {table.num_rows:,} rows that repeat {', '.join(self.dedup)} of an earlier row"
        return table.take(first) if lost else table, rows[first], [words] * bool(lost)

    def of_comparisons(self, c: Comparisons, left_out: Sequence[str]) -> Comparisons:
        """The rows from a time on, with ties or without; ``columns`` says what was left out."""
        left_out = list(left_out)
        if self.since is not None:
            latest = c.time.max() if c.time is not None and len(c) else None
            c, words = rows_since(c, self.since)
            if not len(c):
                raise ValueError(f"no row is from {self.since} on; the latest is from {_shown(latest)}")
            left_out += words
        if self.drop_ties:
            if c.outcome is None:
                raise ValueError("drop_ties= needs outcomes, and none are read")
            ties = c.outcome == 0
            left_out += [f"{int(ties.sum()):,} {'tie' if ties.sum() == 1 else 'ties'}"] * bool(ties.any())
            c = c[~ties]
        return with_left_out(c, left_out)


def _codes(table: pa.Table, name: str) -> Codes:
    try:
        return dictionary_encode(trimmed(table[name]))[1]
    except pa.ArrowNotImplementedError:
        raise ValueError(f"dedup= cannot compare column '{name}', which holds {table[name].type}") from None


def with_left_out(c: Comparisons, words: Sequence[str]) -> Comparisons:
    """The comparisons, whose ``columns`` say what was left out besides."""
    if not words or c.columns is None:
        return c
    return replace(c, columns=replace(c.columns, left_out=(*c.columns.left_out, *words)))


def _key_columns(name: str, header: Sequence[str], columns: Columns) -> tuple[str, ...]:
    """The column of this name; or the columns of a side, of the outcome and so on."""
    if name in header:
        return (name,)
    found = (
        getattr(columns, name) if name in ("left", "right", "outcome", "group", "time", "category") else None
    )
    if not found:
        raise ValueError(f"dedup= names {quoted(name)}, which is no column; the columns are {listed(header)}")
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
    columns[ROW] = pa.array(np.arange(table.num_rows))
    with duckdb.connect() as connection:
        connection.execute("SET python_enable_replacements = false")
        try:
            relation = connection.from_arrow(pa.table(columns))
            connection.execute("SET enable_external_access = false")
            kept = relation.filter(where).project(f'"{ROW}"').fetchnumpy()[ROW]
        except duckdb.Error as error:
            raise ValueError(_why(str(error), header)) from None
    if not len(kept):
        raise ValueError(f"no row meets where={quoted(where)}; check its spelling")
    return np.sort(np.asarray(kept))


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


def _why(text: str, header: Sequence[str]) -> str:
    first = text.partition("\n")[0]
    if first.startswith("Binder Error: Referenced column"):
        name = first.split('"')[1]
        return f"where= names {quoted(name)}, which is no column; the columns are {listed(header)}"
    reason = first.partition(": ")[2].rstrip(".!")
    return (
        f'where= is no condition that can be checked ({reason}); write for example "turn = 1", and put names '
        "of columns that are words of SQL, such as left, in double quotes"
    )


# ------------------------------------------------------------------------------------ times


def rows_since(c: Comparisons, since: Any, *, strictly: bool = False) -> tuple[Comparisons, list[str]]:
    """The rows from a time on, or ``strictly`` after it, and how many were left out, in words."""
    if c.time is None:
        raise ValueError("since= needs a column of time, and none is read; name it with time=")
    bound = _moment(since, c.time)
    keep = c.time > bound if strictly else c.time >= bound
    lost = len(c) - int(keep.sum())
    when = f"{'up to' if strictly else 'before'} {_shown(bound)}"
    return c[keep], [f"{lost:,} of {len(c):,} rows {when}"] * bool(lost)


def _shown(time: Any) -> str:
    """A time without the zeros at its end: midnight, or no fraction of a second."""
    return re.sub(r"\.0+$", "", str(time)).removesuffix("T00:00:00")


def _moment(since: Any, time: np.ndarray[Any, Any]) -> Any:
    """A time in the units of the column: a date, or a number."""
    text = str(since)
    if time.dtype.kind == "M" and text.isdecimal() and len(text) == 4:
        text = f"{text}-01-01"
    try:
        [moment] = times(pa.table({"since": [text]}), "since").values
    except ValueError:
        raise ValueError(f"since= takes a date or a number, not {quoted(since)}") from None
    if (moment.dtype.kind == "M") != (time.dtype.kind == "M"):
        kind = "dates" if time.dtype.kind == "M" else "numbers"
        raise ValueError(f"since={quoted(since)} does not fit the column of time, which has {kind}")
    return moment
