"""Level curves of a ranking function, with its training pairs (Figure 3 of [SVMcompare])."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from experiments.figures.plane import in_the_plane, name_axes
from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import featured_pairs
from podium.comparisons.table import Comparisons
from podium.leaderboard.palette import DARK
from podium.plot.display import Display, write_title
from podium.plot.style import colour_map, palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Utility = Callable[[Floats], Any]

SHADES, DARK_SHADES = ("#ffffff", "#eef4fa", "#c9deef"), ("#16191d", "#1a2735", "#22405c")  # of r
MANY_CURVES = 24  # more curves could not be told apart
GRID = 200  # points per axis at which r is evaluated
MANY_PAIRS = 100  # more segments would hide the curves


class LevelCurvesDisplay(Display):
    """Level curves of a ranking function of two features, with its training pairs.

    A tie is a segment, which should stay between neighbouring curves. Any other pair is an arrow to the
    better side, which should cross a curve. Neighbouring curves are one threshold apart, or a multiple of
    it if there would be too many: two sides that are less than a threshold apart count as tied.

    Parameters
    ----------
    pairs : Comparisons or array-like of shape (n_pairs, 2, 2)
        Pairs of items with two features.
    utility : callable, default=None
        The ranking function of rows of features; None draws the pairs alone.
    threshold : float, default=None
        The distance of the curves; None draws about twelve.
    title : str, default=None
        The title.
    max_pairs : int, default=100
        The largest number of pairs to draw.

    See Also
    --------
    SVMCompare : pairs with features, learns from ties
    """

    def __init__(
        self,
        pairs: Any,
        utility: Utility | None = None,
        threshold: float | None = None,
        title: str | None = None,
        max_pairs: int = MANY_PAIRS,
    ) -> None:
        self.pairs = in_the_plane(featured_pairs(pairs), "level curves are drawn")
        self.utility = utility
        self.threshold = threshold
        self.title = title
        self.max_pairs = max_pairs

    @classmethod
    def from_estimator(
        cls, estimator: Any, pairs: Any, y: Any = None, *, title: str | None = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw the ranking function of a fitted comparer.

        Parameters
        ----------
        estimator : estimator
            A fitted comparer with the method ``utility``.
        pairs : Comparisons or array-like of shape (n_pairs, 2, 2)
            Pairs of items with two features.
        y : array-like of shape (n_pairs,), default=None
            Outcomes -1, 0 or 1.
        title : str, default=None
            The title.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        LevelCurvesDisplay
        """
        c = featured_pairs(pairs, y)
        return cls(c, estimator.utility, getattr(estimator, "threshold_", None), title).plot(ax)

    @classmethod
    def from_utility(
        cls,
        utility: Utility | None,
        pairs: Any,
        y: Any = None,
        *,
        threshold: float | None = None,
        title: str | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw any ranking function, such as the true one of a simulation.

        Parameters
        ----------
        utility : callable or None
            The ranking function of rows of features; None draws the pairs alone.
        pairs : Comparisons or array-like of shape (n_pairs, 2, 2)
            Pairs of items with two features.
        y : array-like of shape (n_pairs,), default=None
            Outcomes -1, 0 or 1.
        threshold : float, default=None
            The distance of the curves; None draws about twelve.
        title : str, default=None
            The title.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        LevelCurvesDisplay
        """
        return cls(featured_pairs(pairs, y), utility, threshold, title).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        ax = self._begin(ax, 4.6, 4.9)
        low, high = _frame(self.pairs.features)
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        ax.set_box_aspect(1)
        if self.utility is not None:
            self._draw_curves(ax, low, high)
        shown = self.pairs[: self.max_pairs]
        _draw_pairs(ax, shown)
        name_axes(ax, self.pairs)
        self._draw_legend(ax, len(self.pairs) - len(shown))
        write_title(ax, self.title, pad=24)
        return self._end()

    def _draw_curves(self, ax: "Axes", low: Floats, high: Floats) -> None:
        assert self.utility is not None
        x, y = (np.linspace(low[axis], high[axis], GRID) for axis in (0, 1))
        X = np.column_stack([values.ravel() for values in np.meshgrid(x, y)])
        r = np.asarray(self.utility(X), dtype=np.float64).reshape(GRID, GRID)
        levels = _levels(r, self.threshold)
        if len(levels) < 2:
            return  # r is flat
        shades = colour_map(DARK_SHADES if palette() is DARK else SHADES)
        ax.contourf(x, y, r, levels, cmap=shades, extend="both", zorder=0)
        line: dict[str, Any] = {"linewidths": 0.9, "linestyles": "solid", "alpha": 0.55, "zorder": 1}
        ax.contour(x, y, r, levels, colors=palette().series[0], **line)

    def _draw_legend(self, ax: "Axes", left_out: int) -> None:
        from matplotlib.lines import Line2D

        tie, ink = palette().outcomes[0], palette().ink
        marks = [
            Line2D([], [], color=tie, linewidth=1.6, marker="o", markersize=3.5, label="no difference"),
            Line2D([], [], color=ink, linewidth=1.1, marker=">", markersize=5, label="points to the better"),
        ]
        place = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1.0), "ncols": 2, "borderaxespad": 0.1}
        ax.legend(
            handles=marks, frameon=False, fontsize=8, labelcolor=palette().soft, handlelength=1.8, **place
        )
        if left_out:
            note = f"… and {left_out:,} more pairs"
            ax.text(
                1, -0.09, note, transform=ax.transAxes, ha="right", va="top", fontsize=8, color=palette().soft
            )


def _frame(X: Floats) -> tuple[Floats, Floats]:
    low, high = X.min(axis=0), X.max(axis=0)
    air = np.where(high > low, 0.04 * (high - low), 0.5)
    return low - air, high + air


def _draw_pairs(ax: "Axes", c: Comparisons) -> None:
    outcome = np.zeros(len(c), np.int8) if c.outcome is None else c.outcome
    swapped = outcome < 0
    tail = c.features[np.where(swapped, c.right, c.left)]
    head = c.features[np.where(swapped, c.left, c.right)]
    tie = outcome == 0
    ends = np.stack([tail[tie], head[tie]], axis=1)
    for segment in ends:
        ax.plot(
            *segment.T,
            color=palette().outcomes[0],
            linewidth=0.9,
            marker="o",
            markersize=2.4,
            zorder=3,
            alpha=0.75,
        )
    style = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.0028, "color": palette().ink}
    heads = {"headwidth": 5.5, "headlength": 6.5, "headaxislength": 5.8, "minlength": 0.5}
    along = (head - tail)[~tie]
    ax.quiver(*tail[~tie].T, *along.T, zorder=4, alpha=0.6, **style, **heads)


def _levels(r: Floats, threshold: float | None) -> Floats:
    """The levels to draw: multiples of the threshold if it is finite and above 0."""
    low, high = float(r.min()), float(r.max())
    if not high - low > 1e-12 * max(abs(low), abs(high)):
        return np.empty(0)
    step = threshold if threshold and np.isfinite(threshold) and threshold > 0 else (high - low) / 12
    step *= max(1.0, float(np.ceil((high - low) / (MANY_CURVES * step))))
    first = np.ceil(low / step)
    levels = step * np.arange(first, np.floor(high / step) + 1)
    return levels if len(levels) > 1 else np.linspace(low, high, 12)
