"""Pairs with shares agree with the passes that form no pairs, and with counting every pair."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.swapped.counts import OrderedItems
from podium.ordered.swapped.multipliers import FormedPairs
from tests.numerics.swapped.test_counts import items
from tests.ordered.all_pairs import all_pairs


@given(items(), st.sampled_from([0.01, 0.3, 2.0]))
def test_with_equal_shares_of_one_half_the_hinge_is_the_rounded_one(data: Any, width: float) -> None:
    y, group, weight, score = data
    ordered = OrderedItems.of(y, group, weight)
    found = FormedPairs(ordered, 0.5).violations(score, 1.0, width)
    expected = ordered.violations(score, 1.0, width)
    np.testing.assert_allclose(found.below, expected.below, atol=1e-9)
    np.testing.assert_allclose(found.above, expected.above, atol=1e-9)
    assert found.loss == pytest.approx(expected.loss, abs=1e-9)


@given(items(), st.sampled_from([0.3, 2.0]))
def test_slopes_and_laplacian_are_those_of_every_pair(data: Any, width: float) -> None:
    """Settle once, then look at other scores: the shares of the pairs differ by then."""
    y, group, weight, score = data
    formed = FormedPairs(OrderedItems.of(y, group, weight), 0.1)
    formed.settle(score, 1.0, width)
    found = formed.violations(-score, 1.0, width)
    i, j, w = all_pairs(y, group, weight)
    share = np.clip(0.1 + (1 - (score[i] - score[j])) / (2 * width), 0, 1)
    slope = np.clip(share + (1 + (score[i] - score[j])) / (2 * width), 0, 1)
    np.testing.assert_allclose(found.below, np.bincount(i, weight[j] * slope, len(y)), atol=1e-9)
    np.testing.assert_allclose(found.above, np.bincount(j, weight[i] * slope, len(y)), atol=1e-9)

    M, free = np.zeros((len(y), len(y))), (slope > 0) & (slope < 1)
    formed.add_laplacian(-score, 1.0, width, 3.0, M)
    E = (np.eye(len(y))[i] - np.eye(len(y))[j])[free]
    expected = (3.0 * E.T * w[free]) @ E
    expected = expected[np.ix_(formed.order, formed.order)]
    np.testing.assert_allclose(M, np.tril(expected), atol=1e-9)
