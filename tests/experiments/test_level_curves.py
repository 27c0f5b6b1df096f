from typing import Any

import numpy as np
import pytest

from experiments.figures.level_curves import LevelCurvesDisplay
from podium import Comparisons, datasets
from podium.comparers.svm_compare_lp import SVMCompareLP
from tests.plot.drawing import drawn

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def pairs() -> Comparisons:
    return datasets.make_norm_comparisons(60, norm=1, random_state=0)


def test_ties_are_segments_and_others_arrows_to_the_better(pairs: Comparisons) -> None:
    model = SVMCompareLP("rbf", C=0.05, gamma=0.1).fit(pairs)
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


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: LevelCurvesDisplay(np.zeros((3, 2, 3))), "two features, but these pairs have 3"),
        (lambda: LevelCurvesDisplay(np.zeros((0, 2, 2))), "no pairs to draw"),
    ],
)
def test_bad_input_is_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()
