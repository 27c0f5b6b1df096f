from typing import Any

import numpy as np
import pytest

from podium import Comparisons
from podium.comparers.linear_compare import LinearCompare
from podium.comparers.svm_compare_lp import SVMCompareLP
from podium.metrics import comparison_auc
from podium.plot import ComparisonROCDisplay
from tests.plot.drawing import drawn

pytest.importorskip("matplotlib")


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


def test_ties_alone_have_no_curve() -> None:
    with pytest.raises(ValueError, match="only ties"):
        ComparisonROCDisplay([0, 0], {"a": [1.0, 2.0]})
