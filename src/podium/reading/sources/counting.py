"""Count equal rows where the data are, so that only distinct rows come back.

DuckDB does this for files and spills to disk; a lazy frame is counted by its own engine. Instead of texts,
DuckDB compares some bits of their hashes, which takes a quarter of the time and less memory. This is exact:
all texts are listed first, and a column in which two of them have the same code is compared as text.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from threading import Event, Thread
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.reading.sources.columns import in_quotes

ROWS = "podium's number of equal rows"  # the column of counts
LEAST = 256 * 2**20  # bytes that DuckDB needs to work at all
GROUPING = (
    8  # grouping takes so many times as long as listing the texts of a column: 4 for CSV, more for Parquet
)
SQL_NAMES = {8: "UTINYINT", 16: "USMALLINT", 32: "UINTEGER", 64: "UBIGINT"}
EVERY = 0.2  # seconds between two reports
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Counting:
    """How rows are counted.

    ``memory`` is DuckDB's limit in bytes; None leaves it to DuckDB. ``progress`` is told how many of about
    ``rows`` rows are done.
    """

    memory: int | None = None
    progress: Progress | None = None
    rows: int = 0

    @contextmanager
    def config(self) -> Iterator[dict[str, str]]:
        """Settings of DuckDB, with a folder for what does not fit into memory."""
        with tempfile.TemporaryDirectory(prefix="podium-") as folder:
            size = None if self.memory is None else max(self.memory, LEAST)
            limit = {} if size is None else {"memory_limit": f"{size // 1024}KiB"}
            yield {"temp_directory": folder, "preserve_insertion_order": "false", **limit}

    def fetch(self, connection: Any, relation: Any) -> pa.Table:
        """The distinct rows of a relation with their counts."""
        return count_rows(connection, relation, self)


def count_rows(connection: Any, relation: Any, counting: Counting) -> pa.Table:
    """The distinct rows of a relation, with a column that counts how often each occurs."""
    relation.create_view("rows")
    kinds = zip(relation.columns, relation.types, strict=True)
    texts = [name for name, kind in kinds if str(kind) == "VARCHAR"]
    words: dict[str, Words] = {}
    with watched(connection, counting.progress, counting.rows, [1] * len(texts) + [GROUPING]) as finished:
        for name in texts:
            found = Words.of(connection, in_quotes(name))
            if found.are_told_apart:
                words[name] = found
            finished()
        table = connection.sql(_grouped(relation.columns, words)).to_arrow_table()
    for place, name in enumerate(table.column_names):
        if name in words:
            table = table.set_column(place, name, words[name].spelled(table[name]))
    return table


def _grouped(columns: Sequence[str], words: "Mapping[str, Words]") -> str:
    """The query that counts equal rows; cells of text are compared by their codes if they have any."""
    cells = {name: in_quotes(name) for name in columns}
    cells |= {name: found.code_of(cells[name]) for name, found in words.items()}
    keys = ", ".join(f"{cell} AS {in_quotes(name)}" for name, cell in cells.items())
    return f"SELECT {keys}, count(*) AS {in_quotes(ROWS)} FROM rows GROUP BY ALL"


class Words(NamedTuple):
    """The distinct texts of a column, among them null, and their codes: some bits of their hashes."""

    text: pa.Array
    codes: NDArray[np.unsignedinteger[Any]]
    shift: int

    @classmethod
    def of(cls, connection: Any, cell: str) -> Self:
        query = f"SELECT word, hash(word) AS code FROM (SELECT DISTINCT {cell} AS word FROM rows)"
        table = connection.sql(query).to_arrow_table()
        return cls(table["word"].combine_chunks(), *_few_bits(table["code"].to_numpy()))

    @property
    def are_told_apart(self) -> bool:
        """Whether different texts have different codes, as they nearly always do."""
        return len(np.unique(self.codes)) == len(self.codes)

    def code_of(self, cell: str) -> str:
        """The code of a cell, in SQL."""
        info = np.iinfo(self.codes.dtype)
        return f"((hash({cell}) >> {self.shift}) & {info.max})::{SQL_NAMES[info.bits]}"

    def spelled(self, codes: pa.ChunkedArray) -> pa.DictionaryArray:
        """The texts that have these codes."""
        places = pc.index_in(codes, pa.array(self.codes)).combine_chunks()
        return pa.DictionaryArray.from_arrays(places, self.text)


def _few_bits(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.unsignedinteger[Any]], int]:
    """The hashes shifted to the right by some bits and cut to the shortest type that tells them apart.

    Short codes make the table that DuckDB groups smaller, so that less of it goes to disk: with a limit of
    2 GB, 300 million rows took 35 s instead of 47 s.
    """
    for kind in (np.uint8, np.uint16, np.uint32):
        bits = np.iinfo(kind).bits
        if len(hashes) ** 2 < 2 ** (bits + 3):  # otherwise there is hardly a chance
            for shift in range(64 - bits + 1):
                codes: NDArray[Any] = (hashes >> np.uint64(shift)).astype(kind)
                if len(np.unique(codes)) == len(codes):
                    return codes, shift
    return hashes, 0


# ------------------------------------------------------------------------------------ progress


@contextmanager
def watched(
    connection: Any, progress: Progress | None, rows: int, costs: Sequence[float]
) -> Iterator[Callable[[], None]]:
    """Tell ``progress`` how many of the rows are done while several queries run, one after the other.

    ``costs`` says how long each query takes, in any unit. Call the function that is yielded after each query
    but the last.
    """
    if progress is None:
        yield lambda: None
        return
    connection.execute("SET enable_progress_bar = true")  # otherwise DuckDB does not measure progress
    connection.execute("SET enable_progress_bar_print = false")
    ends = list(accumulate(costs, initial=0.0))
    finished = most = 0
    stop = Event()

    def query_finished() -> None:
        nonlocal finished
        finished += 1

    def watch() -> None:
        nonlocal most
        while not stop.wait(EVERY):
            # In this order: if a query ends in between, the report is too low, never too high.
            start, end = ends[finished], ends[min(finished + 1, len(costs))]
            share = max(0.0, connection.query_progress()) / 100  # below 0 if no query runs
            most = max(most, int(rows * (start + share * (end - start)) / ends[-1]))
            progress(most, rows)

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield query_finished
    finally:
        stop.set()
        watcher.join()
    progress(rows, rows)
