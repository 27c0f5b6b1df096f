"""A picture of the chances of all places of a league, or of all rounds of a cup."""

from typing import TYPE_CHECKING, Self

import numpy as np

from podium.plot.display import MOST_ROWS, Display, label_axes, name_rows, width_of
from podium.plot.fonts import drawable
from podium.plot.style import colour_map, ink_on, palette
from podium.simulation.result import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PlacesDisplay(Display):
    """A heat map with one row per item, the best first, and one column per place or round.

    Chances of at least ½ % are written in the cells, in per cent. A picture has at most 420 items.

    Parameters
    ----------
    simulation : Simulation
        What `simulate` found.

    See Also
    --------
    simulate : play the rest of a league or a cup many times
    WinMatrixDisplay : who beats whom

    Examples
    --------
    >>> import podium as pod
    >>> games = pod.datasets.load_chess_club()
    >>> found = pod.simulate(pod.BradleyTerry(order_effect=True).fit(games), games[:182], n=1000)
    >>> display = PlacesDisplay.from_simulation(found)
    >>> display.save("places.png")  # doctest: +SKIP
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    @classmethod
    def from_simulation(cls, simulation: Simulation, *, ax: "Axes | None" = None) -> Self:
        """Draw the chances of a simulation.

        Parameters
        ----------
        simulation : Simulation
            What `simulate` found.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        PlacesDisplay
        """
        return cls(simulation).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the display; a new figure is as large as the items and places need.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        chances = self.simulation.chances.iloc[:MOST_ROWS]
        names, titles = drawable(chances.index), [str(title) for title in chances]
        width = max(0.36, 0.15 + width_of(titles)) * len(titles)
        ax = self._begin(ax, width + 0.6 + width_of(names), 0.27 * len(names) + 0.8)
        colours = colour_map((palette().paper, palette().series[0]))
        image = ax.imshow(chances, colours, vmin=0, vmax=1, aspect="auto")
        for (row, column), chance in np.ndenumerate(chances.to_numpy()):
            if chance >= 0.005:
                ink = ink_on(image.to_rgba(chance))
                ax.text(column, row, f"{100 * chance:.0f}", ha="center", va="center", fontsize=8, color=ink)
        name_rows(ax, range(len(names)), names)
        ax.set_xticks(range(len(titles)), titles)
        ax.tick_params(axis="x", length=0, labelsize=9, labelcolor=palette().soft)
        ax.spines[:].set_visible(False)
        ax.xaxis.tick_top()
        left_out = len(self.simulation.chances) - len(names)
        label_axes(ax, "chance in %" + f"; {left_out:,} more items are left out" * (left_out > 0))
        return self._end()
