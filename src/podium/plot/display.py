"""Shared by all displays: figures, columns of rows, plain axes, and saving to files.

Displays follow scikit-learn's convention: a ``from_...`` method draws, ``plot(ax)`` draws again on other
axes, and ``ax_`` and ``figure_`` are the axes and the figure. Figures are made without pyplot, so displays
work in threads, on servers and in notebooks, and figures need not be closed.
"""

import io
import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.cells import cell_len

from podium.leaderboard.palette import DARK
from podium.plot.fonts import drawable, use_fonts
from podium.plot.style import palette
from podium.writing.atomic import PICTURES, checked_path, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN = 60  # the most rows of a column; more rows are drawn in several columns side by side
MOST_ROWS = 420  # of all columns


class Display:
    """The base of all displays.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
        The figure.
    ax_ : matplotlib.axes.Axes
        The axes; the first of them if there are several columns.
    axes_ : list of matplotlib.axes.Axes
        The axes of all columns.
    """

    def _begin(self, ax: "Axes | None", width: float, height: float, columns: int = 1) -> "Axes":
        """The given axes, or those of a new figure that pyplot does not manage."""
        self._own_figure = ax is None
        self.axes_ = _new_axes(width, height, columns) if ax is None else [ax]
        self.ax_ = self.axes_[0]
        self.figure_ = cast("Figure", self.ax_.figure)
        if palette() is DARK:  # light text does not show on the white paper of given axes
            self.ax_.set_facecolor(DARK.paper)
            self.figure_.set_facecolor(DARK.paper)
        return self.ax_

    def _end(self) -> Self:
        """The last step of drawing: give names in other scripts their fonts."""
        for ax in self.axes_:
            use_fonts(ax)
        return self

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


def _new_axes(width: float, height: float, columns: int) -> "list[Axes]":
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'podium-learn[plot]'") from None
    paper = palette().paper
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    figure = Figure(figsize=(width, height), layout=layout, facecolor=paper)
    return list(figure.subplots(1, columns, squeeze=False, subplot_kw={"facecolor": paper})[0])


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


def plain_axes(ax: "Axes", grid: str = "both") -> None:
    """Style axes: a faint grid behind the data, small grey numbers and no frame."""
    ax.set_axisbelow(True)
    ax.grid(axis=cast("Any", grid), color=palette().faint, linewidth=0.8)
    ax.spines[["top", "left", "right"]].set_visible(False)
    ax.spines["bottom"].set_color(palette().faint)
    ax.tick_params(colors=palette().soft, length=0, labelsize=9)


def label_axes(ax: "Axes", x: str | None = None, y: str | None = None, **style: Any) -> None:
    """Write what the axes show, in small grey text."""
    style = {"color": palette().soft, "fontsize": 9, "parse_math": False, **style}
    if x is not None:
        ax.set_xlabel(x, **style)
    if y is not None:
        ax.set_ylabel(y, **style)


def name_rows(ax: "Axes", y: ArrayLike, names: Sequence[str] | NDArray[Any], **style: Any) -> None:
    """Write the names of rows to the left of the axes."""
    ax.set_yticks(y, names, parse_math=False)
    ax.tick_params(axis="y", length=0, labelsize=9, labelcolor=palette().ink, **style)


def write_title(ax: "Axes", title: str | None, **style: Any) -> None:
    """Write a title, if there is one, above the left end of the axes."""
    if title:
        [text] = drawable([title], width=120)
        style = {"fontsize": 11, "weight": "bold", "color": palette().ink, "parse_math": False, **style}
        ax.set_title(text, loc="left", **style)


def write_note(ax: "Axes", text: str) -> None:
    """Write what the picture leaves out, below its right end."""
    label_axes(ax, text, fontsize=8, loc="right")


def write_beside(ax: "Axes", y: float, text: str, points: float, **style: Any) -> None:
    """Write small text to the left of the axes, at a distance of ``points``."""
    style = {"ha": "right", "va": "center_baseline", "fontsize": 8, "color": palette().soft, **style}
    where = ax.get_yaxis_transform()
    ax.annotate(text, (0, y), xycoords=where, xytext=(points, 0), textcoords="offset points", **style)


def first_of(rows: Any, max_items: int | None, most: int | None = None) -> tuple[Any, int]:
    """The first ``max_items`` rows, or by default ``most``, and the number of rows left out."""
    if max_items is not None and max_items < 1:
        raise ValueError(f"max_items must be at least 1, not {max_items}")
    shown = rows[: most if max_items is None else max_items]
    return shown, len(rows) - len(shown)


def columns_of(n: int, ax: "Axes | None") -> list[slice]:
    """The rows of each column: nearly equal parts, or all rows on given axes."""
    count = 1 if ax is not None else max(-(-n // COLUMN), 1)
    bounds = np.linspace(0, n, count + 1).round().astype(int).tolist()
    return [slice(start, stop) for start, stop in pairwise(bounds)]


def width_of(names: Iterable[str]) -> float:
    """Roughly how many inches the longest name takes."""
    return 0.075 * max(map(cell_len, names), default=0)
