"""A table larger than memory as an iterator of Comparisons in order of time."""

import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from podium.comparisons.labels import dictionary_encode
from podium.comparisons.messages import InputError, quoted
from podium.comparisons.table import Comparisons
from podium.options import FeatureReading
from podium.reading.comparisons import check_applies, plan_of, read_comparisons
from podium.reading.counting import bytes_of, share_of_memory
from podium.reading.decisions import ComparisonFormats, ComparisonPlan, Part
from podium.reading.on_disk import KEY, OnDisk, Spool, spooled
from podium.reading.rows import comparisons_of, sift
from podium.reading.selection import ROW, rows_since, that_meet, without_ties
from podium.reading.skipped import Sieve
from podium.reading.sources.columns import in_quotes, in_single_quotes
from podium.reading.sources.counting import Progress

NEEDS_ALL = ("items", "dedup", "wins", "counted")


def read_chunks(
    source: Any,
    rows: int = 1_000_000,
    *,
    memory: str | int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Iterator[Comparisons]:
    """Read a table that is larger than memory, chunk by chunk in order of time.

    The chunks have the rows of ``read_comparisons(source, ...)``, sorted by time: rows of one time stay in
    the order of the source. Without a column of time all rows do. What depends on a whole column, such as the
    order of day and month, is decided before the first chunk, so every row is read as in one piece.

    `Elo`, `Glicko` and `Glicko2` fit such chunks, and `DynamicBradleyTerry.before` predicts them.

    Parameters
    ----------
    source
        Whatever `read_comparisons` reads. DuckDB sorts the rows on disk; sources that are not Parquet files
        are first copied to Parquet. Lazy frames (polars, DuckDB, Ibis, Dask, and Spark if it runs on this
        machine) write the copy themselves. Workbooks and databases are loaded as a whole.
    rows
        The number of rows in a chunk. Rows of one time are never in two chunks, so a chunk is larger if a
        single time has more rows.
    memory
        The memory that DuckDB may use while it sorts, such as ``"2GB"``; the rest is on disk, in the folder
        for temporary files. By default half of the memory that DuckDB finds.
    progress
        A function that is told how many rows are done, of how many.
    **options
        Those of `read_comparisons`, such as ``left=``, ``outcome=`` or ``time=``; but ``items=``,
        ``dedup=`` and ``wins=`` need all rows at once.

    Yields
    ------
    Comparisons
        Its ``skipped`` has the rows left out since the chunk before. A warning after the last chunk says how
        many they are in all.

    Raises
    ------
    ValueError
        In one sentence that names the column, row or item at fault. Rows are counted in the source.

    See Also
    --------
    read_comparisons : read comparisons from files, frames and databases
    Elo : one rating per item, updated after every game
    Glicko : ratings with deviations
    DynamicBradleyTerry : skills that move through time

    Examples
    --------
    >>> import pandas as pd, podium
    >>> games = pd.DataFrame({"white": ["ann", "bob", "cat"], "black": ["bob", "cat", "ann"],
    ...                       "result": ["1-0", "1/2-1/2", "0-1"], "time": [3, 1, 2]})
    >>> [chunk.time.tolist() for chunk in podium.read_chunks(games, rows=2)]
    [[1, 2], [3]]
    >>> podium.Elo().fit(podium.read_chunks(games, rows=2)).rating_.round(1)
    array([1219.7, 1190.3, 1190. ])
    """
    if whole := [name for name in NEEDS_ALL if options.pop(name, None) is not None]:
        raise InputError(f"{{@{whole[0]}}} needs all rows at once; podium.read_comparisons takes it")
    if unknown := set(options) - signature(read_comparisons).parameters.keys():
        raise TypeError(f"read_chunks() got an unexpected keyword argument {quoted(min(unknown))}")
    return chunks_from(source, FeatureReading(memory=memory, **options), rows, progress)


def chunks_from(
    source: Any, given: FeatureReading, rows: int = 1_000_000, progress: Progress | None = None
) -> Iterator[Comparisons]:
    """As `read_chunks`, from what was said."""
    if not isinstance(rows, int | np.integer) or rows < 1:
        raise ValueError(f"rows={quoted(rows)} is no number of rows; give one above 0, such as 1_000_000")
    plan = plan_of(source, given)
    if plan.columns.wins:
        raise ValueError(f"{' and '.join(plan.columns.wins)} count wins, which podium.read_comparisons reads")
    limit = share_of_memory() if given.memory is None else bytes_of(given.memory)
    check_applies(plan)
    return _chunks(plan, int(rows), limit, progress)


def _chunks(
    plan: ComparisonPlan, size: int, memory: int | None, progress: Progress | None
) -> Iterator[Comparisons]:
    opened, where = plan.opened, plan.given.where
    with spooled(opened, plan.needed, memory) as spool:
        n = spool.value("select count(*) from rows")
        if n == 0:
            raise ValueError(opened.why_no_rows())
        if where is not None:
            spool = replace(spool, relation=that_meet(spool.relation, where, opened.header))
            n = spool.value("select count(*) from rows")
        skip = plan.given.bad_rows == "skip"
        reader = Reader(ComparisonFormats(OnDisk(spool, plan.columns, skip=skip), plan, skip), n)
        done, found = 0, False
        skipped: tuple[tuple[int, str], ...] = ()
        try:
            reader.decide(spool.query("from rows limit 0"))
            for table in _in_order(spool, plan.columns.time, reader.formats, size):
                c = reader.read(table)
                done, skipped = done + table.num_rows, (*skipped, *c.skipped)
                if len(c):
                    yield replace(c, skipped=skipped)
                    skipped, found = (), True
                if progress is not None:
                    progress(done, n)
        except InputError as error:
            raise opened.placed(error) from None
        if not found:
            raise InputError("no row is left to read; check {@since}, {@drop_ties} and {@bad_rows}")
        reader.warn()


class Reader:
    """Reads parts of a table as the whole would be read."""

    def __init__(self, formats: ComparisonFormats, n: int) -> None:
        self.formats, self._n = formats, n
        self._noun, self._first = formats.plan.opened.counted_from()
        self._skipped, self._example = 0, ""

    def decide(self, nothing: pa.Table) -> None:
        """Decide all formats: those that sifting no rows needs, and whether scores are those of one game."""
        sift(Sieve(nothing, self._noun, self._first, None), self.formats)
        if len(self.formats.plan.columns.outcome or ()) == 2:
            self.formats.check_scores(Part(nothing, None))

    def read(self, table: pa.Table) -> Comparisons:
        """A part of the table, without the rows that are not wanted."""
        rows = table[ROW].to_numpy()
        if not self.formats.skip:
            try:
                return self._wanted(comparisons_of(table, self.formats))
            except InputError as error:
                if error.row is None:
                    raise
                raise error.with_facts(row=int(rows[error.row])) from None  # as the source counts them
        sieve = Sieve(table, self._noun, self._first, rows)
        sift(sieve, self.formats)
        self._note(sieve)
        return self._wanted(replace(comparisons_of(sieve.table, self.formats), skipped=sieve.skipped()))

    def _wanted(self, c: Comparisons) -> Comparisons:
        """The rows from a time on, with ties or without."""
        given = self.formats.plan.given
        if given.since is not None and len(c):
            c = rows_since(c, given.since, given.dates)[0]
        return without_ties(c) if given.drop_ties else c

    def _note(self, sieve: Sieve) -> None:
        """Count the rows that are left out; if they are more than half, it is an error."""
        if not sieve.n_skipped:
            return
        if not self._skipped:
            line, reason = sieve.skipped()[0]
            self._example = f"{self._noun} {line:,}, {reason}"
        self._skipped += sieve.n_skipped
        if self._skipped > self._n / 2:
            check = "more than half is too much to skip, so check {@left}, {@right} and {@outcome}"
            raise InputError(f"{self._account()}; {check}")

    def _account(self) -> str:
        return f"{self._skipped:,} of {self._n:,} rows cannot be read, such as {self._example}"

    def warn(self) -> None:
        """Say how many rows were left out."""
        if self._skipped:
            warnings.warn(f"{self._account()}; they are left out", stacklevel=3)


# ------------------------------------------------------------------------------------ order


def _in_order(spool: Spool, time: str | None, formats: ComparisonFormats, size: int) -> Iterator[pa.Table]:
    """The rows in order of time, in tables of about ``size`` rows that end where a time ends."""
    row, key = in_quotes(ROW), in_quotes(KEY)
    if time is None:
        yield from spool.batches(f"from rows order by {row}", size)
        return
    query = f"select *, {in_quotes(time)} as {key} from rows"
    if spool.is_text(time):
        meanings = in_single_quotes(str(_meanings(spool, time, formats, size)))
        query = f"select rows.*, {key} from rows left join {meanings} on {in_quotes(time)} = cell"
    yield from _cut_between_times(spool.batches(f"{query} order by {key} nulls first, {row}", size), size)


def _cut_between_times(tables: Iterator[pa.Table], size: int) -> Iterator[pa.Table]:
    """Tables of at most ``size`` rows that share no time; a time with more rows is a table of its own."""
    held = None
    for table in tables:
        held = table if held is None else pa.concat_tables([held, table])
        while held.num_rows > size and (end := _end_of_a_time(held, size)):
            yield held.slice(0, end)
            held = held.slice(end)
    if held is not None:
        yield held


def _end_of_a_time(table: pa.Table, size: int) -> int:
    """Where a time ends: the last end within ``size`` rows, or the first one after; 0 if there is none."""
    codes = dictionary_encode(table[KEY])[1]
    ends = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    within = int(np.searchsorted(ends, size, side="right"))
    return int(ends[max(within - 1, 0)]) if len(ends) else 0


def _meanings(spool: Spool, time: str, formats: ComparisonFormats, size: int) -> Path:
    """A file with the distinct cells of a column of text, and for each a number that sorts as its time."""
    path, cell = spool.folder / "times.parquet", in_quotes(time)
    schema = None
    cells = spool.batches(f"select distinct {cell} as cell from rows where {cell} is not null", size)
    with ExitStack() as files:
        for table in chain(cells, [pa.table({"cell": pa.array([], pa.string())})]):
            values, bad = formats.time.apply(table["cell"])
            if values.dtype.kind == "M":
                fine = "ns" if np.datetime_data(values.dtype)[0] == "ns" else "us"
                values = values.astype(f"datetime64[{fine}]").view(np.int64)
            found = pa.table({"cell": table["cell"], KEY: pa.array(values, mask=bad)})
            if schema is None:
                schema = found.schema
                writer = files.enter_context(pq.ParquetWriter(path, schema))
            writer.write_table(found.cast(schema))
    return path
