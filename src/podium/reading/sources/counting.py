"""Count equal rows where the data are, so that only distinct rows come back.

DuckDB does this for files and spills to disk; a lazy frame is counted by its own engine. Text becomes an
enumeration before rows are compared, which takes less memory and time than comparing text.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any

import pyarrow as pa

from podium.reading.sources.quoting import in_quotes

ROWS = "podium's number of equal rows"  # the column of counts
LEAST = 256 * 2**20  # bytes that DuckDB needs to work at all
EVERY = 0.2  # seconds between two looks at the progress
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Counting:
    """How rows are counted.

    ``memory`` is DuckDB's limit in bytes; None leaves it to DuckDB. ``progress`` is told how many per cent
    are done, of 100.
    """

    memory: int | None = None
    progress: Progress | None = None

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
    words: dict[str, pa.Array] = {}
    keys = []
    for place, (name, kind) in enumerate(zip(relation.columns, relation.types, strict=True)):
        cell = in_quotes(name)
        if str(kind) == "VARCHAR":
            words[name] = _enumerate(connection, cell, f"words{place}")
            cell = f"enum_code({cell}::words{place})"
        keys.append(f"{cell} AS {in_quotes(name)}")
    query = f"SELECT {', '.join(keys)}, count(*) AS {in_quotes(ROWS)} FROM rows GROUP BY ALL"
    with _watched(connection, counting.progress):
        table = connection.sql(query).to_arrow_table()
    return _spelled(table, words)


def _enumerate(connection: Any, cell: str, name: str) -> pa.Array:
    """Make a type of all distinct texts of a column, and return them in the order of their codes."""
    found = connection.sql(f"SELECT DISTINCT {cell} AS word FROM rows WHERE {cell} IS NOT NULL")
    distinct = found.to_arrow_table().column("word").combine_chunks()
    connection.register("distinct_words", pa.table({"word": distinct}))
    connection.execute(f"CREATE TYPE {name} AS ENUM (SELECT word FROM distinct_words)")
    connection.unregister("distinct_words")
    return distinct


def _spelled(table: pa.Table, words: Mapping[str, pa.Array]) -> pa.Table:
    """The table with texts in place of their codes."""
    for name, distinct in words.items():
        cells = pa.DictionaryArray.from_arrays(table[name].combine_chunks(), distinct)
        table = table.set_column(table.column_names.index(name), name, cells)
    return table


@contextmanager
def _watched(connection: Any, progress: Progress | None) -> Iterator[None]:
    """Report the progress of the query that runs within."""
    if progress is None:
        yield
        return
    done = Event()

    def watch() -> None:
        while not done.wait(EVERY):
            progress(max(0, int(connection.query_progress())), 100)

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    progress(100, 100)
