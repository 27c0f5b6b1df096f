"""A few rows that show how the columns of a whole table are to be read.

How a column is read can depend on all of its cells: 03/04/2022 is in March if another row has 03/14/2022. So
each chunk of a table begins with witnesses, cells from anywhere in the table that lead to the same reading.
Cells of which only the kind matters, such as plain numbers, have one witness for each kind.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pyarrow as pa

from podium.comparisons.labels import NOBODY
from podium.comparisons.messages import InputError
from podium.comparisons.outcomes import WINNER_FIRST
from podium.reading.casts import number_cells, time_cells, truth_cells
from podium.reading.chunks.spool import NUMBER, WHOLE, Spool
from podium.reading.numbers import DECIMAL, DOTTED, GAP, GROUPED, SPACED
from podium.reading.pairs.parse import comparisons_of
from podium.reading.rows import Form, sift
from podium.reading.scores import signs_of_scores
from podium.reading.selection import ROW
from podium.reading.skipped import Sieve
from podium.reading.sources.counting import ROWS
from podium.reading.sources.quoting import in_quotes, in_single_quotes

PLAIN_DATE = r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?"
CALENDAR = (  # whether the number x is a date such as 20220905
    "coalesce(x between 18000101 and 21991231 and x % 1 = 0 and "
    "try_strptime(x::bigint::varchar, '%Y%m%d') is not null, false)"
)
TEXT_SHAPE = f"""case
    when regexp_full_match(cell, {in_single_quotes(PLAIN_DATE)}) and try_cast(cell as timestamp) is not null
        then concat('date ', length(cell))
    when regexp_full_match(cell, '{WHOLE}') and try_cast(cell as bigint) is not null
        then concat('whole ', {CALENDAR})
    when regexp_full_match(cell, '{NUMBER}') and isfinite(x) then concat('number ', x % 1 <> 0, {CALENDAR})
    else cell end"""
NUMBER_SHAPE = f"concat(isfinite(x), isfinite(x) and x % 1 <> 0, {CALENDAR})"
NUMBER_TYPE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT|INTEGER|UINTEGER|FLOAT|DOUBLE|DECIMAL")
NOTED = f"count(*) as {in_quotes(ROWS)}, min({in_quotes(ROW)}) as {in_quotes(ROW)}"
IN_ORDER = f"order by {in_quotes(ROW)}"
Cells = Mapping[str, pa.ChunkedArray]


@contextmanager
def named_rows(rows: pa.ChunkedArray) -> Iterator[None]:
    """Errors within name the rows of the source: row k is the k-th of ``rows``."""
    try:
        yield
    except InputError as error:
        if error.row is None:
            raise
        raise error.with_facts(row=rows[error.row].as_py()) from None


def decided(form: Form, spool: Spool) -> Form:
    """The form for parts of the table; whether two columns of scores count games is decided here."""
    names = form.columns.outcome or ()
    if len(names) != 2 or form.outcome_format is not None:
        return form
    cells = ", ".join(map(in_quotes, names))
    table = spool.query(f"select {cells}, {NOTED} from rows group by {cells} {IN_ORDER}")
    with named_rows(table[ROW]):
        left, right = (number_cells(table[name], name, (pa.int64(), pa.float64())) for name in names)
    good = ~(left.bad | right.bad)
    if good.any():
        scores, rows = (left.values[good], right.values[good]), table[ROWS].to_numpy()[good]
        signs_of_scores(
            scores, (names[0], names[1]), None, form.columns.unused, lambda: _repeat(form, spool), rows
        )
    return replace(form, outcome_format="score")


def _repeat(form: Form, spool: Spool) -> bool:
    sides = ", ".join(map(in_quotes, (*form.columns.left, *form.columns.right)))
    twice = f"select 1 from rows group by {sides} having count(*) > 1 limit 1"
    return bool(sides) and bool(spool.value(f"select count(*) from ({twice})"))


def witnesses(form: Form, spool: Spool, schema: pa.Schema, *, skip: bool) -> pa.Table:
    """The witnesses of all columns, side by side; columns with fewer of them repeat theirs.

    With ``skip``, cells that cannot be read are no witnesses.
    """
    columns = form.columns
    cells: dict[str, pa.ChunkedArray] = dict(_of_sides(form, spool, skip))
    for name in _number_columns(form):
        cells[name] = _of_numbers(name, spool, schema)
    if columns.time is not None:
        cells[columns.time] = _of_times(columns.time, form, spool)
    if columns.neutral is not None:
        cells[columns.neutral] = _of_truths(columns.neutral, spool)
    for label in (columns.group, columns.category):
        if label is not None:
            filled = f"trim({in_quotes(label)}::varchar) <> ''"
            cells[label] = spool.query(f"select {in_quotes(label)} from rows where {filled} limit 1")[label]
    return _side_by_side(cells, schema, min(WINNER_FIRST, spool.value("select count(*) from rows")))


def _number_columns(form: Form) -> list[str]:
    columns, outcome = form.columns, form.columns.outcome or ()
    described = (*columns.feature_columns("left"), *columns.feature_columns("right"))
    scores = outcome if len(outcome) == 2 or form.outcome_format == "probability" else ()
    multiples = [name for name in (columns.count, columns.weight) if name is not None]
    return [*described, *columns.covariate_columns(), *scores, *multiples]


def _side_by_side(cells: Cells, schema: pa.Schema, least: int) -> pa.Table:
    """A table of all witnesses; it is empty if a column has none, since then no row can be read."""
    n = max([least, *map(len, cells.values())]) if all(map(len, cells.values())) else 0
    rows = [
        cells[name].take(np.arange(n) % len(cells[name])) if n and name in cells else pa.nulls(n)
        for name in schema.names
    ]
    return pa.table([each.cast(field.type) for each, field in zip(rows, schema, strict=True)], schema=schema)


# ------------------------------------------------------------------------------------ sides and outcomes


def _of_sides(form: Form, spool: Spool, skip: bool) -> Cells:
    """A row for every outcome and way in which it can name the winner: the left side, the right, neither."""
    columns, row = form.columns, in_quotes(ROW)
    sides, outcome = (*columns.left, *columns.right), columns.outcome or ()
    if not sides:
        return {}
    named = outcome if len(outcome) == 1 and form.outcome_format != "probability" else ()
    names = (*sides, *named)
    keys = [*map(in_quotes, named)]
    if named and len(sides) == 2:
        keys += [_same(spool, named[0], side) for side in sides]
    first = ", ".join(f"arg_min({in_quotes(name)}, {row}) as {in_quotes(name)}" for name in names)
    nobody = NOBODY if skip else ()
    good = " and ".join([_somebody(columns.left, nobody), _somebody(columns.right, nobody), *_apart(sides)])
    grouped = f"group by {', '.join(keys)}" if keys else "having count(*) > 0"
    table = spool.query(f"select {first}, {NOTED} from rows where {good} {grouped} {IN_ORDER}")
    only = Form(
        type(columns)(columns.left, columns.right, named or None),
        form.outcome_format,
        form.team_separator,
        None,
        form.text,
    )
    good_rows = _readable(table, only, skip) if table.num_rows else table
    return {name: good_rows[name] for name in names}


def _readable(table: pa.Table, form: Form, skip: bool) -> pa.Table:
    """The rows that can be read; all of them, or an error, unless bad rows are to be skipped."""
    sieve = Sieve(table, "row", 1, None)
    if skip:
        sift(sieve, form)
    else:
        with named_rows(table[ROW]):
            comparisons_of(table, form)
    return sieve.table


def _same(spool: Spool, one: str, other: str) -> str:
    """Whether two cells of a row name the same, as SQL says it; 7.0 is the name 7."""
    if spool.kind(one) == spool.kind(other):
        return f"{in_quotes(one)} is not distinct from {in_quotes(other)}"
    texts = [f"regexp_replace(trim({in_quotes(name)}::varchar), '\\.0$', '')" for name in (one, other)]
    return f"{texts[0]} is not distinct from {texts[1]}"


def _somebody(names: tuple[str, ...], nobody: tuple[str, ...]) -> str:
    """Whether there is a name on a side."""
    text = f"trim(coalesce({', '.join(f'{in_quotes(name)}::varchar' for name in names)}))"
    return f"{text} not in ({', '.join(map(in_single_quotes, ('', *nobody)))})"


def _apart(sides: tuple[str, ...]) -> list[str]:
    """Whether nobody meets himself."""
    if len(sides) != 2:
        return []
    return [f"trim({in_quotes(sides[0])}::varchar) <> trim({in_quotes(sides[1])}::varchar)"]


# ------------------------------------------------------------------------------------ cells of one column


def _of_numbers(name: str, spool: Spool, schema: pa.Schema) -> pa.ChunkedArray:
    """1, which is good in all columns of numbers; and in text one number of each kind with a comma."""
    if not spool.is_text(name):
        return pa.chunked_array([pa.array([1]).cast(schema.field(name).type)])
    trimmed, gap = f"trim({in_quotes(name)})", in_single_quotes(GAP)
    is_spaced = f"regexp_matches({trimmed}, {in_single_quotes(SPACED)})"
    closed = f"if({is_spaced}, regexp_replace({trimmed}, {gap}, '', 'g'), {trimmed})"
    shapes = [f"regexp_matches(cell, {in_single_quotes(each)})" for each in (DECIMAL, GROUPED, DOTTED)]
    table = spool.query(
        f"select min(cell) as cell, {NOTED} from (select ltrim({closed}, '+-') as cell, {in_quotes(ROW)} "
        f"from rows) where contains(cell, ',') and regexp_matches(cell, '[1-9]') "
        f"group by {', '.join(shapes)} {IN_ORDER}"
    )
    with named_rows(table[ROW]):
        bad = number_cells(table["cell"], name).bad
    return pa.chunked_array([["1"], *table["cell"].filter(pa.array(~bad)).cast(pa.string()).chunks])


def _of_truths(name: str, spool: Spool) -> pa.ChunkedArray:
    cell = in_quotes(name)
    table = spool.query(f"select {cell}, {NOTED} from rows group by {cell} {IN_ORDER}")
    with named_rows(table[ROW]):
        bad = truth_cells(table[name], name).bad
    return table[name].filter(pa.array(~bad))


def _of_times(name: str, form: Form, spool: Spool) -> pa.ChunkedArray:
    """Every distinct date as people write it; of plain dates and numbers the least and the greatest."""
    cell, kind = in_quotes(name), str(spool.kind(name))
    if spool.is_text(name):
        cells, shape = f"trim({cell}) as cell, try_cast({cell} as double) as x", TEXT_SHAPE
    else:
        number = f"{cell}::double" if NUMBER_TYPE.match(kind) else "null::double"
        cells, shape = f"{cell} as cell, {number} as x", NUMBER_SHAPE
    ends = "arg_min(cell, x), arg_max(cell, x), min(cell), max(cell)"
    table = spool.query(
        f"select unnest(list_distinct([{ends}])) as cell, {NOTED} "
        f"from (select {cells}, {in_quotes(ROW)} from rows) where cell is not null "
        f"group by {shape} {IN_ORDER}"
    )
    votes = table[ROWS].to_numpy().astype(np.int64)
    with named_rows(table[ROW]):
        bad = time_cells(table["cell"], name, form.dates, votes).bad
    return table["cell"].filter(pa.array(~bad))
