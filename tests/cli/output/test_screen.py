"""Tables and progress bars of commands."""

import io
import time

from rich.cells import cell_len
from rich.console import Console

from podium.cli.output.screen import Column, busy, show_table
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


# ------------------------------------------------------------------------------------ tables


def table_on(width: int, *columns: Column) -> list[str]:
    screen = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    show_table(screen, columns)
    return [line.rstrip() for line in shown(screen).splitlines()]


def test_names_of_two_columns_are_told_apart_together() -> None:
    names = [f"a-rather-long-name-{kind}-with-a-long-end" for kind in ("p", "q")]
    lines = table_on(40, Column("left", names[:1], "name"), Column("right", names[1:], "name"))
    left, right = lines[3].split()
    assert left != right
    assert cell_len(lines[3]) <= 40


def test_text_is_wrapped_and_optional_columns_go_from_the_right() -> None:
    numbers = [Column(title, ["0.12345"], optional=True) for title in ("first", "second", "third")]
    lines = table_on(40, Column("name", ["x"], "name"), *numbers, Column("why", ["some reason " * 5], "text"))
    assert lines[1].split() == ["name", "first", "why"]
    assert " ".join(lines).split().count("reason") == 5
    assert " ".join(lines).endswith("left out, as the terminal is narrow: second, third")
