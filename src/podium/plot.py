"""Pictures of results: a leaderboard, a matrix of chances, a check of probabilities.

A Display follows scikit-learn's convention: a ``from_...`` method draws it, ``plot(ax)`` draws it again where
you like, ``ax_`` and ``figure_`` are what was drawn on. A Display makes its own figures without pyplot, so
that it works in threads, on servers and in notebooks alike, and nobody has to close them.
"""

import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.atomic import checked_path, write_whole
from podium.checks import checked_weight
from podium.leaderboard import Leaderboard, one_line, scale_text
from podium.messages import first_true, quoted, row_name
from podium.metrics import calibration_bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

INK, SOFT, FAINT = "#1f2933", "#6b7785", "#e4e8ec"
COLOURS = ("#2166ac", "#d6604d", "#3b8f6a", "#7b5ea7", "#b8862b", "#5b8ea6")
OUTCOMES = {-1: "left better", 0: "no difference", 1: "right better"}
PICTURES = (".png", ".svg")


def save_figure(figure: "Figure", path: str | os.PathLike[str], dpi: int = 200) -> None:
    """Write a figure to a .png or .svg file, whole or not at all."""
    path = checked_path(path, PICTURES)
    write_whole(path, _rendered(figure, path.suffix.lower()[1:], dpi))


# ------------------------------------------------------------------------------------ what displays share


class Display:
    """Where a picture was drawn, and how a notebook shows it."""

    figure_: "Figure"
    ax_: "Axes"

    def _begin(self, ax: "Axes | None", width: float, height: float) -> "Axes":
        """The axes to draw on: those given, or those of a new figure, of which pyplot knows nothing."""
        self._own_figure = ax is None
        self.ax_ = _new_axes(width, height) if ax is None else ax
        self.figure_ = cast("Figure", self.ax_.figure)
        return self.ax_

    def _repr_png_(self) -> bytes | None:
        """The picture, unless it is on a figure that pyplot will show by itself."""
        return _rendered(self.figure_, "png", dpi=120) if getattr(self, "_own_figure", False) else None


def _new_axes(width: float, height: float) -> "Axes":
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'podium[plot]'") from None
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    return Figure(figsize=(width, height), layout=layout, facecolor="white").add_subplot(facecolor="white")


def _rendered(figure: "Figure", kind: str, dpi: int) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=dpi)
    return content.getvalue()


def _first(rows: Any, max_items: int) -> tuple[Any, int]:
    """The first rows, and how many that leaves out."""
    if max_items < 1:
        raise ValueError(f"max_items is {max_items}; show at least one item")
    return rows[:max_items], max(len(rows) - max_items, 0)


def _longest(names: Sequence[str]) -> float:
    """About how many inches the longest name takes."""
    return 0.075 * max(map(len, names), default=0)


