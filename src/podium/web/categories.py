"""The ranks by category, as tables that fit on a printed page."""

from collections.abc import Iterable
from textwrap import wrap
from typing import Any

import pandas as pd

from podium.leaderboard.boards import Boards
from podium.web.board import MOST_ROWS
from podium.web.table import Column, cell, row_head, sortable_table
from podium.web.text import name, shown
from podium.writing.label_text import label_text

MOST_CATEGORIES = 20  # columns of ranks that fit on a printed page
MOST_LINES = 30  # of their upright titles
MOST_FLAT = 8  # columns of ranks with horizontal titles
LONGEST_FLAT = 60  # characters of all these titles
TITLE_HEIGHT = 22  # characters of a line of an upright title


def ranks_section(boards: Boards) -> str:
    """The rank of every item on every board, in blocks of categories that fit on a printed page."""
    ranks = boards.ranks.head(MOST_ROWS)
    overall, categories = ranks.columns[:1], ranks.columns[1:]
    tables = "".join(_ranks_table(ranks[[*overall, *block]]) for block in _blocks(categories))
    head = "<p>Ranks overall and by category. A dash: not ranked there.</p>"
    return head + tables + "".join(f"<p>{shown(note)}</p>" for note in boards.notes)


def _blocks(categories: Iterable[Any]) -> list[list[Any]]:
    """The categories in parts whose columns fit beside each other."""
    blocks: list[list[Any]] = []
    lines = 0
    for category in categories:
        height = max(len(wrap(label_text(category), TITLE_HEIGHT)), 1)
        if not blocks or lines + height > MOST_LINES or len(blocks[-1]) == MOST_CATEGORIES:
            blocks.append([])
            lines = 0
        blocks[-1].append(category)
        lines += height
    return blocks


def _ranks_table(ranks: pd.DataFrame) -> str:
    titles = [label_text(category) for category in ranks.columns]
    label = f"Ranks: {titles[0]} and {titles[1]} to {titles[-1]}"
    upright = len(titles) > MOST_FLAT or sum(map(len, titles)) > LONGEST_FLAT
    if upright:
        titles = ["\n".join(wrap(title, TITLE_HEIGHT)) for title in titles]
    columns = [Column(title, first="ascending") for title in titles]
    rows = (
        [
            row_head(name(item)),
            *(cell(float("nan"), "–") if rank is pd.NA else cell(float(rank), str(rank)) for rank in row),
        ]
        for item, row in zip(ranks.index, ranks.astype(object).to_numpy(), strict=True)
    )
    kind = "upright" if upright else ""
    return sortable_table(label, [Column("item", "text", "ascending"), *columns], rows, by=1, kind=kind)
