"""A picture of a leaderboard."""

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.leaderboard.axes import Span
from podium.leaderboard.leaderboard import Leaderboard, range_texts, rank_text, scale_text
from podium.plot import display
from podium.plot.fonts import drawable
from podium.plot.style import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RANKS, DIGIT = -10, 5.5  # the right end of the ranks and the width of a digit, in points
FIGURE_SPACE = "\u2007"  # as wide as a digit
ROW = 0.26  # the height of a row in inches, of which the interval takes a third
BEST, BETWEEN, LAST = 20, 26, 10  # rows of a squeezed board: the best, the space for all between, the last


class LeaderboardDisplay(display.Display):
    """A leaderboard as dots with intervals, the best on top.

    Up to 60 items are one column, up to 420 are several columns side by side. Of a larger board the best 20
    and the last 10 have names, and the items between them are squeezed together without names. On given axes
    there is one column, which is squeezed beyond 60 items.

    Components (groups of items that no comparison connects) are separated, each in its own colour. An
    infinite interval reaches the edge of the picture.

    Parameters
    ----------
    board : Leaderboard
        The leaderboard.
    max_items : int, default=None
        Draw only the first items, and write how many are left out. None draws all.

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
    >>> display.save("chess.png")  # doctest: +SKIP
    """

    def __init__(self, board: Leaderboard, max_items: int | None = None) -> None:
        self.board = board
        self.max_items = max_items

    @classmethod
    def from_leaderboard(
        cls, board: Leaderboard, max_items: int | None = None, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw a leaderboard.

        Parameters
        ----------
        board : Leaderboard
            The leaderboard.
        max_items : int, default=None
            Draw only the first items, and write how many are left out. None draws all.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        LeaderboardDisplay
        """
        return cls(board, max_items).plot(ax)

    @classmethod
    def from_model(
        cls, model: Any, max_items: int | None = None, *, ax: "Axes | None" = None, **options: Any
    ) -> Self:
        """Draw the leaderboard of a fitted model.

        Parameters
        ----------
        model : estimator
            A fitted model with a leaderboard, such as `BradleyTerry`.
        max_items : int, default=None
            Draw only the first items, and write how many are left out. None draws all.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **options : object
            Options of the model's ``leaderboard``, such as ``level`` and ``scale``.

        Returns
        -------
        LeaderboardDisplay
        """
        return cls(model.leaderboard(**options), max_items).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the display; a new figure is as large as the items need.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        board, left_out = display.first_of(self.board, self.max_items)
        apart = np.where(board.component < 0, np.inf, board.component)  # -1: not in any comparison
        board = board[np.argsort(apart, kind="stable")]
        starts = np.diff(board.component, prepend=board.component[:1]) != 0
        most = display.MOST_ROWS if ax is None else display.COLUMN
        squeezed = len(board) > most and self.max_items is None
        y = _squeezed(len(board)) if squeezed else np.arange(len(board)) + np.cumsum(starts)
        rows = _Rows.of(board, y, starts)
        columns = [rows] if squeezed else [rows.part(part) for part in display.columns_of(len(board), ax)]
        height = max(column.height for column in columns) + bool(left_out)
        width = (5.8 if len(columns) == 1 else 3.2) + display.width_of(rows.names)
        self._begin(ax, len(columns) * width, 0.95 + ROW * height, len(columns))
        beside = RANKS - 13 - DIGIT * max(map(len, _rank_texts(board)), default=1)
        span = max(np.ptp(column.limits) for column in columns)  # one scale for all columns
        for own, column in zip(self.axes_, columns, strict=True):
            middle = sum(column.limits) / 2
            own.set(xlim=(middle - span / 2, middle + span / 2), ylim=(column.top + height, column.top))
            own.tick_params(labeltop=height > display.COLUMN / 2)
            column.draw(own, beside)
        if left_out:
            display.write_beside(self.axes_[-1], y[-1] + 1, f"… and {left_out:,} more", beside)
        elif squeezed:
            text = f"… {len(board) - BEST - LAST:,} more …"
            display.write_beside(self.ax_, float(np.median(y)), text, beside, va="center")
        display.label_axes(self.ax_, scale_text(board))
        display.write_title(self.ax_, board.title)
        return self._end()


def _squeezed(n: int) -> Floats:
    """The heights of the rows: full rows at both ends, and tight ones between them."""
    rows = [0, BEST - 1, BEST, n - LAST - 1, n - LAST, n - 1]
    places = np.cumsum([0, BEST - 1, 1.5, BETWEEN, 1.5, LAST - 1])
    return np.asarray(np.interp(np.arange(n), rows, places))


class _Rows(NamedTuple):
    """Rows of a board, at heights ``y``; ``starts`` marks the first rows of further components.

    ``named`` marks the rows that have room for a name; the names of the others are empty.
    """

    board: Leaderboard
    y: Floats
    starts: NDArray[np.bool_]
    group: NDArray[np.intp]
    named: NDArray[np.bool_]
    names: NDArray[Any]

    @classmethod
    def of(cls, board: Leaderboard, y: Floats, starts: NDArray[np.bool_]) -> Self:
        gaps = np.diff(y, prepend=-np.inf, append=np.inf)
        named = np.minimum(gaps[:-1], gaps[1:]) >= 1
        names = np.full(len(board), "", dtype=object)
        names[named] = drawable(board.item[named])
        return cls(board, y, starts, np.cumsum(starts), named, names)

    def part(self, rows: slice) -> "_Rows":
        return _Rows._make(column[rows] for column in self)

    @property
    def top(self) -> float:
        return float(self.y[0] - self.starts[0] if len(self.y) else 0) - 0.6

    @property
    def height(self) -> float:
        return float(self.y[-1] if len(self.y) else 0) + 0.6 - self.top

    @property
    def limits(self) -> tuple[float, float]:
        """The range of the finite values, with a small margin on both sides."""
        span = Span.of(self.board.score, self.board.low, self.board.high)
        air = 0.04 * (span.high - span.low) or 0.5
        return span.low - air, span.high + air

    def draw(self, ax: "Axes", beside: float) -> None:
        """Draw the rows, with the names at a distance of ``beside`` points."""
        display.plain_axes(ax, "x")
        self._draw_intervals(ax)
        named = self.named
        display.name_rows(ax, self.y[named], self.names[named], pad=-beside)
        display.write_beside(ax, self.top - 0.3, "rank", RANKS, va="baseline", fontsize=7.5)
        for y, text in zip(self.y[named], _rank_texts(self.board[named]), strict=True):
            display.write_beside(ax, y, text, RANKS)
        for row in np.flatnonzero(self.starts & named):
            number = self.board.component[row]
            name = f"component {number}, never compared with those above" if number >= 0 else "never compared"
            _separate(ax, self.y[row] - 1, name)

    def _draw_intervals(self, ax: "Axes") -> None:
        """Rows without names are thin, and pale where they overlap."""
        series = palette().series
        colours = [series[number % len(series)] for number in self.group]
        low, high = (np.clip(bound, *ax.get_xlim()) for bound in (self.board.low, self.board.high))
        named = self.named
        pitch = 72 * ROW * np.diff(self.y).min(initial=1)  # of the thin rows, in points
        width = np.where(named, 6, max(pitch, 0.5))
        alpha = np.where(named, 0.35, 0.35 * min(pitch / 0.5, 1))
        ax.hlines(self.y, low, high, colors=colours, alpha=alpha if len(alpha) else None, linewidth=width)
        dot = np.isfinite(self.board.score)
        size, edge = np.where(named, 30, 3)[dot], np.where(named, 0.8, 0)[dot]
        style: dict[str, Any] = {"c": np.array(colours)[dot], "edgecolors": palette().paper, "zorder": 3}
        ax.scatter(self.board.score[dot], self.y[dot], s=size, linewidths=edge, **style)


def _rank_texts(board: Leaderboard) -> list[str]:
    """Each rank, followed by its range if there is one."""
    ranks = list(map(rank_text, board.rank))
    if not board.has_ranges:
        return ranks
    ranges = range_texts(board)
    width = max(map(len, ranges))
    return [f"{rank}   {part.rjust(width, FIGURE_SPACE)}" for rank, part in zip(ranks, ranges, strict=True)]


def _separate(ax: "Axes", y: float, text: str) -> None:
    """Draw a line between groups, with an explanation below it at the right."""
    ax.axhline(y - 0.2, color=palette().rule, linewidth=0.8)
    where = ax.get_yaxis_transform()
    ax.text(1, y - 0.1, text, transform=where, ha="right", va="top", fontsize=7.5, color=palette().soft)
