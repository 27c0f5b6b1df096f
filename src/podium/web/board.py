"""The leaderboard as tables: items with bars for intervals, effects of covariates, and ranks by category."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.leaderboard.axes import Span
from podium.leaderboard.board import SCALES, SCORE_FORMATS
from podium.leaderboard.boards import Boards
from podium.leaderboard.effects import FORMATS, held_equal, odds_factors, order_effect_text, rounded
from podium.leaderboard.leaderboard import Leaderboard, range_texts, rank_text, verdict_lines
from podium.web.table import Column, cell, intervals, names, numbers, sortable_table
from podium.web.text import name, short_count, shown
from podium.writing.label_text import label_text

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 1000  # a longer table would make the page slow
MOST_TICKS = 5  # numbers on the axis of the bars
MOST_DIGITS = 20  # of all these numbers: what fits beside each other on a phone
MOST_CATEGORIES = 20  # columns of ranks that fit on a printed page
MOST_LINES = 30  # of their upright titles
MOST_FLAT = 8  # columns of ranks with horizontal titles
LONGEST_FLAT = 60  # characters of all these titles
TITLE_HEIGHT = 22  # characters of a line of an upright title
ENOUGH = 10  # games; the scores of items with fewer are grey, since they are too far apart
RECORD = ("games", "won", "tied", "lost")


def board_table(board: Leaderboard, filtered: bool = True, enough: float = 0) -> str:
    """The best rows as a table, and a line with the number of rows left out.

    Scores of items with less than ``enough`` games are grey.
    """
    rows = board[:MOST_ROWS]
    left_out = len(board) - len(rows)
    more = f"<p>… and {left_out:,} more, which <code>--out</code> saves.</p>" if left_out else ""
    scale = Scale(Span.of(rows.low, rows.high, rows.score))
    columns = _columns(rows, scale, enough)
    return sortable_table("Leaderboard", columns, kind="leaderboard", filtered=filtered) + more


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

    def cells(self, board: Leaderboard) -> list[str]:
        """A bar for every interval, with the grid behind it."""
        grid, ends = self.grid(), zip(board.low, board.score, board.high, board.has_interval, strict=True)
        bars = (self.bar(low, score, high) if known else "" for low, score, high, known in ends)
        return [f'<td role="cell" class="chart" style="{grid}">{bar}</td>' for bar in bars]

    def bar(self, low: float, score: float, high: float) -> str:
        """A line from end to end, with a tick at the score; an infinite interval reaches the edge."""
        open_ends = "".join(f" {side}" for side, end in (("left", low), ("right", high)) if np.isinf(end))
        places = f"--low:{self.at(low):.1f}%;--dot:{self.at(score):.1f}%;--high:{self.at(high):.1f}%"
        return f'<div class="bar{open_ends}" style="{places}"></div>'


def _columns(board: Leaderboard, scale: Scale, enough: float) -> list[Column]:
    spec = SCORE_FORMATS[board.scale]
    kinds = np.where(board.games < enough, "number score few", "number score")
    scores = ["–" if np.isnan(score) else format(score, spec) for score in board.score]
    columns = [
        numbers("rank", board.rank, rank_text, "number rank", "ascending"),
        # The ranges are there even if all are unknown: the columns of a live board stay.
        *[_ranges(board)] * (board.ranks is not None),
        names("item", map(name, board.item)),
        Column("score", list(map(cell, board.score, scores, kinds))),
    ]
    if board.has_interval.any():
        columns += [
            intervals("interval", board.low, board.high, lambda end: format(end, spec), "number interval"),
            Column("chart", scale.cells(board), "chart", head=scale.axis()),
        ]
    counts = (board.games, board.wins, board.ties, board.losses)
    columns += [
        numbers(title, column, "{:,.6g}".format, f"number record {title}")
        for title, column in zip(RECORD, counts, strict=True)
    ]
    if board.has_groups:
        kind = "number record group"
        columns.append(numbers("group", board.component, lambda k: str(k + 1), kind, "ascending"))
    return columns


def _ranges(board: Leaderboard) -> Column:
    cells = map(cell, board.rank_low, range_texts(board), ["number range"] * len(board))
    return Column("range", list(cells), "number range", "ascending")


def board_caption(board: Leaderboard) -> str:
    """How to read the table."""
    bars = f"The lines are {100 * board.level:g} % intervals; the tick on each line is the score."
    sentences = [f"{line.replace('nobody leads', 'Nobody leads', 1)}." for line in verdict_lines(board)]
    sentences.append(bars if board.has_interval.any() else "This model gives no intervals.")
    if board.order_effect is not None:
        effect = order_effect_text(board)
        sentences.append(f"{effect[:1].upper()}{effect[1:]}.")
    sentences += [f"{line[:1].upper()}{line[1:]}." for line in board.method]
    if board.has_ranges:
        held = "all ranges hold together" if board.ranks == "simultaneous" else "pairs are tested one by one"
        sentences.append(
            "A rank is the place by score. Its range leaves out the places that are certainly too high or "
            f"too low; {held}, at {100 * board.level:g} %."
        )
    if board.has_groups:
        sentences.append("Scores of different groups cannot be compared: no comparison connects them.")
    return shown(" ".join(sentences).replace(" %", "\N{NO-BREAK SPACE}%"))


# ------------------------------------------------------------------------------------ effects of covariates


def effects_section(board: Leaderboard) -> str:
    """The effects with their intervals, and a sentence that explains the first of them."""
    effects, written = board.covariate_effects, partial(rounded, spec=FORMATS[board.scale])
    labels, per, value, low, high = zip(*effects, strict=True)
    columns = [
        names("covariate", map(name, labels)),
        numbers("per", per, "{:g}".format),
        numbers("odds ×" if board.scale == "skill" else SCALES[board.scale], value, written),
        intervals(f"{100 * board.level:g} % interval", low, high, written),
    ]
    if board.scale != "skill":
        odds, low, high = np.transpose([odds_factors(effect, board) for effect in effects])
        columns += [numbers("odds ×", odds, rounded), intervals("interval of the odds", low, high, rounded)]
    return f"<p>{shown(_meaning(board))}</p>{sortable_table('Covariates', columns, by=-1)}"


def _meaning(board: Leaderboard) -> str:
    first = board.covariate_effects[0]
    odds, low, high = odds_factors(first, board)
    return (
        f"The scores compare items {held_equal(board)}. The table shows what a side gains by more of a "
        f"covariate than the other side, all else equal. For example, {first.per:g} more of {first.name} "
        f"multiplies the odds of winning by {rounded(odds)} ({rounded(low)} to {rounded(high)})."
    )


# ------------------------------------------------------------------------------------ ranks by category


def ranks_section(boards: Boards, by: str = "category") -> str:
    """How every item does on every board, in blocks of categories that fit on a printed page.

    As on the screen, the category with the most games comes first. ``by`` is the name of the categories.
    """
    largest_first = np.argsort([-board.games.sum() for board in boards.values()], kind="stable")
    order = [0, *(1 + largest_first)]
    frames = [frame.iloc[:MOST_ROWS, order] for frame in (boards.ranks, boards.scores, boards.games)]
    tables = "".join(
        _ranks_table([frame.iloc[:, [0, *block]] for frame in frames], SCORE_FORMATS[boards.overall.scale])
        for block in _blocks(frames[0].columns[1:])
    )
    said = (
        f"Ranks overall and by {by}, the one with the most games first. Below each rank are the score and "
        f"the number of games; what rests on fewer than {ENOUGH} games is grey. A dash: not ranked there."
    )
    return f"<p>{shown(said)}</p>{tables}" + "".join(f"<p>{shown(note)}</p>" for note in boards.notes)


def _blocks(categories: Iterable[Any]) -> list[list[int]]:
    """The places of the categories, from 1, in parts whose columns fit beside each other."""
    blocks: list[list[int]] = []
    lines = 0
    for place, category in enumerate(categories, 1):
        height = max(len(wrap(label_text(category), TITLE_HEIGHT)), 1)
        if not blocks or lines + height > MOST_LINES or len(blocks[-1]) == MOST_CATEGORIES:
            blocks.append([])
            lines = 0
        blocks[-1].append(place)
        lines += height
    return blocks


def _ranks_table(frames: "list[pd.DataFrame]", spec: str) -> str:
    """One column per category from the frames of ranks, scores and games."""
    titles = [label_text(category) for category in frames[0].columns]
    label = f"Ranks: {titles[0]} and {titles[1]} to {titles[-1]}"
    upright = len(titles) > MOST_FLAT or sum(map(len, titles)) > LONGEST_FLAT
    if upright:
        titles = ["\n".join(wrap(title, TITLE_HEIGHT)) for title in titles]
    numbers = (frame.to_numpy(dtype=float, na_value=np.nan).T for frame in frames)
    columns = [
        Column(title, [_place_cell(*one, spec=spec) for one in zip(*column, strict=True)], first="ascending")
        for title, *column in zip(titles, *numbers, strict=True)
    ]
    kind = "places upright" if upright else "places"
    return sortable_table(label, [names("item", map(name, frames[0].index)), *columns], by=1, kind=kind)


def _place_cell(rank: float, score: float, games: float, *, spec: str) -> str:
    """A rank, and below it the score and the number of games; only a dash where there are no games."""
    if np.isnan(games):
        return cell(np.nan, "–")
    place, shown_score = ("–" if np.isnan(x) else format(x, as_) for x, as_ in ((rank, ".0f"), (score, spec)))
    content = f"{place}<small>{shown_score}<br>{short_count(games)}</small>"
    return cell(rank, content, "number few" if games < ENOUGH else "number")
