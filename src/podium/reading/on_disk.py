"""The rows of any source as Parquet files, which DuckDB groups and sorts while it keeps to a memory limit."""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from podium.comparisons.labels import NOBODY, Distinct
from podium.comparisons.outcomes import LEFT, NO_ITEM, OTHER, RIGHT, NamedCells
from podium.comparisons.summary import Columns
from podium.reading.dates import DIGITS
from podium.reading.decisions import PairsOfScores, Part
from podium.reading.formats import GAP, SHAPES, SPACED
from podium.reading.selection import NUMBER, ROW, WHOLE, number_kind
from podium.reading.sources.columns import columns_of, in_quotes, in_single_quotes, projection
from podium.reading.sources.connection import duckdb_on
from podium.reading.sources.counting import ROWS, Counting
from podium.reading.sources.frames import ArrowDataset, Frame
from podium.reading.sources.json_files import EXACT, JsonFiles
from podium.reading.sources.opened import Opened
from podium.reading.sources.parquet_files import ParquetFiles
from podium.reading.sources.paths import File
from podium.reading.sources.text_files import APOSTROPHE, TextFiles

KEY = "podium's order of time"
OF_DUCKDB = {"file_index", "file_row_number"}  # columns that DuckDB adds to those of Parquet files
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


@dataclass(frozen=True)
class Spooling(Counting):
    """Write rows to a file in their order, instead of counting them."""

    path: str = ""

    @contextmanager
    def config(self) -> Iterator[dict[str, str]]:
        with super().config() as config:
            yield {**config, "preserve_insertion_order": "true"}

    def fetch(self, connection: Any, relation: Any) -> pa.Table:
        """No rows; they go to the file."""
        relation.write_parquet(self.path)
        return relation.limit(0).to_arrow_table()


@dataclass(frozen=True)
class Spool:
    """Rows on disk with their numbers in the source, as a relation of DuckDB."""

    relation: Any
    folder: Path

    def query(self, sql: str) -> pa.Table:
        """The result of a query that calls the relation ``rows``."""
        return self.relation.query("rows", sql).to_arrow_table()

    def batches(self, sql: str, size: int) -> Iterator[pa.Table]:
        """The result of a query in tables of some rows."""
        for batch in self.relation.query("rows", sql).to_arrow_reader(size):
            yield pa.Table.from_batches([batch])

    def value(self, sql: str) -> Any:
        """The only value of a query."""
        return self.relation.query("rows", sql).fetchall()[0][0]

    def kind(self, name: str) -> Any:
        """The type of a column in DuckDB."""
        return dict(columns_of(self.relation))[name]

    def is_text(self, name: str) -> bool:
        return str(self.kind(name)) == "VARCHAR"

    def projected(self, columns: Mapping[str, str]) -> "Spool":
        """The same rows, with some columns replaced or added by expressions."""
        every = {name: in_quotes(name) for name in self.relation.columns} | dict(columns)
        parts = ", ".join(f"{value} as {in_quotes(name)}" for name, value in every.items())
        return replace(self, relation=self.relation.project(parts))


# ------------------------------------------------------------------------------------ onto disk


@contextmanager
def spooled(opened: Opened, columns: Sequence[str], memory: int | None) -> Iterator[Spool]:
    """Some columns of a source on disk; what DuckDB needs besides goes to disk too, and is deleted."""
    with tempfile.TemporaryDirectory(prefix="podium-") as name:
        folder = Path(name)
        stored = _as_parquet(opened, columns, folder, memory)
        with duckdb_on(stored.files, Spooling(memory)) as connection:
            paths = [str(file.path) for file in stored.files]
            connection.execute("SET allowed_paths = $1", [paths])
            connection.execute("SET allowed_directories = $1", [[str(folder)]])
            connection.execute("SET enable_external_access = false")  # of conditions in SQL
            starts = list(accumulate(stored.rows_of_files(), initial=0))[:-1]
            row = f"{starts}[(file_index + 1)::bigint] + file_row_number as {in_quotes(ROW)}"
            chosen = projection({name: stored.paths[name] for name in columns})
            relation = stored.relation(connection).project(f"{chosen}, {row}")
            spool = Spool(relation, folder)
            if isinstance(opened, TextFiles):
                spool = _unescaped(_without_blank_end(spool, columns), columns)
            if isinstance(opened, JsonFiles):
                spool = _typed(spool, opened, columns)
            yield spool


