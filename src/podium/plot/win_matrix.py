"""A picture of the probabilities that one item beats another."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from podium.comparisons.arrays import Floats
from podium.plot.display import INK, SOFT, Display, first_of, width_of
from podium.writing.label_text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


NUMBERED = 15  # with more items the cells are too small for numbers


class WinMatrixDisplay(Display):
    """The probability that the row's item beats the column's, as a heat map centred at ½.

    Unknown probabilities (nan) are grey; the diagonal is blank.

    Parameters
    ----------
    items : sequence
        The items.
    matrix : array-like of shape (n_items, n_items)
        P(item i beats item j) in row i and column j.
    max_items : int, default=30
        The largest number of items to draw.

    See Also
    --------
    BradleyTerry : constant skills of items or teams
    LeaderboardDisplay : a leaderboard with intervals
    """

    def __init__(self, items: Sequence[Any], matrix: ArrayLike, max_items: int = 30) -> None:
        self.items = list(items)
        self.matrix = _checked_chances(matrix, self.items)
        self.max_items = max_items

    @classmethod
    def from_matrix(
        cls, items: Sequence[Any], matrix: ArrayLike, max_items: int = 30, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the first rows and columns of a matrix.

        Parameters
        ----------
        items : sequence
            The items.
        matrix : array-like of shape (n_items, n_items)
            P(item i beats item j) in row i and column j, such as `BradleyTerry.win_matrix` or
            `PlackettLuce.win_matrix`.
        max_items : int, default=30
            The largest number of items to draw.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        WinMatrixDisplay
        """
        return cls(items, matrix, max_items).plot(ax)

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
        items, left_out = first_of(self.items, self.max_items)
        n, names = len(items), [one_line(label) for label in items]
        size = (0.42 if n <= NUMBERED else 0.24) * n
        ax = self._begin(ax, size + 1.5 + width_of(names), size + 0.5 + width_of(names))
        _draw_chances(ax, self.matrix[:n, :n])
        ax.set_xticks(range(n), names, parse_math=False, rotation=90)
        ax.set_yticks(range(n), names, parse_math=False)
        ax.xaxis.tick_top()
        ax.tick_params(length=0, labelsize=9, labelcolor=INK)
        ax.spines[:].set_visible(False)
        if left_out:
            ax.set_xlabel(f"… and {left_out:,} more", color=SOFT, fontsize=8, loc="right")
        return self


def _draw_chances(ax: "Axes", matrix: Floats) -> None:
    from matplotlib import colormaps

    colours = colormaps["RdBu"].with_extremes(bad="#d5d8dc", over="white")
    shown = matrix.copy()
    np.fill_diagonal(shown, 2.0)  # above 1, so it gets the colour "over", which is white
    image = ax.imshow(shown, cmap=colours, vmin=0, vmax=1)
    between = np.arange(len(matrix) - 1) + 0.5
    ax.hlines(between, -0.5, len(matrix) - 0.5, colors="white", linewidth=1)
    ax.vlines(between, -0.5, len(matrix) - 0.5, colors="white", linewidth=1)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.7, aspect=18, pad=0.03, ticks=np.linspace(0, 1, 5))
    bar.set_label("P(row beats column)", color=SOFT, fontsize=9)
    bar.ax.tick_params(length=0, labelsize=8, labelcolor=SOFT)
    bar.outline.set_visible(False)
    if len(matrix) <= NUMBERED:
        _write_chances(ax, matrix)


def _write_chances(ax: "Axes", matrix: Floats) -> None:
    for (row, column), chance in np.ndenumerate(matrix):
        if row != column and not np.isnan(chance):
            ink = "white" if abs(chance - 0.5) > 0.28 else INK
            ax.text(column, row, f"{chance:.2f}", ha="center", va="center", fontsize=8, color=ink)


def _checked_chances(matrix: ArrayLike, items: Sequence[Any]) -> Floats:
    chances = np.array(matrix, dtype=np.float64)
    if chances.shape != (len(items), len(items)):
        raise ValueError(f"the matrix has the shape {chances.shape} for {len(items):,} items; make it square")
    if not len(items):
        raise ValueError("the matrix has no items; give at least one")
    outside = (chances < 0) | (chances > 1)
    np.fill_diagonal(outside, False)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        names = f"'{one_line(items[row])}' beats '{one_line(items[column])}'"
        raise ValueError(f"the chance {chances[row, column]} that {names} is not between 0 and 1")
    return chances
