"""Boundaries and margins of a linear ranking function of two features (Figure 2 of [SVMcompare])."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.figures.plane import in_the_plane, name_axes
from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import featured_pairs
from podium.plot.display import Display
from podium.plot.style import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MarginDisplay(Display):
    """The differences x' - x of two features, with the decision boundaries and margins of a linear r.

    Solid lines are the boundaries r(x' - x) = ±threshold; between them there is no difference. Dashed lines
    are a margin μ away, in values of r; the band between them is empty if the pairs are separable.

    Parameters
    ----------
    pairs : Comparisons or array-like of shape (n_pairs, 2, 2)
        Pairs of items with two features.
    coef : array-like of shape (2,)
        The weights of the ranking function.
    threshold : float, default=1.0
        The smallest difference of r that is not a tie.
    margin : float, default=nan
        The margin μ; nan draws none.
    flipped : bool, default=False
        Whether to show the pairs as the quadratic program (8) sees them: turned so that the right side is
        better, with ties in both directions.

    See Also
    --------
    SVMCompareLP : the same idea as a linear program
    """

    def __init__(
        self,
        pairs: Any,
        coef: ArrayLike,
        threshold: float = 1.0,
        margin: float = np.nan,
        *,
        flipped: bool = False,
    ) -> None:
        self.pairs = in_the_plane(featured_pairs(pairs), "margins are drawn")
        self.coef = np.asarray(coef, dtype=np.float64)
        if self.coef.shape != (2,) or not np.isfinite(self.coef).all():
            raise ValueError(f"coef must be two finite numbers, not {self.coef}")
        self.threshold = threshold
        self.margin = margin
        self.flipped = flipped

    @classmethod
    def from_estimator(
        cls, estimator: Any, pairs: Any, y: Any = None, *, flipped: bool = False, ax: "Axes | None" = None
    ) -> Self:
        """Draw a fitted linear comparer.

        Parameters
        ----------
        estimator : estimator
            A fitted comparer with ``coef_``.
        pairs : Comparisons or array-like of shape (n_pairs, 2, 2)
            Pairs of items with two features.
        y : array-like of shape (n_pairs,), default=None
            Outcomes -1, 0 or 1.
        flipped : bool, default=False
            Whether to turn the pairs so that the right side is better.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        MarginDisplay
        """
        if not hasattr(estimator, "coef_"):
            raise ValueError(
                f"{type(estimator).__name__} has no coef_; only a linear ranking function has margins to draw"
            )
        c = featured_pairs(pairs, y)
        margin = getattr(estimator, "margin_", np.nan)
        return cls(c, estimator.coef_, estimator.threshold_, margin, flipped=flipped).plot(ax)

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
        ax = self._begin(ax, 4.8, 5.1)
        d, outcome = self._differences()
        reach = 1.12 * float(np.abs(d).max(initial=1e-9, axis=0).max())
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
        ax.set_box_aspect(1)
        self._draw_lines(ax, reach)
        names = {-1: "left better", 0: "no difference", 1: "better side" if self.flipped else "right better"}
        marks = {-1: "v", 0: "o", 1: "^"}
        for sign in (-1, 0, 1):
            if (rows := outcome == sign).any():
                style: dict[str, Any] = {
                    "s": 26 if sign else 20,
                    "linewidths": 0.6,
                    "edgecolors": palette().paper,
                    "zorder": 4,
                }
                ax.scatter(
                    *d[rows].T, color=palette().outcomes[sign], marker=marks[sign], label=names[sign], **style
                )
        place = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1.0), "ncols": 3, "borderaxespad": 0.1}
        options = {"handletextpad": 0.2, "columnspacing": 1.2}
        ax.legend(frameon=False, fontsize=8, labelcolor=palette().soft, **options, **place)
        name_axes(ax, self.pairs, difference=True)
        return self._end()

    def _differences(self) -> tuple[Floats, NDArray[np.int8]]:
        c = self.pairs
        d = c.features[c.right] - c.features[c.left]
        outcome = np.zeros(len(c), np.int8) if c.outcome is None else c.outcome
        if self.flipped:
            tie = outcome == 0
            d = np.vstack([d * np.where(outcome < 0, -1, 1)[:, None], -d[tie]])
            outcome = np.append(np.abs(outcome), outcome[tie])
        return d, outcome

    def _draw_lines(self, ax: "Axes", reach: float) -> None:
        size = float(np.linalg.norm(self.coef))
        if size == 0 or not np.isfinite(self.threshold):
            return  # nothing is ever better
        ax.axline(
            (0, 0), tuple(self.coef / size), color=palette().faint, linewidth=1, zorder=0
        ).set_in_layout(False)
        for sign in (1,) if self.flipped else (1, -1):
            middle = sign * self.threshold
            _level_line(ax, self.coef, middle, color=palette().ink, linewidth=1.4)
            _write_level(ax, self.coef, middle, f"r = {middle:+.3g}", reach)
            if self.margin > 0:
                inner, outer = middle - sign * self.margin, middle + sign * self.margin
                for level in (inner, outer):
                    _level_line(
                        ax, self.coef, level, color=palette().soft, linewidth=0.9, linestyle=(0, (4, 3))
                    )
                _fill_between_levels(ax, self.coef, inner, outer, reach)
        if self.margin > 0:
            # Use the bottom corner that the lines do not reach.
            left = self.coef[0] * self.coef[1] > 0
            place: dict[str, Any] = {
                "transform": ax.transAxes,
                "ha": "left" if left else "right",
                "va": "bottom",
            }
            text = f"margin μ = {self.margin:.3g}"
            ax.text(0.02 if left else 0.98, 0.02, text, fontsize=9, color=palette().ink, zorder=5, **place)


def _level_line(ax: "Axes", w: Floats, level: float, **style: Any) -> None:
    """The points with w·d = level."""
    foot = level * w / (w @ w)
    ahead = foot + np.array([-w[1], w[0]]) / np.linalg.norm(w)
    line = ax.axline((foot[0], foot[1]), (ahead[0], ahead[1]), zorder=2, **style)
    line.set_in_layout(False)


def _fill_between_levels(ax: "Axes", w: Floats, low: float, high: float, reach: float) -> None:
    normal, along = w / (w @ w), 4 * reach * np.array([-w[1], w[0]]) / np.linalg.norm(w)
    corners = [low * normal + along, low * normal - along, high * normal - along, high * normal + along]
    (band,) = ax.fill(*np.array(corners).T, color=palette().series[0], alpha=0.08, linewidth=0, zorder=1)
    band.set_in_layout(False)


def _write_level(ax: "Axes", w: Floats, level: float, text: str, reach: float) -> None:
    """Write the level at the upper end of its line, if that is inside the picture."""
    along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
    along = along if along[1] > 0 or (along[1] == 0 and along[0] > 0) else -along
    foot = level * w / (w @ w)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(along > 0, reach - foot, -reach - foot) / along
    end = foot + 0.9 * float(np.nanmin(np.where(np.isfinite(room), room, np.nan))) * along
    if (np.abs(end) < reach).all():
        box = {"facecolor": palette().paper, "edgecolor": "none", "pad": 1.2, "alpha": 0.9}
        ax.text(
            end[0],
            end[1],
            text,
            ha="center",
            va="center",
            fontsize=8,
            color=palette().ink,
            bbox=box,
            zorder=5,
        )
