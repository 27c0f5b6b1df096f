"""Leaderboards by category as a picture."""

from typing import TYPE_CHECKING, Self

import numpy as np

from podium.leaderboard.boards import Boards
from podium.plot.display import INK, SOFT, Display, first_of, width_of
from podium.writing.label_text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NUMBERED = 20  # up to this many categories the cells have room for numbers


class BoardsDisplay(Display):
    """The ranks of items by category as a heat map, the best overall on top and the overall rank at the left.

    A better rank is darker. Cells of items that a category does not rank are grey.

    See Also
    --------
    Boards : one leaderboard per category
    LeaderboardDisplay : a leaderboard with intervals
    """

    def __init__(self, boards: Boards, max_items: int = 40) -> None:
        self.boards = boards
        self.max_items = max_items

    @classmethod
    def from_boards(cls, boards: Boards, max_items: int = 40, *, ax: "Axes | None" = None) -> Self:
        """Draw the first ``max_items`` items of the overall board, and write how many are left out."""
        return cls(boards, max_items).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on ``ax``, or on a new figure as large as items and categories need."""
        from matplotlib import colormaps

        ranks, left_out = first_of(self.boards.ranks, self.max_items)
        items, categories = ([one_line(label) for label in labels] for labels in (ranks.index, ranks.columns))
        width = (0.45 if len(categories) <= NUMBERED else 0.24) * len(categories)
        ax = self._begin(ax, width + 1.0 + width_of(items), 0.26 * len(items) + 0.7 + width_of(categories))
        table = ranks.to_numpy(dtype=float, na_value=np.nan)
        colours = colormaps["Blues_r"].with_extremes(bad="#d5d8dc")
        ax.imshow(table, cmap=colours, vmin=1, vmax=1.6 * max(np.nanmax(table, initial=1), 2), aspect="auto")
        ax.hlines(np.arange(len(items) - 1) + 0.5, -0.5, len(categories) - 0.5, colors="white", linewidth=1)
        ax.vlines(np.arange(len(categories) - 1) + 0.5, -0.5, len(items) - 0.5, colors="white", linewidth=1)
        ax.axvline(0.5, color="white", linewidth=5)  # the overall board stands apart
        ax.set_xticks(range(len(categories)), categories, parse_math=False, rotation=90)
        ax.set_yticks(range(len(items)), items, parse_math=False)
        ax.xaxis.tick_top()
        ax.tick_params(length=0, labelsize=9, labelcolor=INK)
        ax.spines[:].set_visible(False)
        if len(categories) <= NUMBERED:
            _write_ranks(ax, table)
        if left_out:
            ax.set_xlabel(f"… and {left_out:,} more", color=SOFT, fontsize=8, loc="right")
        return self


def _write_ranks(ax: "Axes", table: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> None:
    middle = (1 + np.nanmax(table, initial=1)) / 2
    for (row, column), rank in np.ndenumerate(table):
        if not np.isnan(rank):
            ink = "white" if rank <= middle else INK
            ax.text(column, row, f"{rank:.0f}", ha="center", va="center", fontsize=8, color=ink)
