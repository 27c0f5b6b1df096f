"""Pictures of comparison functions: level curves of r (Figure 3 of seed 0), margins (Figure 2), ROC.

They follow the convention of `podium.plot`: a ``from_...`` method draws, ``plot(ax)`` draws again where you
like, ``ax_`` and ``figure_`` are what was drawn on.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons import Comparisons
from podium.features import is_sparse
from podium.metrics import baseline_auc, comparison_auc, comparison_roc_curve
from podium.models.featured_pairs import featured_pairs
from podium.plot import COLOURS, FAINT, INK, OUTCOME_COLOURS, SOFT, Display, _plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Utility = Callable[[Floats], Any]

TIE, DECISIVE = OUTCOME_COLOURS[0], INK
MANY_CURVES = 24  # more would be a blot
GRID = 200  # points a side at which r is evaluated
MANY_PAIRS = 100  # more segments would hide the curves


# ------------------------------------------------------------------------------------ level curves (Figure 3)


class LevelCurvesDisplay(Display):
    """Level curves of a ranking function of two features, with the pairs it learned from.

    A tie is a segment, which should stay between neighbouring curves; another pair is an arrow that points to
    the better side, and should cross one. Neighbouring curves are a whole number of thresholds apart, one if
    there is room: differences of less are no difference.
    """

    def __init__(
        self,
        pairs: Any,
        utility: Utility | None = None,
        threshold: float | None = None,
        title: str | None = None,
        max_pairs: int = MANY_PAIRS,
    ) -> None:
        self.pairs = _plane(featured_pairs(pairs), "level curves are drawn")
        self.utility = utility
        self.threshold = threshold
        self.title = title
        self.max_pairs = max_pairs

    @classmethod
    def from_estimator(
        cls, estimator: Any, pairs: Any, y: Any = None, *, title: str | None = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw the ``utility`` of a fitted comparer, and pairs with outcomes."""
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
        """Draw any function of rows, such as the true r of a simulation; None draws the pairs alone."""
        return cls(featured_pairs(pairs, y), utility, threshold, title).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on ``ax``, or on a new figure."""
        ax = self._begin(ax, 4.6, 4.9)
        low, high = _frame(self.pairs.features)
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        ax.set_box_aspect(1)
        if self.utility is not None:
            self._draw_curves(ax, low, high)
        shown = self.pairs[: self.max_pairs]
        _draw_pairs(ax, shown)
        _name_axes(ax, self.pairs)
        self._draw_legend(ax, len(self.pairs) - len(shown))
        if self.title:
            ax.set_title(
                self.title, loc="left", fontsize=11, weight="bold", color=INK, parse_math=False, pad=24
            )
        return self

    def _draw_curves(self, ax: "Axes", low: Floats, high: Floats) -> None:
        assert self.utility is not None
        x, y = (np.linspace(low[axis], high[axis], GRID) for axis in (0, 1))
        X = np.column_stack([values.ravel() for values in np.meshgrid(x, y)])
        r = np.asarray(self.utility(X), dtype=np.float64).reshape(GRID, GRID)
        levels = _levels(r, self.threshold)
        if len(levels) < 2:
            return  # r is flat
        ax.contourf(x, y, r, levels, cmap=_pale(), extend="both", zorder=0)
        ax.contour(
            x, y, r, levels, colors=COLOURS[0], linewidths=0.9, linestyles="solid", alpha=0.55, zorder=1
        )

    def _draw_legend(self, ax: "Axes", left_out: int) -> None:
        from matplotlib.lines import Line2D

        marks = [
            Line2D([], [], color=TIE, linewidth=1.6, marker="o", markersize=3.5, label="no difference"),
            Line2D(
                [], [], color=DECISIVE, linewidth=1.1, marker=">", markersize=5, label="points to the better"
            ),
        ]
        place = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1.0), "ncols": 2, "borderaxespad": 0.1}
        ax.legend(handles=marks, frameon=False, fontsize=8, labelcolor=SOFT, handlelength=1.8, **place)
        if left_out:
            note = f"… and {left_out:,} more pairs"
            ax.text(1, -0.09, note, transform=ax.transAxes, ha="right", va="top", fontsize=8, color=SOFT)


def _draw_pairs(ax: "Axes", c: Comparisons) -> None:
    outcome = np.zeros(len(c), np.int8) if c.outcome is None else c.outcome
    swapped = outcome < 0
    tail = c.features[np.where(swapped, c.right, c.left)]
    head = c.features[np.where(swapped, c.left, c.right)]
    tie = outcome == 0
    ends = np.stack([tail[tie], head[tie]], axis=1)
    for segment in ends:
        ax.plot(*segment.T, color=TIE, linewidth=0.9, marker="o", markersize=2.4, zorder=3, alpha=0.75)
    style = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.0028, "color": DECISIVE}
    heads = {"headwidth": 5.5, "headlength": 6.5, "headaxislength": 5.8, "minlength": 0.5}
    along = (head - tail)[~tie]
    ax.quiver(*tail[~tie].T, *along.T, zorder=4, alpha=0.6, **style, **heads)


def _levels(r: Floats, threshold: float | None) -> Floats:
    """Where to draw: at multiples of the threshold, if it is one that r can be divided by."""
    low, high = float(r.min()), float(r.max())
    if not high - low > 1e-12 * max(abs(low), abs(high)):
        return np.empty(0)
    step = threshold if threshold and np.isfinite(threshold) and threshold > 0 else (high - low) / 12
    step *= max(1.0, float(np.ceil((high - low) / (MANY_CURVES * step))))
    first = np.ceil(low / step)
    levels = step * np.arange(first, np.floor(high / step) + 1)
    return levels if len(levels) > 1 else np.linspace(low, high, 12)


def _pale() -> Any:
    """From white to a light blue: higher is better, and lines on it stay readable."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("pale", ["#ffffff", "#eef4fa", "#c9deef"])


