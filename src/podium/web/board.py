"""The leaderboard as a sortable table, with a bar for every interval on a common axis."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium.leaderboard.axes import Span
from podium.leaderboard.board import SCORE_FORMATS
from podium.leaderboard.effects import order_effect_text
from podium.leaderboard.leaderboard import Leaderboard, rank_text
from podium.web.table import Column, cell, row_head, sortable_table
from podium.web.text import name, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_ROWS = 1000  # a longer table would make the page slow
MOST_TICKS = 5  # numbers on the axis of the bars
MOST_DIGITS = 20  # of all these numbers: what fits beside each other on a phone
RECORD = ("games", "won", "tied", "lost")


def board_table(board: Leaderboard, filtered: bool = True, enough: float = 0) -> str:
    """The best rows as a table, and a line with the number of rows left out.

    Scores of items with less than ``enough`` games are grey.
    """
    rows = board[:MOST_ROWS]
    left_out = len(board) - len(rows)
    more = f"<p>… and {left_out:,} more, which <code>--out</code> saves.</p>" if left_out else ""
    scale = Scale(Span.of(rows.low, rows.high, rows.score))
    table = sortable_table(
        "Leaderboard",
        _columns(rows, scale),
        _rows(rows, scale, enough),
        kind="leaderboard",
        filtered=filtered,
    )
    return table + more


@dataclass(frozen=True)
class Scale:
    """Places scores on the common axis of the bars, in per cent."""

    span: Span

    def at(self, score: float) -> float:
        """An infinite score is at the edge."""
        return float(np.clip(100 * self.span.share(np.asarray(score)), 0, 100))

    def ticks(self) -> dict[float, str]:
        """Round numbers, fewer of them if they are long."""
        for most in range(MOST_TICKS, 1, -1):
            ticks = self.span.ticks(most)
            if sum(map(len, ticks.values())) <= MOST_DIGITS:
                break
        return ticks

    def axis(self) -> str:
        """Ticks with numbers, above the bars."""
        marks = "".join(
            f'<span style="left:{self.at(value):.1f}%">{text}</span>' for value, text in self.ticks().items()
        )
        return f'<div class="axis">{marks}</div>'

    def grid(self) -> str:
        """The distance of two ticks, and how far the first is from the left, for lines behind the bars."""
        places = [self.at(value) for value in self.ticks()]
        step = places[1] - places[0] if len(places) > 1 else 200
        return f"--first:{places[0] % step if places else 100:.2f}%;--step:{step:.2f}%"

    def bar(self, low: float, score: float, high: float) -> str:
        """A line from end to end, with a tick at the score; an infinite interval reaches the edge."""
        open_ends = "".join(f" {side}" for side, end in (("left", low), ("right", high)) if np.isinf(end))
        places = f"--low:{self.at(low):.1f}%;--dot:{self.at(score):.1f}%;--high:{self.at(high):.1f}%"
        return f'<div class="bar{open_ends}" style="{places}"></div>'


def _columns(board: Leaderboard, scale: Scale) -> list[Column]:
    group = [Column("group", "number record group", "ascending")] if board.has_groups else []
    axis = Column("chart", "chart", head=scale.axis())
    interval = [Column("interval", "number interval"), axis] if board.has_interval.any() else []
    record = [Column(title, f"number record {title}") for title in RECORD]
    start = [Column("rank", first="ascending"), Column("item", "text", "ascending"), Column("score")]
    return [*start, *interval, *record, *group]


def _rows(board: Leaderboard, scale: Scale, enough: float) -> "Iterable[list[str]]":
    spec = SCORE_FORMATS[board.scale]
    several, known, grid = board.has_groups, board.has_interval, scale.grid()
    counts = np.column_stack([board.games, board.wins, board.ties, board.losses])
    for i, (low, score, high) in enumerate(zip(board.low, board.score, board.high, strict=True)):
        kind = "number score few" if board.games[i] < enough else "number score"
        cells = [
            cell(float(board.rank[i]), rank_text(int(board.rank[i])), "number rank"),
            row_head(name(board.item[i])),
            cell(
                score,
                "–" if np.isnan(score) else format(score, spec),
                kind,
            ),
        ]
        if known.any():
            words = f"{low:{spec}} to {high:{spec}}" if known[i] else "–"
            bar = scale.bar(low, score, high) if known[i] else ""
            cells += [
                cell(low, words, "number interval"),
                f'<td role="cell" class="chart" style="{grid}">{bar}</td>',
            ]
        for title, count in zip(RECORD, counts[i], strict=True):
            cells.append(cell(count, f"{count:,.6g}", f"number record {title}"))
        if several:
            cells.append(cell(float(board.component[i]), str(board.component[i] + 1), "number record group"))
        yield cells


def board_caption(board: Leaderboard, shares_ranks: bool) -> str:
    """How to read the table."""
    bars = f"The lines are {100 * board.level:g} % intervals; the tick on each line is the score."
    sentences = [bars if board.has_interval.any() else "This model gives no intervals."]
    if board.order_effect is not None:
        effect = order_effect_text(board)
        sentences.append(f"{effect[:1].upper()}{effect[1:]}.")
    sentences += [f"{line[:1].upper()}{line[1:]}." for line in board.method]
    if shares_ranks:
        held = "; all of this holds together" if board.ranks == "simultaneous" else ", pair by pair"
        sentences.append(f"A rank is 1 plus the number of items that are significantly better{held}.")
    if board.has_groups:
        sentences.append("Scores of different groups cannot be compared: no comparison connects them.")
    return shown(" ".join(sentences).replace(" %", "\N{NO-BREAK SPACE}%"))
