"""The leaderboard as a table that sorts itself, with a bar for every interval."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.leaderboard import SCORE_FORMATS, Leaderboard
from podium.web.text import name, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_ROWS = 1000


@dataclass(frozen=True)
class Column:
    """A column by its title; ``first`` is the way in which the first click sorts it."""

    title: str
    kind: str = "number"
    first: str = "descending"


def board_table(board: Leaderboard) -> str:
    """The best rows as a table, and a line on how many that leaves out."""
    rows = board[:MOST_ROWS]
    columns = _columns(rows)
    head = "".join(_heading(column, sorted_by=i == 0) for i, column in enumerate(columns))
    body = "\n".join(f"<tr>{''.join(cells)}</tr>" for cells in _rows(rows))
    left_out = len(board) - len(rows)
    more = f"<p>… and {left_out:,} more, which <code>--out</code> saves.</p>" if left_out else ""
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Leaderboard">'
        f'<table class="board sortable"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>{more}"
    )


def _columns(board: Leaderboard) -> list[Column]:
    group = [Column("group", first="ascending")] if _several(board) else []
    interval = [Column("interval", "interval")] if _known(board).any() else []
    record = [Column(title, "number record") for title in ("games", "won", "tied", "lost")]
    start = [Column("rank", first="ascending"), Column("item", "text", "ascending"), Column("score")]
    return [*start, *interval, *record, *group]


def _heading(column: Column, sorted_by: bool) -> str:
    order = "ascending" if sorted_by else "none"
    return (
        f'<th scope="col" class="{column.kind}" aria-sort="{order}">'
        f'<button type="button" data-first="{column.first}">{column.title}</button></th>'
    )


def _rows(board: Leaderboard) -> "Iterable[list[str]]":
    spec = SCORE_FORMATS[board.scale]
    bars = _bars(board)
    several, known = _several(board), _known(board)
    for i in range(len(board)):
        cells = [
            _cell(float(board.rank[i]), str(board.rank[i])),
            f'<th scope="row" class="text">{name(board.item[i])}</th>',
            _cell(board.score[i], format(board.score[i], spec)),
        ]
        if known.any():
            words = f"{board.low[i]:{spec}} to {board.high[i]:{spec}}" if known[i] else "–"
            cells.append(_cell(board.low[i], f"<div><small>{words}</small>{bars[i]}</div>", "interval"))
        for count in (board.games[i], board.wins[i], board.ties[i], board.losses[i]):
            cells.append(_cell(count, f"{count:,.6g}", "number record"))
        if several:
            cells.append(_cell(float(board.component[i]), str(board.component[i] + 1)))
        yield cells


def _cell(value: float, content: str, kind: str = "number") -> str:
    """A cell, and the number that it is sorted by; none where there is none."""
    number = f"{value:.12g}" if np.isfinite(value) else ""
    return f'<td class="{kind}" data-value="{number}">{content}</td>'


def _several(board: Leaderboard) -> bool:
    return len(set(board.component.tolist())) > 1


def _known(board: Leaderboard) -> NDArray[np.bool_]:
    return np.asarray(~(np.isnan(board.low) | np.isnan(board.high)))


def _bars(board: Leaderboard) -> list[str]:
    """Intervals on one scale for all rows, in per cent of its width; one without an end runs to the edge."""
    values = np.concatenate([board.low, board.high, board.score])
    values = values[np.isfinite(values)]
    lowest, width = (values.min(), np.ptp(values) or 1.0) if len(values) else (0.0, 1.0)
    share = [np.clip(100 * (end - lowest) / width, 0, 100) for end in (board.low, board.score, board.high)]
    low, dot, high = (np.where(np.isnan(end), 0, end) for end in share)
    known = _known(board)
    return [
        f'<span class="bar" style="--low:{low[i]:.1f}%;--dot:{dot[i]:.1f}%;--high:{high[i]:.1f}%"></span>'
        if known[i]
        else ""
        for i in range(len(board))
    ]


def board_caption(board: Leaderboard, shares_ranks: bool) -> str:
    """How to read the table."""
    bars = f"The bars are {100 * board.level:g} % intervals of the score."
    sentences = [bars if _known(board).any() else "This model gives no intervals."]
    if shares_ranks:
        sentences.append("Items that cannot be told apart share a rank.")
    if _several(board):
        sentences.append("Scores of different groups cannot be compared: no comparison connects them.")
    return shown(" ".join(sentences).replace(" %", "\N{NO-BREAK SPACE}%"))
