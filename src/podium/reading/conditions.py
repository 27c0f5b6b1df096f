"""Which rows meet a condition in SQL, in memory or on disk: DuckDB knows."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.labels import is_text
from podium.comparisons.messages import InputError, listed, quoted
from podium.reading.formats.cells import as_first, trimmed
from podium.reading.sources.quoting import in_quotes, in_single_quotes

SAMPLE = 1_000
ROW = "podium's number of the row"
WHOLE = r"[-+]?\d+"
NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
UNKNOWN = re.compile(r'Binder Error: (?:Referenced (?:column|table)|Could not find key) "(.+?)"')


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
    if str(dict(zip(relation.columns, relation.types, strict=True))[name]) != "VARCHAR":
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
