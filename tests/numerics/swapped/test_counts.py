"""The counts of one pass agree with counting every pair."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.swapped.counts import OrderedItems
from tests.ordered.all_pairs import all_pairs


@st.composite
def items(draw: Any) -> tuple[Any, Any, Any, Any]:
    """Labels, groups, weights and scores; labels from all alike to all different."""
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    y = rng.integers(0, draw(st.sampled_from([1, 2, 5, 1000])), n).astype(float)
    group = rng.integers(0, draw(st.integers(1, 5)), n).astype(np.int32)
    score = rng.normal(size=n) if draw(st.booleans()) else rng.integers(0, 6, n) / 4
    return y, group, rng.integers(1, 4, n).astype(float), score


def slope(t: Any, width: float) -> Any:
    return (t >= 0).astype(float) if width == 0 else np.clip((t + width) / (2 * width), 0, 1)


@given(items(), st.sampled_from([0.0, 0.01, 0.3, 2.0]))
def test_counts_are_those_of_every_pair(data: Any, width: float) -> None:
    y, group, weight, score = data
    i, j, w = all_pairs(y, group, weight)
    t = 1.0 - (score[i] - score[j])
    found = OrderedItems.of(y, group, weight).violations(score, 1.0, width)
    below = np.bincount(i, weight[j] * slope(t, width), len(y))
    above = np.bincount(j, weight[i] * slope(t, width), len(y))
    np.testing.assert_allclose(found.below, below, atol=1e-9)
    np.testing.assert_allclose(found.above, above, atol=1e-9)
    assert found.loss == pytest.approx(float(w @ np.maximum(t, 0)), abs=1e-9)


@given(items())
def test_second_derivatives_are_those_of_every_pair(data: Any) -> None:
    y, group, weight, score = data
    i, j, w = all_pairs(y, group, weight)
    Q = np.random.default_rng(0).normal(size=(len(y), 3))
    inside = np.abs(1.0 - (score[i] - score[j])) < 0.3
    i, j, w = i[inside], j[inside], w[inside]
    expected = np.zeros_like(Q)
    np.add.at(expected, i, w[:, None] * (Q[i] - Q[j]))
    np.add.at(expected, j, w[:, None] * (Q[j] - Q[i]))
    found = OrderedItems.of(y, group, weight).laplacian(score, 1.0, 0.3, Q)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@given(items())
def test_partners_and_parts(data: Any) -> None:
    y, group, weight, score = data
    whole = OrderedItems.of(y, group, weight)
    i, j, w = all_pairs(y, group, weight)
    assert whole.n_pairs == pytest.approx(w.sum())
    np.testing.assert_allclose(whole.partners[1], np.bincount(j, weight[i], len(y)))
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[: len(y) // 2 + 1])
    part, fresh = whole.part(rows), OrderedItems.of(y[rows], group[rows], weight[rows])
    one: Any
    other: Any
    for one, other in zip(part.violations(score[rows], 0.5), fresh.violations(score[rows], 0.5), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_tiny_windows_keep_their_digits() -> None:
    """Sums of a thousand scores would lose a window of 1e-8 to rounding."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=1000)
    score = 1000 + rng.normal(size=1000)
    at = np.argsort(y)[[10, 900]]
    score[at] = 1000.0, 1001.0 + 5e-9
    found = OrderedItems.of(y).violations(score, 1.0, 1e-8)
    i, j, _ = all_pairs(y)
    t = 1.0 - (score[i] - score[j])
    np.testing.assert_allclose(found.below, np.bincount(i, slope(t, 1e-8), 1000), atol=1e-4)


def test_samples_take_whole_groups_if_these_are_small() -> None:
    rng = np.random.RandomState(0)
    group = np.repeat(np.arange(100, dtype=np.int32), 10)
    rows = OrderedItems.of(rng.rand(1000), group).sample(200, rng)
    assert 150 <= len(rows) <= 200
    assert set(np.bincount(group[rows], minlength=100)) == {0, 10}
    assert len(OrderedItems.of(rng.rand(1000)).sample(200, rng)) == 200
