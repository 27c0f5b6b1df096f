"""The cells of a table on disk that decide how it is read, found by DuckDB."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa

from podium.comparisons.arrays import Index
from podium.comparisons.labels import NOBODY, Distinct
from podium.comparisons.messages import InputError
from podium.comparisons.outcomes import LEFT, NO_ITEM, OTHER, RIGHT, NamedCells
from podium.comparisons.summary import Columns
from podium.reading.chunks.spool import Spool
from podium.reading.conditions import NUMBER, ROW, WHOLE
from podium.reading.formats.dates import DIGITS
from podium.reading.formats.numbers import GAP, SHAPES, SPACED
from podium.reading.pairs.formats import PairsOfScores, Part
from podium.reading.sources.counting import ROWS
from podium.reading.sources.quoting import in_quotes, in_single_quotes

# Of plain dates and numbers, only the least and the greatest decide; there may be as many as rows.
PLAIN_DATE = r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?"
IS_DATE = f"regexp_full_match(cell, '{PLAIN_DATE}') and try_cast(cell as timestamp) is not null"
IS_WHOLE = f"regexp_full_match(cell, '{WHOLE}') and try_cast(cell as bigint) is not null"
IS_DIGITS = f"coalesce(x between {DIGITS[0]} and {DIGITS[1]} and x % 1 = 0, false)"
TEXT_SHAPE = f"""case when {IS_DATE} then concat('date ', length(cell))
    when not {IS_DIGITS} and regexp_full_match(cell, '{NUMBER}') and isfinite(x)
        then concat('number ', x % 1 <> 0, {IS_WHOLE})
    else cell end"""
NUMBER_SHAPE = f"""case when {IS_DIGITS} then cell::varchar
    else concat(isfinite(x), isfinite(x) and x % 1 <> 0) end"""
NUMBER_TYPE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT|INTEGER|UINTEGER|FLOAT|DOUBLE|DECIMAL")
NOTED = f"count(*) as {in_quotes(ROWS)}, min({in_quotes(ROW)}) as {in_quotes(ROW)}"
IN_ORDER = f"order by {in_quotes(ROW)}"


@contextmanager
def named_rows(rows: Index) -> Iterator[None]:
    """Errors within name the rows of the source: row k is the k-th of ``rows``."""
    try:
        yield
    except InputError as error:
        if error.row is None:
            raise
        raise error.with_facts(row=int(rows[error.row])) from None


class OnDisk:
    """A table on disk; with ``skip``, rows whose sides cannot be read have no outcome."""

    def __init__(self, spool: Spool, roles: Columns, *, skip: bool) -> None:
        self._spool, self._roles, self._skip = spool, roles, skip

    def cells(self, name: str) -> Distinct:
        return self._distinct(f"select {in_quotes(name)} as cell, {NOTED} from rows group by all {IN_ORDER}")

    def commas(self, name: str) -> Distinct:
        """One cell of each kind."""
        trimmed, gap = f"trim({in_quotes(name)})", in_single_quotes(GAP)
        if not self._spool.is_text(name):
            return Distinct.of(pa.chunked_array([], pa.large_string()))
        is_spaced = f"regexp_matches({trimmed}, {in_single_quotes(SPACED)})"
        closed = f"if({is_spaced}, regexp_replace({trimmed}, {gap}, '', 'g'), {trimmed})"
        shapes = [f"regexp_matches({closed}, {in_single_quotes(each)})" for each in SHAPES]
        return self._distinct(
            f"select arg_min({trimmed}, {in_quotes(ROW)}) as cell, {NOTED} from rows "
            f"where contains({trimmed}, ',') group by {', '.join(shapes)} {IN_ORDER}"
        )

    def times(self, name: str) -> Distinct:
        """Every distinct date as people write it; of plain dates and numbers the least and the greatest."""
        cell, kind = in_quotes(name), str(self._spool.kind(name))
        if self._spool.is_text(name):
            cells, shape = f"trim({cell}) as cell, try_cast({cell} as double) as x", TEXT_SHAPE
        else:
            number = f"{cell}::double" if NUMBER_TYPE.match(kind) else "null::double"
            cells, shape = f"{cell} as cell, {number} as x", NUMBER_SHAPE
        ends = "arg_min(cell, x), arg_max(cell, x), min(cell), max(cell)"
        return self._distinct(
            f"select unnest(list_distinct([{ends}])) as cell, {NOTED} "
            f"from (select {cells}, {in_quotes(ROW)} from rows) where cell is not null "
            f"group by {shape} {IN_ORDER}"
        )

    def outcomes(self, name: str, part: Part) -> NamedCells:
        sides = self._sides()
        item = str(NO_ITEM)
        if len(sides) == 2:
            left, right = (self._same(name, side) for side in sides)
            known = " union ".join(f"select {_name_of(side)} from rows" for side in sides)
            item = (
                f"case when {left} then {LEFT} when {right} then {RIGHT} "
                f"when {_name_of(name)} in ({known}) then {OTHER} else {NO_ITEM} end"
            )
        found = self._spool.query(
            f"select {in_quotes(name)} as cell, {item} as item, {NOTED} from rows {self._where()} "
            f"group by all {IN_ORDER}"
        )
        return NamedCells(_distinct(found), found["item"].to_numpy().astype(np.int8))

    def scores(self, left: str, right: str, part: Part) -> PairsOfScores:
        cells = ", ".join(map(in_quotes, (left, right)))
        found = self._spool.query(f"select {cells}, {NOTED} from rows group by {cells} {IN_ORDER}")
        return PairsOfScores(found, found[ROWS].to_numpy(), self._pairs_repeat)

    def _pairs_repeat(self) -> bool:
        sides = ", ".join(map(in_quotes, self._sides()))
        twice = f"select 1 from rows group by {sides} having count(*) > 1 limit 1"
        return bool(sides) and bool(self._spool.value(f"select count(*) from ({twice})"))

    def _distinct(self, query: str) -> Distinct:
        return _distinct(self._spool.query(query))

    def _sides(self) -> tuple[str, ...]:
        return (*self._roles.left, *self._roles.right)

    def _same(self, one: str, other: str) -> str:
        """Whether two cells of a row name the same, as SQL says it; 7.0 is the name 7."""
        if self._spool.kind(one) == self._spool.kind(other):
            return f"{in_quotes(one)} is not distinct from {in_quotes(other)}"
        return f"{_name_of(one)} is not distinct from {_name_of(other)}"

    def _where(self) -> str:
        """The condition that both sides can be read."""
        nobody, sides = NOBODY if self._skip else (), self._sides()
        good = [_somebody(names, nobody) for names in (self._roles.left, self._roles.right) if names]
        if len(sides) == 2:
            good.append(" <> ".join(f"trim({in_quotes(side)}::varchar)" for side in sides))
        return f"where {' and '.join(good)}" if good else ""


def _distinct(table: pa.Table) -> Distinct:
    return Distinct(
        table["cell"].combine_chunks(), table[ROWS].to_numpy().astype(np.int64), table[ROW].to_numpy()
    )


def _name_of(column: str) -> str:
    return f"regexp_replace(trim({in_quotes(column)}::varchar), '\\.0$', '')"


def _somebody(names: tuple[str, ...], nobody: tuple[str, ...]) -> str:
    """Whether there is a name on a side."""
    text = f"trim(coalesce({', '.join(f'{in_quotes(name)}::varchar' for name in names)}))"
    return f"{text} not in ({', '.join(map(in_single_quotes, ('', *nobody)))})"
