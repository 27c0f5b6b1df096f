"""A picture of scores through time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from podium.leaderboard.history import scale_text
from podium.leaderboard.paths import Paths, SkillPath, apart
from podium.plot.display import Display, label_axes, plain_axes, width_of, write_note
from podium.plot.fonts import drawable
from podium.plot.style import palette

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

STYLES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)))  # with more lines than colours, lines are dashed
WIDTH, HEIGHT = 7.0, 4.2  # of a new figure without the names, in inches
NAME_HEIGHT = 12.0  # of a line of text, in points


class HistoryDisplay(Display):
    """Scores through time: one line per item with its interval as a band, and its name at the end.

    Lines connect the moments at which an item played; if there are very many, only some are drawn.

    Parameters
    ----------
    history : DataFrame
        The history: time (dates or numbers), item, score, low and high, as `DynamicBradleyTerry.history`
        returns it.
    items : sequence, default=None
        The items to draw. By default those with the best scores at the end, among the items that played in
        the last year; if times are numbers, in the last tenth of the time span.
    max_items : int, default=8
        The largest number of items to draw.

    Attributes
    ----------
    paths : list of SkillPath
        The lines: ``item``, ``time``, ``score``, ``low`` and ``high`` of each.
    left_out : int
        The number of items that are not drawn.

    See Also
    --------
    DynamicBradleyTerry : skills that move through time
    highest_ever : the best items of all times
    biggest_movers : the items that rose or fell most

    Examples
    --------
    >>> import pandas as pd
    >>> history = pd.DataFrame({
    ...     "time": [2021, 2022, 2021, 2022], "item": ["ann", "ann", "bob", "bob"],
    ...     "score": [1500, 1520, 1510, 1490], "low": [1450, 1470, 1460, 1440],
    ...     "high": [1550, 1570, 1560, 1540],
    ... })
    >>> display = HistoryDisplay.from_frame(history)
    >>> display.save("history.png")  # doctest: +SKIP
    """

    def __init__(
        self, history: "pd.DataFrame", items: Sequence[Any] | None = None, max_items: int = 8
    ) -> None:
        self.history = history
        self.items = items
        self.max_items = max_items
        paths = Paths.of(history)
        self.paths = paths.drawn(items, max_items)
        self.left_out = len(paths) - len(self.paths)

    @classmethod
    def from_frame(
        cls,
        history: "pd.DataFrame",
        items: Sequence[Any] | None = None,
        max_items: int = 8,
        *,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a history.

        Parameters
        ----------
        history : DataFrame
            The history: time (dates or numbers), item, score, low and high.
        items : sequence, default=None
            The items to draw; by default the best at the end.
        max_items : int, default=8
            The largest number of items to draw.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        HistoryDisplay
        """
        return cls(history, items, max_items).plot(ax)

    @classmethod
    def from_model(
        cls,
        model: Any,
        items: Sequence[Any] | None = None,
        max_items: int = 8,
        *,
        level: float = 0.95,
        scale: Literal["elo", "log"] = "elo",
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the history of a fitted model; bands leave out the error that all items share.

        Parameters
        ----------
        model : estimator
            A fitted model with a history, such as `DynamicBradleyTerry`.
        items : sequence, default=None
            The items to draw; by default the best at the end.
        max_items : int, default=8
            The largest number of items to draw.
        level : float, default=0.95
            The confidence level of the bands.
        scale : {"elo", "log"}, default="elo"
            The scale of the scores.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        HistoryDisplay
        """
        if not hasattr(model, "history"):
            name = type(model).__name__
            raise ValueError(f"a {name} has no history; use DynamicBradleyTerry, or from_frame for a table")
        history = model.history(level=level, scale=scale, relative=True)
        return cls(history, items, max_items).plot(ax)

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
        shown = self.paths
        names = drawable(path.item for path in shown)
        ax = self._begin(ax, WIDTH + width_of(names), HEIGHT)
        for number, path in enumerate(shown):
            _draw_path(ax, path, number, min(0.15, 0.4 / len(shown)))
        ax.margins(x=0.01)
        plain_axes(ax, "y")
        _write_names(ax, shown, names)
        label_axes(ax, y=scale_text(self.history))
        if shown[0].time.dtype.kind in "iu":
            ax.locator_params(axis="x", integer=True)  # there is no season 2021.5
        if self.left_out:
            best = f"the best {len(shown)} at the end of those that still play"
            more = f"{self.left_out:,} more not drawn"
            write_note(ax, f"{best}; {more}" if self.items is None else more)
        return self._end()


def _draw_path(ax: "Axes", path: SkillPath, number: int, opacity: float) -> None:
    series = palette().series
    colour, style = series[number % len(series)], STYLES[number // len(series) % len(STYLES)]
    ax.fill_between(path.time, path.low, path.high, color=colour, alpha=opacity, linewidth=0, zorder=1)
    ax.plot(path.time, path.score, color=colour, linestyle=style, linewidth=1.6, zorder=3)
    ax.plot(path.time[-1:], path.score[-1:], "o", color=colour, markersize=3.5, zorder=4)


def _write_names(ax: "Axes", shown: Sequence[SkillPath], names: Sequence[str]) -> None:
    """Write the names at the right, moved apart if they would overlap; thin lines lead to them."""
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom, top)
    height = ax.get_window_extent().height * 72 / ax.figure.dpi
    latest = max(path.time[-1] for path in shown)
    wanted = np.array([(path.score[-1] - bottom) / (top - bottom) for path in shown])
    for number, (path, name, y) in enumerate(
        zip(shown, names, apart(wanted, NAME_HEIGHT / height), strict=True)
    ):
        colour = palette().series[number % len(palette().series)]
        ax.annotate(
            name,
            (path.time[-1], path.score[-1]),
            xytext=(1.03, y),
            textcoords="axes fraction",
            va="center",
            fontsize=9,
            color=palette().ink,
            parse_math=False,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.9,
                "linestyle": "-" if path.time[-1] == latest else ":",  # dots are no path
                "relpos": (0, 0.5),
                "shrinkA": 1,
                "shrinkB": 3,
            },
        )
