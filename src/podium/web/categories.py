"""The ranks by category, as tables that fit on a printed page."""

from textwrap import wrap

import pandas as pd

from podium.leaderboard.boards import Boards
from podium.web.board import MOST_ROWS
from podium.web.table import Column, cell, row_head, sortable_table
from podium.web.text import name, shown
from podium.writing.label_text import label_text

MOST_CATEGORIES = 20  # columns of ranks that fit on a printed page
MOST_FLAT = 8  # columns of ranks with horizontal titles
TITLE_HEIGHT = 22  # characters of a line of an upright title


def ranks_section(boards: Boards) -> str:
    """The rank of every item on every board, in blocks of categories that fit on a printed page."""
    ranks = boards.ranks.head(MOST_ROWS)
    overall, categories = ranks.columns[:1], ranks.columns[1:]
    blocks = [categories[k : k + MOST_CATEGORIES] for k in range(0, len(categories), MOST_CATEGORIES)]
    tables = "".join(_ranks_table(ranks[[*overall, *block]]) for block in blocks)
    head = "<p>Ranks overall and by category. A dash: not ranked there.</p>"
    return head + tables + "".join(f"<p>{shown(note)}</p>" for note in boards.notes)


def _ranks_table(ranks: pd.DataFrame) -> str:
    titles = [label_text(category) for category in ranks.columns]
    label = f"Ranks: {titles[0]} and {titles[1]} to {titles[-1]}"
    upright = len(titles) > MOST_FLAT
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
