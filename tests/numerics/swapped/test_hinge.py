"""Sorting and counting by digits, and the pairs that are drawn near the corner of the hinge."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from podium.numerics.swapped.counts import OrderedItems
from podium.numerics.swapped.hinge import sorted_items
from tests.ordered.all_pairs import all_pairs


@given(
    arrays(np.float64, st.integers(0, 60), elements=st.floats(-1e300, 1e300) | st.sampled_from([-0.0, 1.0]))
)
def test_sorting_is_a_stable_argsort(score: Any) -> None:
    np.testing.assert_array_equal(sorted_items(score), np.argsort(score, kind="stable"))


def test_sorting_where_rounded_keys_say_nothing() -> None:
    """All scores but one are so close together that they share a key."""
    score = np.append(1e-9 * np.random.default_rng(0).permutation(5_000), 1e6)
    np.testing.assert_array_equal(sorted_items(score), np.argsort(score))


@pytest.mark.parametrize("levels", [3, 7, 8, 15, 16, 40, 225, 226, 2000])
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_with_one_and_with_more_digits(levels: int, weighted: bool) -> None:
    rng = np.random.default_rng(levels)
    n = max(300, levels)
    y, score = rng.permutation(np.arange(n) % levels).astype(float), rng.normal(size=n)
    weight = rng.integers(1, 4, n).astype(float) if weighted else np.full(n, 2.0)
    found = OrderedItems.of(y, None, weight).violations(score, 1.0)
    violated = (y[:, None] > y) & (1.0 - (score[:, None] - score) >= 0)
    np.testing.assert_allclose(found.below, violated @ weight)
    np.testing.assert_allclose(found.above, weight @ violated)
    loss = np.where(violated, 1.0 - (score[:, None] - score), 0.0)
    assert found.loss == pytest.approx(float(weight @ loss @ weight))


@pytest.mark.parametrize("n_groups", [1, 4])
def test_drawn_pairs_stand_for_all_in_the_window(n_groups: int) -> None:
    rng = np.random.default_rng(0)
    n = 2_000
    y, score, weight = rng.integers(0, 5, n).astype(float), 2 * rng.normal(size=n), rng.uniform(0.5, 2, n)
    group = rng.integers(0, n_groups, n).astype(np.int32)
    X = rng.normal(size=(n, 3))
    i, j, w = all_pairs(y, group, weight)
    inside = np.abs(1.0 - (score[i] - score[j])) < 0.2
    i, j, w = i[inside], j[inside], w[inside]
    expected = ((X[i] - X[j]).T * w) @ (X[i] - X[j])
    items = OrderedItems.of(y, group, weight)
    pairs = items.sample_window(score, 1.0, 0.2, 200_000, np.random.RandomState(0))
    D = X[pairs.upper] - X[pairs.lower]
    assert (y[pairs.upper] > y[pairs.lower]).all()
    assert (group[pairs.upper] == group[pairs.lower]).all()
    np.testing.assert_allclose((D.T * pairs.weight) @ D, expected, atol=0.03 * np.abs(expected).max())
