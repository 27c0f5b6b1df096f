"""The terminal: its width, text that is safe to print, progress bars, and tables that fit."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from podium.numerics.progress import Progress, bar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

UNLIMITED = 1_000_000  # columns: the width of a file or pipe
WANTED = MappingProxyType({"name": 20, "text": 16})  # cells, at the cost of optional columns
NEEDED = MappingProxyType({"name": 8, "text": 8})  # cells, at the cost of other columns too
FEWEST = 3  # columns that any terminal shows
GAP = 2  # cells between columns


def console(*, stderr: bool = False) -> "Console":
    """The screen; a file or pipe has no width, so that nothing is cut, unless COLUMNS says otherwise."""
    from rich.console import Console

    screen = Console(emoji=False, stderr=stderr)  # an item may be called :apple:
    if not screen.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        screen.width = UNLIMITED
    return screen


def plain(text: str) -> Any:
    """Text that rich shows as it is, brackets included, without control characters."""
    from rich.markup import escape

    from podium.writing.label_text import printable

    return escape("\n".join(map(printable, text.split("\n"))))


@contextmanager
def busy(screen: "Console", what: str, unit: str = "") -> Iterator[Progress]:
    """A progress bar in the terminal: on stderr if the output goes to a file. See `bar`."""
    if not screen.is_terminal:
        screen = console(stderr=True)
    with bar(screen, what, unit, transient=True) as tell:
        yield tell


# ------------------------------------------------------------------------------------ tables


class Column(NamedTuple):
    """A column of a table.

    Names are cut if they do not fit, but differ from all other names in the table and those in ``among``.
    Text is wrapped. Optional columns are left out from the right if there is no room for them, and on a very
    narrow terminal other numbers too: half a number would be wrong.
    """

    title: str
    cells: Sequence[str]
    kind: Literal["number", "bar", "name", "text"] = "number"
    optional: bool = False
    least: int = 0  # cells
    among: Sequence[str] = ()

    @property
    def width(self) -> int:
        """The cells that it takes to show everything."""
        from rich.cells import cell_len

        lines = "\n".join([self.title, *self.cells]).split("\n")
        return max(self.least, *map(cell_len, lines))


def names_in(labels: Iterable[Any]) -> list[str]:
    """Labels as text that is safe on a terminal."""
    from podium.writing.label_text import printable_name

    return list(map(printable_name, labels))


def show_table(screen: "Console", columns: Sequence[Column]) -> None:
    """Print the columns that fit, and say which were left out."""
    kept = list(columns)
    while room_beside(screen, kept) < 0 and any(column.optional for column in kept):
        kept.remove([column for column in kept if column.optional][-1])
    while room_beside(screen, kept, NEEDED) < 0 and len(kept) > FEWEST:
        kept.remove([column for column in kept if column.kind not in NEEDED][-1])
    widths = _widths(kept, screen.width)
    shown = _empty(kept, widths)
    names = list(dict.fromkeys(name for c in kept if c.kind == "name" for name in (*c.cells, *c.among)))
    cells = [_cells(column, width, names) for column, width in zip(kept, widths, strict=True)]
    for row in zip(*cells, strict=True):
        shown.add_row(*map(plain, row))
    screen.print(shown)
    if left_out := [column.title for column in columns if column not in kept]:
        from podium.comparisons.messages import few

        screen.print(plain(f"left out, as the terminal is narrow: {few(left_out)}"))


def _empty(columns: Sequence[Column], widths: Sequence[int]) -> "Table":
    """The table without its rows. Numbers are aligned right; names and texts are wrapped."""
    from rich import box
    from rich.table import Table

    empty = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        if column.kind == "number":
            empty.add_column(plain(column.title), justify="right", no_wrap=True)
        else:
            empty.add_column(plain(column.title), overflow="fold", width=width)
    return empty


def room_beside(screen: "Console", columns: Sequence[Column], wanted: Mapping[str, int] = WANTED) -> int:
    """The cells that are left beside the columns, if names and texts have those that are ``wanted``."""
    least = (min(c.width, wanted.get(c.kind, c.width)) for c in columns)
    return screen.width - 1 - sum(width + GAP for width in least)


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """The widths of the columns; names and texts share what the others leave, if they need it."""
    widths = [column.width for column in columns]
    elastic = sorted((k for k, c in enumerate(columns) if c.kind in WANTED), key=lambda k: widths[k])
    room = width - 1 - sum(own + GAP for own in widths) + sum(widths[k] for k in elastic)
    for done, k in enumerate(elastic):
        widths[k] = max(min(widths[k], room // (len(elastic) - done)), 1)
        room -= widths[k]
    return widths


def _cells(column: Column, width: int, names: Sequence[str]) -> Sequence[str]:
    """The cells; names that would look the same as others if cut stay whole, and are wrapped."""
    if column.kind != "name" or width >= column.width:
        return column.cells
    from podium.writing.label_text import short_names, whole_if_alike

    shown = dict(zip(names, whole_if_alike(names, short_names(names, width)), strict=True))
    return [shown[name] for name in column.cells]
