"""A picture of a leaderboard."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.leaderboard.leaderboard import Leaderboard, rank_text, scale_text
from podium.plot.display import (
    COLOURS,
    FAINT,
    INK,
    SOFT,
    Display,
    first_of,
    plain_axes,
    width_of,
    write_beside,
)
from podium.writing.label_text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES, RANKS = -34, -10  # the right ends of these columns, in points from the axes


class LeaderboardDisplay(Display):
    """A leaderboard as dots with intervals, the best on top.

    Components (groups of items that no comparison connects) are separated, each in its own colour. An
    infinite interval reaches the edge of the picture.

    Parameters
    ----------
    board : Leaderboard
        The leaderboard.
    max_items : int, default=40
        The largest number of items to draw.

    See Also
    --------
    Leaderboard : the table of items, best first
    BoardsDisplay : the boards of several categories
    WinMatrixDisplay : who beats whom

    Examples
    --------
    >>> import podium as pod
    >>> model = pod.BradleyTerry().fit(pod.datasets.load_chess_club())
    >>> display = LeaderboardDisplay.from_leaderboard(model.leaderboard(), max_items=10)
    >>> display.figure_.savefig("chess.png")  # doctest: +SKIP
    """

    def __init__(self, board: Leaderboard, max_items: int = 40) -> None:
        self.board = board
        self.max_items = max_items

    @classmethod
    def from_leaderboard(cls, board: Leaderboard, max_items: int = 40, *, ax: "Axes | None" = None) -> Self:
        """Draw the first rows of a leaderboard, with the number of rows left out.

        Parameters
        ----------
        board : Leaderboard
            The leaderboard.
        max_items : int, default=40
            The largest number of items to draw.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        LeaderboardDisplay
        """
        return cls(board, max_items).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the display; a new figure is as high as the items need.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        board, left_out = first_of(self.board, self.max_items)
        apart = np.where(board.component < 0, np.inf, board.component)  # -1: not in any comparison
        board = board[np.argsort(apart, kind="stable")]
        names = [one_line(label) for label in board.item]
        group = np.cumsum(np.diff(board.component, prepend=board.component[:1]) != 0)
        y = np.arange(len(board)) + group
        bottom = y.max(initial=0) + (1.4 if left_out else 0.6)
        ax = self._begin(ax, 5.8 + width_of(names), 0.95 + 0.26 * (bottom + 0.6))
        ax.set_xlim(_limits(np.concatenate([board.score, board.low, board.high])))
        ax.set_ylim(bottom, -0.6)
        plain_axes(ax)
        _draw_intervals(ax, y, board, [COLOURS[number % len(COLOURS)] for number in group])
        _draw_names(ax, y, names, board.rank)
        for row in np.flatnonzero(np.diff(group)) + 1:
            number = board.component[row]
            name = f"component {number}, never compared with those above" if number >= 0 else "never compared"
            _separate(ax, y[row] - 1, name)
        if left_out:
            write_beside(ax, bottom - 0.5, f"… and {left_out:,} more", NAMES)
        ax.set_xlabel(scale_text(board), color=SOFT, fontsize=9)
        if board.title:
            ax.set_title(board.title, loc="left", fontsize=11, weight="bold", color=INK, parse_math=False)
        return self


def _draw_intervals(ax: "Axes", y: NDArray[Any], board: Leaderboard, colours: Sequence[str]) -> None:
    low, high = (np.clip(bound, *ax.get_xlim()) for bound in (board.low, board.high))
    ax.hlines(y, low, high, colors=colours, alpha=0.35, linewidth=6)
    ax.scatter(board.score, y, c=colours, s=30, zorder=3, edgecolors="white", linewidths=0.8)
    ax.grid(axis="x", color=FAINT, linewidth=0.8)


def _draw_names(ax: "Axes", y: NDArray[Any], names: Sequence[str], rank: NDArray[np.int64]) -> None:
    ax.set_yticks(y, names, parse_math=False)
    ax.tick_params(axis="y", length=0, pad=-NAMES, labelsize=9, labelcolor=INK)
    write_beside(ax, -0.9, "rank", RANKS, va="baseline", fontsize=7.5)
    for position, number in zip(y, rank, strict=True):
        write_beside(ax, position, rank_text(number), RANKS)


def _separate(ax: "Axes", y: float, text: str) -> None:
    """Draw a line between groups, with an explanation below it at the right."""
    ax.axhline(y - 0.2, color="#b8c0c8", linewidth=0.8)
    where = ax.get_yaxis_transform()
    ax.text(1, y - 0.1, text, transform=where, ha="right", va="top", fontsize=7.5, color=SOFT)


def _limits(values: NDArray[np.float64]) -> tuple[float, float]:
    """The range of the finite values, with a small margin on both sides."""
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    air = 0.04 * (high - low) or 0.5
    return float(low - air), float(high + air)
