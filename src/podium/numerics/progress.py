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

Progress = Callable[[int, int], None]
SPEED_OVER = 600.0  # seconds over which the speed is measured: one step may take minutes

_bars: list[Callable[[str | None], None]] = []


def compiling(doing: str | None) -> None:
    """Show the text ``doing`` while code is compiled; None once it is."""
    for show in _bars:
        show(doing)
    if doing and not _bars:
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
    shows these two numbers, with their unit, and the time left.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    what_is_done, how_far = TextColumn("{task.description}"), TextColumn("{task.fields[how_far]}")
    with Progress(
        *(what_is_done, BarColumn(), TimeElapsedColumn(), how_far),
        console=console,
        transient=transient,
        disable=not console.is_terminal,
        speed_estimate_period=SPEED_OVER,
    ) as drawn:
        task = drawn.add_task(what, total=None, how_far="")

        def tell(done: int, total: int) -> None:
            drawn.update(task, completed=done, total=total)
            left = drawn.tasks[0].time_remaining
            time_left = f", {timedelta(seconds=round(left))} left" if left else ""
            drawn.update(task, how_far=f"{done:,} of {total:,} {unit}".rstrip() + time_left)

        def show(doing: str | None) -> None:
            drawn.update(task, description=f"{what}: {doing}" if doing else what)

        _bars.append(show)
        try:
            yield tell
        finally:
            _bars.remove(show)
