"""A picture of predicted probabilities against observed frequencies."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.checks import checked_multiples
from podium.comparisons.messages import first_true, quoted, row_name
from podium.leaderboard.calibration import OUTCOMES, SHARES, Calibration
from podium.plot.display import Display, label_axes, plain_axes, write_beside
from podium.plot.style import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND = 0.22  # the height of the histogram below zero


class CalibrationDisplay(Display):
    """Do predictions with a probability of 70 % come true 70 times in 100?

    There is one line for each outcome that occurs or is predicted, through bins of nearly equal weight, with
    95 % intervals. A model without ties has one line, for the left side: that of the right side would be its
    mirror image. A tie then counts as half a win. The dotted diagonal is perfect calibration. The histogram
    below shows how often each probability was predicted.

    Parameters
    ----------
    outcome : array-like of shape (n,)
        True outcomes -1, 0 or 1.
    probabilities : array-like of shape (n, 3)
        Predicted probabilities of -1, 0 and 1.
    n_bins : int, default=10
        The largest number of bins per line.
    weight : array-like of shape (n,), default=None
        Weights of the rows.

    Attributes
    ----------
    curves : tuple of CalibrationCurve
        The lines: ``sign``, ``title``, ``bins`` and ``predicted_weight`` of each.
    bins : dict of int to Bins
        The bins of each line, by its outcome.

    See Also
    --------
    metrics.calibration_bins : predicted and observed frequencies
    CalibratedComparer : adds probabilities to a comparer
    """

    def __init__(
        self, outcome: ArrayLike, probabilities: ArrayLike, n_bins: int = 10, weight: ArrayLike | None = None
    ) -> None:
        self.outcome, self.probabilities = _checked_predictions(outcome, probabilities)
        self.weight = checked_multiples(weight, len(self.outcome))
        self.n_bins = n_bins
        self.curves = Calibration.of(self.outcome, self.probabilities, self.weight, n_bins=n_bins).curves
        self.bins = {curve.sign: curve.bins for curve in self.curves}

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
        """Draw the calibration of predictions.

        Parameters
        ----------
        outcome : array-like of shape (n,)
            True outcomes -1, 0 or 1.
        probabilities : array-like of shape (n, 3)
            Predicted probabilities of -1, 0 and 1.
        n_bins : int, default=10
            The largest number of bins per line.
        weight : array-like of shape (n,), default=None
            Weights of the rows.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        CalibrationDisplay
        """
        return cls(outcome, probabilities, n_bins, weight).plot(ax)

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
        ax = self._begin(ax, 5.0, 5.8)
        ax.plot([0, 1], [0, 1], color=palette().soft, linewidth=1, linestyle=(0, (1, 2)))
        line: dict[str, Any] = {"marker": "o", "markersize": 5, "markeredgecolor": palette().paper}
        for curve in self.curves:
            colour, bins = palette().roles[curve.role], curve.bins
            ax.vlines(bins.predicted, bins.low, bins.high, colors=colour, alpha=0.4, linewidth=2)
            ax.plot(bins.predicted, bins.observed, color=colour, label=curve.title, zorder=3, **line)
        self._draw_histogram(ax)
        _style_calibration(ax)
        return self._end()

    def _draw_histogram(self, ax: "Axes") -> None:
        """Draw how often each probability was predicted, in a band below zero."""
        unit = (BAND - 0.05) / np.sum([curve.predicted_weight for curve in self.curves], axis=0).max()
        base = np.full(len(SHARES) - 1, -BAND)
        for curve in self.curves:
            height, colour = unit * curve.predicted_weight, palette().roles[curve.role]
            ax.bar(SHARES[:-1], height, 0.036, base, align="edge", color=colour, alpha=0.6)
            base = base + height
        write_beside(ax, -BAND / 2, "how often", -6, rotation=90, va="center")


def _style_calibration(ax: "Axes") -> None:
    ticks = np.linspace(0, 1, 6)
    ax.set(xlim=(-0.02, 1.02), ylim=(-BAND, 1.02), xticks=ticks, yticks=ticks, aspect="equal")
    middle = (BAND + 0.5) / (BAND + 1.02)
    label_axes(ax, "predicted probability")
    label_axes(ax, y="observed frequency, 95 % intervals", labelpad=4)
    ax.yaxis.label.set_y(middle)
    plain_axes(ax)
    ax.legend(loc="upper left", frameon=False, fontsize=9, labelcolor=palette().ink)


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
