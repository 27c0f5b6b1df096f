"""Algorithm 2 agrees with brute force; the oracle of Algorithm 1 is in test_newton.py."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.swapped.counts import OrderedItems
from podium.ordered.swapped.cutting_plane import fit_cutting_plane
from podium.ordered.swapped.newton import fit_swapped_newton
from podium.ordered.swapped.problem import SwappedPairs
from tests.ordered.all_pairs import all_pairs, graded


@given(st.integers(1, 30), st.sampled_from([2, 4, 100]), st.integers(0, 10**6))
def test_c_and_d_are_those_of_eq_13_and_21(n: int, levels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, score = rng.integers(0, levels, n).astype(float), rng.normal(size=n)
    i, j, _ = all_pairs(y)
    label = np.where((score[i] - 0.25) - (score[j] + 0.25) > 0, 1, -1)
    items = OrderedItems.of(y)
    (below, above), found = items.partners, items.violations(score, margin=0.5)
    np.testing.assert_array_equal(below - 2 * found.below, np.bincount(i, label, n))
    np.testing.assert_array_equal(above - 2 * found.above, np.bincount(j, label, n))
    assert found.below.sum() == found.above.sum() == np.sum(label < 0)  # eq. (16) and (17)


@pytest.mark.parametrize("seed", range(10))
def test_no_labelling_is_violated_more(seed: int) -> None:
    """Eq. (20) over all 2^N labellings."""
    rng = np.random.default_rng(seed)
    y, X, w = np.array([0.0, 1.0, 1.0, 2.0, 3.0]), rng.normal(size=(5, 2)), 0.5 * rng.normal(size=2)
    i, j, _ = all_pairs(y)

    def value(labels: Any) -> float:
        return float(np.sum(1 - labels) / 2 + np.sum(labels * ((X[i] - X[j]) @ w)))

    best = max(value(np.array(labels)) for labels in product((-1, 1), repeat=len(i)))
    items = OrderedItems.of(y)
    (below, above), found = items.partners, items.violations(X @ w, margin=0.5)
    c, d = below - 2 * found.below, above - 2 * found.above
    assert found.below.sum() + (c - d) @ X @ w == pytest.approx(best)


def test_it_says_how_far_it_came() -> None:
    X, y = graded(60, 5, None)
    p = SwappedPairs(X, OrderedItems.of(y), 10.0)
    few, more = fit_cutting_plane(p, 1e-6, 5), fit_cutting_plane(p, 1e-6, 500)
    assert not few.converged
    assert more.converged
    assert few.iterations == 5
    assert few.details["dual"] <= more.details["dual"] <= more.objective <= few.objective


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_features_of_very_different_scales(C: float) -> None:
    """Shifts between planes are very slow here; the optimum is far below the objective at 0."""
    rng = np.random.default_rng(1)
    X = 1e4 * rng.normal(size=(30, 100)) * np.exp(3 * rng.normal(size=100))
    p = SwappedPairs(X, OrderedItems.of(rng.normal(size=30)), C)
    found = fit_cutting_plane(p, 1e-3, 300)
    assert found.converged
    assert found.objective == pytest.approx(fit_swapped_newton(p, 1e-6).objective, rel=2e-3)
