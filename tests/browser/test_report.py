"""What a person sees of a report, in Chromium."""

import io
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from podium import Elo, datasets
from podium.evaluation.intervals import Score, Standing
from podium.web import page_of
from podium.web.page import PAGES, Page
from podium.web.scores import behind_table, standings_table
from tests.browser.conftest import Opener
from tests.leaderboard.histories import history
from tests.web.reports import ODD_NAMES, odd_comparisons, report_on

pytestmark = pytest.mark.browser
PHONE = 375
READABLE = 4.5  # the contrast that WCAG requires for small text

CONTRASTS = Path(__file__).with_name("contrasts.js").read_text()


def column(page: Any, number: int) -> list[str]:
    cells: list[str] = page.locator(f".leaderboard tbody tr > :nth-child({number})").all_text_contents()
    return cells


def heading(page: Any, title: str) -> Any:
    return page.locator(".leaderboard thead th").filter(has_text=title)


def test_opens_without_console_messages_and_without_requests(opened: Opener, report: Path) -> None:
    with opened(report) as page:
        assert page.title() == "games.csv"
        assert page.locator("h2").all_text_contents()[:3] == ["Leaderboard", "Head to head", "Calibration"]
        assert page.locator("body script:not([type])").count() == 1
        assert page.locator("img").count() == 0


def test_names_are_seen_as_they_are(opened: Opener, report: Path) -> None:
    with opened(report) as page:
        seen = set(column(page, 3))
        assert set(ODD_NAMES[:6]) <= seen
        assert len(seen) == len(ODD_NAMES)
        page.hover(".leaderboard tbody tr:first-child .name")
        assert page.title() == "games.csv"  # no name ran as a script


def test_a_foreign_script_would_not_run(opened: Opener, report: Path, tmp_path: Path) -> None:
    """If a name ever became markup, the page's security policy would block it and log to the console."""
    broken = tmp_path / "broken.html"
    broken.write_text(report.read_text().replace("</h1>", "</h1><script>document.title = 1</script>"))
    with pytest.raises(AssertionError, match="Content Security Policy"), opened(broken) as page:
        assert page.title() == "games.csv"


@pytest.mark.parametrize(("title", "number"), [("rank", 1), ("score", 4), ("games", 7), ("won", 8)])
def test_a_click_sorts_numbers_and_a_second_click_reverses_them(
    opened: Opener, report: Path, title: str, number: int
) -> None:
    with opened(report) as page:
        head = heading(page, title)
        head.get_by_role("button").click()  # ranks are already in order, so a click reverses them
        assert head.get_attribute("aria-sort") == "descending"
        once = [float(text) for text in column(page, number)]
        assert once == sorted(once, reverse=True)
        assert len(set(once)) > 1
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert [float(text) for text in column(page, number)] == sorted(once)
        assert page.locator('.leaderboard th[aria-sort="none"]').count() == 8


def test_the_keyboard_sorts_too(opened: Opener, report: Path) -> None:
    with opened(report) as page:
        before = column(page, 3)
        assert heading(page, "rank").get_attribute("aria-sort") == "ascending"
        button = heading(page, "item").get_by_role("button")
        button.focus()
        page.keyboard.press("Enter")
        assert heading(page, "item").get_attribute("aria-sort") == "ascending"
        up = column(page, 3)
        page.keyboard.press("Space")
        assert column(page, 3) == up[::-1]
        assert sorted(up) == sorted(before)
        assert up != before


def test_items_of_equal_rank_are_sorted_by_score_again(opened: Opener, tmp_path: Path) -> None:
    shared = report_on(odd_comparisons())
    board = replace(shared.board, rank=np.ones_like(shared.board.rank))
    page_of(replace(shared, board=board)).save(tmp_path / "shared.html")
    with opened(tmp_path / "shared.html") as page:
        before = column(page, 3)
        for title in ("item", "rank"):
            heading(page, title).get_by_role("button").click()
        assert column(page, 3) == before


def test_the_tab_key_reaches_every_heading(opened: Opener, report: Path) -> None:
    with opened(report) as page:
        reached = []
        for _ in range(12):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.textContent"))
        titles = page.locator(".leaderboard thead button").all_text_contents()
        assert [text for text in reached if text in titles] == titles


def test_what_is_missing_comes_last_both_ways(opened: Opener, tmp_path: Path) -> None:
    report = report_on(odd_comparisons(["ann", "bob", "cat"]))
    low, high = (np.where(np.arange(3) == 1, np.nan, end) for end in (report.board.low, report.board.high))
    report = replace(report, board=replace(report.board, low=low, high=high))
    page_of(report).save(tmp_path / "page.html")
    with opened(tmp_path / "page.html") as page:
        for _ in range(2):
            heading(page, "interval").get_by_role("button").click()
            assert column(page, 5)[-1] == "–"


@pytest.mark.parametrize("width", [320, PHONE, 800, 1600])
def test_the_page_never_scrolls_sideways(opened: Opener, report: Path, width: int) -> None:
    with opened(report, width) as page:
        page.locator("summary").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        first = page.locator(".leaderboard tbody tr:first-child")
        assert first.locator(".name").bounding_box()["width"] >= 60
        assert first.locator(".bar").is_visible()
        for row in page.locator("details tr").all():
            assert row.bounding_box()["height"] < 40  # words are not broken into letters


