"""Fonts for names in any script: those found on this machine, or a sentence that says what to install.

matplotlib's own font has Latin, Greek, Cyrillic, Arabic and Hebrew letters, but no Chinese, Japanese or
Korean characters and few emoji. Colour emoji fonts are bitmaps that matplotlib cannot draw.
"""

import re
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.writing.label_text import LONGEST_NAME, printable_name, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MISSING = "□"
EMOJI_STYLE = "\ufe0f"  # asks for a coloured emoji, and has no shape of its own
FALLBACKS = (  # beginnings of family names, the best first
    "Noto Sans CJK", "Source Han Sans", "Noto Sans JP", "Noto Sans SC", "Noto Sans KR", "Hiragino",
    "Yu Gothic", "Meiryo", "PingFang", "Microsoft YaHei", "Malgun Gothic", "Apple SD Gothic", "Nanum",
    "IPAGothic", "WenQuanYi", "Droid Sans Fallback", "Arial Unicode", "Noto Sans", "Noto Serif CJK",
    "Noto Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Symbola",
)  # fmt: skip
EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH", "BOPOMOFO")


def drawable(labels: Iterable[Any], width: int = LONGEST_NAME) -> list[str]:
    """Labels as names for a picture: on one line, not too long, and with characters that a font here has.

    A warning names the characters that no font has; a box takes their place.
    """
    names = short_names([printable_name(label).replace(EMOJI_STYLE, "") for label in labels], width)
    needed = {c for name in names for c in name if not c.isascii()}
    missing = needed - _covered(families(needed)) if needed else set()
    if not missing:
        return names
    affected = [name for name in names if missing & set(name)]
    others = f" and {len(affected) - 1:,} more" if len(affected) > 1 else ""
    shown = "".join(sorted(missing)[:10])
    warnings.warn(
        f"no font here can draw {shown} in {affected[0]}{others}; install for example {_advice(missing)}",
        UserWarning,
        stacklevel=4,
    )
    return ["".join(MISSING if c in missing else c for c in name) for name in names]


def use_fonts(ax: "Axes") -> None:
    """Give the texts of the axes the fonts that they need."""
    from matplotlib.text import Text

    labels = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    texts = [text for text in (*ax.findobj(Text), *labels) if not text.get_text().isascii()]
    if texts:
        found = families({c for text in texts for c in text.get_text()})
        for text in texts:
            text.set_fontfamily(found)


def families(characters: Iterable[str]) -> list[str]:
    """The font families of matplotlib's settings, and as many others as these characters need."""
    from matplotlib import rcParams

    chosen = list(rcParams["font.family"])
    missing = {c for c in characters if not c.isascii()} - _covered(chosen)
    if not missing:
        return chosen
    scripts = {_script(c) for c in missing}
    region = "JP" if scripts & {"HIRAGANA", "KATAKANA"} else "KR" if "HANGUL" in scripts else "SC"
    for family in sorted(_fallbacks(), key=lambda name: not name.endswith(region)):
        if found := missing & _covered([family]):
            chosen.append(family)
            missing -= found
        if not missing:
            break
    return chosen


@cache
def _fallbacks() -> tuple[str, ...]:
    """The families on this machine that help with other scripts, the best first."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {Path(font.fname).name for font in fontManager.ttflist}
    starts = tuple(re.sub("[^a-z]", "", name.lower()) for name in FALLBACKS)
    for path in map(Path, findSystemFonts()):  # matplotlib's list may be older than the font
        if path.name not in known and path.name.lower().startswith(starts):
            try:
                fontManager.addfont(path)
            except (OSError, RuntimeError, ValueError):
                continue  # a font that matplotlib cannot read
    names = sorted({font.name for font in fontManager.ttflist})
    return tuple(dict.fromkeys(name for start in FALLBACKS for name in names if name.startswith(start)))


def _covered(chosen: Sequence[str]) -> frozenset[str]:
    """The characters that these families have."""
    from matplotlib.font_manager import FontProperties, findfont

    paths = (findfont(FontProperties(family=[family])) for family in chosen)
    return frozenset[str]().union(*map(_characters, paths))


@cache
def _characters(path: Any) -> frozenset[str]:
    from matplotlib.font_manager import get_font

    return frozenset(map(chr, get_font(path).get_charmap()))


def _advice(missing: set[str]) -> str:
    """The fonts that would help."""
    scripts = {_script(c) for c in missing}
    symbols = any(unicodedata.category(c) in ("So", "Sk") for c in missing)
    letters = any(unicodedata.category(c)[0] in "LMN" for c in missing)
    east = bool(scripts & set(EAST_ASIAN))
    fonts = ["Noto Sans CJK"] * east + ["Noto Emoji"] * symbols
    return " and ".join(fonts or ["Noto Sans" if letters else "Symbola"])


def _script(character: str) -> str:
    return re.split("[ -]", unicodedata.name(character, ""))[0]
