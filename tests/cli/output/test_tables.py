"""Tables of commands."""

import io

from rich.cells import cell_len
from rich.console import Console

from podium.cli.output.screen import Column, show_table


def table_on(width: int, *columns: Column) -> list[str]:
    file = io.StringIO()
    show_table(Console(file=file, width=width, force_terminal=True, color_system=None), columns)
    return [line.rstrip() for line in file.getvalue().splitlines()]


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