# ------------------------------------------------------------------------------------ margins (Figure 2)


class MarginDisplay(Display):
    """The difference vectors x' - x of two features, the decision boundaries and the margins of a linear r.

    Solid lines are the boundaries r(x' - x) = ±threshold; between them there is no difference. Dashed lines
    are a margin μ away, in values of r; the band between them is empty if the pairs are separable.
    ``flipped=True`` shows the data of (8), on which the quadratic program works: better sides to one side,
    ties in both directions.
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
        self.pairs = _plane(featured_pairs(pairs), "margins are drawn")
        self.coef = np.asarray(coef, dtype=np.float64)
        if self.coef.shape != (2,) or not np.isfinite(self.coef).all():
            raise ValueError(f"the ranking function is w·x with two finite numbers w, not {self.coef}")
        self.threshold = threshold
        self.margin = margin
        self.flipped = flipped

    @classmethod
    def from_estimator(
        cls, estimator: Any, pairs: Any, y: Any = None, *, flipped: bool = False, ax: "Axes | None" = None
    ) -> Self:
        """Draw a fitted comparer that has ``coef_``."""
        if not hasattr(estimator, "coef_"):
            raise ValueError(
                f"{type(estimator).__name__} has no coef_; margins are drawn of linear functions"
            )
        c = featured_pairs(pairs, y)
        margin = getattr(estimator, "margin_", np.nan)
        return cls(c, estimator.coef_, estimator.threshold_, margin, flipped=flipped).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on ``ax``, or on a new figure."""
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
                    "edgecolors": "white",
                    "zorder": 4,
                }
                ax.scatter(
                    *d[rows].T, color=OUTCOME_COLOURS[sign], marker=marks[sign], label=names[sign], **style
                )
        place = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1.0), "ncols": 3, "borderaxespad": 0.1}
        options = {"handletextpad": 0.2, "columnspacing": 1.2}
        ax.legend(frameon=False, fontsize=8, labelcolor=SOFT, **options, **place)
        _name_axes(ax, self.pairs, difference=True)
        return self

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
        ax.axline((0, 0), tuple(self.coef / size), color=FAINT, linewidth=1, zorder=0).set_in_layout(False)
        for sign in (1,) if self.flipped else (1, -1):
            middle = sign * self.threshold
            _level_line(ax, self.coef, middle, color=INK, linewidth=1.4)
            _write_level(ax, self.coef, middle, f"r = {middle:+.3g}", reach)
            if self.margin > 0:
                inner, outer = middle - sign * self.margin, middle + sign * self.margin
                for level in (inner, outer):
                    _level_line(ax, self.coef, level, color=SOFT, linewidth=0.9, linestyle=(0, (4, 3)))
                _fill_between_levels(ax, self.coef, inner, outer, reach)
        if self.margin > 0:
            # In the corner at the bottom that the lines do not run into.
            left = self.coef[0] * self.coef[1] > 0
            place: dict[str, Any] = {
                "transform": ax.transAxes,
                "ha": "left" if left else "right",
                "va": "bottom",
            }
            text = f"margin μ = {self.margin:.3g}"
            ax.text(0.02 if left else 0.98, 0.02, text, fontsize=9, color=INK, zorder=5, **place)


