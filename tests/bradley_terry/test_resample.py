"""Poisson numbers from tables have the right moments and depend only on the seed."""

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.counts.pairs import PairCounts
from podium.bradley_terry.model import BradleyTerry
from podium.bradley_terry.resample import cells_of, draw, empty_replicate, replicate_of_groups
from podium.core.pair_pass import Pairs
from podium.datasets import make_games


def counts_of(left: list[float], ties: list[float], right: list[float]) -> PairCounts:
    n = len(left)
    a, b, c = (np.array(values, dtype=np.float64) for values in (left, ties, right))
    indptr, partner = np.arange(n + 2).clip(max=n).astype(np.int64), np.arange(1, n + 1).astype(np.int32)
    return PairCounts.of_pairs(Pairs(indptr, partner, a + b + c, b, c - a), ordered=False)


def test_moments_are_those_of_poisson() -> None:
    means = [0.3, 1.0, 2.0, 7.0, 40.0, 64.0, 65.0, 500.0]
    counts = counts_of(means, [3.0] * 8, [0.0] * 8)
    cells, unit = cells_of(counts)
    replicate = empty_replicate(8)
    found = []
    for seed in range(4000):
        draw(np.uint64(seed * 7919), cells, unit, replicate)
        found.append(np.concatenate([-replicate.margin, replicate.ties]))
    drawn = np.array(found)
    expected = np.array(means + [3.0] * 8)
    np.testing.assert_allclose(drawn.mean(axis=0), expected, rtol=0.08)
    np.testing.assert_allclose(drawn.var(axis=0), expected, rtol=0.12)
    np.testing.assert_allclose(np.corrcoef(drawn.T) - np.eye(16), 0, atol=0.08)
    share = np.bincount(drawn[:, 1].astype(int), minlength=5)[:5] / 4000
    np.testing.assert_allclose(share, np.exp(-1) / np.array([1, 1, 2, 6, 24]), atol=0.03)


def test_cells_without_games_stay_empty_and_the_seed_decides() -> None:
    cells, unit = cells_of(counts_of([2.0, 5.0], [0.0, 1.0], [1.0, 0.0]))
    assert len(cells.pair) == 4
    one, two = empty_replicate(2), empty_replicate(2)
    draw(np.uint64(1), cells, unit, one)
    draw(np.uint64(1), cells, unit, two)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.ties[0] == 0
    assert one.total.sum() == pytest.approx(9, abs=9)


def test_drawing_every_group_once_gives_the_data() -> None:
    c, _ = make_games(6, 400, order_effect=0.3, random_state=0)
    for ties in ("davidson", "ignore"):
        for order_effect in (False, True):
            grouped = Comparisons.from_arrays(c.left, c.right, c.outcome, group=np.arange(400) % 7)
            model = BradleyTerry(ties=ties, order_effect=order_effect).fit(grouped)
            of_times, n_groups = replicate_of_groups(model.fit_)
            total, tied, margin, _ = of_times(np.ones(n_groups))
            counts = model.fit_.problem.counts
            np.testing.assert_allclose(total, counts.total)
            np.testing.assert_allclose(tied, counts.ties)
            np.testing.assert_allclose(margin, counts.margin)
