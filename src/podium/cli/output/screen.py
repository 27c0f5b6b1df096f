"""Tables and progress bars in a terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
def busy(screen: "Console", what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar in a terminal; it pulses until it is told how much is done, of how much."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)
