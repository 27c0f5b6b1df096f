from html import escape

import numpy as np
import pytest

from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games
from podium.leaderboard.board import COLUMNS
from podium.leaderboard.leaderboard import as_markdown
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


# ------------------------------------------------------------------------------------ the verdict


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rank_low": [1, 2, 2], "rank_high": [1, 3, 3]}, "ann is best, 95 %"),
        ({"rank_low": [1, 1, 2], "rank_high": [2, 3, 3]}, "ann leads; the data cannot tell it from bob"),
        (
            {"rank_low": [1, 1, 1], "rank_high": [3, 3, 3]},
            "ann leads; the data cannot tell it from bob and cat",
        ),
        # cat is not certainly worse than ann, whose interval is wide, but it is certainly worse than bob
        (
            {"rank_low": [1, 1, 2], "rank_high": [3, 2, 3]},
            "ann leads; the data cannot tell it from bob and 1 other",
        ),
        (
            {"rank": [1, 1, 3], "rank_low": [1, 1, 1], "rank_high": [3, 3, 3]},
            "ann and bob share the lead; the data cannot tell them from cat",
        ),
        ({"rank": [1, 1, 3], "rank_low": [1, 1, 3], "rank_high": [2, 2, 3]}, "ann and bob are best, 95 %"),
        (
            {"rank_low": [1, 1, 2], "rank_high": [2, 3, 3], "ranks": "pairwise"},
            "ann leads; pair by pair, the data cannot tell it from bob",
        ),
        (
            {"rank_low": [1, 2, 2], "rank_high": [1, 3, 3], "ranks": "pairwise", "level": 0.9},
            "ann leads; pair by pair, every other item is certainly worse, 90 % each",
        ),
        (
            {"rank": [0, 1, 2], "rank_low": [0, 2, 2], "rank_high": [0, 3, 3]},
            "bob leads among the items with a rank; one that is hardly known seems better",
        ),
        ({"component": [0, 0, 1]}, "nobody leads: no comparison connects the 2 groups of items"),
        ({"rank": [0, 0, 0]}, "nobody leads: hardly anything is known about any item"),
    ],
)
def test_the_verdict_says_who_leads_and_how_surely(changes: dict[str, object], said: str) -> None:
    b = board(**{"ranks": "simultaneous"} | changes)
    assert b.verdict == said
    assert repr(b).splitlines()[1] == said
    assert escape(said) in b._repr_html_()
    assert said in as_markdown(b)


def test_the_verdict_says_nothing_that_the_rows_do_not() -> None:
    b = board(ranks="simultaneous", rank_low=[1, 1, 1], rank_high=[3, 3, 3])
    assert b[1:].verdict == board([]).verdict == ""
    assert b[:1].verdict == "ann leads; the data cannot tell it from 2 others"
    ratings = board()
    assert ratings.verdict == "ann leads; how surely is not known"
    assert "leads" not in repr(ratings)  # the first row says the same
    hostile = board([HOSTILE[3], "b", "c"], ranks="simultaneous", rank_low=[1] * 3, rank_high=[3] * 3)
    assert hostile.verdict.isprintable()


def test_the_verdict_names_whom_compare_cannot_tell_apart() -> None:
    """Against the tests themselves, with the levels of simultaneous ranges."""
    for seed in range(8):
        c, _ = make_games(6, 400, spread=0.6, random_state=seed)
        model = BradleyTerry().fit(c)
        found = model.leaderboard()
        first, *others = found.item.tolist()
        level = 0.95 ** (1 / 15)
        rivals = [item for item in others if model.compare(first, item, level).low <= 0]
        assert found.rank_high[0] == 1 + len(rivals)
        if not rivals:
            assert found.verdict == f"{first} is best, 95 %"
