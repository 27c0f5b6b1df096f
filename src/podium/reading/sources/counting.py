"""Count equal rows where the data are, so that only distinct rows come back.

DuckDB does this for files and spills to disk; a lazy frame is counted by its own engine. Instead of texts,
DuckDB compares their hashes, which takes half of the time for Parquet files and less memory. This is exact:
all texts are listed first, and a column in which two of them have the same hash is compared as text.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from threading import Event, Thread
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from podium.reading.sources.columns import columns_of, in_quotes

ROWS = "podium's number of equal rows"  # the column of counts
LEAST = 256 * 2**20  # bytes that DuckDB needs to work at all
# Grouping takes so many times as long as listing the texts of a column: 4 for CSV, more for Parquet.
GROUPING = 8
HASH = "hash"  # DuckDB's name of the function
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
    keys = {name: in_quotes(name) for name in relation.columns}
    texts = [name for name, kind in columns_of(relation) if str(kind) == "VARCHAR"]
    words: dict[str, pa.Table] = {}
    with watched(connection, counting.progress, counting.rows, [1] * len(texts) + [GROUPING]) as finished:
        for name in texts:
            distinct = f"SELECT DISTINCT {keys[name]} AS word FROM rows"
            found = connection.sql(f"SELECT word, {HASH}(word) AS code FROM ({distinct})").to_arrow_table()
            if len(found["code"].unique()) == found.num_rows:  # nearly always
                words[name], keys[name] = found, f"{HASH}({keys[name]})"
            finished()
        grouped = ", ".join(f"{key} AS {in_quotes(name)}" for name, key in keys.items())
        counts = f"SELECT {grouped}, count(*) AS {in_quotes(ROWS)} FROM rows GROUP BY ALL"
        table = connection.sql(counts).to_arrow_table()
    for place, name in enumerate(table.column_names):
        if name in words:
            text, codes = (words[name][column].combine_chunks() for column in ("word", "code"))
            spelled = pc.index_in(table[name], codes).combine_chunks()
            table = table.set_column(place, name, pa.DictionaryArray.from_arrays(spelled, text))
    return table


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
