"""Head to head: what the model expects between two items, and how they did against each other."""

import json
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.leaderboard.head_to_head import expected_scores, meetings, observed_scores
from podium.leaderboard.leaderboard import Leaderboard
from podium.web.table import Column, names, sortable_table
from podium.web.text import full_name, percent, short_count, short_heads, shown

MOST_ITEMS = 20  # rows and columns of the matrix: what fits on a printed page
MOST_STEPS = 2 * 10**8  # rankings times pairs of items; to count so many takes seconds
LONGEST_NAME = 72  # columns of text: three lines of a heading
MOST_LISTED = 300  # items whose opponents can be listed; all pairs of them take less than 1 MB
SURPRISING = 3.0  # standard errors


@dataclass(frozen=True, eq=False)
class HeadToHead:
    """What was expected between the best items of a board, and what happened.

    ``chance[i, j]`` is the expected score of item i against item j, a tie being half a win; nan if unknown.
    ``met[:, i, j]`` are the wins, ties and losses of i against j; None for comparisons of teams.
    """

    items: NDArray[Any]
    chance: Floats
    met: Floats | None
    left_out: int

    @classmethod
    def of(
        cls, model: Any, c: Comparisons | Rankings, board: Leaderboard, at: Any = None, most: int = MOST_ITEMS
    ) -> Self:
        """The best items of a board, with the probabilities of the model that made it, at a time if given."""
        if isinstance(c, Rankings):
            most = min(most, max(MOST_ITEMS, int((2 * MOST_STEPS / len(c)) ** 0.5)))
        items = board.item[:most]
        return cls(items, expected_scores(model, items, at), meetings(c, items), len(board) - len(items))

    def first(self, n: int) -> Self:
        """The first items only."""
        met = None if self.met is None else self.met[:, :n, :n]
        left_out = self.left_out + max(len(self.items) - n, 0)
        return type(self)(self.items[:n], self.chance[:n, :n], met, left_out)

    def surprise(self) -> Floats:
        """By how many standard errors the observed score is above the expected one; nan if they never met."""
        if self.met is None:
            return np.full_like(self.chance, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(self.chance * (1 - self.chance) / self.met.sum(axis=0))
            return np.asarray((observed_scores(self.met) - self.chance) / error)


# ------------------------------------------------------------------------------------ matrix


def matrix_table(h: HeadToHead) -> str:
    """The first items against each other, row against column, as a heat map of the expected scores."""
    h = h.first(MOST_ITEMS)
    surprise, heads = h.surprise(), short_heads(h.items, LONGEST_NAME)
    head = "".join(f'<th scope="col"><span>{text}</span></th>' for text in heads)
    body = "\n".join(
        f'<tr><th scope="row">{text}</th>'
        f"{''.join(_cell(h, surprise, i, j) for j in range(len(h.items)))}</tr>"
        for i, text in enumerate(heads)
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Head to head">'
        f'<table class="matrix"><thead><tr><td></td>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'
    )


def matrix_text(h: HeadToHead) -> str:
    """How to read the matrix."""
    said = "The chance, in per cent, that the row beats the column; a tie counts as half a win."
    if h.met is not None:
        said += (
            " Below it is what happened: the row's share of their meetings, in per cent, and the number of "
            "meetings; a dash if there were none. A frame marks results that are more than three standard "
            "errors from what was expected."
        )
    h = h.first(MOST_ITEMS)
    if h.left_out:
        said = f"The first {len(h.items)} items of the leaderboard; {h.left_out:,} more are left out. {said}"
    return said


def _cell(h: HeadToHead, surprise: Floats, i: int, j: int) -> str:
    if i == j:
        return '<td class="self"></td>'
    chance = h.chance[i, j]
    if np.isnan(chance):
        return '<td class="unknown" title="never compared">–</td>'
    side = "ahead" if chance >= 0.5 else "behind"
    mark = " surprise" if abs(surprise[i, j]) > SURPRISING else ""
    strength = f"{200 * abs(chance - 0.5):.0f}%"
    happened, record = ("", "") if h.met is None else _happened(*h.met[:, i, j])
    text = shown(percent(chance))
    return f'<td class="{side}{mark}" style="--strength:{strength}"{record}>{text}{happened}</td>'


def _happened(wins: float, ties: float, losses: float) -> tuple[str, str]:
    """The observed share and the number of meetings, which may stand below each other; and a tooltip."""
    n = wins + ties + losses
    if not n:
        return "<small>–</small>", ' title="never met"'
    share = f"<small>{100 * (wins + ties / 2) / n:.0f} <span>of {short_count(n)}</span></small>"
    return share, f' title="won {wins:,.6g}, tied {ties:,.6g}, lost {losses:,.6g}"'


# ------------------------------------------------------------------------------------ opponents


def opponents_list(h: HeadToHead) -> str:
    """A box to choose an item, and an empty table that the script fills with its opponents."""
    if h.met is None:
        return ""
    titles = ("expected, %", "observed, %", "difference", "meetings", "won", "tied", "lost")
    columns = [names("opponent", ()), *map(Column, titles)]
    options = "".join(f'<option value="{k}">{full_name(item)}</option>' for k, item in enumerate(h.items))
    more = f" The first {len(h.items):,} items of the leaderboard can be chosen." if h.left_out else ""
    table = sortable_table("Opponents", columns, by=-1, filtered=False)
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
