from html import escape

import numpy as np
import pytest

from podium.leaderboard.board import COLUMNS
from tests.leaderboard.boards import HOSTILE, board


def test_text_is_aligned() -> None:
    b = board(["a", "長い", "é"], scale="log", score=[1.234, -0.001, np.nan], games=[1000, 2.5, 3])
    assert repr(b).splitlines() == [
        "Leaderboard: 3 items, log-skill, 95 % intervals",
        "rank  item  score      low     high    games  wins  ties  losses",
        "   1  a      1.23  1550.50  1650.06  1,000.0     5     4       3",
        "   2  長い   0.00  1510.50  1610.06      2.5     6     4       3",
        "   3  é         –  1470.50  1570.06      3.0     7     4       3",
    ]


def test_text_shows_what_there_is_to_say() -> None:
    b = board(component=[0, 0, 1], title="Club", notes=("Two groups never met.",), level=0.9)
    assert repr(b).splitlines()[0] == "Club: 3 items, Elo scale, 90 % intervals"
    shown = [name for name in COLUMNS if name not in ("rank_low", "rank_high")]
    assert repr(b).splitlines()[1].split() == shown
    ranged = board(rank=[1, 2, 0], rank_low=[1, 1, 0], rank_high=[1, 1200, 0])
    assert repr(ranged).splitlines()[1].split()[:3] == ["rank", "range", "item"]
    assert [line.split()[:2] for line in repr(ranged).splitlines()[2:]] == [
        ["1", "1"],
        ["2", "1–1,200"],
        ["–", "–"],
    ]
    assert repr(b).endswith("\nNote: Two groups never met.")
    bare = board(low=[np.nan] * 3, high=[np.nan] * 3)
    assert repr(bare).splitlines()[0] == "Leaderboard: 3 items, Elo scale, no intervals"
    assert not {"low", "high", "component"} & set(repr(bare).splitlines()[1].split())
    assert repr(board([])).startswith("Leaderboard: 0 items")


def test_long_tables_and_names_are_cut() -> None:
    b = board([f"{'long name ' * 9}{row}" for row in range(1034)])
    lines = repr(b).splitlines()
    assert len(lines) == 1 + 1 + 20 + 1
    assert lines[-1] == "… and 1,014 more"
    assert max(map(len, lines)) < 110
    assert len({line.split("  ")[2] for line in lines[2:22]}) == 20  # the names can be told apart
    assert "… and 1,014 more" in b._repr_html_()
    assert b._repr_html_().count("<tr>") == 21


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stay_on_their_line(name: str) -> None:
    b = board(["first", name, "last"])
    lines = repr(b).splitlines()
    assert len(lines) == 5
    assert all(line.isprintable() for line in lines)
    html = b._repr_html_()
    assert f"<td style='text-align:left'>{escape(name)}</td>" in html
    assert "<script>" not in html


def test_title_and_notes_are_escaped_in_html() -> None:
    html = board(title="<script>", notes="a < b")._repr_html_()
    assert "<script>" not in html
    assert "<p>Note: a &lt; b</p>" in html