def test_a_phone_shows_bars_and_numbers_without_scrolling(opened: Opener, tmp_path: Path) -> None:
    page_of(report_on(datasets.load_chess_club())).save(tmp_path / "club.html")
    with opened(tmp_path / "club.html", PHONE) as page:
        box = page.locator(".scroll").first
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
        assert page.locator(".leaderboard tbody .record").first.is_visible()


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_follows_the_dark_mode_of_the_reader(opened: Opener, report: Path, scheme: str, dark: bool) -> None:
    with opened(report, scheme=scheme) as page:
        picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("L"))
        assert (np.median(picture) < 60) == dark
        assert (np.median(picture) > 200) != dark
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) > 200
        assert [found for found in contrasts if found[0] < READABLE] == []


def test_a_page_of_ratings(opened: Opener, tmp_path: Path) -> None:
    c = datasets.load_chess_club()
    path = tmp_path / f"elo{PAGES[1]}"
    page_of(report_on(c, Elo().fit(c))).save(path)
    with opened(path) as page:
        assert page.locator(".bar").count() == 0
        assert page.locator(".calibration circle").count() >= 5
        heading(page, "lost").get_by_role("button").click()
        assert heading(page, "lost").get_attribute("aria-sort") == "descending"


def test_a_table_that_goes_on_fades_out_until_its_end_is_reached(opened: Opener, tmp_path: Path) -> None:
    page_of(report_on(datasets.load_chess_club())).save(tmp_path / "club.html")
    fade = "box => getComputedStyle(box).getPropertyValue('--fade')"
    with opened(tmp_path / "club.html", PHONE) as page:
        box = page.locator(".scroll:has(> .matrix)")
        assert box.evaluate(fade) == "40px"
        box.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
        page.wait_for_timeout(100)
        assert box.evaluate(fade) == "0px"
    with opened(tmp_path / "club.html", 1600) as page:
        assert page.locator(".scroll:has(> .matrix)").evaluate(fade) == "0px"  # all of it is in sight


def test_the_matrix_is_cut_nowhere_and_can_be_read(opened: Opener, tmp_path: Path) -> None:
    page_of(report_on(odd_comparisons([f"model-{k}-with-a-name" for k in range(20)]))).save(
        tmp_path / "a.html"
    )
    with opened(tmp_path / "a.html", 1200) as page:
        box = page.locator(".scroll:has(> .matrix)")
        assert box.evaluate(
            "box => box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth"
        )
        sizes = box.evaluate(
            "box => [...box.querySelectorAll('small')].map((x) => parseFloat(getComputedStyle(x).fontSize))"
        )
        assert min(sizes) >= 11


def test_one_band_at_a_time_and_all_names_on_a_phone(opened: Opener, tmp_path: Path) -> None:
    report = replace(report_on(odd_comparisons()), history=history(12))
    page_of(report).save(tmp_path / "history.html")
    with opened(tmp_path / "history.html", PHONE) as page:
        names = page.locator(".lines button")
        assert names.count() == 8
        for name in names.all():
            end = name.bounding_box()
            assert end["x"] + end["width"] <= PHONE
        names.nth(3).click()
        shown = page.locator(".history .on")
        assert shown.count() == 1
        assert shown.get_attribute("data-line") == "3"
        assert page.locator(".history .lead").first.is_hidden()
    with opened(tmp_path / "history.html", 1200) as page:
        page.locator(".history g text").nth(5).hover()
        assert page.locator(".history .on").get_attribute("data-line") == "5"


def test_the_first_number_of_a_long_model_is_in_sight_on_a_phone(opened: Opener, tmp_path: Path) -> None:
    scores = {"log loss": Score("log loss", 0.9756, -0.9592, 0.9895), "error": Score("error", 0.4, 0.3, 0.5)}
    long = "svm-compare:C=0.0001,gamma=0.25,kernel=rbf,loss=squared-hinge"
    table = standings_table({long: Standing(scores, scores)}, list(scores), {long: 1.0})
    facts = {"title": "a", "facts": "b", "warnings": (), "models": (), "command": ("podium",)}
    made = datetime(2026, 1, 2, tzinfo=UTC)
    Page(sections={"Scores": table}, made=made, **facts).save(tmp_path / "a.html")  # type: ignore[arg-type]
    with opened(tmp_path / "a.html", PHONE) as page:
        box, first = page.locator(".scroll").bounding_box(), page.locator("td.number").first.bounding_box()
        assert first["x"] + first["width"] <= box["x"] + box["width"] - 40  # and not where the table fades


def test_a_page_of_models_side_by_side(opened: Opener, tmp_path: Path) -> None:
    standings = {
        name: Standing({"error": Score("error", value, value - 0.1, value + 0.1)}, {"error": behind})
        for name, value, behind in (
            ("worse", 0.4, Score("error", 0.1, -0.05, 0.2)),
            ("better", 0.3, Score("error", 0.0)),
        )
    }
    sections = {
        "Scores": standings_table(standings, ["error"], {"worse": 1.0, "better": 0.5}),
        "Behind the best": behind_table(standings, ["error"]),
    }
    facts = {"title": "a", "facts": "b", "warnings": (), "models": (), "command": ("podium",)}
    path = tmp_path / "models.html"
    Page(sections=sections, made=datetime(2026, 1, 2, tzinfo=UTC), **facts).save(path)  # type: ignore[arg-type]
    with opened(path, PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        first = page.locator(".board").first
        first.locator("thead th").filter(has_text="error").get_by_role("button").click()
        assert first.locator("tbody th").all_text_contents() == ["better", "worse"]
        assert page.locator(".board").last.locator("td").all_text_contents() == [
            "0.1000-0.0500 to 0.2000",
            "best",
        ]