def _plain_axes(ax: "Axes") -> None:
    """A faint grid behind the data, small grey numbers, and no frame."""
    ax.set_axisbelow(True)
    ax.spines[["top", "left", "right"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.tick_params(colors=SOFT, length=0, labelsize=9)


def _write_beside(ax: "Axes", y: float, text: str, points: float, **style: Any) -> None:
    """Small print to the left of the axes, ``points`` away from them."""
    style = {"ha": "right", "va": "center_baseline", "fontsize": 8, "color": SOFT, **style}
    where = ax.get_yaxis_transform()
    ax.annotate(text, (0, y), xycoords=where, xytext=(points, 0), textcoords="offset points", **style)


# ------------------------------------------------------------------------------------ leaderboard


class LeaderboardDisplay(Display):
    """A leaderboard as dots with their intervals, best on top, the rank between the name and the dot.

    Components, groups of items that were never compared with each other, stand apart, each in a colour. An
    interval without an end runs to the edge of the picture.
    """

    def __init__(self, board: Leaderboard, max_items: int = 40) -> None:
        self.board = board
        self.max_items = max_items

    @classmethod
    def from_leaderboard(cls, board: Leaderboard, max_items: int = 40, *, ax: "Axes | None" = None) -> Self:
        """Draw the first ``max_items`` rows of the board, and say how many were left out."""
        return cls(board, max_items).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on ``ax``, or on a new figure as high as the items need."""
        board, left_out = _first(self.board, self.max_items)
        apart = np.where(board.component < 0, np.inf, board.component)  # -1: in no comparison at all
        board = board[np.argsort(apart, kind="stable")]
        names = [one_line(label) for label in board.item]
        group = np.cumsum(np.diff(board.component, prepend=board.component[:1]) != 0)
        y = np.arange(len(board)) + group
        bottom = y.max(initial=0) + (1.4 if left_out else 0.6)
        ax = self._begin(ax, 5.8 + _longest(names), 0.95 + 0.26 * (bottom + 0.6))
        ax.set_xlim(_limits(np.concatenate([board.score, board.low, board.high])))
        ax.set_ylim(bottom, -0.6)
        _plain_axes(ax)
        _draw_intervals(ax, y, board, [COLOURS[number % len(COLOURS)] for number in group])
        _draw_names(ax, y, names, board.rank)
        for row in np.flatnonzero(np.diff(group)) + 1:
            number = board.component[row]
            name = f"component {number}, never compared with those above" if number >= 0 else "never compared"
            _separate(ax, y[row] - 1, name)
        if left_out:
            _write_beside(ax, bottom - 0.5, f"… and {left_out:,} more", NAMES)
        ax.set_xlabel(scale_text(board), color=SOFT, fontsize=9)
        if board.title:
            ax.set_title(board.title, loc="left", fontsize=11, weight="bold", color=INK, parse_math=False)
        return self


NAMES, RANKS = -34, -10  # where these columns end, in points from the axes


def _draw_intervals(ax: "Axes", y: NDArray[Any], board: Leaderboard, colours: Sequence[str]) -> None:
    low, high = (np.clip(bound, *ax.get_xlim()) for bound in (board.low, board.high))
    ax.hlines(y, low, high, colors=colours, alpha=0.35, linewidth=6)
    ax.scatter(board.score, y, c=colours, s=30, zorder=3, edgecolors="white", linewidths=0.8)
    ax.grid(axis="x", color=FAINT, linewidth=0.8)


def _draw_names(ax: "Axes", y: NDArray[Any], names: Sequence[str], rank: NDArray[np.int64]) -> None:
    ax.set_yticks(y, names, parse_math=False)
    ax.tick_params(axis="y", length=0, pad=-NAMES, labelsize=9, labelcolor=INK)
    _write_beside(ax, -0.9, "rank", RANKS, va="baseline", fontsize=7.5)
    for position, number in zip(y, rank, strict=True):
        _write_beside(ax, position, str(number), RANKS)


def _separate(ax: "Axes", y: float, text: str) -> None:
    """A line between groups, and below it at the right what that means."""
    ax.axhline(y - 0.2, color="#b8c0c8", linewidth=0.8)
    where = ax.get_yaxis_transform()
    ax.text(1, y - 0.1, text, transform=where, ha="right", va="top", fontsize=7.5, color=SOFT)


def _limits(values: Floats) -> tuple[float, float]:
    """The range of the finite values, with some air on both sides."""
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    air = 0.04 * (high - low) or 0.5
    return float(low - air), float(high + air)


# ------------------------------------------------------------------------------------ win matrix


class WinMatrixDisplay(Display):
    """The chance of the row's item to beat the column's, as a heat map centred at an even chance.

    Chances that are not known (nan) are grey; the diagonal is blank.
    """

    def __init__(self, items: Sequence[Any], matrix: ArrayLike, max_items: int = 30) -> None:
        self.items = list(items)
        self.matrix = _checked_chances(matrix, self.items)
        self.max_items = max_items

    @classmethod
    def from_matrix(
        cls, items: Sequence[Any], matrix: ArrayLike, max_items: int = 30, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the first ``max_items`` rows and columns; ``matrix[i, j]`` is P(item i beats item j)."""
        return cls(items, matrix, max_items).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on ``ax``, or on a new figure as large as the items need."""
        items, left_out = _first(self.items, self.max_items)
        n, names = len(items), [one_line(label) for label in items]
        size = (0.42 if n <= NUMBERED else 0.24) * n
        ax = self._begin(ax, size + 1.5 + _longest(names), size + 0.5 + _longest(names))
        _draw_chances(ax, self.matrix[:n, :n])
        ax.set_xticks(range(n), names, parse_math=False, rotation=90)
        ax.set_yticks(range(n), names, parse_math=False)
        ax.xaxis.tick_top()
        ax.tick_params(length=0, labelsize=9, labelcolor=INK)
        ax.spines[:].set_visible(False)
        if left_out:
            ax.set_xlabel(f"… and {left_out:,} more", color=SOFT, fontsize=8, loc="right")
        return self


NUMBERED = 15  # up to so many items the cells have room for numbers


def _draw_chances(ax: "Axes", matrix: Floats) -> None:
    from matplotlib import colormaps

    colours = colormaps["RdBu"].with_extremes(bad="#d5d8dc", over="white")
    shown = matrix.copy()
    np.fill_diagonal(shown, 2.0)  # is over any chance, and so in the colour of paper
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


# ------------------------------------------------------------------------------------ calibration


class CalibrationDisplay(Display):
    """Whether what is predicted with a probability of 70 % comes true 70 times in 100.

    One line for each outcome that occurs or is predicted, through bins of nearly equal weight, with 95 %
    intervals; on the dotted diagonal, probabilities are right. Below it, how often which probability was
    predicted.
    """

    def __init__(
        self, outcome: ArrayLike, probabilities: ArrayLike, n_bins: int = 10, weight: ArrayLike | None = None
    ) -> None:
        self.outcome, self.probabilities = _checked_predictions(outcome, probabilities)
        self.weight = checked_weight(weight, len(self.outcome))
        self.n_bins = n_bins
        self.bins = {
            sign: calibration_bins(self.outcome == sign, self.probabilities[:, sign + 1], n_bins, self.weight)
            for sign in OUTCOMES
            if (self.outcome == sign).any() or self.probabilities[:, sign + 1].any()
        }

    @classmethod
    def from_predictions(
        cls,
        outcome: ArrayLike,
        probabilities: ArrayLike,
        n_bins: int = 10,
        weight: ArrayLike | None = None,
        *,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw outcomes in {-1, 0, 1} against probabilities of shape (n, 3), columns in this order."""
        return cls(outcome, probabilities, n_bins, weight).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on ``ax``, or on a new figure."""
        ax = self._begin(ax, 5.0, 5.8)
        ax.plot([0, 1], [0, 1], color=SOFT, linewidth=1, linestyle=(0, (1, 2)))
        line: dict[str, Any] = {"marker": "o", "markersize": 5, "markeredgecolor": "white"}
        for sign, bins in self.bins.items():
            colour = OUTCOME_COLOURS[sign]
            ax.vlines(bins.predicted, bins.low, bins.high, colors=colour, alpha=0.4, linewidth=2)
            ax.plot(bins.predicted, bins.observed, color=colour, label=OUTCOMES[sign], zorder=3, **line)
        self._draw_histogram(ax)
        _style_calibration(ax)
        return self

    def _draw_histogram(self, ax: "Axes") -> None:
        """How often which probability was predicted, in a band below zero."""
        edges = np.linspace(0, 1, 26)
        counts = {
            sign: np.histogram(self.probabilities[:, sign + 1], edges, weights=self.weight)[0]
            for sign in self.bins
        }
        unit = (BAND - 0.05) / np.sum(list(counts.values()), axis=0).max()
        base = np.full(len(edges) - 1, -BAND)
        for sign, count in counts.items():
            colour = OUTCOME_COLOURS[sign]
            ax.bar(edges[:-1], unit * count, 0.036, base, align="edge", color=colour, alpha=0.6)
            base = base + unit * count
        _write_beside(ax, -BAND / 2, "how often", -6, rotation=90, va="center")


BAND = 0.22  # the height of the histogram below zero
OUTCOME_COLOURS = {-1: COLOURS[0], 0: COLOURS[4], 1: COLOURS[1]}


def _style_calibration(ax: "Axes") -> None:
    ticks = np.linspace(0, 1, 6)
    ax.set(xlim=(-0.02, 1.02), ylim=(-BAND, 1.02), xticks=ticks, yticks=ticks, aspect="equal")
    ax.set_xlabel("predicted probability", color=SOFT, fontsize=9)
    middle = (BAND + 0.5) / (BAND + 1.02)
    ax.set_ylabel("observed frequency, 95 % intervals", color=SOFT, fontsize=9, y=middle)
    ax.grid(color=FAINT, linewidth=0.8)
    _plain_axes(ax)
    ax.legend(loc="upper left", frameon=False, fontsize=9, labelcolor=INK)


def _checked_predictions(outcome: ArrayLike, probabilities: ArrayLike) -> tuple[NDArray[np.int8], Floats]:
    outcome, probabilities = np.asarray(outcome), np.array(probabilities, dtype=np.float64)
    if outcome.ndim != 1 or probabilities.shape != (len(outcome), 3) or len(outcome) == 0:
        raise ValueError(
            f"outcome has the shape {outcome.shape} and probabilities {probabilities.shape}; "
            "make them (n,) and (n, 3), with at least one row"
        )
    if (bad := ~np.isin(outcome, list(OUTCOMES))).any():
        row = first_true(bad)
        raise ValueError(f"the outcome {quoted(outcome[row])} at {row_name(row)} is none of -1, 0 and 1")
    right = (probabilities >= 0).all(axis=1) & (np.abs(probabilities.sum(axis=1) - 1) < 1e-3)
    if not right.all():
        row = first_true(~right)
        raise ValueError(f"the probabilities at {row_name(row)} are not three numbers that add up to 1")
    return outcome.astype(np.int8), np.minimum(probabilities, 1.0)
