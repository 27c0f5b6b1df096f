"""Report the progress of DuckDB's queries while they run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from threading import Event, Thread
from typing import Any

EVERY = 0.2  # seconds between two reports
Progress = Callable[[int, int], None]


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
