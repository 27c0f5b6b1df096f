"""The colours of the page can be told apart with any colour vision, and read on their paper."""

import re
from importlib.resources import files

import pytest

from tests.colour_blindness import SEEN_BY, closest, contrast, distance

LIGHT, DARK = (
    dict(re.findall(r"--(\w+): (#\w{6});", block))
    for block in re.findall(r":root \{(.*?)\}", files("podium.web").joinpath("page.css").read_text(), re.S)[
        :2
    ]
)
APART = 20  # in CIELAB: ten times what can just be told apart side by side
READABLE, VISIBLE = 4.5, 3.0  # the contrasts that WCAG requires of small text and of graphics
SCHEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


@SCHEMES
def test_curves_are_told_apart(colours: dict[str, str]) -> None:
    curves = [colours[f"curve{k}"] for k in range(8)]
    assert closest(curves)[0] >= APART
    for curve in curves:
        assert contrast(curve, colours["paper"]) >= VISIBLE


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
