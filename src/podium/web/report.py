"""A report as one HTML file: style and script are in it, and nothing is fetched when it is opened."""

import os
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.resources import files
from shlex import quote
from string import Template

from podium.atomic import checked_path, write_whole
from podium.comparisons import Comparisons
from podium.leaderboard import Leaderboard, scale_text
from podium.summary import Summary
from podium.web.board import board_caption, board_table
from podium.web.calibration import Calibration, calibration_picture, calibration_table
from podium.web.head_to_head import HeadToHead, matrix_table
from podium.web.text import shown

PAGES = (".html", ".htm")


@dataclass(frozen=True, eq=False, kw_only=True)
class Report:
    """What a report says; ``calibration`` may be the sentence that says why there is none."""

    title: str
    model: str
    comparisons: Comparisons
    board: Leaderboard
    shares_ranks: bool
    head_to_head: HeadToHead
    calibration: Calibration | str
    warnings: tuple[str, ...]
    command: tuple[str, ...]
    made: datetime


def save_report(report: Report, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all; its name ends in .html or .htm."""
    path = checked_path(path, PAGES)
    # A name may hold half of a surrogate pair, which no file can.
    write_whole(path, page(report).encode("utf-8", "xmlcharrefreplace"))


def page(report: Report) -> str:
    """The report as the text of an HTML file."""
    from podium import __version__

    script = _part("page.js")
    return Template(_part("page.html")).substitute(
        title=shown(report.title),
        facts=shown(_facts(report)),
        style=_part("page.css"),
        script=script,
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        warnings=_warnings(report.warnings),
        board=board_table(report.board),
        board_caption=board_caption(report.board, report.shares_ranks),
        head_to_head=_head_to_head(report.head_to_head),
        calibration=_calibration(report.calibration),
        data=_data(report.comparisons),
        command=" ".join(f"<span>{shown(quote(word))}</span>" for word in report.command),
        model=shown(report.model),
        version=__version__,
        made=f"{report.made:%Y-%m-%d %H:%M %Z}".strip(),
    )


def _part(name: str) -> str:
    return files("podium.web").joinpath(name).read_text(encoding="utf-8")


def _facts(report: Report) -> str:
    items = f"{len(report.board):,} {'item' if len(report.board) == 1 else 'items'}"
    rows = f"{len(report.comparisons):,} {'comparison' if len(report.comparisons) == 1 else 'comparisons'}"
    return f"{items}, {rows}, {scale_text(report.board)}".replace(" %", "\N{NO-BREAK SPACE}%")


def _warnings(sentences: tuple[str, ...]) -> str:
    if not sentences:
        return ""
    listed = "".join(f"<li>{shown(sentence)}</li>" for sentence in sentences)
    return f'<aside class="warnings" aria-label="Warnings"><ul>{listed}</ul></aside>'


def _head_to_head(h: HeadToHead) -> str:
    if len(h.items) < 2:
        return "<p>One item has nobody to meet.</p>"
    which = f"The first {len(h.items)} items of the leaderboard; {h.left_out:,} more are left out. "
    return (
        f"<p>{which if h.left_out else ''}The chance of the row to beat the column in per cent, "
        f"a tie counting as half a win.</p>{matrix_table(h)}"
    )


def _calibration(calibration: Calibration | str) -> str:
    if isinstance(calibration, str):
        return f"<p>{shown(calibration)}</p>"
    return (
        f"<p>{shown(calibration.how)} Of what is predicted with 70 %, 70 in 100 should come true: "
        f"on the dotted line they do.</p>{calibration_picture(calibration)}{calibration_table(calibration)}"
    )


def _data(c: Comparisons) -> str:
    facts = {name: value.replace("T00:00:00", "") for name, value in Summary.of(c).rows().items()}
    rows = (f"<div><dt>{shown(name)}</dt><dd>{shown(value)}</dd></div>" for name, value in facts.items())
    return f"<dl>{''.join(rows)}</dl>"
