"""Tables and progress bars in a terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def console(*, stderr: bool = False) -> "Console":
    from rich.console import Console

    return Console(emoji=False, stderr=stderr)  # an item may be called :apple:


def plain(text: str) -> Any:
    """Text that rich shows as it is, brackets included, without control characters."""
    from rich.markup import escape

    from podium.writing.label_text import printable

    return escape("\n".join(map(printable, text.split("\n"))))


def table(names: Sequence[str], left: Sequence[str] = ()) -> "Table":
    """An empty table; columns are aligned right unless they are in ``left``."""
    from rich import box
    from rich.table import Table

    empty = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in names:
        empty.add_column(name, justify="left" if name in left else "right", no_wrap=name not in left)
    return empty


@contextmanager
def busy(screen: "Console", what: str, unit: str = "") -> Iterator[Callable[[int, int], None]]:
    """A progress bar in a terminal, with the time that has passed.

    It pulses until the function that is yielded is called with the amount done and the total. Then it also
    shows these two numbers, with their unit, and the time left.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    what_is_done, how_far = TextColumn("{task.description}"), TextColumn("{task.fields[how_far]}")
    columns = what_is_done, BarColumn(), TimeElapsedColumn(), how_far
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(what, total=None, how_far="")

        def tell(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)
            left = progress.tasks[0].time_remaining
            time_left = f", {timedelta(seconds=round(left))} left" if left else ""
            progress.update(task, how_far=f"{done:,} of {total:,} {unit}".rstrip() + time_left)

        yield tell
