"""The report on a leaderboard: the board, head to head, calibration and the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from podium.comparisons.provenance import digest, left_out
from podium.comparisons.rankings import Rankings
from podium.comparisons.summary import RECORD, counted
from podium.comparisons.table import Comparisons
from podium.leaderboard.boards import Boards
from podium.leaderboard.calibration import Calibration
from podium.leaderboard.effects import held_equal
from podium.leaderboard.history import time_text
from podium.leaderboard.leaderboard import Leaderboard, scale_text
from podium.web.board import board_caption, board_table, effects_section, ranks_section
from podium.web.calibration import calibration_section
from podium.web.head_to_head import HeadToHead, matrix_table, matrix_text, opponents_list
from podium.web.history import history_section
from podium.web.judges import judges_section
from podium.web.page import Page, facts_list
from podium.web.text import shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """The content of a report.

    Attributes
    ----------
    title : str
        The title of the page.
    model : str
        The model and its parameters.
    comparisons : Comparisons or Rankings
        The data.
    board : Leaderboard
        The leaderboard.
    head_to_head : HeadToHead
        Expected and observed results between the best items.
    calibration : Calibration, str or None
        The calibration, or a sentence that explains why there is none. None leaves out the section, as for
        rankings.
    warnings : tuple of str
        Sentences at the top of the page.
    command : tuple of str
        The command that made the report.
    made : datetime
        When it was made.
    boards : Boards, optional
        The boards by category.
    judges : DataFrame, optional
        The table of `BradleyTerry.judges`.
    history : DataFrame, optional
        The scores through time, as `DynamicBradleyTerry.history` returns them.
    drawn : sequence, optional
        The items in the picture of the history; by default those that are best at the end.
    description : str, default=""
        Plain text under the title; an empty line begins a new paragraph.
    compared : tuple of str, default=()
        Sentences on two items, which stand above the leaderboard.
    fragile : tuple of str, default=()
        Sentences on how few votes decide the board.
    """

    title: str
    model: str
    comparisons: Comparisons | Rankings
    board: Leaderboard
    head_to_head: HeadToHead
    calibration: Calibration | str | None
    warnings: tuple[str, ...]
    command: tuple[str, ...]
    made: datetime
    boards: Boards | None = None
    judges: "pd.DataFrame | None" = None
    history: "pd.DataFrame | None" = None
    drawn: "Sequence[Any] | None" = None
    description: str = ""
    compared: tuple[str, ...] = ()
    fragile: tuple[str, ...] = ()


def page_of(report: Report) -> Page:
    """The report as a page."""
    record = f" {RECORD.capitalize()}." if isinstance(report.comparisons, Rankings) else ""
    pair = f"<p>Compared: {shown('; '.join(report.compared))}.</p>\n" if report.compared else ""
    board = f"<p>{board_caption(report.board)}{record}</p>\n{pair}{board_table(report.board)}"
    calibration, fragile = report.calibration, " ".join(report.fragile)
    by = getattr(report.comparisons.columns, "category", None) or "category"
    return Page(
        title=report.title,
        facts=_facts(report),
        sections={
            "Leaderboard": board,
            **({} if report.history is None else {"History": history_section(report.history, report.drawn)}),
            **({"Covariates": effects_section(report.board)} if report.board.covariate_effects else {}),
            **({} if report.boards is None else {f"By {by}": ranks_section(report.boards, by)}),
            **({} if report.judges is None else {"Judges": judges_section(report.judges)}),
            **({"What would change this": f"<p>{shown(fragile)}</p>"} if fragile else {}),
            "Head to head": _head_to_head(report),
            **({} if calibration is None else {"Calibration": calibration_section(calibration)}),
            "Data": data_section(report.comparisons),
        },
        warnings=report.warnings,
        models=(report.model,),
        command=report.command,
        made=report.made,
        description=report.description,
    )


def _facts(report: Report) -> str:
    data = report.comparisons
    noun = data.summary().noun if isinstance(data, Rankings) else "comparison"
    return f"{counted(len(report.board), 'item')}, {counted(len(data), noun)}, {scale_text(report.board)}"


def _head_to_head(report: Report) -> str:
    h, equal = report.head_to_head, held_equal(report.board)
    if len(h.items) < 2:
        return "<p>There is only one item.</p>"
    text = matrix_text(h)
    if isinstance(report.comparisons, Rankings):
        text += " Meetings are the pairs within rankings."
    if equal:
        text += f" {equal[:1].upper()}{equal[1:]}."
    return f"<p>{shown(text)}</p>{matrix_table(h)}{opponents_list(h)}"


def data_section(c: Comparisons | Rankings) -> str:
    """A summary of the comparisons or rankings, what was read from where, and what was left out."""
    facts = c.summary().rows()
    if c.time is not None and len(c):
        facts["time"] = f"{time_text(c.time.min())} to {time_text(c.time.max())}"
    read = "" if c.columns is None else f"<p>Columns: {shown(str(c.columns))}.</p>"
    if c.skipped:
        read += f"<p>Left out because they could not be read: {counted(len(c.skipped), 'row')}. "
        read += f"{shown('; '.join(left_out(c)))}.</p>"
    if isinstance(c, Comparisons):
        read += f"<p>SHA-256 of the distinct rows with their counts: <code>{digest(c)}</code></p>"
    return facts_list(facts) + read
