"""Progress of a long computation: a bar, or a function of the caller."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]


@contextmanager
def progress_of(wanted: bool | Progress, what: str) -> Iterator[Progress | None]:
    """A function to call with the number of steps done and the total; True draws a bar on the terminal."""
    if not wanted:
        yield None
    elif callable(wanted):
        yield wanted
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, of: bar.update(task, completed=done, total=of)
