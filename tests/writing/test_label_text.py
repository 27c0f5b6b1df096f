"""Names as text: what cannot be seen is escaped, and what joins letters and emoji is kept."""

import pytest

from podium.web.text import full_name, short_heads
from podium.writing.label_text import printable

FAMILY, PERSIAN = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}", "\u0645\u06cc\u200c\u062e\u0648"


@pytest.mark.parametrize("name", [FAMILY, PERSIAN, "\U0001f3f3\ufe0f\u200d\U0001f308"])
def test_joined_letters_and_emoji_stay_joined(name: str) -> None:
    assert printable(name) == name


@pytest.mark.parametrize(
    "name", ["ann\u200dbob", "\u200dann", "\u5c71\u200d", "\u200d\u200c", "\u3164", "a\u2800"]
)
def test_what_cannot_be_seen_is_escaped(name: str) -> None:
    assert printable(name).isascii() or printable(name).endswith("\\u200d")
    assert printable(name) != name


@pytest.mark.parametrize("name", ["\u200b", "\u2060", "\u3164", "\u00a0\u200b"])
def test_a_report_shows_a_name_that_looks_empty(name: str) -> None:
    assert f"\\u{ord(name[-1]):04x}" in full_name(name)
    assert f"\\u{ord(name[-1]):04x}" in short_heads([name], 24)[0]
