"""The colours of all pictures, light and dark; no colour is written anywhere else.

Series colours can be told apart with any kind of colour blindness, which the tests check by simulation.
Text has a contrast of at least 4.5 with the paper.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.colors import Colormap


@dataclass(frozen=True)
class Palette:
    """A set of colours for one kind of paper.

    Attributes
    ----------
    paper, ink, soft, faint : str
        The background, the main text, secondary text, and grid lines.
    rule, blank : str
        Lines that separate, and cells without data.
    series : tuple of str
        The colours of lines, dots and bars, in order.
    chances : tuple of str
        The colour map of probabilities, from 0 over ½ to 1.
    ranks : tuple of str
        The colour map of ranks, from the best to the last.
    pale : tuple of str
        A colour map on which lines can be read.
    """

    paper: str
    ink: str
    soft: str
    faint: str
    rule: str
    blank: str
    series: tuple[str, ...]
    chances: tuple[str, ...]
    ranks: tuple[str, ...]
    pale: tuple[str, ...]

    @property
    def outcomes(self) -> Mapping[int, str]:
        """The colours of the outcomes: left better, no difference, right better."""
        return {-1: self.series[0], 0: self.series[3], 1: self.series[1]}

    def colour_map(self, colours: tuple[str, ...]) -> "Colormap":
        """A smooth colour map through the colours; cells without data are blank."""
        from matplotlib.colors import LinearSegmentedColormap

        return LinearSegmentedColormap.from_list("podium", colours).with_extremes(bad=self.blank)

    def ink_on(self, colour: Any) -> str:
        """Ink or paper, whichever can be read on a colour; on middling ones only black or white can."""
        inks = (self.ink, self.paper, "#000000", "#ffffff")
        return next(ink for ink in inks if contrast(ink, colour) >= 4.5)


LIGHT = Palette(
    paper="#ffffff",
    ink="#1f2933",
    soft="#5f6b78",
    faint="#e4e8ec",
    rule="#b8c0c8",
    blank="#e3e6ea",
    series=("#2166ac", "#d1575a", "#0e5a2c", "#b58d2a", "#77426f", "#1f9ee9"),
    chances=("#a3331c", "#dc8a6d", "#f6f5f3", "#7fb0d6", "#1c5a9c"),
    ranks=("#1c5a9c", "#7fb0d6", "#eef3f8"),
    pale=("#ffffff", "#eef4fa", "#c9deef"),
)
DARK = Palette(
    paper="#16191d",
    ink="#e6e9ec",
    soft="#a3adb8",
    faint="#2c3238",
    rule="#4a535c",
    blank="#3d444b",
    series=("#6cb0f0", "#e2733f", "#4f9e6a", "#f5d565", "#b06cc0", "#c4e6f5"),
    chances=("#f2957a", "#9c4a35", "#24282d", "#2f6598", "#84bdf2"),
    ranks=("#84bdf2", "#2f6598", "#20262c"),
    pale=("#16191d", "#1a2735", "#22405c"),
)
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


def contrast(one: Any, other: Any) -> float:
    """The contrast of two colours by WCAG, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Any) -> float:
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
