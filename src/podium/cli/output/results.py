"""What 'podium rank' found: in a terminal, and in files."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from podium.cli.command import PRINT
from podium.cli.options.option import option
from podium.cli.options.skill import SkillOptions
from podium.cli.output.board import Results, picture_of, show_board, show_boards
from podium.cli.output.outputs import Outputs
from podium.cli.output.report import ReportOptions
from podium.cli.output.screen import plain
from podium.cli.output.tables import Column, names_in, show_table
from podium.options import MOVING, PAIRS, SKILLS

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from podium.comparisons.rankings import Rankings
    from podium.comparisons.table import Comparisons
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.skill.summary import Summary

JUDGES_SHOWN = 50
ALWAYS = ("votes", "agreement")  # columns of judges that are shown on any terminal


@dataclass(frozen=True, kw_only=True)
class Targets(ReportOptions):
    """The files that 'podium rank' writes."""

    out: Annotated[Path | None, option("Save the leaderboard: .csv, .json, .parquet or .md.")] = None
    plot: Annotated[Path | None, option("Save a picture of it: .png or .svg.")] = None
    summary: Annotated[
        str | None,
        option("Print all estimates with tests and likelihood, or save: .tex, .md, .csv.", metavar="[FILE]"),
        SKILLS,
    ] = None
    judges_out: Annotated[
        Path | None,
        option("Save the table of judges: .csv, .json or .parquet.", seldom=True),
        PAIRS,
    ] = None
    history: Annotated[
        Path | None,
        option(
            "With --dynamic: save the scores through time, as a picture (.png, .svg) or a table (.csv, "
            ".json, .parquet).",
            seldom=True,
        ),
        MOVING,
    ] = None

    def outputs(self, files: list[str]) -> Outputs:
        """The files, checked before the work starts."""
        self.check()
        return Outputs(
            files,
            board=self.out,
            picture=self.plot,
            page=self.report,
            summary=None if self.summary in (None, PRINT) else Path(self.summary),
            table=self.judges_out,
            history=self.history,
        )


def show_results(
    screen: "Console", c: "Comparisons | Rankings", found: Results, shown: "Leaderboard", only: SkillOptions
) -> None:
    """Print the results for the items ``shown``."""
    screen.print(plain(f"columns: {c.columns}"))
    show_board(screen, c, found.board, shown)
    if found.history is not None:
        _show_history(screen, found.history, found.board.scale, only.anchor)
    if found.boards is not None:
        show_boards(screen, found.boards, shown)
    if found.judges is not None:
        _show_judges(screen, found.judges)


def _show_history(screen: "Console", history: "pd.DataFrame", board_scale: str, anchor: str | None) -> None:
    """The highest score ever and the biggest mover, and their scale if it is not that of the board."""
    from podium.leaderboard.board import SCALES
    from podium.leaderboard.history import highlights

    for line in highlights(history):
        screen.print(plain(line))
    scale = history.attrs["scale"]
    if anchor is not None or scale != board_scale:
        without = "" if anchor is None else ", without an anchor"
        screen.print(f"scores through time are on the {SCALES[scale]}{without}")


def _show_judges(screen: "Console", judges: "pd.DataFrame") -> None:
    """A table of the judges, flagged ones first, then those with the most votes."""
    from podium.web.judges import COLUMNS, agreement_text, in_order, number

    shown = in_order(judges)[:JUDGES_SHOWN]
    numbers = [
        Column(title, [number(name, value) for value in shown[name]], optional=name not in ALWAYS)
        for name, title in COLUMNS.items()
    ]
    why = Column("flagged because", shown["reason"].tolist(), "text")
    show_table(screen, [Column("judge", names_in(shown["judge"]), "name", least=8), *numbers, why])
    screen.print(plain(agreement_text(judges)))
    if len(judges) > JUDGES_SHOWN:
        screen.print(f"and {len(judges) - JUDGES_SHOWN:,} more; --judges-out saves all of them")


def show_summary(screen: "Console", summary: "Summary") -> None:
    """The table and what is below it, in full unless it goes to a terminal; long lines are not broken."""
    from podium.skill.summary import as_text

    screen.print()
    screen.print(plain(as_text(summary, whole=not screen.is_terminal)), soft_wrap=True)


def add_results(outputs: Outputs, found: Results) -> None:
    """What writes the files of the results, but for the report."""
    if found.summary is not None:
        outputs.add("summarised in", "summary", found.summary.save)
    outputs.add("saved", "board", (found.boards or found.board).save)
    if "picture" in outputs.paths:
        outputs.add("drew", "picture", picture_of(found.boards or found.board))
    if found.history is not None and "history" in outputs.paths:
        _add_history(outputs, found.history)
    if found.judges is not None:
        outputs.add("saved", "table", partial(_save_judges, found.judges))


def _add_history(outputs: Outputs, history: "pd.DataFrame") -> None:
    """Draw the history, or save all of it, depending on how the name of the file ends."""
    from podium.writing.atomic import PICTURES
    from podium.writing.frames import write_frame

    if outputs.paths["history"].suffix.lower() not in PICTURES:
        outputs.add("saved", "history", partial(write_frame, history))
        return
    from podium.plot import HistoryDisplay, save_figure

    outputs.add("drew", "history", partial(save_figure, HistoryDisplay.from_frame(history).figure_))


def _save_judges(judges: "pd.DataFrame", out: Path) -> None:
    from podium.web.judges import in_order
    from podium.writing.frames import write_frame

    write_frame(in_order(judges), out)