def _level_line(ax: "Axes", w: Floats, level: float, **style: Any) -> None:
    """The points with w·d = level."""
    foot = level * w / (w @ w)
    ahead = foot + np.array([-w[1], w[0]]) / np.linalg.norm(w)
    line = ax.axline((foot[0], foot[1]), (ahead[0], ahead[1]), zorder=2, **style)
    line.set_in_layout(False)


def _fill_between_levels(ax: "Axes", w: Floats, low: float, high: float, reach: float) -> None:
    normal, along = w / (w @ w), 4 * reach * np.array([-w[1], w[0]]) / np.linalg.norm(w)
    corners = [low * normal + along, low * normal - along, high * normal - along, high * normal + along]
    (band,) = ax.fill(*np.array(corners).T, color=COLOURS[0], alpha=0.08, linewidth=0, zorder=1)
    band.set_in_layout(False)


def _write_level(ax: "Axes", w: Floats, level: float, text: str, reach: float) -> None:
    """Beside its line, at the end of it that is farther up, if that is in the picture."""
    along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
    along = along if along[1] > 0 or (along[1] == 0 and along[0] > 0) else -along
    foot = level * w / (w @ w)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(along > 0, reach - foot, -reach - foot) / along
    end = foot + 0.9 * float(np.nanmin(np.where(np.isfinite(room), room, np.nan))) * along
    if (np.abs(end) < reach).all():
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2, "alpha": 0.9}
        ax.text(end[0], end[1], text, ha="center", va="center", fontsize=8, color=INK, bbox=box, zorder=5)


# ------------------------------------------------------------------------------------ ROC (Table 3)


