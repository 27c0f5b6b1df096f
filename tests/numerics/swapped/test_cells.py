"""Counts in cells agree with counting all pairs of cells, and with the exact counts of many items."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.swapped.cells import LABELS, STEPS, LabelCells, count_in_cells
from podium.numerics.swapped.counts import OrderedItems


def cells_of(y: Any) -> LabelCells:
    _, run_of, size = np.unique(y, return_inverse=True, return_counts=True)
    return LabelCells.of(run_of, np.append(0, np.cumsum(size)))


@given(st.integers(2, 6), st.integers(0, 10**6))
def test_few_labels_are_counted_as_every_pair_of_cells(levels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 60
    y, cell, weight = rng.integers(0, levels, n), rng.integers(0, 3 * STEPS, n), rng.uniform(0.5, 2, n)
    cell[:2] = 0, 3 * STEPS - 1  # the smallest score is in the first cell
    score = cell / STEPS
    found = count_in_cells(score, weight, cells_of(y), 1.0)
    assert found is not None
    below, above, loss = found
    apart = cell[:, None] - cell
    violated = np.where(apart < STEPS, 1.0, np.where(apart == STEPS, 0.5, 0.0)) * (y[:, None] > y)
    np.testing.assert_allclose(below, violated @ weight)
    np.testing.assert_allclose(above, weight @ violated)
    assert loss == pytest.approx(float(weight @ (violated * (1.0 - (score[:, None] - score))) @ weight))


def test_many_labels_share_cells_and_a_frequent_one_has_its_own() -> None:
    rng = np.random.default_rng(0)
    y = np.append(rng.normal(size=5_000), np.zeros(2_000))
    cells = cells_of(y)
    assert len(cells.several) <= 2 * LABELS
    assert len(set(cells.of_item[y == 0])) == 1
    assert not cells.several[cells.of_item[-1]]
    assert cells.several.any()
    order = np.argsort(y, kind="stable")
    assert (np.diff(cells.of_item[order]) >= 0).all()


@pytest.mark.parametrize("levels", [2, 5, 100, 400, 0])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_items_are_pulled_as_by_all_pairs(levels: int, weighted: bool) -> None:
    rng = np.random.default_rng(levels)
    n = 20_000
    X = rng.normal(size=(n, 4))
    y = X @ [1.0, 0.5, 0.0, -1.0] + rng.normal(size=n)
    y = np.searchsorted(np.quantile(y, np.arange(1, levels) / levels), y).astype(float) if levels else y
    weight = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
    score = X @ [0.8, 0.1, 0.2, -0.6]
    items = OrderedItems.of(y, None, weight)
    exact, about = items.violations(score, 1.0), items.about(score, 1.0)
    pull, found = ((weight * (v.below - v.above)) @ X for v in (exact, about))
    assert not np.array_equal(pull, found)
    assert np.linalg.norm(found - pull) <= 5e-3 * np.linalg.norm(pull)
    assert about.loss == pytest.approx(exact.loss, rel=1e-2)


def test_what_cells_cannot_hold_is_counted_exactly() -> None:
    rng = np.random.default_rng(0)
    y, group = rng.integers(0, 3, 50).astype(float), rng.integers(0, 2, 50).astype(np.int32)
    far = 1e9 * rng.normal(size=50)
    assert count_in_cells(far, np.ones(50), cells_of(y), 1.0) is None
    for items, score in (OrderedItems.of(y), far), (OrderedItems.of(y, group), rng.normal(size=50)):
        for about, exact in zip(items.about(score, 1.0), items.violations(score, 1.0), strict=True):
            np.testing.assert_array_equal(about, exact)
