"""The judges of a model in a terminal and in a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from podium.cli.output.screen import plain, table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

SHOWN = 50


def check_judges(out: Path | None) -> None:
    """Refuse a wrong ending before the work starts."""
    from podium.writing.frames import check_target

    if out is not None:
        check_target(out)


def show_judges(screen: "Console", judges: "pd.DataFrame") -> None:
    """A table of the judges, flagged ones first, then those with the most votes; it fits 80 columns."""
    from podium.web.judges import COLUMNS, agreement_text, in_order, number
    from podium.writing.label_text import label_text, printable

    shown = table(["judge", *COLUMNS.values(), "flagged because"], left=("judge", "flagged because"))
    shown.columns[0].min_width = 8
    for row in in_order(judges)[:SHOWN].to_dict("records"):
        name = printable(label_text(row["judge"]))
        cells = [name, *(number(column, row[column]) for column in COLUMNS), row["reason"]]
        shown.add_row(*map(plain, cells))
    screen.print(shown)
    screen.print(plain(agreement_text(judges)))
    if len(judges) > SHOWN:
        screen.print(f"and {len(judges) - SHOWN:,} more; --judges-out saves all of them")


def save_judges(judges: "pd.DataFrame", out: Path) -> None:
    from podium.web.judges import in_order
    from podium.writing.frames import write_frame

    write_frame(in_order(judges), out)
