"""Reports on 12, 60 and 300 items with long, similar and foreign names, on desks, phones and paper."""

import io
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from podium.web import page_of
from tests.browser.conftest import Opener
from tests.browser.voting import accessibility_problems
from tests.web.crowds import crowd_report, names

pytestmark = pytest.mark.browser
DESK, PHONE = 1280, 360
LARGEST = 2_000_000  # bytes of a report on 300 items
SIZES = {12: (5, 10), 60: (25, 30), 300: (40, 500)}  # categories and judges by items
TITLE = 1.7 * 8.5  # the size of the title on paper, in points
Crowd = Callable[[int], Path]

# What is wider than its box: the page itself, or a cell, heading or name that does not scroll.
CUT = """() => [document.documentElement, ...document.querySelectorAll("th, td, .name, p, pre, dd, button")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).display !== "inline")
  .map((box) => box.outerHTML.slice(0, 120))"""
# Bars that leave the axis, and rows in which an interval cannot be seen beside the score.
HIDDEN_INTERVALS = """() => [...document.querySelectorAll("tbody .bar")].filter((bar) => {
  const line = getComputedStyle(bar, "::before"), dot = getComputedStyle(bar, "::after");
  return parseFloat(line.width) + 4 < parseFloat(dot.width) || parseFloat(line.height) < 6;
}).length"""


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    """The file of a report on so many items; each is written once."""
    folder = tmp_path_factory.mktemp("crowds")

    def path_of(n: int) -> Path:
        path = folder / f"{n}.html"
        if not path.exists():
            page_of(crowd_report(n, *SIZES[n])).save(path)
        return path

    return path_of


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("width", "scheme"), [(DESK, "dark"), (PHONE, "light")])
def test_nothing_is_cut(opened: Opener, crowd: Crowd, n: int, width: int, scheme: str) -> None:
    assert crowd(n).stat().st_size < LARGEST
    with opened(crowd(n), width, scheme) as page:
        assert page.evaluate(CUT) == []
        assert page.evaluate(HIDDEN_INTERVALS) == 0
        board = page.locator(".leaderboard tbody")
        assert sorted(board.locator(".name").all_text_contents()) == sorted(names(n))
        first = board.locator("tr").first
        for kind in ("rank", "score", "interval", "bar", "games", "won", "tied", "lost"):
            assert first.locator(f".{kind}").is_visible()
        heads = page.locator(".matrix thead .name").all_text_contents()
        assert len(set(heads)) == len(heads) == min(n, 20)


@pytest.mark.parametrize(("n", "width", "scheme"), [(12, PHONE, "dark"), (60, DESK, "light")])
def test_it_is_accessible(opened: Opener, crowd: Crowd, n: int, width: int, scheme: str) -> None:
    with opened(crowd(n), width, scheme) as page:
        assert accessibility_problems(page) == []


def test_the_heading_stays_in_sight_and_its_axis_above_the_bars(opened: Opener, crowd: Crowd) -> None:
    for width in (DESK, PHONE):
        with opened(crowd(300), width) as page:
            page.locator(".leaderboard tbody tr").nth(150).scroll_into_view_if_needed()
            page.evaluate("window.scrollBy(0, 300)")
            heading = page.locator(".leaderboard thead").get_by_text("score").bounding_box()
            assert 0 <= heading["y"] < 60
            axis = page.locator(".axis").bounding_box()
            bar = page.locator(".bar").nth(155).bounding_box()
            assert axis["x"] == pytest.approx(bar["x"], abs=1)
            assert axis["width"] == pytest.approx(bar["width"], abs=1)
            ticks = [float(text) for text in page.locator(".axis span").all_text_contents()]
            assert len(ticks) >= 3
            boxes = [tick.bounding_box() for tick in page.locator(".axis span").all()]
            assert all(a["x"] + a["width"] <= b["x"] for a, b in pairwise(boxes))


def test_a_filter_shows_the_rows_with_all_words(opened: Opener, crowd: Crowd) -> None:
    with opened(crowd(300)) as page:
        box = page.get_by_role("searchbox", name="Filter: Leaderboard")
        box.focus()
        page.keyboard.type("LLAMA q8")
        rows = page.locator(".leaderboard tbody tr")
        seen = rows.locator("visible=true").locator(".name").all_text_contents()
        assert sorted(seen) == sorted(name for name in names(300) if "Llama" in name and "q8" in name)
        assert page.locator(".filter output").first.text_content() == f"{len(seen)} of 300"
        page.locator(".leaderboard").get_by_role("button", name="score").click()
        assert rows.locator("visible=true").count() == len(seen)
        box.fill("")
        assert rows.locator("visible=true").count() == 300
        box.fill("千問")  # the variant of another script is another name
        assert page.locator(".filter output").first.text_content() == "0 of 300"


def test_an_item_is_chosen_to_see_its_opponents(opened: Opener, crowd: Crowd) -> None:
    report = crowd_report(300, *SIZES[300])
    h = report.head_to_head
    chosen = 280  # far outside the matrix
    met = h.met[:, chosen].sum(axis=0)  # type: ignore[index]
    opponent = int(met.argmax())
    with opened(crowd(300)) as page:
        page.locator(".opponents select").select_option(str(chosen))
        rows = page.locator(".opponents tbody tr")
        assert rows.count() == (met > 0).sum()
        page.locator(".opponents").get_by_role("button", name="meetings").click()
        most = rows.first.locator("td")
        assert float(most.nth(3).text_content()) == met.max()
        row = rows.filter(has=page.get_by_text(str(h.items[opponent]), exact=True))
        cells = [text.removeprefix("! ") for text in row.locator("td").all_text_contents()]
        wins, ties, losses = h.met[:, chosen, opponent]  # type: ignore[index]
        assert [float(text) for text in cells[4:]] == [wins, ties, losses]
        assert float(cells[0]) == pytest.approx(100 * h.chance[chosen, opponent], abs=0.06)
        assert float(cells[1]) == pytest.approx(100 * (wins + ties / 2) / met.max(), abs=0.06)


def printed(page: Any, paper: str) -> tuple[list[str], float]:
    """The texts of the first two pages of the PDF, and the size of its title in points."""
    pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")
    pages = pypdf.PdfReader(io.BytesIO(page.pdf(format=paper, print_background=True))).pages
    sizes: list[float] = []
    pages[0].extract_text(visitor_text=lambda _text, cm, tm, _font, size: sizes.append(cm[0] * tm[0] * size))
    return [one.extract_text() for one in pages[:2]], max(sizes)


@pytest.mark.parametrize(("n", "paper", "width"), [(12, "A4", 703), (60, "Letter", 725), (300, "A4", 703)])
def test_paper_has_every_column_and_repeats_the_heading(
    opened: Opener, crowd: Crowd, n: int, paper: str, width: int
) -> None:
    """``width`` is that of the paper without its margins; a browser shrinks a page with wider content."""
    with opened(crowd(n), width, "dark") as page:
        page.emulate_media(media="print")
        assert page.evaluate(CUT) == []
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not page.locator(".filter label").first.is_visible()
        texts, title = printed(page, paper)
        assert title == pytest.approx(TITLE, rel=0.02)
        for text in texts[: 1 if n == 12 else 2]:
            assert all(
                head in text for head in ("rank", "item", "score", "interval", "games", "tied", "lost")
            )
            assert "↕" not in text
