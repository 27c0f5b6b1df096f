"""Which rows of a table are read: by a condition in SQL, without repeats, from a time on, without ties."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes
from podium.comparisons.labels import dictionary_encode, factorize_rows, is_text
from podium.comparisons.messages import InputError, listed, quoted
from podium.comparisons.summary import Columns
from podium.comparisons.table import Comparisons
from podium.options import AnyReading, DateOrder
from podium.reading.dates import times
from podium.reading.formats import as_first, number_cells, trimmed
from podium.reading.header import names_given
from podium.reading.rankings.columns import RankingColumns
from podium.reading.skipped import Read
from podium.reading.sources.columns import columns_of, in_quotes, in_single_quotes

KEYS = "left right outcome group time category judge_kind ballot item".split()  # columns by their use
SAMPLE = 1_000
ROW = "podium's number of the row"
WHOLE = r"[-+]?\d+"
NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
UNKNOWN = re.compile(r'Binder Error: (?:Referenced (?:column|table)|Could not find key) "(.+?)"')


def check_selection(given: AnyReading) -> None:
    where = given.where
    if where is not None and not (isinstance(where, str) and where.strip()):
        raise InputError(f'{{@where}} takes a condition such as "turn = 1", not {quoted(where)}')
    names_given(given.dedup, "dedup")


def without_repeats(
    table: pa.Table, given: AnyReading, columns: Columns | RankingColumns
) -> tuple[pa.Table, list[str]]:
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


def key_columns(given: AnyReading, header: Sequence[str], columns: Columns | RankingColumns) -> list[str]:
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


# ------------------------------------------------------------------------------------ conditions in SQL


def named_in(where: str | None, header: Sequence[str]) -> list[str]:
    """The columns that a condition names, and perhaps some more; in SQL, case does not matter."""
    text = (where or "").casefold().replace('""', '"')
    return [name for name in header if name.casefold() in text]


def rows_where(table: pa.Table, where: str, header: Sequence[str]) -> NDArray[np.int64]:
    """The rows of a table in memory that meet a condition."""
    import duckdb

    columns = {name: _typed(trimmed(table[name])) for name in named_in(where, header)}
    with duckdb.connect() as connection:
        connection.execute("SET python_enable_replacements = false")
        relation = connection.from_arrow(pa.table({**columns, ROW: np.arange(table.num_rows)}))
        connection.execute("SET enable_external_access = false")
        kept = that_meet(relation, where, header).project(in_quotes(ROW)).fetchnumpy()[ROW]
    return np.sort(np.asarray(kept))


def _typed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers, if all cells that are not empty are; Arrow is quicker than DuckDB to tell."""
    if not is_text(column.type):
        return column
    filled = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
    found = as_first(filled, (pa.int64(), pa.float64()))
    return column if found is None else found


def that_meet(relation: Any, where: str, header: Sequence[str]) -> Any:
    """The rows of a relation that meet a condition. Cells of text are numbers if all of a column are."""
    import duckdb

    typed = {name: _as_numbers(relation, name) for name in named_in(where, header)}
    seen = {**_structs(typed), **typed}
    aside = {name: f"podium's column {place}" for place, name in enumerate(relation.columns)}
    parts = [f"{in_quotes(name)} as {in_quotes(other)}" for name, other in aside.items()]
    parts += [f"{value} as {in_quotes(name)}" for name, value in seen.items()]
    back = ", ".join(f"{in_quotes(other)} as {in_quotes(name)}" for name, other in aside.items())
    try:
        found = relation.project(", ".join(parts)).filter(where).project(back)
        met = found.limit(1).fetchall()
    except duckdb.Error as error:
        raise InputError(_why_no_condition(str(error), header)) from None
    if not met:
        raise InputError(f"no row meets {{@where}}{quoted(where)}; check its spelling")
    return found


def _as_numbers(relation: Any, name: str) -> str:
    """A column for SQL: as numbers if all cells of a text column that are not empty are numbers."""
    cell = in_quotes(name)
    if str(dict(columns_of(relation))[name]) != "VARCHAR":
        return cell
    filled = f"nullif(trim({cell}), '')"
    kind = number_kind(relation, filled)
    return cell if kind is None else f"cast({filled} as {kind})"


def number_kind(relation: Any, cell: str, source: str = "rows") -> str | None:
    """BIGINT or DOUBLE if all text of an expression has this form; None if it has other text."""
    start = f"(from {source} limit {SAMPLE})"  # of most texts, the first rows tell that they are no numbers
    for pattern, kind in ((WHOLE, "BIGINT"), (NUMBER, "DOUBLE")):
        fits = f"regexp_full_match({cell}, '{pattern}') and try_cast({cell} as {kind}) is not null"
        query = f"select coalesce(bool_and({fits}), true) from"
        tests = (f"{query} {rows} where {cell} is not null" for rows in (start, source))
        if all(relation.query("rows", test).fetchall()[0][0] for test in tests):
            return kind
    return None


def _structs(columns: Mapping[str, str]) -> dict[str, str]:
    """Columns with dotted names as structs: in SQL, conversation.turn is the field of a column."""
    within: dict[str, dict[str, str]] = {}
    for name, value in columns.items():
        above, dot, field = name.partition(".")
        if dot and above.casefold() not in map(str.casefold, columns):
            within.setdefault(above, {})[field] = value
    return {above: _struct(fields) for above, fields in within.items()}


def _struct(fields: Mapping[str, str]) -> str:
    parts = {**_structs(fields), **{name: value for name, value in fields.items() if "." not in name}}
    return "{" + ", ".join(f"{in_single_quotes(name)}: {value}" for name, value in parts.items()) + "}"


def _why_no_condition(text: str, header: Sequence[str]) -> str:
    """What is wrong with a condition, in a sentence, from what DuckDB says."""
    first = text.partition("\n")[0]
    if unknown := UNKNOWN.match(first):
        return f"{{@where}} names {quoted(unknown[1])}, which is no column; the columns are {listed(header)}"
    reason = first.partition(": ")[2].rstrip(".!")
    return (
        f'{{@where}} is no condition that can be checked ({reason}); write for example "turn = 1", and put '
        "names of columns that are words of SQL, such as left, in double quotes"
    )
