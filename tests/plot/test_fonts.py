"""Names in any script are drawn, or a sentence says which font is missing."""

import warnings
from typing import Any

import pytest

from podium.plot import HistoryDisplay, LeaderboardDisplay, fonts
from tests.leaderboard.histories import by_hand
from tests.plot.drawing import board, drawn
from tests.plot.drawing import names as names_on

pytest.importorskip("matplotlib")

SUSHI = ["寿司", "ok", "🦑 squid"]


@pytest.fixture
def no_other_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_fallbacks", lambda: ())


def test_a_missing_font_is_one_sentence(no_other_fonts: None) -> None:
    sentence = (
        "^no font here can draw 司寿🦑 in 寿司 and 1 more; install for example Noto Sans CJK and Noto Emoji$"
    )
    with pytest.warns(UserWarning, match=sentence):
        display = LeaderboardDisplay.from_leaderboard(board(SUSHI))
    assert names_on(display.ax_.yaxis) == ["□□", "ok", "□ squid"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nor does matplotlib warn
        assert drawn(display)


def test_a_font_that_has_the_characters_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    has = {"Sushi Sans JP": frozenset("寿司"), "Squid": frozenset("🦑")}
    monkeypatch.setattr(fonts, "_fallbacks", lambda: ("Unused", *has))
    monkeypatch.setattr(
        fonts, "_covered", lambda chosen: frozenset().union(*(has.get(f, ()) for f in chosen))
    )
    assert fonts.drawable(SUSHI) == SUSHI
    assert fonts.families("a寿🦑")[-2:] == ["Sushi Sans JP", "Squid"]
    display = LeaderboardDisplay.from_leaderboard(board(SUSHI))
    families = [label.get_fontfamily() for label in display.ax_.get_yticklabels()]
    assert families[0][-2:] == ["Sushi Sans JP", "Squid"]
    assert families[1] == ["sans-serif"]


def test_fonts_on_this_machine() -> None:
    names, rows = ["寿司", "김치", "中文"], [(t, "寿司", 1500.0 + t) for t in (1, 2)]
    needed = set("".join(names))
    if needed - fonts._covered(fonts.families(needed)):
        pytest.skip("no font for Chinese, Japanese and Korean is installed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drawn(LeaderboardDisplay.from_leaderboard(board(names)))
        assert drawn(HistoryDisplay.from_frame(by_hand(rows)))


def test_names_in_latin_script_need_no_other_font(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Any:
        raise AssertionError

    monkeypatch.setattr(fonts, "_fallbacks", fail)
    assert fonts.drawable(["Zoë", "λ", ("ann", "bob"), "two\nlines", "❤\ufe0f"]) == [
        "Zoë", "λ", "ann + bob", "two\\nlines", "❤",
    ]  # fmt: skip
    assert fonts.drawable(["x" * 50]) == ["x" * 20 + "…" + "x" * 19]
