"""The summary of a model in a terminal and in a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from podium.cli.options.optional_value import PRINT
from podium.cli.output.screen import plain

if TYPE_CHECKING:
    from rich.console import Console

    from podium.skill.summary import Summary


def check_summary(target: str | None) -> Path | None:
    """The file of ``--summary``, if it names one; a wrong ending is refused before the work starts."""
    if target is None or target == PRINT:
        return None
    from podium.skill.summary import WRITERS
    from podium.writing.atomic import checked_path

    return checked_path(target, WRITERS)


def show_summary(screen: "Console", summary: "Summary") -> None:
    """The table and what is below it, in full unless it goes to a terminal; long lines are not broken."""
    from podium.skill.summary import as_text

    screen.print()
    screen.print(plain(as_text(summary, whole=not screen.is_terminal)), soft_wrap=True)
