"""Leaderboards by category as a picture."""

from typing import TYPE_CHECKING, Self

import numpy as np

from podium.comparisons.arrays import Floats
from podium.leaderboard.boards import Boards
from podium.plot.display import MOST_ROWS, Display, columns_of, first_of, width_of, write_note
from podium.plot.fonts import drawable
from podium.plot.style import colour_map, ink_on, palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NUMBERED = 20  # up to this many categories the cells have room for numbers


class BoardsDisplay(Display):
    """The ranks of items by category as a heat map, the best overall on top and the overall rank at the left.

    A better rank is darker, or lighter on dark paper. Cells of items that a category does not rank are grey.
    More than 60 items are drawn in several columns side by side.

    Parameters
    ----------
    boards : Boards
        The boards.
    max_items : int, default=None
        Draw only the best items overall, and write how many are left out. None draws up to 420.

    See Also
    --------
    Boards : one leaderboard per category
    LeaderboardDisplay : a leaderboard with intervals
    """

    def __init__(self, boards: Boards, max_items: int | None = None) -> None:
        self.boards = boards
        self.max_items = max_items

    @classmethod
    def from_boards(cls, boards: Boards, max_items: int | None = None, *, ax: "Axes | None" = None) -> Self:
        """Draw boards by category.

        Parameters
        ----------
        boards : Boards
            The boards.
        max_items : int, default=None
            Draw only the best items overall, and write how many are left out. None draws up to 420.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        BoardsDisplay
        """
        return cls(boards, max_items).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the display; a new figure is as large as items and categories need.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        ranks, left_out = first_of(self.boards.ranks, self.max_items, MOST_ROWS)
        items, categories = drawable(ranks.index), drawable(ranks.columns)
        parts = columns_of(len(items), ax)
        rows = max(part.stop - part.start for part in parts)
        width = (0.45 if len(categories) <= NUMBERED else 0.24) * len(categories) + 1.0 + width_of(items)
        self._begin(ax, len(parts) * width, 0.26 * rows + 0.7 + width_of(categories), len(parts))
        table = ranks.to_numpy(dtype=float, na_value=np.nan)
        for own, part in zip(self.axes_, parts, strict=True):
            _draw_ranks(own, table[part], np.nanmax(table, initial=2))
            own.set_xticks(range(len(categories)), categories, parse_math=False, rotation=90)
            own.set_yticks(range(part.stop - part.start), items[part], parse_math=False)
            own.set_ylim(rows - 0.5, -0.5)
        if left_out:
            write_note(self.axes_[-1], f"… and {left_out:,} more")
        return self._end()


def _draw_ranks(ax: "Axes", table: Floats, last: float) -> None:
    """A heat map; columns are numbered if there is room."""
    (n, categories), paper = table.shape, palette().paper
    image = ax.imshow(table, cmap=colour_map(palette().ranks), vmin=1, vmax=last, aspect="auto")
    ax.hlines(np.arange(n - 1) + 0.5, -0.5, categories - 0.5, colors=paper, linewidth=1)
    ax.vlines(np.arange(categories - 1) + 0.5, -0.5, n - 0.5, colors=paper, linewidth=1)
    ax.axvline(0.5, color=paper, linewidth=5)  # the overall board stands apart
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelsize=9, labelcolor=palette().ink)
    ax.spines[:].set_visible(False)
    if categories <= NUMBERED:
        for (row, column), rank in np.ndenumerate(table):
            if not np.isnan(rank):
                ink = ink_on(image.to_rgba(np.asarray(rank)))
                ax.text(column, row, f"{rank:.0f}", ha="center", va="center", fontsize=8, color=ink)
