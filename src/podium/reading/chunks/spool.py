"""The rows of any source as Parquet files, which DuckDB groups and sorts while it keeps to a memory limit."""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa

from podium.reading.conditions import ROW, number_kind
from podium.reading.files import Opened
from podium.reading.sources.connection import duckdb_on, projection
from podium.reading.sources.counting import Counting
from podium.reading.sources.frames import ArrowDataset, Frame
from podium.reading.sources.json_files import JsonFiles
from podium.reading.sources.parquet_files import ParquetFiles
from podium.reading.sources.paths import File
from podium.reading.sources.quoting import in_quotes, in_single_quotes
from podium.reading.sources.text_files import APOSTROPHE, TextFiles

KEY = "podium's order of time"
OF_DUCKDB = {"file_index", "file_row_number"}  # columns that DuckDB adds to those of Parquet files
EXACT = 2**53  # up to here a float holds every integer


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
        return dict(zip(self.relation.columns, self.relation.types, strict=True))[name]

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
    plain = {}
    for name in columns:
        cell = in_quotes(name)
        if spool.value(f"select count(*) > 0 from rows where starts_with({cell}, chr(39))"):
            plain[name] = f"regexp_replace({cell}, {in_single_quotes(APOSTROPHE)}, '\\1')"
    return spool.projected(plain)


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
