"""Light or dark: the colours that displays draw with, and matplotlib's settings for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from podium.leaderboard.palette import DARK, LIGHT, Palette

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

_palette: ContextVar[Palette] = ContextVar("palette", default=LIGHT)


def palette() -> Palette:
    """The colours to draw with now."""
    return _palette.get()


@contextmanager
def dark_mode() -> Iterator[None]:
    """Draw for dark pages: displays drawn inside the block have light text and lines on dark paper.

    The block affects its own thread only.

    Examples
    --------
    >>> import podium as pod
    >>> model = pod.BradleyTerry().fit(pod.datasets.load_chess_club())
    >>> with pod.plot.dark_mode():
    ...     display = pod.LeaderboardDisplay.from_leaderboard(model.leaderboard())
    >>> display.save("chess-dark.png")  # doctest: +SKIP
    """
    token = _palette.set(DARK)
    try:
        yield
    finally:
        _palette.reset(token)


def style() -> dict[str, Any]:
    """Settings for matplotlib that give your own figures the colours of podium's displays.

    Returns
    -------
    dict of str to object
        For ``matplotlib.rc_context`` or ``matplotlib.rcParams``. Inside `dark_mode` the colours are dark.

    Examples
    --------
    >>> import matplotlib
    >>> import podium as pod
    >>> with matplotlib.rc_context(pod.plot.style()):
    ...     figure = matplotlib.figure.Figure()
    ...     lines = figure.add_subplot().plot([1, 3, 2])
    """
    from matplotlib.rcsetup import cycler

    colours = palette()
    text = ("xtick.labelcolor", "ytick.labelcolor", "axes.labelcolor")
    sizes = {"xtick.labelsize": 9, "ytick.labelsize": 9, "axes.labelsize": 9, "legend.fontsize": 9}
    return {
        **dict.fromkeys(("figure.facecolor", "axes.facecolor"), colours.paper),
        **dict.fromkeys(("text.color", "legend.labelcolor", "axes.titlecolor"), colours.ink),
        **dict.fromkeys(text, colours.soft),
        **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
        **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 0),
        **sizes,
        **dict.fromkeys(("figure.constrained_layout.w_pad", "figure.constrained_layout.h_pad"), 0.1),
        "axes.edgecolor": colours.faint,
        "axes.axisbelow": True,
        "axes.grid": True,
        "grid.color": colours.faint,
        "legend.frameon": False,
        "axes.prop_cycle": cycler(color=colours.series),
    }


def colour_map(colours: tuple[str, ...]) -> "Colormap":
    """A smooth colour map through the colours; cells without data are blank."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("podium", colours).with_extremes(bad=palette().blank)


def ink_on(colour: Any) -> str:
    """Ink or paper, whichever can be read on a colour; on middling ones only black or white can."""
    inks = (palette().ink, palette().paper, "#000000", "#ffffff")
    return next(ink for ink in inks if contrast(ink, colour) >= 4.5)


def contrast(one: Any, other: Any) -> float:
    """The contrast of two colours by WCAG, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Any) -> float:
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
