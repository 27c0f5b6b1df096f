import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.metrics import calibration_bins
from podium.plot import CalibrationDisplay
from tests.plot.drawing import drawn, predictions

pytest.importorskip("matplotlib")

rows = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.integers(1, 4)),
    min_size=1,
    max_size=30,
)


@given(rows, st.integers(1, 6), st.randoms())
def test_bins_do_not_depend_on_order_and_count_weights(table: Any, n_bins: int, random: Any) -> None:
    happened, probability, weight = map(list, zip(*table, strict=True))
    bins = calibration_bins(happened, probability, n_bins, weight)
    repeated = calibration_bins(np.repeat(happened, weight), np.repeat(probability, weight), n_bins)
    random.shuffle(table)
    happened, probability, weight = map(list, zip(*table, strict=True))
    shuffled = calibration_bins(happened, probability, n_bins, weight)
    for column, same, also in zip(bins, repeated, shuffled, strict=True):
        np.testing.assert_allclose(column, same, atol=1e-12)
        np.testing.assert_allclose(column, also, atol=1e-12)
    assert len(bins.weight) <= n_bins
    assert bins.weight.sum() == sum(weight)
    assert (np.diff(bins.predicted) > 0).all()
    assert ((bins.low <= bins.observed) & (bins.observed <= bins.high)).all()


def test_bins_are_equal_if_they_can_be() -> None:
    rng = np.random.default_rng(0)
    probability = rng.random(1000)
    happened = rng.random(1000) < probability
    bins = calibration_bins(happened, probability, 10)
    assert bins.weight.tolist() == [100] * 10
    parts = np.array_split(np.argsort(probability), 10)
    np.testing.assert_allclose(bins.predicted, [probability[part].mean() for part in parts])
    np.testing.assert_allclose(bins.observed, [happened[part].mean() for part in parts])


def test_intervals_are_those_of_scipy() -> None:
    from scipy.stats import binomtest

    for wins, n in [(0, 7), (3, 7), (7, 7), (20, 400)]:
        bins = calibration_bins(np.arange(n) < wins, np.full(n, 0.4))
        expected = binomtest(wins, n).proportion_ci(method="wilson")
        np.testing.assert_allclose([bins.low[0], bins.high[0]], [expected.low, expected.high], atol=1e-6)


def lines(display: CalibrationDisplay) -> dict[str, Any]:
    return {str(line.get_label()): line for line in display.ax_.lines if line.get_marker() == "o"}


def test_calibration_has_a_line_an_outcome() -> None:
    outcome, probabilities = predictions()
    display = CalibrationDisplay.from_predictions(outcome, probabilities, n_bins=6)
    assert list(lines(display)) == ["left better", "no difference", "right better"]
    for sign, line in zip((-1, 0, 1), lines(display).values(), strict=True):
        bins = calibration_bins(outcome == sign, probabilities[:, sign + 1], 6)
        np.testing.assert_allclose(line.get_xdata(), bins.predicted)
        np.testing.assert_allclose(line.get_ydata(), bins.observed)
    assert len(display.ax_.collections) == 3  # the intervals
    patches: Any = display.ax_.patches
    heights = [patch.get_height() for patch in patches]
    assert len(heights) == 3 * 25
    np.testing.assert_allclose(np.reshape(heights, (3, 25)).sum(axis=1), sum(heights) / 3)
    assert drawn(display)


def test_calibration_without_ties() -> None:
    p = np.linspace(0, 1, 50)
    probabilities = np.column_stack([1 - p, 0 * p, p])
    outcome = np.where(p > 0.4, 1, -1)
    display = CalibrationDisplay.from_predictions(outcome, probabilities, weight=np.full(50, 2.0))
    assert list(lines(display)) == ["left better"]  # the other would be its mirror image
    assert display.bins[-1].weight.sum() == 100
    predicted = CalibrationDisplay.from_predictions(outcome, np.full((50, 3), 1 / 3))
    assert list(lines(predicted)) == ["left better", "no difference", "right better"]
    assert drawn(predicted)


@pytest.mark.parametrize(
    ("outcome", "probabilities", "sentence"),
    [
        ([1, 2], [[0, 0, 1], [0, 0, 1]], "the outcome 2 at row 2 (counting from 1) is none of -1, 0 and 1"),
        ([1], [[0.5, 0.5]], "outcome has the shape (1,) and probabilities (1, 2)"),
        ([], np.zeros((0, 3)), "with at least one row"),
        ([1], [[0.9, 0.9, -0.8]], "the probabilities at row 1 (counting from 1) are not three numbers"),
        ([1], [[np.nan, 0.5, 0.5]], "the probabilities at row 1 (counting from 1) are not three numbers"),
    ],
)
def test_calibration_refuses(outcome: Any, probabilities: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        CalibrationDisplay.from_predictions(outcome, probabilities)
    assert "\n" not in str(caught.value)
