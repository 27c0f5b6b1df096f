"""Options whose value may be left out, which typer does not have."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

PRINT = "-"  # the value of --summary that prints
ENDINGS = (".csv", ".json", ".parquet", ".md", ".tex", ".txt")  # of its files


class SummaryCommand(TyperCommand):
    """A command with ``--summary``, which prints, or ``--summary FILE``, which writes."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_value(args, "--summary", ENDINGS))


def with_value(args: list[str], option: str, endings: Collection[str]) -> list[str]:
    """Add the value ``-`` to the option unless a file with one of these endings follows.

    The first file of a command is read, so it is never taken for the value.

    >>> with_value(["games.csv", "--summary", "table.tex"], "--summary", [".tex", ".csv"])
    ['games.csv', '--summary', 'table.tex']
    >>> with_value(["--summary", "games.csv"], "--summary", [".tex", ".csv"])
    ['--summary', '-', 'games.csv']
    """
    if option not in args:
        return args
    place = args.index(option) + 1
    follows = args[place] if place < len(args) else ""
    is_value = follows == PRINT or Path(follows).suffix.lower() in endings
    named_before = any(not arg.startswith("-") for arg in args[:place])
    return args if is_value and named_before else [*args[:place], PRINT, *args[place:]]
