"""A picture of what the next votes are expected to gain."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from podium.plot import display
from podium.plot.fonts import drawable
from podium.plot.style import palette
from podium.writing.label_text import LONGEST_NAME, label_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

COLUMNS = ("left", "right", "gain", "probability")


class GainDisplay(display.Display):
    """The gain of each further vote, in the order in which `next_pairs` chose the pairs.

    A full dot is a pair that was chosen for its gain. A hollow dot is one that chance decided, with a
    probability below 1/2: it was drawn to explore, or from several pairs with the same gain.

    Parameters
    ----------
    pairs : pandas.DataFrame
        What `next_pairs` returned: the columns left, right, gain and probability.
    max_items : int, default=None
        Draw only the first pairs, and write how many are left out. None draws up to 420.

    See Also
    --------
    BradleyTerry : constant skills of items or teams
    LeaderboardDisplay : a leaderboard with intervals

    Examples
    --------
    >>> import podium as pod
    >>> model = pod.BradleyTerry().fit(pod.datasets.load_chess_club())
    >>> display = GainDisplay.from_frame(model.next_pairs(20, "top-5", random_state=0))
    >>> display.save("gains.png")  # doctest: +SKIP
    """

    def __init__(self, pairs: "pd.DataFrame", max_items: int | None = None) -> None:
        if missing := [name for name in COLUMNS if name not in pairs]:
            raise ValueError(f"column '{missing[0]}' is missing; draw a frame that next_pairs returned")
        self.pairs = pairs
        self.max_items = max_items

    @classmethod
    def from_frame(
        cls, pairs: "pd.DataFrame", max_items: int | None = None, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the gains of pairs, in several columns if there are more than 60.

        Parameters
        ----------
        pairs : pandas.DataFrame
            What `next_pairs` returned: the columns left, right, gain and probability.
        max_items : int, default=None
            Draw only the first pairs, and write how many are left out. None draws up to 420.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        GainDisplay
        """
        return cls(pairs, max_items).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the display; a new figure is as high as the pairs need.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        pairs, left_out = display.first_of(self.pairs, self.max_items, display.MOST_ROWS)
        sides = (pairs[side].map(label_text) for side in ("left", "right"))
        names = drawable([f"{left} – {right}" for left, right in zip(*sides, strict=True)], 2 * LONGEST_NAME)
        parts = display.columns_of(len(pairs), ax)
        rows = max(part.stop - part.start for part in parts) + bool(left_out)
        width = (4.6 if len(parts) == 1 else 2.4) + display.width_of(names)
        self._begin(ax, len(parts) * width, 0.95 + 0.26 * (rows + 0.2), len(parts))
        end = 1.05 * pairs["gain"].max() if (pairs["gain"] > 0).any() else 1.0
        for own, part in zip(self.axes_, parts, strict=True):
            display.plain_axes(own, "x")
            _draw_dots(own, pairs[part])
            own.set(xlim=(0, end), ylim=(rows - 0.4, -0.6))
            display.name_rows(own, np.arange(part.stop - part.start), names[part])
        if left_out:
            display.write_beside(self.axes_[-1], part.stop - part.start, f"… and {left_out:,} more", -4)
        display.label_axes(self.ax_, "expected gain of the vote; hollow: decided by chance")
        return self._end()


def _draw_dots(ax: "Axes", pairs: Any) -> None:
    """Draw gains as dots on stems from 0."""
    y, gain, colour = np.arange(len(pairs)), pairs["gain"].to_numpy(dtype=float), palette().series[0]
    fill = np.where(pairs["probability"] < 0.5, palette().paper, colour)
    ax.hlines(y, 0, gain, colors=colour, alpha=0.35, linewidth=3)
    ax.scatter(gain, y, c=fill, s=30, zorder=3, edgecolors=colour, linewidths=1.2)
