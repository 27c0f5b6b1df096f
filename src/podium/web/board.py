"""The leaderboard as a sortable table, with a bar for every interval."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from podium.leaderboard.board import SCORE_FORMATS
from podium.leaderboard.boards import Boards
from podium.leaderboard.effects import order_effect_text
from podium.leaderboard.leaderboard import Leaderboard, rank_text
from podium.web.table import Column, cell, sortable_table
from podium.web.text import name, shown
from podium.writing.label_text import label_text

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_ROWS = 1000  # a longer table would make the page slow


def board_table(board: Leaderboard) -> str:
    """The best rows as a table, and a line with the number of rows left out."""
    rows = board[:MOST_ROWS]
    left_out = len(board) - len(rows)
    more = f"<p>… and {left_out:,} more, which <code>--out</code> saves.</p>" if left_out else ""
    return sortable_table("Leaderboard", _columns(rows), _rows(rows)) + more


def ranks_section(boards: Boards) -> str:
    """The rank of every item on every board."""
    ranks = boards.ranks.head(MOST_ROWS)
    titles = [Column(label_text(category), first="ascending") for category in ranks.columns]
    rows = (
        [
            f'<th scope="row" class="text">{name(item)}</th>',
            *(cell(float("nan"), "–") if rank is pd.NA else cell(float(rank), str(rank)) for rank in row),
        ]
        for item, row in zip(ranks.index, ranks.astype(object).to_numpy(), strict=True)
    )
    head = "<p>Ranks overall and by category. A dash: not ranked there.</p>"
    notes = "".join(f"<p>{shown(note)}</p>" for note in boards.notes)
    return (
        head
        + sortable_table("By category", [Column("item", "text", "ascending"), *titles], rows, by=1)
        + notes
    )


def _columns(board: Leaderboard) -> list[Column]:
    group = [Column("group", first="ascending")] if _several(board) else []
    interval = [Column("interval", "interval")] if _known(board).any() else []
    record = [Column(title, "number record") for title in ("games", "won", "tied", "lost")]
    start = [Column("rank", first="ascending"), Column("item", "text", "ascending"), Column("score")]
    return [*start, *interval, *record, *group]


def _rows(board: Leaderboard) -> "Iterable[list[str]]":
    spec = SCORE_FORMATS[board.scale]
    bars = _bars(board)
    several, known = _several(board), _known(board)
    for i in range(len(board)):
        cells = [
            cell(float(board.rank[i]), rank_text(int(board.rank[i]))),
            f'<th scope="row" class="text">{name(board.item[i])}</th>',
            cell(board.score[i], "–" if np.isnan(board.score[i]) else format(board.score[i], spec)),
        ]
        if known.any():
            words = f"{board.low[i]:{spec}} to {board.high[i]:{spec}}" if known[i] else "–"
            cells.append(cell(board.low[i], f"<div><small>{words}</small>{bars[i]}</div>", "interval"))
        for count in (board.games[i], board.wins[i], board.ties[i], board.losses[i]):
            cells.append(cell(count, f"{count:,.6g}", "number record"))
        if several:
            cells.append(cell(float(board.component[i]), str(board.component[i] + 1)))
        yield cells


def _several(board: Leaderboard) -> bool:
    return len(set(board.component.tolist())) > 1


def _known(board: Leaderboard) -> NDArray[np.bool_]:
    return np.asarray(~(np.isnan(board.low) | np.isnan(board.high)))


def _bars(board: Leaderboard) -> list[str]:
    """The intervals as bars, all on the same scale; an infinite interval reaches the edge."""
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
    if board.order_effect is not None:
        effect = order_effect_text(board)
        sentences.append(f"{effect[:1].upper()}{effect[1:]}.")
    sentences += [f"{line[:1].upper()}{line[1:]}." for line in board.method]
    if shares_ranks:
        held = "; all of this holds together" if board.ranks == "simultaneous" else ", pair by pair"
        sentences.append(f"A rank is 1 plus the number of items that are significantly better{held}.")
    if _several(board):
        sentences.append("Scores of different groups cannot be compared: no comparison connects them.")
    return shown(" ".join(sentences).replace(" %", "\N{NO-BREAK SPACE}%"))
