import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import Comparisons, Elo, Glicko, PlackettLuce, Rankings, __version__, datasets, read_comparisons
from podium.web.head_to_head import HeadToHead
from podium.web.report import Report, data_section, page_of
from tests.web.crowds import crowd_report
from tests.web.parsed import Parsed
from tests.web.reports import ODD_NAMES, odd_comparisons, report_on


def page(report: Report) -> str:
    return page_of(report).html()


def test_names_are_text_and_never_markup() -> None:
    names = [f"item {k}" for k in range(len(ODD_NAMES))]
    parsed, plain = (Parsed(page(report_on(odd_comparisons(some)))) for some in (ODD_NAMES, names))
    assert parsed.tags == plain.tags
    assert {name for _, name, _ in parsed.attributes} == {name for _, name, _ in plain.attributes}
    for label in ODD_NAMES[:6]:
        assert label in parsed.texts


def round_robin(names: list[str]) -> Comparisons:
    """Three items that beat each other; their names are not checked."""
    outcome = np.array([-1, -1, -1, 1, 1, 1], dtype=np.int8)
    labels = np.array(names, dtype=object)
    return Comparisons.from_codes(labels, np.tile([0, 1, 2], 2), np.tile([1, 2, 0], 2), outcome)


@cache
def plain_page() -> Parsed:
    return Parsed(page(report_on(round_robin(["ann", "bob", "cat"]))))


@given(st.lists(st.text(min_size=1), min_size=3, max_size=3, unique=True))
def test_no_name_changes_the_page(names: list[str]) -> None:
    assert Parsed(page(report_on(round_robin(names)))).tags == plain_page().tags


def test_everything_else_is_text_too() -> None:
    bad = "<b onclick=x>\"'&"
    facts = {
        "title": bad,
        "description": bad,
        "model": bad,
        "warnings": (bad,),
        "command": (bad,),
        "calibration": bad,
    }
    clean = {name: ("ok",) if isinstance(value, tuple) else "ok" for name, value in facts.items()}
    c = odd_comparisons(["ann", "bob", "cat"])
    parsed, plain = (Parsed(page(report_on(c, **said))) for said in (facts, clean))
    assert parsed.tags == plain.tags
    assert sum(bad in text for text in parsed.texts) >= 4


def test_it_says_how_it_was_made() -> None:
    text = page(report_on(odd_comparisons(), warnings=("mind the gap",)))
    assert "<span>podium</span> <span>rank</span> <span>&#x27;my games.csv&#x27;</span>" in text
    assert f"podium {__version__}, <time>2026-01-02 03:04 UTC</time>" in text
    assert "<li>mind the gap</li>" in text
    assert "<dt>comparisons</dt><dd>300</dd>" in text


def test_a_description_has_paragraphs() -> None:
    text = page(report_on(odd_comparisons(), description="Votes.\n\n  Without robots,\nas usual.\n"))
    assert re.findall(r'<p class="description">(.*?)</p>', text, re.S) == [
        "Votes.",
        "Without robots,\nas usual.",
    ]
    assert '<p class="description">' not in page(report_on(odd_comparisons()))


def test_what_was_said_about_a_pair_is_above_the_board() -> None:
    c = odd_comparisons(["a", "b", "c"])
    page = page_of(report_on(c, compared=("a <b> is better than b", "so it is"))).sections["Leaderboard"]
    said, table = page.index("<p>Compared: a &lt;b&gt; is better than b; so it is.</p>"), page.index("<table")
    assert said < table
    assert "Compared" not in page_of(report_on(c)).sections["Leaderboard"]


def test_dates_are_dates() -> None:
    text = page(crowd_report(12, 5, 10))
    assert re.search(r"2024-03-0\d 18:30 to 2026-02-\d\d 18:30", text)
    assert not re.search(r"\dT\d\d:", text)
    assert not re.search(r"\de\+\d\d", text)


def test_many_categories_come_in_blocks_that_fit_on_paper() -> None:
    section = page_of(crowd_report(12, 50, 10)).sections["By category"]
    assert Parsed(section).tags["table"] == 3
    assert section.count("<span>overall</span>") == 3
    assert section.count("category 3:<br>") == 0  # a short title stays on one line
    assert "category 3: creative<br>writing" in section


def test_nothing_is_fetched() -> None:
    text = page(report_on(odd_comparisons(["ann", "bob"])))
    assert "http" not in text.replace("http-equiv", "")
    assert not re.search(r"url\(|@import|\ssrc=", text)
    assert Parsed(text).values("href") == ["data:,"]
    assert "default-src 'none'" in text


@pytest.mark.parametrize("system", [Elo(), Glicko()])
def test_rating_systems_have_a_page(system: Elo | Glicko) -> None:
    c = datasets.load_chess_club()
    parsed = Parsed(page(report_on(c, system.fit(c))))
    assert parsed.texts.count("Ada") == 4  # in the leaderboard, twice in the matrix, and to choose from
    assert not any("significantly better" in text for text in parsed.texts)


def test_teams_have_a_page() -> None:
    parsed = Parsed(page(report_on(datasets.load_doubles_league())))
    assert "never met" not in parsed.values("title")


@pytest.mark.parametrize("half", ["\ud800", "a\udfffb"])
def test_saves_names_that_are_not_quite_text(tmp_path: Path, half: str) -> None:
    c = round_robin(["ann", "bob", half])
    page_of(report_on(c)).save(tmp_path / "report.html")
    assert "bob" in (tmp_path / "report.html").read_text()


def test_saves_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    target = tmp_path / "report.html"
    target.write_text("before")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        page_of(report_on(odd_comparisons())).save(target)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert target.read_text() == "before"
    with pytest.raises(ValueError, match=r"ends in none of \.html"):
        page_of(report_on(odd_comparisons())).save(tmp_path / "report.pdf")


def test_the_report_on_rankings_has_no_calibration() -> None:
    rankings = Rankings.from_lists([["a", "b", "c"], ["b", "a", "c"], ["c", "a", "b"], [("a", "b"), "c"]])
    model = PlackettLuce().fit(rankings)
    board = model.leaderboard()
    found = HeadToHead.of(model, rankings, board)
    page = page_of(
        Report(
            title="races.csv",
            model="PlackettLuce()",
            comparisons=rankings,
            board=board,
            head_to_head=found,
            calibration=None,
            warnings=(),
            command=("podium", "rank", "races.csv"),
            made=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        )
    )
    assert list(page.sections) == ["Leaderboard", "Head to head", "Data"]
    assert page.facts.startswith("3 items, 4 rankings, ")
    assert "pairs within rankings" in page.sections["Head to head"]
    assert "those below an item are won" in page.sections["Leaderboard"]
    assert "<dt>with ties</dt><dd>1</dd>" in page.sections["Data"]


def test_the_data_section_says_what_was_left_out(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,left,right,winner\n1,a,b,left\n1,a,b,left\n2,b,a,both bad\n3,a,b,huh\n4,b,a,right\n")
    with pytest.warns(UserWarning, match="huh"):
        c = read_comparisons(path, dedup="id", bad_rows="skip")
    section = data_section(c)
    assert (
        "Columns: left and right (sides), winner (outcome, 1 both bad count as ties); not used: id" in section
    )
    assert "; left out: 1 of " in section
    assert "Left out because they could not be read: 1 row." in section
