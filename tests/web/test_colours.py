"""The colours of the page can be told apart with any colour vision, and read on their paper."""

import re
from pathlib import Path

import pytest

import podium
from podium.web.page import page_style
from tests.colour_blindness import SEEN_BY, closest, contrast, distance

LIGHT, DARK = (
    dict(re.findall(r"--(\w+):(#\w{6})", block))
    for block in re.findall(r":root\{(--.*?)\}", page_style(), re.DOTALL)
)
PLACES = {"low", "dot", "high", "first", "step", "strength"}  # variables that tables set
APART = 20  # in CIELAB: ten times what can just be told apart side by side
READABLE, VISIBLE = 4.5, 3.0  # the contrasts that WCAG requires of small text and of graphics
SCHEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


@SCHEMES
def test_curves_are_told_apart(colours: dict[str, str]) -> None:
    curves = [colours[f"line{k}"] for k in range(8)]
    assert closest(curves)[0] >= APART
    for curve in curves:
        assert contrast(curve, colours["paper"]) >= VISIBLE


@SCHEMES
def test_outcomes_are_told_apart(colours: dict[str, str]) -> None:
    assert closest(colours[name] for name in ("left", "tie", "right"))[0] >= APART


def test_no_colour_is_written_in_a_style_sheet() -> None:
    sheets = list(Path(podium.__file__).parent.rglob("*.css"))
    assert {sheet.name for sheet in sheets} == {"page.css", "vote.css"}
    for sheet in sheets:
        for rule in re.findall(r"\{([^{}]*)\}", sheet.read_text(encoding="utf-8")):
            assert not re.search(r"#[0-9a-f]{3}|rgba?\(|: (white|black);", rule), rule


def test_style_sheets_use_colours_that_there_are() -> None:
    text = "".join(sheet.read_text("utf-8") for sheet in Path(podium.__file__).parent.rglob("*.css"))
    used, sizes = (set(re.findall(pattern, text)) for pattern in (r"var\(--(\w+)", r"--(\w+):"))
    assert used - sizes - PLACES <= LIGHT.keys() == DARK.keys()


@SCHEMES
def test_ahead_behind_and_even_are_told_apart(colours: dict[str, str]) -> None:
    assert closest(colours[name] for name in ("ahead", "behind", "raised"))[0] >= APART
    for name in ("ahead", "behind", "raised"):
        assert contrast(colours["ink"], colours[name]) >= READABLE


@SCHEMES
def test_the_score_is_told_apart_from_its_interval(colours: dict[str, str]) -> None:
    assert closest(colours[name] for name in ("accent", "ink", "paper"))[0] >= APART
    assert contrast(colours["accent"], colours["paper"]) >= VISIBLE


@SCHEMES
def test_words_are_readable(colours: dict[str, str]) -> None:
    for ink, paper in (("ink", "paper"), ("soft", "paper"), ("ink", "raised"), ("ink", "warn")):
        assert contrast(colours[ink], colours[paper]) >= READABLE


def test_the_simulation() -> None:
    """Grey stays grey, the usual confusions are found, and black and white are as far apart as can be."""
    for kind in SEEN_BY:
        assert distance("#808080", "#808080", kind) == 0
        assert distance("#000000", "#ffffff", kind) == pytest.approx(100, abs=0.1)
    assert distance("#d7191c", "#1a9641") > 100
    assert distance("#b05a00", "#6b7a00", "deuteranopia") < distance("#b05a00", "#6b7a00") / 3
    assert distance("#0072b2", "#009e73", "tritanopia") < distance("#0072b2", "#009e73") / 2
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
