"""What people see of a vote, in Chromium."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from podium.vote.nouns import Shown
from tests.browser.test_report import CONTRASTS, READABLE
from tests.browser.voting import TEXTS, Process, Vote, accessibility_problems, free_port, served, visiting

pytestmark = pytest.mark.browser
NEW_PAIR = 350  # milliseconds until a new pair can be voted on

LONG = "Some words about it. " * 400
CODE = "def find(numbers, number):\n    return " + " + ".join(f"number_{k}" for k in range(60))
MARKDOWN = f"# Title\n\nSome *words*, a [link](https://example.org).\n\n```python\n{CODE}\n```\n\n|a|b|\n|-|-|\n|1|2|\n"


def picture(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(file, "PNG")
    return file.getvalue()


def shown_as(kind: Any) -> list[Shown]:
    """Three items of a kind."""
    if kind == "image":
        return [
            Shown(f"image {k}", "image", f"Picture {k}", data=picture(3000, 900 + 10 * k)) for k in range(3)
        ]
    text = {"text": LONG, "markdown": MARKDOWN, "code": CODE}[kind]
    language = "python" if kind == "code" else ""
    return [
        Shown(f"{kind} {k}", kind, f"{text}\n{k}", prompt="Explain **it**.", language=language)
        for k in range(3)
    ]


@pytest.fixture
def vote(tmp_path: Path) -> Iterator[Vote]:
    with served(tmp_path, both_bad=True) as vote:
        yield vote


def said(page: Any, words: str) -> None:
    """Wait until the notice says so, and until the new pair can be voted on."""
    page.locator("#notice").get_by_text(words).wait_for()
    page.wait_for_timeout(NEW_PAIR)


def follow(page: Any, role: str, name: str) -> None:
    """Click, and wait for the page that comes next, with its scripts."""
    with page.expect_navigation():
        page.get_by_role(role, name=name).click()


def pair(page: Any) -> list[str]:
    texts: list[str] = page.locator(".side .shown").all_inner_texts()
    return texts


def in_view(page: Any, selector: str) -> bool:
    box, height = page.locator(selector).bounding_box(), page.viewport_size["height"]
    return bool(box["y"] >= 0 and box["y"] + box["height"] <= height)


# ------------------------------------------------------------------------------------ voting


def test_the_mouse_votes_and_takes_back(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url) as page:
        first = pair(page)
        page.get_by_role("button", name="Right").click()
        said(page, "Your vote for the right one is counted.")
        assert pair(page) != first
        assert page.get_by_text("1 vote by you").is_visible()
        page.get_by_role("button", name="No difference").click()
        said(page, "no difference")
        assert vote.answers() == ["right", "tie"]
        page.get_by_role("button", name="Undo").click()
        said(page, "Your last vote is taken back.")
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("0 votes by you").wait_for()
        assert pair(page) == first  # it can be voted on again
        assert vote.answers() == []


def test_keys_vote_and_take_back(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url) as page:
        for key, words in {
            "ArrowLeft": "left one",
            "=": "no difference",
            "ArrowRight": "right one",
            "b": "both being bad",
        }.items():
            page.keyboard.press(key)
            said(page, words)
        assert vote.answers() == ["left", "tie", "right", "both bad"]
        page.keyboard.press("u")
        said(page, "taken back")
        assert vote.answers() == ["left", "tie", "right"]
        page.keyboard.press("Control+b")  # is not a vote, nor is any other key
        page.keyboard.press("x")
        page.wait_for_timeout(200)
        assert vote.answers() == ["left", "tie", "right"]


def test_touch_votes(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url, phone=True) as page:
        page.tap("button[value=left]")
        said(page, "left one")
        page.tap("button[value='both bad']")
        said(page, "both being bad")
        page.tap("#undo")
        said(page, "taken back")
        assert vote.answers() == ["left"]


def test_keys_and_touch_give_grades(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path, grades=5) as vote:
        with visiting(browser, vote.url) as page:
            for n, key in enumerate("15324", 1):
                page.keyboard.press(key)
                page.get_by_text(f"{n} vote{'s' * (n > 1)} by you").wait_for()
                page.wait_for_timeout(350)  # a key right after a new pair does not count
            assert vote.answers() == ["much left", "much right", "tie", "left", "right"]
        with visiting(browser, vote.url, phone=True) as page:
            page.tap("button[value='much right']")
            said(page, "much better")


def test_every_vote_moves_the_focus_to_the_new_pair(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url) as page:
        notice = page.locator("#notice").element_handle()
        page.get_by_role("button", name="Left").focus()
        page.keyboard.press("Enter")
        said(page, "left one")
        assert page.evaluate("document.activeElement.id") == "question"
        assert "left one" in notice.inner_text()  # the same element as before, so that it is read out


def test_a_double_click_votes_once(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url) as page:
        page.dblclick("button[value=left]")
        said(page, "left one")
        page.mouse.dblclick(*centre(page, "button[value=left]"), delay=10)
        page.get_by_text("2 votes by you").wait_for()
        page.wait_for_timeout(NEW_PAIR)
        assert vote.answers() == ["left"] * 2


def test_an_answer_that_comes_too_soon_is_not_counted_and_says_so(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url) as page:
        # In the page itself, so that the second answer is sure to come within the time.
        page.evaluate("""document.addEventListener("htmx:afterSwap", () =>
            document.querySelector("#ballot button[value=right]").click(), { once: true })""")
        page.keyboard.press("ArrowLeft")
        said(page, "That came too soon after the new pair")
        assert vote.answers() == ["left"]
        page.keyboard.press("ArrowRight")
        said(page, "right one")
        assert vote.answers() == ["left", "right"]


def centre(page: Any, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_slow_server_gets_one_vote(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url) as page:
        sent: list[str] = []
        waiting: list[Any] = []
        page.on("request", lambda request: sent.extend([request.url] * (request.method == "POST")))
        page.route("**/vote", lambda route: waiting.append(route))
        page.get_by_role("button", name="Left").click()
        for key in ("ArrowRight", "=", "u"):
            page.keyboard.press(key)
        page.locator("button[value=right]").click(force=True)
        assert page.get_by_role("button", name="No difference").is_disabled()
        assert sent == [f"{vote.url}/vote"]
        waiting[0].continue_()
        said(page, "left one")
        assert vote.answers() == ["left"]
        assert page.get_by_role("button", name="Left").is_enabled()


def test_a_foreign_answer_does_not_replace_the_pair(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url, refused=True) as page:
        first = pair(page)
        page.route("**/vote", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
        page.keyboard.press("ArrowLeft")
        said(page, "did not answer as expected")
        assert pair(page) == first
        page.unroute("**/vote")
        page.keyboard.press("ArrowLeft")
        said(page, "left one")


def test_without_scripts_it_is_a_plain_form(browser: Any, tmp_path: Path) -> None:
    with (
        served(tmp_path, ask_name=True) as vote,
        visiting(browser, vote.url, java_script_enabled=False) as page,
    ):
        page.get_by_label("Your name").fill("Zoe")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Right").click()
        page.get_by_text("1 vote by you").wait_for()
        page.get_by_role("button", name="No difference").click()
        page.get_by_text("2 votes by you").wait_for()
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("1 vote by you").wait_for()
        assert vote.answers() == ["right"]
        page.goto(vote.owner)
        page.get_by_role("link", name="Show the judges").click()
        page.get_by_text("Zoe").wait_for()
        page.get_by_role("link", name="Back").click()
        page.get_by_role("heading", name="Voting is open").wait_for()


def test_the_server_is_killed_and_comes_back(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path):
        pass  # so that the database has items
    process = Process(tmp_path / "votes.db", free_port())
    try:
        with (
            visiting(browser, process.url, refused=True) as page,
            visiting(browser, f"{process.url}/board", refused=True) as board,
        ):
            first = pair(page)
            process.kill()
            board.get_by_text("The board goes on when it is back.").wait_for()
            page.keyboard.press("ArrowLeft")
            said(page, "cannot be reached")
            assert pair(page) == first
            process.start()
            page.keyboard.press("ArrowLeft")
            said(page, "left one")
            assert pair(page) != first
            board.locator("#count").get_by_text("1 vote by 1 judge").wait_for()
            assert board.locator("#notice").inner_text() == ""
    finally:
        process.kill()


# ------------------------------------------------------------------------------------ who votes


def test_name_and_consent_come_first(browser: Any, tmp_path: Path) -> None:
    with (
        served(tmp_path, ask_name=True, consent="Votes are kept.", votes_per_judge=2) as vote,
        visiting(browser, vote.url) as page,
    ):
        assert page.locator("#ballot").count() == 0
        page.get_by_role("button", name="Start").click()
        assert page.locator("#ballot").count() == 0  # the browser asks for the name
        page.get_by_label("Your name").fill("b u =")  # keys do not vote here
        page.get_by_text("Votes are kept.").wait_for()
        page.get_by_label("I agree").check()
        follow(page, "button", "Start")
        page.keyboard.press("ArrowLeft")
        page.get_by_text("1 of 2 votes").wait_for()
        assert page.get_by_role("progressbar", name="Your votes").get_attribute("value") == "1"
        page.wait_for_timeout(NEW_PAIR)
        page.keyboard.press("ArrowLeft")
        page.get_by_text("You have cast all your votes. Thank you!").wait_for()


def test_an_invitation_lets_its_judges_in(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path, invited_only=True) as vote, visiting(browser, vote.owner) as owner:
        owner.get_by_text("Invite people").click()
        owner.get_by_label("For whom").fill("The jury")
        owner.get_by_label("People who may use it").fill("1")
        owner.get_by_role("button", name="Make a link").click()
        link = owner.get_by_label("Invitation for The jury", exact=True).input_value()
        with visiting(browser, vote.url) as page:
            page.get_by_text("Voting needs an invitation.").wait_for()
            page.goto(link)
            follow(page, "button", "Start")
            page.keyboard.press("ArrowRight")
            said(page, "right one")
        with visiting(browser, link, refused=True) as page:
            page.get_by_text("used by as many people as it allows").wait_for()
            page.get_by_role("link", name="Back to the vote").click()
            page.get_by_text("Voting needs an invitation.").wait_for()


# ------------------------------------------------------------------------------------ the board


def test_two_people_see_each_others_votes_on_the_board(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url) as ann, visiting(browser, vote.url) as bob:
        bob.get_by_role("link", name="Board").click()
        bob.get_by_text("There are no votes yet.").wait_for()
        for key, words in {"ArrowLeft": "left one", "ArrowRight": "right one"}.items():
            ann.keyboard.press(key)
            said(ann, words)
        bob.locator("#count").get_by_text("2 votes by 1 judge").wait_for()
        bob.get_by_role("heading", name="Head to head").wait_for()
        assert bob.locator(".board tbody tr").count() == len(TEXTS)
        assert bob.locator("svg.over-time").get_attribute("aria-label").startswith("Votes per")
        ann.get_by_role("link", name="Board").click()
        follow(bob, "link", "Back to the vote")
        bob.keyboard.press("=")
        ann.locator("#count").get_by_text("3 votes by 2 judges").wait_for()


def test_a_new_board_is_sorted_focused_and_scrolled_like_the_old_one(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.url) as page, visiting(browser, f"{vote.url}/board", phone=True) as board:
        page.keyboard.press("ArrowLeft")
        said(page, "left one")
        heading = board.locator(".board thead th").filter(has_text="item")
        heading.get_by_role("button").tap()
        heading.get_by_role("button").press("Enter")  # z to a
        assert heading.get_attribute("aria-sort") == "descending"
        board.locator(".scroll").last.evaluate("box => box.scrollLeft = 40")
        board.evaluate("window.scrollTo(0, 200)")
        old = board.locator("#standing").element_handle()
        page.keyboard.press("ArrowRight")
        board.locator("#count").get_by_text("2 votes").wait_for()
        board.wait_for_function("old => !old.isConnected", arg=old)
        assert heading.get_attribute("aria-sort") == "descending"
        names = board.locator(".board tbody .name").all_inner_texts()
        assert names == sorted(names, reverse=True)
        assert board.evaluate("document.activeElement.textContent") == "item"
        assert board.locator(".scroll").last.evaluate("box => box.scrollLeft") == 40
        assert board.evaluate("window.scrollY") == 200
        assert board.locator("#standing [aria-live], #standing [role=status]").count() == 0
        heading.get_by_role("button").tap()  # the new table can be sorted too
        assert heading.get_attribute("aria-sort") == "ascending"


# ------------------------------------------------------------------------------------ the owner


def test_the_owner_adds_withdraws_and_downloads(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path, TEXTS[:1]) as vote, visiting(browser, vote.owner) as page:
        page.get_by_text("Add items").click()
        page.get_by_label("Name").fill("<b>new</b>")
        page.get_by_label("What is shown").fill("# Heading")
        page.get_by_label("Shown as").select_option("Markdown")
        page.get_by_role("button", name="Add", exact=True).click()
        page.get_by_role("button", name="Withdraw: <b>new</b>").wait_for()
        page.get_by_text("Add items").click()
        image = {"name": "teal.png", "mimeType": "image/png", "buffer": picture(30, 20)}
        page.get_by_label("Or files").set_input_files(image)  # type: ignore[arg-type, unused-ignore]
        page.get_by_role("button", name="Add", exact=True).click()
        page.get_by_role("button", name="Withdraw: teal").wait_for()
        page.get_by_role("button", name="Withdraw: ann").click()
        page.get_by_role("button", name="Show again: ann").wait_for()
        with visiting(browser, vote.url) as judge:
            judge.get_by_role("heading", name="Heading", level=3).wait_for()
            assert (
                judge.locator(".side img").evaluate("image => image.decode().then(() => image.naturalWidth)")
                == 30
            )
            judge.keyboard.press("ArrowLeft")
            judge.get_by_text("You have seen every pair. Thank you!").wait_for()
        page.get_by_role("button", name="Show again: ann").click()
        page.get_by_role("button", name="Withdraw: ann").wait_for()
        with page.expect_download() as download:
            page.get_by_role("link", name="CSV").click()
        lines = Path(download.value.path()).read_text().splitlines()
        assert lines[0].startswith("left,right,winner")
        assert len(lines) == 2
        with page.expect_download() as download:
            page.get_by_role("link", name="Parquet").click()
        assert download.value.suggested_filename == "votes.parquet"


def test_a_bad_upload_is_explained_with_a_way_back(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.owner, refused=True) as page:
        page.get_by_text("Add items").click()
        page.get_by_label("Or files").set_input_files(
            {"name": "a.png", "mimeType": "image/png", "buffer": b"no image"}
        )
        page.get_by_role("button", name="Add", exact=True).click()
        page.get_by_text("Nothing was added:").wait_for()
        page.get_by_role("link", name="Back to the owner’s page").click()
        page.get_by_role("heading", name="Voting is open").wait_for()


def test_a_pause_keeps_the_pair(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.owner) as owner, visiting(browser, vote.url, refused=True) as page:
        first = pair(page)
        owner.get_by_role("button", name="Pause").click()
        owner.get_by_role("heading", name="Voting is paused").wait_for()
        page.keyboard.press("ArrowLeft")
        said(page, "Voting is paused at the moment. This vote was not counted.")
        assert pair(page) == first
        owner.get_by_role("button", name="Resume").click()
        owner.get_by_role("heading", name="Voting is open").wait_for()
        page.keyboard.press("ArrowLeft")
        said(page, "left one")
        assert vote.answers() == ["left"]


def test_a_link_can_be_copied(browser: Any, vote: Vote) -> None:
    with visiting(browser, vote.owner, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.get_by_role("button", name="Copy: Link to the board").click()
        page.get_by_text("Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == f"{vote.url}/board"


# ------------------------------------------------------------------------------------ how it looks


@pytest.mark.parametrize("kind", ["text", "markdown", "code", "image"])
def test_the_answers_are_within_reach_and_long_things_scroll_inside(
    browser: Any, tmp_path: Path, kind: str
) -> None:
    with served(tmp_path, shown_as(kind), both_bad=True) as vote:
        for phone in (True, False):
            with visiting(browser, vote.url, phone=phone) as page:
                page.wait_for_load_state("networkidle")
                width = page.viewport_size["width"]
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
                for button in page.locator(".answers button").all():
                    assert button.bounding_box()["height"] >= 44
                assert in_view(page, ".answers")
                assert in_view(page, ".side >> nth=1")
                boxes = [side.bounding_box() for side in page.locator(".side").all()]
                assert (boxes[0]["x"] == boxes[1]["x"]) == phone
                if not phone:
                    readable(page)
                if kind == "image":
                    image = page.locator(".side img").first.bounding_box()
                    assert image["width"] <= boxes[0]["width"]
                    assert image["height"] <= boxes[0]["height"]


def test_arrows_scroll_wide_code(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path, shown_as("code")) as vote, visiting(browser, vote.url) as page:
        page.locator("pre.code").first.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.querySelector('pre.code').scrollLeft > 0")
        assert vote.answers() == []


@pytest.mark.parametrize(("width", "height"), [(320, 256), (844, 390)])
def test_a_small_window_scrolls_and_keeps_the_answers(
    browser: Any, vote: Vote, width: int, height: int
) -> None:
    """A page magnified to 400 %, and a phone held sideways."""
    with visiting(browser, vote.url) as page:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert in_view(page, ".answers")
        page.mouse.wheel(0, 2000)
        page.wait_for_function("() => scrollY > 0")
        assert in_view(page, ".answers")


def test_two_tall_images_stand_side_by_side_on_a_phone(browser: Any, tmp_path: Path) -> None:
    tall = [Shown(f"{k}", "image", f"{k}", data=picture(400 + k, 900)) for k in range(2)]
    with served(tmp_path, tall) as vote, visiting(browser, vote.url, phone=True) as page:
        page.locator(".pair.tall").wait_for()
        left, right = [side.bounding_box() for side in page.locator(".side").all()]
        assert left["y"] == right["y"]
        assert in_view(page, ".answers")


@pytest.mark.parametrize(("scheme", "phone"), [("light", True), ("dark", False)])
def test_every_page_can_be_read_by_everybody(browser: Any, tmp_path: Path, scheme: str, phone: bool) -> None:
    shown = [*shown_as("markdown"), *shown_as("code")]
    with (
        served(tmp_path, shown, ask_name=True, consent="Yes?", both_bad=True, votes_per_judge=1) as vote,
        visiting(browser, vote.url, refused=True, phone=phone, color_scheme=scheme) as page,
    ):
        readable(page)  # the form for the name
        page.get_by_label("Your name").fill("Zoe")
        page.get_by_label("I agree").check()
        follow(page, "button", "Start")
        readable(page)
        page.keyboard.press("ArrowLeft")
        said(page, "left one")
        readable(page)  # thanks
        page.goto(f"{vote.url}/board")
        page.get_by_role("heading", name="Head to head").wait_for()
        readable(page)
        for address in (f"{vote.url}/nowhere", f"{vote.owner}/judges"):
            page.goto(address)
            readable(page)
        page.goto(vote.owner)
        for summary in page.locator("summary").all():
            summary.click()
        page.get_by_role("button", name="Make a link").click()
        page.get_by_role("button", name="Revoke: Invitation 1").wait_for()
        page.locator("#judges").get_by_text("Zoe").wait_for()
        readable(page)


def readable(page: Any) -> None:
    """No accessibility problem, enough contrast, and no scrolling sideways."""
    assert accessibility_problems(page) == []
    assert [found for found in page.evaluate(CONTRASTS) if found[0] < READABLE] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
