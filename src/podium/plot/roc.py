"""ROC curves of comparison functions (Table 3 of [SVMcompare])."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays.devices.boundary import to_numpy
from podium.comparisons.inputs import featured_pairs
from podium.metrics import baseline_auc, comparison_auc, comparison_roc_curve
from podium.plot.display import Display, label_axes, plain_axes
from podium.plot.fonts import drawable
from podium.plot.style import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ComparisonROCDisplay(Display):
    """Correctly predicted decisive pairs against ties predicted as decisive: Table 3 of [SVMcompare].

    A pair with the wrong sign is never correct, so a curve ends below 1, at the accuracy of the sign. The
    dotted line is the baseline of always predicting the more frequent side. A dot marks the threshold that
    the comparer itself uses.

    Parameters
    ----------
    y : array-like of shape (n_pairs,)
        True outcomes -1, 0 or 1.
    decisions : dict of str to array-like of shape (n_pairs,)
        Decision values by name.
    sample_weight : array-like of shape (n_pairs,), default=None
        Weights of the pairs.
    thresholds : dict of str to float, default=None
        The thresholds to mark, by name.

    Attributes
    ----------
    curves : dict of str to tuple
        False positive rates, true positive rates and thresholds.
    auc : dict of str to float
        The areas under the curves.
    baseline : float
        The area under the curve of the baseline.

    See Also
    --------
    metrics.comparison_roc_curve : the ROC curve of comparisons
    metrics.comparison_auc : the area under the ROC curve of comparisons
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
        """Draw the curves of decision values.

        Parameters
        ----------
        y : array-like of shape (n_pairs,)
            True outcomes -1, 0 or 1.
        decision : array-like of shape (n_pairs,), or dict of str to such
            Decision values, or several by name.
        sample_weight : array-like of shape (n_pairs,), default=None
            Weights of the pairs.
        name : str, default="comparer"
            The name in the legend if there is one curve.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ComparisonROCDisplay
        """
        decisions = decision if isinstance(decision, dict) else {name: decision}
        return cls(y, decisions, sample_weight).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, pairs: Any, y: Any = None, *, name: str | None = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw the curves of fitted comparers.

        Parameters
        ----------
        estimator : estimator, or dict of str to estimator
            A fitted comparer, or several by name.
        pairs : Comparisons or array-like of shape (n_pairs, 2, n_features)
            Test pairs.
        y : array-like of shape (n_pairs,), default=None
            True outcomes -1, 0 or 1.
        name : str, default=None
            The name in the legend if there is one comparer; None is its class.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ComparisonROCDisplay
        """
        models = estimator if isinstance(estimator, dict) else {name or type(estimator).__name__: estimator}
        c = featured_pairs(pairs, y)
        if c.outcome is None:
            raise ValueError("these comparisons have no outcomes to compare predictions with; give them as y")
        decisions: dict[str, ArrayLike] = {
            label: to_numpy(model.decision_function(c)) for label, model in models.items()
        }
        thresholds = {label: m.threshold_ for label, m in models.items() if hasattr(m, "threshold_")}
        return cls(c.outcome, decisions, c.mass, thresholds).plot(ax)

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
        ax = self._begin(ax, 4.8, 4.8)
        dots: dict[str, Any] = {"color": palette().soft, "linewidth": 1.2, "linestyle": (0, (1, 2))}
        ax.plot(
            [0, 1], [0, 2 * self.baseline], label=f"more frequent side  {self.baseline:.3f}", zorder=2, **dots
        )
        names = drawable(self.curves)
        for number, (name, (fpr, tpr, thresholds)) in enumerate(self.curves.items()):
            colour = palette().series[number % len(palette().series)]
            label = f"{names[number]}  {self.auc[name]:.3f}"
            ax.plot(fpr, tpr, color=colour, linewidth=1.8, label=label, zorder=3, solid_joinstyle="round")
            if np.isfinite(threshold := self.thresholds.get(name, np.inf)):
                at = int((thresholds > threshold).sum()) - 1  # the last point with |d| > threshold
                dot: dict[str, Any] = {"markersize": 6.5, "markeredgecolor": palette().paper}
                ax.plot(fpr[at], tpr[at], "o", color=colour, zorder=4, **dot)
        ticks = np.linspace(0, 1, 6)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xticks=ticks, yticks=ticks)
        ax.set_box_aspect(1)
        label_axes(ax, "ties called a difference", "decisive pairs predicted correctly")
        plain_axes(ax)
        style: dict[str, Any] = {"fontsize": 9, "labelcolor": palette().ink, "title_fontsize": 8}
        legend = ax.legend(title="area under the curve", loc="lower right", **style)
        legend.get_title().set_color(palette().soft)
        legend.get_frame().set(edgecolor="none", facecolor=palette().paper, alpha=0.85)
        return self._end()
