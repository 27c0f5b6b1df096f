"""Head to head for one item at a time: a list of all opponents of an item that the reader chooses."""

import json

import numpy as np

from podium.web.head_to_head import SURPRISING, HeadToHead
from podium.web.table import Column, sortable_table
from podium.web.text import full_name

MOST_LISTED = 300  # items whose opponents can be listed; all pairs of them take less than 1 MB


def opponents_list(h: HeadToHead) -> str:
    """A box to choose an item, and an empty table that the script fills with its opponents."""
    if h.met is None:
        return ""
    titles = ("expected, %", "observed, %", "difference", "meetings", "won", "tied", "lost")
    columns = [Column("opponent", "text", "ascending"), *map(Column, titles)]
    names = map(full_name, h.items)
    options = "".join(f'<option value="{k}">{text}</option>' for k, text in enumerate(names))
    more = f" The first {len(h.items):,} items of the leaderboard can be chosen." if h.left_out else ""
    table = sortable_table("Opponents", columns, [], by=-1, filtered=False)
    return (
        f'<div class="opponents" hidden><p><label>All opponents of <select>{options}</select></label>{more} '
        "An exclamation mark: more than three standard errors from what was expected.</p>"
        f'{table}<script type="application/json">{_pairs(h)}</script></div>'
    )


def _pairs(h: HeadToHead) -> str:
    """For each item i, one list of all j > i that it met, with six numbers for each of them.

    These are j, the expected score in thousandths (-1 if unknown), wins, ties, losses, and 1 for a surprise.
    """
    met = np.asarray(h.met)
    i, j = np.nonzero(np.triu(met.sum(axis=0), 1))
    chance = np.where(np.isnan(h.chance), -1, np.rint(1000 * h.chance))
    surprising = np.abs(h.surprise()) > SURPRISING
    lists: list[list[float]] = [[] for _ in h.items]
    for row, *numbers in zip(i, j, chance[i, j], *met[:, i, j], surprising[i, j], strict=True):
        lists[row] += map(_whole, numbers)
    return json.dumps(lists, separators=(",", ":"))


def _whole(n: float) -> float:
    """A number that takes as few characters as possible."""
    return int(n) if n == int(n) else round(float(n), 3)