def _as_parquet(opened: Opened, columns: Sequence[str], folder: Path, memory: int | None) -> ParquetFiles:
    """The files of a source if they are Parquet, otherwise copies of the columns."""
    import pyarrow.parquet as pq

    if isinstance(opened, ParquetFiles) and OF_DUCKDB.isdisjoint(opened.header):
        return opened
    target = folder / "rows.parquet"
    if isinstance(opened, TextFiles | JsonFiles):
        opened.load(columns, Spooling(memory, path=str(target)))
    elif isinstance(opened, Frame) and opened.is_lazy:
        opened.sink(columns, target)
    elif isinstance(opened, ArrowDataset):
        reader = opened.reader(columns)
        with pq.ParquetWriter(target, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
    else:
        pq.write_table(opened.load(columns), target)
    return ParquetFiles([File(path, "the rows", ".parquet") for path in _files(target)])


def _files(target: Path) -> list[Path]:
    """The file; or the files that an engine wrote into a folder, in their order: part 2 before part 10."""
    if target.is_file():
        return [target]
    return sorted(target.glob("*.parquet"), key=lambda path: [*map(int, re.findall(r"\d+", path.name))])


def _without_blank_end(spool: Spool, columns: Sequence[str]) -> Spool:
    filled = " or ".join(f"{in_quotes(name)} is not null" for name in columns)
    last = spool.value(f"select coalesce(max({in_quotes(ROW)}), -1) from rows where {filled}")
    return replace(spool, relation=spool.relation.filter(f"{in_quotes(ROW)} <= {last}"))


def _unescaped(spool: Spool, columns: Sequence[str]) -> Spool:
    """Names such as =x, which podium and others write as '=x."""
    pattern = in_single_quotes(APOSTROPHE)
    cells = {name: in_quotes(name) for name in columns}
    return spool.projected(
        {
            name: f"if(starts_with({cell}, chr(39)), regexp_replace({cell}, {pattern}, '\\1'), {cell})"
            for name, cell in cells.items()
        }
    )


def _typed(spool: Spool, opened: JsonFiles, columns: Sequence[str]) -> Spool:
    """Text as the numbers or truth values that it was in JSON, if all of a column was."""
    typed = {}
    for name in columns:
        kind, cell = opened.kinds[opened.paths[name]], in_quotes(name)
        source = f"(select unnest({cell}) as u from rows)" if kind.is_list else "rows"
        found = _kind_of(spool, kind.wanted, "u" if kind.is_list else cell, source)
        if found is not None:
            typed[name] = f"cast({cell} as {found}{'[]' if kind.is_list else ''})"
    return spool.projected(typed)


def _kind_of(spool: Spool, wanted: Sequence[pa.DataType], value: str, source: str) -> str | None:
    if not wanted:
        return None
    if pa.types.is_boolean(wanted[0]):
        fits = f"select coalesce(bool_and({value} in ('true', 'false')), true) from {source}"
        return "BOOLEAN" if spool.value(f"{fits} where {value} is not null") else None
    kind = number_kind(spool.relation, value, source)
    if kind != "DOUBLE":
        return kind
    most = spool.value(f"select max(abs(try_cast({value} as DOUBLE))) from {source}")
    return kind if most <= EXACT else None  # integers may lose digits that tell names apart


# ------------------------------------------------------------------------------------ what decides formats


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
