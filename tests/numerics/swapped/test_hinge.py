"""Counting by digits."""

import numpy as np
import pytest

from podium.numerics.swapped.counts import OrderedItems


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
