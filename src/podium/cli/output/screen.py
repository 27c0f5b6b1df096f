"""The terminal: its width, text that is safe to print, and progress bars."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from podium.numerics.progress import Progress, bar

if TYPE_CHECKING:
    from rich.console import Console

UNLIMITED = 1_000_000  # columns: the width of a file or pipe


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
