"""Progress of long work: a bar with counts and the time left, or a function of the caller.

Code is compiled when a model is first used, which may take longer than the work itself. A bar then says so.
If there is no bar, an interactive Python session or a notebook shows one line on stderr, and anything else
gets a message of level INFO from the logger "podium". Cached code is loaded without a word.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Display

Progress = Callable[[int, int], None]
SPEED_OVER = 600.0  # seconds over which the speed is measured: one step may take minutes

_displays: "list[Display]" = []
_bars: list[Callable[[str | None], None]] = []  # show on the bar what is done at the moment


def compiling(doing: str | None) -> None:
    """Show the text ``doing`` while code is compiled; None once it is."""
    if _bars:
        _bars[-1](doing)
    elif doing:
        _say_once(doing)


@cache
def _say_once(text: str) -> None:
    if hasattr(sys, "ps1"):  # someone is waiting at a prompt or in a notebook
        print(f"podium: {text}", file=sys.stderr)
    else:
        logging.getLogger("podium").info(text)


@contextmanager
def progress_of(wanted: bool | Progress, what: str) -> Iterator[Progress | None]:
    """A function to call with the number of steps done and the total; True draws a bar on the terminal."""
    if not wanted:
        yield None
    elif callable(wanted):
        yield wanted
    else:
        from rich.console import Console

        with bar(Console(stderr=True), what) as tell:
            yield tell


@contextmanager
def bar(console: "Console", what: str, unit: str = "", *, transient: bool = False) -> Iterator[Progress]:
    """A progress bar with the time that has passed; nothing if the console is not a terminal.

    It pulses until the function that is yielded is called with the number done and the total. Then it also
    shows these two numbers, with their unit, and the time left. A bar within another is drawn below it.
    """
    with _display(console, transient) as drawn:
        task = drawn.add_task(what, total=None, how_far="")

        def tell(done: int, total: int) -> None:
            drawn.update(task, completed=done, total=total)
            [left] = [each.time_remaining for each in drawn.tasks if each.id == task]
            time_left = f", {timedelta(seconds=round(left))} left" if left else ""
            drawn.update(task, how_far=f"{done:,} of {total:,} {unit}".rstrip() + time_left)

        def show(doing: str | None) -> None:
            drawn.update(task, description=f"{what}: {doing}" if doing else what)

        _bars.append(show)
        try:
            yield tell
        finally:
            _bars.remove(show)
            if _bars:
                drawn.remove_task(task)


@contextmanager
def _display(console: "Console", transient: bool) -> "Iterator[Display]":
    """What bars are drawn on; a terminal can show only one at a time."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Display

    if _displays:
        yield _displays[-1]
        return
    what_is_done, how_far = TextColumn("{task.description}"), TextColumn("{task.fields[how_far]}")
    with Display(
        *(what_is_done, BarColumn(), TimeElapsedColumn(), how_far),
        console=console,
        transient=transient,
        disable=not console.is_terminal,
        speed_estimate_period=SPEED_OVER,
    ) as drawn:
        _displays.append(drawn)
        try:
            yield drawn
        finally:
            _displays.remove(drawn)
