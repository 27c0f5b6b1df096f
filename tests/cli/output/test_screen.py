"""Progress bars of commands."""

import io
import time

from rich.console import Console

from podium.cli.output.screen import busy
from podium.numerics.progress import compiling


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=120)


def shown(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def test_a_bar_shows_rows_and_time_left() -> None:
    screen = terminal()
    with busy(screen, "reading", "rows") as progress:
        for done in (1_000, 2_000):
            progress(done, 50_000_000)
            time.sleep(0.15)  # two refreshes of the bar
        progress(3_000, 50_000_000)
        time.sleep(0.15)
    assert "reading" in shown(screen)
    assert "1,000 of 50,000,000 rows" in shown(screen)
    assert " left" in shown(screen)


def test_a_bar_without_numbers_pulses() -> None:
    screen = terminal()
    with busy(screen, "fitting"):
        pass
    assert "fitting" in shown(screen)
    assert " of " not in shown(screen)


def test_nothing_is_shown_outside_a_terminal() -> None:
    screen = Console(file=io.StringIO())
    with busy(screen, "reading", "rows") as progress:
        progress(1, 2)
    assert shown(screen).strip() == ""


def test_a_bar_within_a_bar_is_drawn_below_it() -> None:
    screen = terminal()
    with busy(screen, "models", "models") as outer:
        with busy(screen, "tuning") as inner:
            inner(3, 9)
            time.sleep(0.15)
        outer(1, 2)
        time.sleep(0.15)
    assert "3 of 9" in shown(screen)
    assert "1 of 2 models" in shown(screen)
    assert "tuning" not in shown(screen).rpartition("1 of 2 models")[2]


def test_a_bar_says_that_code_is_compiled() -> None:
    screen = terminal()
    with busy(screen, "fitting"):
        compiling("compiling (only the first time)")
        time.sleep(0.15)
        compiling(None)
    assert "fitting: compiling (only the first time)" in shown(screen)
