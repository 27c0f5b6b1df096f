"""The judges of a model in a terminal and in a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from podium.cli.output.screen import plain
from podium.cli.output.tables import Column, names_in, show_table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

SHOWN = 50
ALWAYS = ("votes", "agreement")  # columns that are shown on any terminal


def check_judges(out: Path | None) -> None:
    """Refuse a wrong ending before the work starts."""
    from podium.writing.frames import check_target

    if out is not None:
        check_target(out)


def show_judges(screen: "Console", judges: "pd.DataFrame") -> None:
    """A table of the judges, flagged ones first, then those with the most votes."""
    from podium.web.judges import COLUMNS, agreement_text, in_order, number

    shown = in_order(judges)[:SHOWN]
    numbers = [
        Column(title, [number(name, value) for value in shown[name]], optional=name not in ALWAYS)
        for name, title in COLUMNS.items()
    ]
    why = Column("flagged because", shown["reason"].tolist(), "text")
    show_table(screen, [Column("judge", names_in(shown["judge"]), "name", least=8), *numbers, why])
    screen.print(plain(agreement_text(judges)))
    if len(judges) > SHOWN:
        screen.print(f"and {len(judges) - SHOWN:,} more; --judges-out saves all of them")


def save_judges(judges: "pd.DataFrame", out: Path) -> None:
    from podium.web.judges import in_order
    from podium.writing.frames import write_frame

    write_frame(in_order(judges), out)
