"""The scores through time in a terminal, in a file and as a picture."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from podium.cli.output.outputs import Outputs
from podium.cli.output.screen import plain

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console


def check_history(path: Path | None) -> None:
    """Refuse a wrong ending before the work starts."""
    from podium.plot import PICTURES
    from podium.writing.atomic import checked_path
    from podium.writing.frames import WRITERS

    if path is not None:
        checked_path(path, (*PICTURES, *WRITERS))


def show_history(screen: "Console", history: "pd.DataFrame", board_scale: str, anchor: str | None) -> None:
    """The highest score ever and the biggest mover, and their scale if it is not that of the board."""
    from podium.leaderboard.board import SCALES
    from podium.leaderboard.history import highlights

    for line in highlights(history):
        screen.print(plain(line))
    scale = history.attrs["scale"]
    if anchor is not None or scale != board_scale:
        without = "" if anchor is None else ", without an anchor"
        screen.print(f"scores through time are on the {SCALES[scale]}{without}")


def add_history(outputs: Outputs, history: "pd.DataFrame", path: Path) -> None:
    """Draw the history, or save all of it, depending on how the name of the file ends."""
    from podium.plot import PICTURES, HistoryDisplay, save_figure
    from podium.writing.frames import write_frame

    if path.suffix.lower() in PICTURES:
        outputs.add("drew", path, partial(save_figure, HistoryDisplay.from_frame(history).figure_))
    else:
        outputs.add("saved", path, partial(write_frame, history))
