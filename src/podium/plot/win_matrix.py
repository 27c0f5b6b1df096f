"""A picture of the probabilities that one item beats another, or of how often it did."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import quoted
from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.leaderboard.head_to_head import expected_scores, meetings, observed_scores
from podium.plot.display import MOST_ROWS, Display, first_of, width_of, write_note
from podium.plot.fonts import drawable
from podium.plot.style import colour_map, ink_on, palette
from podium.writing.label_text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage


NUMBERED = 15  # with more items the cells are too small for numbers
NAMED = 100  # with more items only some names are written
CELL = 0.15  # inches that a name needs
KEY = 3.6  # inches of a figure in which the label of the colours is not cut


class WinMatrixDisplay(Display):
    """The probability that the row's item beats the column's, as a heat map centred at ½.

    Unknown probabilities (nan) are grey; the diagonal is blank. Up to 15 items have numbers in the cells, and
    up to 100 have names. With more items, every second name is written, or every third, and so on.

    Parameters
    ----------
    items : sequence
        The items.
    matrix : array-like of shape (n_items, n_items)
        P(item i beats item j) in row i and column j.
    max_items : int, default=None
        Draw only the items with the highest mean probability, in the given order. None draws up to 420.
    counts : array-like of shape (n_items, n_items), default=None
        How often the two met, if the matrix has observed rates; written in the cells.
    label : str, default="P(row beats column)"
        What the colours show.

    See Also
    --------
    BradleyTerry : constant skills of items or teams
    LeaderboardDisplay : a leaderboard with intervals

    Examples
    --------
    >>> import podium as pod
    >>> games = pod.datasets.load_chess_club()
    >>> model = pod.BradleyTerry().fit(games)
    >>> display = WinMatrixDisplay.from_model(model)
    >>> display.save("expected.png")  # doctest: +SKIP
    >>> display = WinMatrixDisplay.from_model(model, games, observed=True)
    >>> display.save("observed.png")  # doctest: +SKIP
    """

    def __init__(
        self,
        items: Sequence[Any],
        matrix: ArrayLike,
        max_items: int | None = None,
        counts: ArrayLike | None = None,
        label: str = "P(row beats column)",
    ) -> None:
        self.items = list(items)
        self.matrix = _checked_chances(matrix, self.items)
        self.max_items = max_items
        self.counts = None if counts is None else np.asarray(counts, dtype=np.float64)
        self.label = label
        self._note: str | None = None

    @classmethod
    def from_matrix(
        cls,
        items: Sequence[Any],
        matrix: ArrayLike,
        max_items: int | None = None,
        *,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a matrix, with the items in the given order.

        Parameters
        ----------
        items : sequence
            The items.
        matrix : array-like of shape (n_items, n_items)
            P(item i beats item j) in row i and column j, such as `BradleyTerry.win_matrix` or
            `PlackettLuce.win_matrix`.
        max_items : int, default=None
            Draw only the items with the highest mean probability. None draws up to 420.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        WinMatrixDisplay
        """
        return cls(items, matrix, max_items).plot(ax)

    @classmethod
    def from_model(
        cls,
        model: Any,
        data: Comparisons | Rankings | None = None,
        items: Sequence[Any] | None = None,
        max_items: int | None = None,
        *,
        observed: bool = False,
        spread: bool = False,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw what a fitted model expects, or what was observed, with the best item first.

        Parameters
        ----------
        model : estimator
            A fitted `BradleyTerry`, `DynamicBradleyTerry`, `PlackettLuce` or rating system. A tie counts half
            a win. An advantage of the left side cancels out.
        data : Comparisons or Rankings, default=None
            The data, for observed rates.
        items : sequence, default=None
            The items to draw; None draws all. The model's scores decide their order.
        max_items : int, default=None
            Draw only the best items, and write which. None draws up to 420.
        observed : bool, default=False
            Whether to draw the observed rates, with the number of meetings, instead of the expected scores.
            Pairs that never met are blank.
        spread : bool, default=False
            If there are more than ``max_items``, whether to choose them evenly from the best to the last.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        WinMatrixDisplay
        """
        ranked = _ranked(model, items)
        best, left_out = first_of(ranked, max_items, MOST_ROWS)
        evenly = np.linspace(0, len(ranked) - 1, len(best)).round().astype(int)
        shown = ranked[evenly] if spread else best
        rate, counts = _observed(data, shown) if observed else (expected_scores(model, shown), None)
        label = f"{'observed' if observed else 'expected'} score, row against column"
        display = cls(shown.tolist(), rate, counts=counts, label=label)
        if left_out:
            which = "spread from the best to the last" if spread else "the best by score"
            display._note = f"{len(shown):,} of {len(ranked):,} items, {which}"
        return display.plot(ax)

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
        shown = _best(self.matrix, self.max_items)
        n, own = len(shown), np.ix_(shown, shown)
        names = drawable(self.items[k] for k in shown)
        cell = 0.42 if n <= NUMBERED else max(0.24 - 0.0015 * (n - NUMBERED), CELL)
        size = cell * min(n, NAMED)
        ax = self._begin(ax, size + 1.5 + width_of(names), max(size + 0.5 + width_of(names), KEY))
        image = _draw_chances(ax, self.matrix[own])
        self._draw_key(ax, image)
        if n <= NUMBERED:
            _write_chances(ax, self.matrix[own], None if self.counts is None else self.counts[own], image)
        every = -(-n // NAMED)
        ax.set_xticks(range(0, n, every), names[::every], parse_math=False, rotation=90)
        ax.set_yticks(range(0, n, every), names[::every], parse_math=False)
        ax.xaxis.tick_top()
        ax.tick_params(length=0, labelsize=9 if n <= 60 else 7.5, labelcolor=palette().ink)
        ax.spines[:].set_visible(False)
        self._write_notes(ax, n, every)
        return self._end()

    def _draw_key(self, ax: "Axes", image: "AxesImage") -> None:
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.7, aspect=18, pad=0.03, ticks=np.linspace(0, 1, 5))
        written = self.counts is not None and image.get_size()[0] <= NUMBERED
        more = "\nand how often they met" if written else ""
        bar.set_label(self.label + more, color=palette().soft, fontsize=9, parse_math=False)
        bar.ax.tick_params(length=0, labelsize=8, labelcolor=palette().soft)
        bar.outline.set_visible(False)

    def _write_notes(self, ax: "Axes", n: int, every: int) -> None:
        total = len(self.items)
        cut = f"{n:,} of {total:,} items, those with the highest means" if n < total else None
        thinned = f"one name in {every} is written" if every > 1 else None
        if notes := [note for note in (self._note, cut, thinned) if note]:
            write_note(ax, "; ".join(notes))


def _ranked(model: Any, items: Sequence[Any] | None) -> NDArray[Any]:
    """The items, the best first."""
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(model, "fit") or not hasattr(model, "leaderboard"):
        raise ValueError(f"the model must rank items, such as BradleyTerry; {type(model).__name__} does not")
    check_is_fitted(model)
    known: NDArray[Any] = model.items_
    skill = model.log_skill_ if hasattr(model, "log_skill_") else model.rating_
    ranked = known[np.argsort(-skill, kind="stable")]
    if items is None:
        return ranked
    wanted = set(items)
    if unknown := wanted - set(known.tolist()):
        raise ValueError(f"the model has no item {quoted(min(unknown, key=str))}; choose from its items_")
    return ranked[[item in wanted for item in ranked.tolist()]]


def _observed(data: Comparisons | Rankings | None, items: NDArray[Any]) -> tuple[Floats, Floats]:
    """The rates at which items beat each other, and how often they met."""
    met = meetings(data, items) if isinstance(data, (Comparisons, Rankings)) else None
    if met is None:
        raise ValueError(
            "observed rates need data: give comparisons of single items with outcomes, or rankings"
        )
    return observed_scores(met), met.sum(axis=0)


def _best(matrix: Floats, max_items: int | None) -> NDArray[np.intp]:
    """The rows with the highest means, in their order."""
    known = ~np.isnan(matrix)
    np.fill_diagonal(known, False)
    mean = np.where(known, matrix, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    best, _ = first_of(np.argsort(-mean, kind="stable"), max_items, MOST_ROWS)
    return np.sort(best)


def _draw_chances(ax: "Axes", matrix: Floats) -> "AxesImage":
    """A heat map; the diagonal has the colour of the paper."""
    paper, n = palette().paper, len(matrix)
    colours = colour_map(palette().chances).with_extremes(bad=palette().blank, over=paper)
    shown = matrix.copy()
    np.fill_diagonal(shown, 2.0)  # above 1, so it gets the colour "over"
    if n <= NAMED:
        between = np.arange(n - 1) + 0.5
        ax.hlines(between, -0.5, n - 0.5, colors=paper, linewidth=1)
        ax.vlines(between, -0.5, n - 0.5, colors=paper, linewidth=1)
    return ax.imshow(shown, cmap=colours, vmin=0, vmax=1)


def _write_chances(ax: "Axes", matrix: Floats, counts: Floats | None, image: Any) -> None:
    for (row, column), chance in np.ndenumerate(matrix):
        if row != column and not np.isnan(chance):
            text = f"{chance:.2f}" if counts is None else f"{chance:.2f}\n{counts[row, column]:,.5g}"
            ink, size = ink_on(image.to_rgba(chance)), 8 if counts is None else 7
            ax.text(column, row, text, ha="center", va="center", fontsize=size, color=ink)


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
