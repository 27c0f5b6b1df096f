"""Make text from the data, such as names of items, safe for a page."""

from html import escape
from typing import Any

from podium.writing.label_text import label_text

LONGEST_TITLE = 300  # characters of a tooltip
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
    """The name of an item, isolated from its surroundings, since it may be written from right to left.

    The page cuts off a long name; the tooltip shows more of it.
    """
    text = label_text(label)
    hint = text if len(text) <= LONGEST_TITLE else text[:LONGEST_TITLE] + "…"
    return f'<bdi class="name" title="{shown(hint)}">{shown(text[: 2 * LONGEST_TITLE])}</bdi>'


def percent(share: float) -> str:
    """A probability in per cent for a narrow cell; it is never rounded to 0 or 100.

    >>> percent(0.4996), percent(0.9999), percent(0.001)
    ('50', '>99', '<1')
    """
    return "<1" if share < 0.005 else ">99" if share > 0.995 else f"{100 * share:.0f}"
