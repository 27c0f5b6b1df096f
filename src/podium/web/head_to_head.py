"""Head to head: the probabilities between the best items, and their results against each other."""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.rankings.table import Rankings
from podium.comparisons.table import Comparisons
from podium.leaderboard.leaderboard import Leaderboard
from podium.leaderboard.meetings import meetings
from podium.web.text import name, percent, shown

MOST_ITEMS = 20  # rows and columns that fit on a page


@dataclass(frozen=True, eq=False)
class HeadToHead:
    """``chance[i, j]`` is the expected score of item i against item j (a tie is half a win), nan if unknown.

    ``met`` has the wins, ties and losses of i against j; None for comparisons of teams.
    """

    items: NDArray[Any]
    chance: Floats
    met: Floats | None
    left_out: int

    @classmethod
    def of(cls, model: Any, c: Comparisons | Rankings, board: Leaderboard, at: Any = None) -> Self:
        """The best items of a board, with the probabilities of the model that made it, at a time if given.

        An advantage of the left side cancels out: each item is on the left half of the time.
        """
        items = board.item[:MOST_ITEMS]
        n = len(items)
        i, j = np.nonzero(~np.eye(n, dtype=bool))
        chance = np.full((n, n), np.nan)
        if len(i):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about items that were never compared; the page shows them
                if isinstance(c, Rankings):
                    both = zip(items[i].tolist(), items[j].tolist(), strict=True)
                    chance[i, j] = np.stack(model.predict_proba([list(pair) for pair in both]))[:, 0]
                else:
                    time = None if at is None else np.full(len(i), at)
                    p = model.predict_proba(Comparisons.from_codes(items, i, j, time=time))
                    chance[i, j] = p[:, 0] + p[:, 1] / 2
            chance = (chance + 1 - chance.T) / 2
        return cls(items, chance, meetings(c, items), len(board) - n)


def matrix_table(h: HeadToHead) -> str:
    """The expected scores in per cent, row against column, as a heat map."""
    names = [name(label) for label in h.items]
    head = "".join(f'<th scope="col"><span>{text}</span></th>' for text in names)
    body = "\n".join(
        f'<tr><th scope="row">{text}</th>{"".join(_cell(h, i, j) for j in range(len(names)))}</tr>'
        for i, text in enumerate(names)
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Head to head">'
        f'<table class="matrix"><thead><tr><td></td>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'
    )


def _cell(h: HeadToHead, i: int, j: int) -> str:
    if i == j:
        return '<td class="self"></td>'
    chance = h.chance[i, j]
    if np.isnan(chance):
        return '<td class="unknown" title="never compared">–</td>'
    side = "ahead" if chance >= 0.5 else "behind"
    strength = f"{200 * abs(chance - 0.5):.0f}%"
    text = shown(percent(chance))
    return f'<td class="{side}" style="--strength:{strength}"{_record(h.met, i, j)}>{text}</td>'


def _record(met: Floats | None, i: int, j: int) -> str:
    if met is None:
        return ""
    wins, ties, losses = met[:, i, j]
    if not wins + ties + losses:
        return ' title="never met"'
    return f' title="won {wins:,.6g}, tied {ties:,.6g}, lost {losses:,.6g}"'
