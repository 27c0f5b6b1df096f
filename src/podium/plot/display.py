"""Shared by all displays: figures, colours, plain axes, and saving to files.

Displays follow scikit-learn's convention: a ``from_...`` method draws, ``plot(ax)`` draws again on other
axes, and ``ax_`` and ``figure_`` are the axes and the figure. Figures are made without pyplot, so displays
work in threads, on servers and in notebooks, and figures need not be closed.
"""

import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from podium.plot.style import DARK, palette
from podium.writing.atomic import checked_path, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg")


class Display:
    """The base of all displays.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
        The figure.
    ax_ : matplotlib.axes.Axes
        The axes.
    """

    figure_: "Figure"
    ax_: "Axes"

    def _begin(self, ax: "Axes | None", width: float, height: float) -> "Axes":
        """The given axes, or those of a new figure that pyplot does not manage."""
        self._own_figure = ax is None
        self.ax_ = _new_axes(width, height) if ax is None else ax
        self.figure_ = cast("Figure", self.ax_.figure)
        if palette() is DARK:  # light text would not show on the white paper of given axes
            self.ax_.set_facecolor(DARK.paper)
            self.figure_.set_facecolor(DARK.paper)
        return self.ax_

    def save(self, path: str | os.PathLike[str], dpi: int = 200) -> None:
        """Write the picture to a file, completely or not at all.

        Parameters
        ----------
        path : str or path
            The file, which must end in ``.png`` or ``.svg``.
        dpi : int, default=200
            The resolution of a ``.png`` file.
        """
        save_figure(self.figure_, path, dpi)

    def _repr_png_(self) -> bytes | None:
        """The picture, unless it is on a figure that pyplot shows anyway."""
        return _rendered(self.figure_, "png", dpi=120) if getattr(self, "_own_figure", False) else None


def _new_axes(width: float, height: float) -> "Axes":
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'podium-learn[plot]'") from None
    paper = palette().paper
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    return Figure(figsize=(width, height), layout=layout, facecolor=paper).add_subplot(facecolor=paper)


def save_figure(figure: "Figure", path: str | os.PathLike[str], dpi: int = 200) -> None:
    """Write a figure to a file, completely or not at all.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    path : str or path
        The file, which must end in ``.png`` or ``.svg``.
    dpi : int, default=200
        The resolution of a ``.png`` file.
    """
    path = checked_path(path, PICTURES)
    write_whole(path, _rendered(figure, path.suffix.lower()[1:], dpi))


def _rendered(figure: "Figure", kind: str, dpi: int) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=dpi)
    return content.getvalue()


def plain_axes(ax: "Axes") -> None:
    """Style axes: a faint grid behind the data, small grey numbers and no frame."""
    ax.set_axisbelow(True)
    ax.spines[["top", "left", "right"]].set_visible(False)
    ax.spines["bottom"].set_color(palette().faint)
    ax.tick_params(colors=palette().soft, length=0, labelsize=9)


def write_beside(ax: "Axes", y: float, text: str, points: float, **style: Any) -> None:
    """Write small text to the left of the axes, at a distance of ``points``."""
    style = {"ha": "right", "va": "center_baseline", "fontsize": 8, "color": palette().soft, **style}
    where = ax.get_yaxis_transform()
    ax.annotate(text, (0, y), xycoords=where, xytext=(points, 0), textcoords="offset points", **style)


def first_of(rows: Any, max_items: int) -> tuple[Any, int]:
    """The first rows, and the number of rows left out."""
    if max_items < 1:
        raise ValueError(f"max_items must be at least 1, not {max_items}")
    return rows[:max_items], max(len(rows) - max_items, 0)


def width_of(names: Sequence[str]) -> float:
    """Roughly how many inches the longest name takes."""
    return 0.075 * max(map(len, names), default=0)
