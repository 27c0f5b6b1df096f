"""Head to head: what the model expects between two items, and how they did against each other."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.leaderboard.head_to_head import expected_scores
from podium.leaderboard.leaderboard import Leaderboard
from podium.leaderboard.meetings import meetings, observed_scores
from podium.web.text import percent, short_heads, shown

MOST_ITEMS = 20  # rows and columns of the matrix: what fits on a printed page
MOST_STEPS = 2 * 10**8  # rankings times pairs of items; to count so many takes seconds
ROW_NAME, COLUMN_NAME = 40, 24  # columns of text
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
        cls,
        model: Any,
        c: Comparisons | Rankings,
        board: Leaderboard,
        at: Any = None,
        most: int = MOST_ITEMS,
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
    surprise = h.surprise()
    head = "".join(f'<th scope="col"><span>{text}</span></th>' for text in short_heads(h.items, COLUMN_NAME))
    body = "\n".join(
        f'<tr><th scope="row">{text}</th>'
        f"{''.join(_cell(h, surprise, i, j) for j in range(len(h.items)))}</tr>"
        for i, text in enumerate(short_heads(h.items, ROW_NAME))
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
    return (
        f'<td class="{side}{mark}" style="--strength:{strength}"{_record(h.met, i, j)}>'
        f"{shown(percent(chance))}{_observed(h.met, i, j)}</td>"
    )


def _observed(met: Floats | None, i: int, j: int) -> str:
    """The observed share and the number of meetings; they may stand below each other."""
    if met is None:
        return ""
    wins, ties, losses = met[:, i, j]
    n = wins + ties + losses
    if not n:
        return "<small>–</small>"
    return f"<small>{100 * (wins + ties / 2) / n:.0f} <span>of {_count(n)}</span></small>"


def _count(n: float) -> str:
    """A number for a narrow cell.

    >>> _count(25.0), _count(12_345.0), _count(2.5)
    ('25', '12k', '2.5')
    """
    return f"{n / 1000:.0f}k" if n >= 9999.5 else f"{n:.4g}"


def _record(met: Floats | None, i: int, j: int) -> str:
    if met is None:
        return ""
    wins, ties, losses = met[:, i, j]
    if not wins + ties + losses:
        return ' title="never met"'
    return f' title="won {wins:,.6g}, tied {ties:,.6g}, lost {losses:,.6g}"'
