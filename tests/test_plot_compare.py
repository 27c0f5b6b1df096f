from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import Comparisons, datasets
from podium.metrics import comparison_auc
from podium.models.linear_compare import LinearCompare
from podium.models.svm_compare_lp import SVMCompareLP
from podium.plot import save_figure
from podium.plot_compare import ComparisonROCDisplay, LevelCurvesDisplay, MarginDisplay

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def pairs() -> Comparisons:
    return datasets.make_norm_comparisons(60, norm=1, random_state=0)


@pytest.fixture(scope="module")
def model(pairs: Comparisons) -> SVMCompareLP:
    return SVMCompareLP("rbf", C=0.05, gamma=0.1).fit(pairs)


def drawn(display: Any) -> bytes:
    png = display._repr_png_()
    assert isinstance(png, bytes)
    return png


# ------------------------------------------------------------------------------------ level curves


def test_ties_are_segments_and_others_arrows_to_the_better(pairs: Comparisons, model: SVMCompareLP) -> None:
    display = LevelCurvesDisplay.from_estimator(model, pairs, title="$x$")
    ax: Any = display.ax_
    assert pairs.outcome is not None
    assert len(ax.lines) == (pairs.outcome == 0).sum()
    (arrows,) = [each for each in ax.collections if hasattr(each, "U")]
    assert len(arrows.U) == (pairs.outcome != 0).sum()
    heads = np.column_stack([arrows.X + arrows.U, arrows.Y + arrows.V])
    better = np.where(pairs.outcome < 0, pairs.left, pairs.right)[pairs.outcome != 0]
    np.testing.assert_allclose(heads, pairs.features[better])
    assert ax.get_title(loc="left") == "$x$"
    drawn(display)


def test_neighbouring_curves_are_thresholds_apart(pairs: Comparisons) -> None:
    display = LevelCurvesDisplay.from_utility(lambda X: X[:, 0] + X[:, 1], pairs, threshold=1.0)
    levels = [each.levels for each in display.ax_.collections if hasattr(each, "levels")]
    np.testing.assert_allclose(np.diff(levels[0]), 1.0)
    steep = LevelCurvesDisplay.from_utility(lambda X: 100 * X[:, 0], pairs, threshold=1.0)
    levels = [each.levels for each in steep.ax_.collections if hasattr(each, "levels")]
    assert len(levels[0]) <= 26
    assert np.diff(levels[0])[0] == np.round(np.diff(levels[0])[0])
    drawn(steep)


def test_flat_or_no_functions_many_pairs_and_names(pairs: Comparisons) -> None:
    drawn(LevelCurvesDisplay.from_utility(lambda X: 0 * X[:, 0], pairs))
    drawn(LevelCurvesDisplay.from_utility(None, pairs))
    drawn(LevelCurvesDisplay.from_utility(lambda X: X[:, 0], pairs, threshold=np.inf))
    many = datasets.make_norm_comparisons(150, random_state=0)
    named = many.with_features(many.features, ["$sweet", "sour"])
    display = LevelCurvesDisplay.from_utility(None, named)
    assert "… and 50 more pairs" in [text.get_text() for text in display.ax_.texts]
    assert display.ax_.get_xlabel() == "$sweet"
    drawn(display)


# ------------------------------------------------------------------------------------ margins


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


# ------------------------------------------------------------------------------------ ROC


def test_roc_names_the_area_and_marks_the_threshold(pairs: Comparisons, model: SVMCompareLP) -> None:
    squares = pairs.with_features(pairs.features**2)
    linear = LinearCompare().fit(squares)
    display = ComparisonROCDisplay.from_estimator(linear, squares)
    d = linear.decision_function(squares)
    assert pairs.outcome is not None
    auc = comparison_auc(pairs.outcome, d)
    ax: Any = display.ax_
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[1] == f"LinearCompare  {auc:.3f}"
    (dot,) = [line for line in ax.lines if line.get_marker() == "o"]
    found = (np.abs(d) > 1) & (pairs.outcome != 0) & (np.sign(d) == pairs.outcome)
    assert dot.get_ydata()[0] == pytest.approx(found.sum() / (pairs.outcome != 0).sum())
    drawn(display)


def test_roc_of_several(pairs: Comparisons, model: SVMCompareLP) -> None:
    d = model.decision_function(pairs)
    assert pairs.outcome is not None
    display = ComparisonROCDisplay.from_predictions(pairs.outcome, {"a": d, "b": -d})
    assert len(display.ax_.lines) == 3
    both = ComparisonROCDisplay.from_estimator({"one": model, "two": model}, pairs)
    assert len(both.curves) == 2
    drawn(both)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: LevelCurvesDisplay(np.zeros((3, 2, 3))), "two features, and these pairs have 3"),
        (lambda: LevelCurvesDisplay(np.zeros((0, 2, 2))), "no pairs to draw"),
        (lambda: MarginDisplay(np.zeros((3, 2, 2)), [1.0]), "two finite numbers"),
        (lambda: MarginDisplay.from_estimator(object(), np.zeros((3, 2, 2))), "has no coef_"),
        (lambda: ComparisonROCDisplay([0, 0], {"a": [1.0, 2.0]}), "only ties"),
    ],
)
def test_bad_input_is_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()
