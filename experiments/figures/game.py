"""The preference game's value and accuracy by sample size and λ (Figures 1–3 of [PreferenceGame])."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from podium.plot.display import Display, label_axes, plain_axes, write_title
from podium.plot.style import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from experiments.game_grid import GameGrid

DASHES = (0, (4, 2.5))  # the line style of sub-games with equal weights


class _GridDisplay(Display):
    """Curves over a grid: solid if sub-games are combined by eq. (4), dashed if they have equal weights."""

    def __init__(self, grid: "GameGrid", title: str | None = None) -> None:
        self.grid = grid
        self.title = title

    @classmethod
    def from_grid(cls, grid: "GameGrid", *, title: str | None = None, ax: "Axes | None" = None) -> Self:
        """Draw a grid.

        Parameters
        ----------
        grid : GameGrid
            The result of ``experiments.game_grid.game_grid``.
        title : str, default=None
            The title.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        return cls(grid, title).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        raise NotImplementedError

    def _curves(self, ax: "Axes", ticks: list[str], names: list[str], solid: Any, dashed: Any) -> None:
        """One colour per name; ``solid`` and ``dashed`` have one row per name and one column per tick."""
        at = np.arange(len(ticks))
        marks: dict[str, Any] = {"marker": "o", "markersize": 4, "linewidth": 1.5, "zorder": 3}
        for k, name in enumerate(names):
            colour = palette().series[k % len(palette().series)]
            ax.plot(at, solid[k], color=colour, label=name, **marks)
            ax.plot(
                at, dashed[k], color=colour, linestyle=DASHES, **{**marks, "markerfacecolor": palette().paper}
            )
        ax.set_xticks(at, ticks)
        ax.set_xlim(-0.3, len(ticks) - 0.7)
        plain_axes(ax, "y")

    def _baseline(self, ax: "Axes", height: float) -> None:
        if np.isfinite(height):
            ax.axhline(height, color=palette().ink, linewidth=1.3, zorder=2, label="exact game")

    def _finish(self, ax: "Axes", xlabel: str, ylabel: str) -> None:
        from matplotlib.lines import Line2D

        label_axes(ax, xlabel, ylabel)
        line: dict[str, Any] = {"color": palette().soft, "linewidth": 1.4}
        handles = [
            *ax.get_legend_handles_labels()[0],
            Line2D([], [], **line, label="optimal combination"),
            Line2D([], [], **line, linestyle=DASHES, label="uniform combination"),
        ]
        ax.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=(1.01, 1.02),
            frameon=False,
            fontsize=8,
            labelcolor=palette().ink,
        )
        write_title(ax, self.title)


class GameValueDisplay(_GridDisplay):
    """The value of the sampled game against the sample size, one colour per λ.

    The exact game is a lower bound. The axis is logarithmic, because small samples are far off.

    Parameters
    ----------
    grid : GameGrid
        The result of ``experiments.game_grid.game_grid``.
    title : str, default=None
        The title.

    See Also
    --------
    PreferenceGame : rankings of labels
    GameAccuracyDisplay : the accuracy of sampled games
    """

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
        grid = self.grid
        ax = self._begin(ax, 6.4, 3.8)
        self._baseline(ax, grid.exact_value)
        ticks = [f"{size:.0%}" if size <= 1 else f"{size:,.0f}" for size in grid.sample_sizes]
        names = [f"λ = {rate:g}" for rate in grid.feedbacks]
        self._curves(ax, ticks, names, grid.optimal_value.T, grid.uniform_value.T)
        if np.nanmin([grid.uniform_value.min(), grid.optimal_value.min(), grid.exact_value]) > 0:
            from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

            ax.set_yscale("log")
            plain = FuncFormatter(lambda value, _: f"{value:g}")
            low, high = ax.get_ylim()
            ax.yaxis.set_major_formatter(plain)
            ax.yaxis.set_minor_locator(LogLocator(subs=(1.5, 2, 3, 5, 7)))
            # Powers of ten are enough labels if there are several; a short axis may have fewer than two.
            ax.yaxis.set_minor_formatter(NullFormatter() if high > 100 * low else plain)
            ax.tick_params(axis="y", which="minor", colors=palette().soft, length=0, labelsize=8)
        self._finish(ax, "preferences in a sub-game", "value of the game")
        return self._end()


class GameAccuracyDisplay(_GridDisplay):
    """The accuracy of the sampled game against λ, one colour per sample size.

    Parameters
    ----------
    grid : GameGrid
        The result of ``experiments.game_grid.game_grid``.
    title : str, default=None
        The title.

    See Also
    --------
    PreferenceGame : rankings of labels
    GameValueDisplay : the value of sampled games
    """

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
        grid = self.grid
        ax = self._begin(ax, 6.4, 3.8)
        self._baseline(ax, grid.exact_accuracy)
        ticks = [f"{rate:g}" for rate in grid.feedbacks]
        names = [f"{size:.0%}" if size <= 1 else f"{size:,.0f}" for size in grid.sample_sizes]
        self._curves(ax, ticks, names, grid.optimal_accuracy, grid.uniform_accuracy)
        self._finish(ax, "λ (feedback)", "accuracy")
        return self._end()