class ComparisonROCDisplay(Display):
    """How many pairs are told apart rightly, against how many ties are taken for a difference: Table 3.

    A pair predicted the wrong way round never counts as found, so a curve ends below 1, at the accuracy of
    the sign. The dotted line is the baseline: always predicting the more frequent side. A dot marks the
    threshold that the comparer itself uses.
    """

    def __init__(
        self,
        y: ArrayLike,
        decisions: dict[str, ArrayLike],
        sample_weight: ArrayLike | None = None,
        thresholds: dict[str, float] | None = None,
    ) -> None:
        self.curves = {name: comparison_roc_curve(y, d, sample_weight) for name, d in decisions.items()}
        self.auc = {name: comparison_auc(y, d, sample_weight) for name, d in decisions.items()}
        self.baseline = baseline_auc(y, sample_weight)
        self.thresholds = thresholds or {}

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        decision: ArrayLike | dict[str, ArrayLike],
        sample_weight: ArrayLike | None = None,
        *,
        name: str = "comparer",
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw decisions, or several of them by name, against outcomes in {-1, 0, 1}."""
        decisions = decision if isinstance(decision, dict) else {name: decision}
        return cls(y, decisions, sample_weight).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, pairs: Any, y: Any = None, *, name: str | None = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw a fitted comparer on pairs, or several fitted comparers by name."""
        models = estimator if isinstance(estimator, dict) else {name or type(estimator).__name__: estimator}
        c = featured_pairs(pairs, y)
        if c.outcome is None:
            raise ValueError("these comparisons have no outcome to be right about; give it as y")
        decisions = {label: model.decision_function(c) for label, model in models.items()}
        thresholds = {label: m.threshold_ for label, m in models.items() if hasattr(m, "threshold_")}
        return cls(c.outcome, decisions, c.weight, thresholds).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on ``ax``, or on a new figure."""
        ax = self._begin(ax, 4.8, 4.8)
        dots: dict[str, Any] = {"color": SOFT, "linewidth": 1.2, "linestyle": (0, (1, 2))}
        ax.plot(
            [0, 1], [0, 2 * self.baseline], label=f"more frequent side  {self.baseline:.3f}", zorder=2, **dots
        )
        for number, (name, (fpr, tpr, thresholds)) in enumerate(self.curves.items()):
            colour = COLOURS[number % len(COLOURS)]
            label = f"{name}  {self.auc[name]:.3f}"
            ax.plot(fpr, tpr, color=colour, linewidth=1.8, label=label, zorder=3, solid_joinstyle="round")
            if np.isfinite(threshold := self.thresholds.get(name, np.inf)):
                at = (
                    int((thresholds > threshold).sum()) - 1
                )  # the last that takes |d| > threshold for decisive
                ax.plot(
                    fpr[at], tpr[at], "o", color=colour, markersize=6.5, markeredgecolor="white", zorder=4
                )
        ticks = np.linspace(0, 1, 6)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xticks=ticks, yticks=ticks)
        ax.set_box_aspect(1)
        ax.set_xlabel("ties taken for a difference", color=SOFT, fontsize=9)
        ax.set_ylabel("decisive pairs told apart rightly", color=SOFT, fontsize=9)
        ax.grid(color=FAINT, linewidth=0.8)
        _plain_axes(ax)
        legend = ax.legend(
            title="area under the curve", loc="lower right", fontsize=9, labelcolor=INK, title_fontsize=8
        )
        legend.get_title().set_color(SOFT)
        legend.get_frame().set(edgecolor="none", facecolor="white", alpha=0.85)
        return self


# ------------------------------------------------------------------------------------ what they share


def _plane(c: Comparisons, what: str) -> Comparisons:
    if c.features.shape[1] != 2:
        raise ValueError(f"{what} of two features, and these pairs have {c.features.shape[1]}")
    if not len(c):
        raise ValueError("there are no pairs to draw")
    return c.with_features(c.features.toarray(), c.feature_names) if is_sparse(c.features) else c


def _frame(X: Floats) -> tuple[Floats, Floats]:
    low, high = X.min(axis=0), X.max(axis=0)
    air = np.where(high > low, 0.04 * (high - low), 0.5)
    return low - air, high + air


def _name_axes(ax: "Axes", c: Comparisons, difference: bool = False) -> None:
    names = c.feature_names or ("feature 1", "feature 2")
    suffix = ", right less left" if difference else ""
    ax.set_xlabel(names[0] + suffix, color=SOFT, fontsize=9, parse_math=False)
    ax.set_ylabel(names[1] + suffix, color=SOFT, fontsize=9, parse_math=False)
    ax.tick_params(colors=SOFT, length=0, labelsize=8)
    ax.spines[:].set_color(FAINT)
