"""The colours of all pictures and pages, light and dark; no colour is written anywhere else.

Colours of lines can be told apart with any kind of colour vision, which the tests check by simulation. Text
has a contrast of at least 4.5 with the paper, lines have 3.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Palette:
    """A set of colours for one kind of paper.

    Attributes
    ----------
    paper, raised, tint, warn : str
        The background, and those of boxes, of what is pointed at, and of warnings.
    ink, soft, faint : str
        The main text, secondary text, and grid lines.
    rule, blank : str
        Lines that separate, and cells without data.
    series : tuple of str
        The colours of lines, dots and bars, in order.
    chances : tuple of str
        The colour map of probabilities, from 0 over ½ to 1.
    ranks : tuple of str
        The colour map of ranks, from the best to the last.
    """

    paper: str
    raised: str
    tint: str
    warn: str
    ink: str
    soft: str
    faint: str
    rule: str
    blank: str
    series: tuple[str, ...]
    chances: tuple[str, ...]
    ranks: tuple[str, ...]

    @property
    def outcomes(self) -> Mapping[int, str]:
        """The colours of the outcomes: left better, no difference, right better."""
        return {-1: self.series[0], 0: self.series[3], 1: self.series[1]}

    @property
    def roles(self) -> Mapping[str, str]:
        """The colours by their roles in curves and pages."""
        papers = ("paper", "raised", "tint", "warn", "ink", "soft", "faint")
        left, tie, right = self.outcomes.values()
        return {
            **{name: getattr(self, name) for name in papers},
            **{"accent": self.series[0], "band": self.ranks[1]},
            **{"ahead": self.chances[3], "behind": self.chances[1]},
            **{"left": left, "tie": tie, "right": right},
            **{f"line{k}": colour for k, colour in enumerate(self.series)},
        }

    def css(self) -> str:
        """The roles as variables of a style sheet.

        >>> LIGHT.css()[:38]
        ':root{--paper:#ffffff;--raised:#f5f7f9'
        """
        return f":root{{{';'.join(f'--{role}:{colour}' for role, colour in self.roles.items())}}}"


LIGHT = Palette(
    paper="#ffffff",
    raised="#f5f7f9",
    tint="#e8f0f9",
    warn="#fff4d6",
    ink="#1f2933",
    soft="#5f6b78",
    faint="#e4e8ec",
    rule="#b8c0c8",
    blank="#e3e6ea",
    series=("#2166ac", "#d1575a", "#004e20", "#b58d2a", "#7d4876", "#0d95f1", "#0c0cbe", "#1c160c"),
    chances=("#a3331c", "#dc8a6d", "#f6f5f3", "#7fb0d6", "#1c5a9c"),
    ranks=("#1c5a9c", "#7fb0d6", "#eef3f8"),
)
DARK = Palette(
    paper="#16191d",
    raised="#1e242b",
    tint="#1d2f42",
    warn="#3a3016",
    ink="#e6e9ec",
    soft="#a3adb8",
    faint="#2c3238",
    rule="#4a535c",
    blank="#3d444b",
    series=("#6cb0f0", "#e2733f", "#5d9c71", "#f5d565", "#ad60af", "#c8e7f4", "#25f1a2", "#e3fb03"),
    chances=("#f2957a", "#9c4a35", "#24282d", "#2f6598", "#84bdf2"),
    ranks=("#84bdf2", "#2f6598", "#20262c"),
)
