"""Text on a page: names of items and other data made safe, and numbers beside pictures."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from podium.writing.label_text import cut_middle, label_text, short_names, visible

LONGEST_NAME = 1000  # columns of text
# Control characters have no meaning on a page, and those for the writing direction can disguise a name.
CONTROLS = (*range(9), 11, *range(14, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
NO_CONTROLS = dict.fromkeys(CONTROLS, "\N{REPLACEMENT CHARACTER}")


def shown(text: str) -> str:
    """Escape text for an HTML element or an attribute in double quotes.

    >>> shown('<b>"ann" & bob</b>')
    '&lt;b&gt;&quot;ann&quot; &amp; bob&lt;/b&gt;'
    """
    return escape(text.translate(NO_CONTROLS))


def name(label: Any) -> str:
    """The name of an item in full, isolated from its surroundings: it may be written from right to left."""
    return f'<bdi class="name">{full_name(label)}</bdi>'


def full_name(label: Any) -> str:
    """A name as escaped text; only one that would fill a page is cut, in the middle."""
    return shown(cut_middle(visible(label_text(label)), LONGEST_NAME))


def short_heads(labels: Iterable[Any], width: int) -> list[str]:
    """Names for narrow headings: cut so that they stay apart, with the full name as a tooltip."""
    texts = [visible(label_text(label)) for label in labels]
    return [
        f'<bdi class="name" title="{full_name(text)}">{shown(short)}</bdi>'
        for text, short in zip(texts, short_names(texts, width), strict=True)
    ]


def percent(share: float) -> str:
    """A probability in per cent for a narrow cell; it is never rounded to 0 or 100.

    >>> percent(0.4996), percent(0.9999), percent(0.001)
    ('50', '>99', '<1')
    """
    return "<1" if share < 0.005 else ">99" if share > 0.995 else f"{100 * share:.0f}"


def short_count(n: float) -> str:
    """A number for a narrow cell.

    >>> short_count(25.0), short_count(12_345.0), short_count(2.5)
    ('25', '12k', '2.5')
    """
    return f"{n / 1000:.0f}k" if n >= 9999.5 else f"{n:.4g}"


def tick_texts(left: float, up: Mapping[float, str], bottom: float, across: Mapping[float, str]) -> str:
    """Texts of an SVG picture by their places: ``up`` at the left of its frame, ``across`` below it."""
    beside = "".join(
        f'<text x="{left - 6}" y="{y:.1f}" dy=".35em" text-anchor="end">{up[y]}</text>' for y in up
    )
    below = "".join(
        f'<text class="{"long" * (len(at) > 7)}" x="{x:.1f}" y="{bottom}" text-anchor="middle">{at}</text>'
        for x, at in across.items()
    )
    return beside + below
