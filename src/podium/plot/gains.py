"""A picture of what the next votes are expected to gain."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from podium.plot.display import (
    COLOURS,
    FAINT,
    INK,
    SOFT,
    Display,
    first_of,
    plain_axes,
    width_of,
    write_beside,
)
from podium.writing.label_text import one_line

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

COLUMNS = ("left", "right", "gain", "probability")


class GainDisplay(Display):
    """The gain of each further vote, in the order in which `next_pairs` chose the pairs.

    A full dot is a pair that was chosen for its gain. A hollow dot is one that chance decided, with a
    probability below 1/2: it was drawn to explore, or from several pairs with the same gain.

    Parameters
    ----------
    pairs : pandas.DataFrame
        What `next_pairs` returned: the columns left, right, gain and probability.
    max_items : int, default=40
        The largest number of pairs to draw.

    See Also
    --------
    BradleyTerry : constant skills of items or teams
    LeaderboardDisplay : a leaderboard with intervals

    Examples
    --------
    >>> import podium as pod
    >>> model = pod.BradleyTerry().fit(pod.datasets.load_chess_club())
    >>> display = GainDisplay.from_frame(model.next_pairs(20, "top-5", random_state=0))
    >>> display.figure_.savefig("gains.png")  # doctest: +SKIP
    """

    def __init__(self, pairs: "pd.DataFrame", max_items: int = 40) -> None:
        if missing := [name for name in COLUMNS if name not in pairs]:
            raise ValueError(f"column '{missing[0]}' is missing; draw a frame that next_pairs returned")
        self.pairs = pairs
        self.max_items = max_items

    @classmethod
    def from_frame(cls, pairs: "pd.DataFrame", max_items: int = 40, *, ax: "Axes | None" = None) -> Self:
        """Draw the first pairs, with the number of pairs left out.

        Parameters
        ----------
        pairs : pandas.DataFrame
            What `next_pairs` returned: the columns left, right, gain and probability.
        max_items : int, default=40
            The largest number of pairs to draw.
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
        pairs, left_out = first_of(self.pairs, self.max_items)
        names = [f"{one_line(a)} – {one_line(b)}" for a, b in zip(pairs["left"], pairs["right"], strict=True)]
        bottom = len(pairs) + (0.4 if left_out else -0.4)
        ax = self._begin(ax, 4.6 + width_of(names), 0.95 + 0.26 * (bottom + 0.6))
        plain_axes(ax)
        _draw_dots(ax, pairs)
        ax.set_ylim(bottom, -0.6)
        ax.set_yticks(np.arange(len(names)), names, parse_math=False)
        ax.tick_params(axis="y", length=0, labelsize=9, labelcolor=INK)
        if left_out:
            write_beside(ax, bottom - 0.5, f"… and {left_out:,} more", -4)
        ax.set_xlabel("expected gain of the vote; hollow: decided by chance", color=SOFT, fontsize=9)
        return self


def _draw_dots(ax: "Axes", pairs: Any) -> None:
    """Draw gains as dots on stems from 0."""
    y, gain = np.arange(len(pairs)), pairs["gain"].to_numpy(dtype=float)
    fill = np.where(pairs["probability"] < 0.5, "white", COLOURS[0])
    ax.hlines(y, 0, gain, colors=COLOURS[0], alpha=0.35, linewidth=3)
    ax.scatter(gain, y, c=fill, s=30, zorder=3, edgecolors=COLOURS[0], linewidths=1.2)
    ax.set_xlim(left=0)
    ax.grid(axis="x", color=FAINT, linewidth=0.8)
