from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.figures.margin import MarginDisplay
from podium import Comparisons
from podium.comparers.svm_compare_lp import SVMCompareLP
from podium.plot import save_figure
from tests.plot.drawing import drawn

pytest.importorskip("matplotlib")


def separable() -> Comparisons:
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    d = (B - A) @ [1.0, 0.5]
    keep = np.abs(np.abs(d) - 1) > 0.2
    return Comparisons.from_features(
        A[keep], B[keep], np.where(np.abs(d) < 1, 0, np.sign(d)).astype(int)[keep]
    )


@pytest.mark.parametrize("flipped", [False, True])
def test_margins_have_boundaries_and_all_differences(flipped: bool, tmp_path: Path) -> None:
    c = separable()
    model = SVMCompareLP().fit(c)
    display = MarginDisplay.from_estimator(model, c, flipped=flipped)
    assert c.outcome is not None
    points = np.vstack([each.get_offsets() for each in display.ax_.collections])
    assert len(points) == len(c) + flipped * (c.outcome == 0).sum()
    assert len(display.ax_.lines) == (4 if flipped else 7)
    assert any("margin μ" in text.get_text() for text in display.ax_.texts)
    save_figure(display.figure_, tmp_path / "margin.svg")
    drawn(display)


def test_boundaries_are_where_r_is_the_threshold() -> None:
    display = MarginDisplay(separable(), [2.0, -1.0], threshold=1.0, margin=0.25).plot()
    levels = set()
    lines: Any = display.ax_.lines
    for line in lines[1:]:
        levels.add(round(float(np.array([2.0, -1.0]) @ line.get_xy1()), 6))
    assert levels == {-1.25, -1.0, -0.75, 0.75, 1.0, 1.25}


def test_no_margin_no_slope_and_no_lines() -> None:
    drawn(MarginDisplay(separable(), [1.0, 0.0], threshold=0.5).plot())
    assert not MarginDisplay(separable(), [0.0, 0.0]).plot().ax_.lines


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: MarginDisplay(np.zeros((3, 2, 2)), [1.0]), "two finite numbers"),
        (lambda: MarginDisplay.from_estimator(object(), np.zeros((3, 2, 2))), "has no coef_"),
    ],
)
def test_bad_input_is_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()
