"""Counting pairs, against a dictionary."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from podium import Comparisons
from podium.bradley_terry.counts.counting import count_pairs
from podium.bradley_terry.counts.pairs import PairCounts
from podium.numerics.threads import SHARED_PAIRS
from tests.comparisons.strategies import comparisons


def n_sides(c: Comparisons) -> int:
    return c.n_items if c.teams is None else len(c.teams)


def counted(c: Comparisons, ordered: bool) -> Any:
    assert c.outcome is not None
    return count_pairs(c.left, c.right, c.outcome, c.weight, n_sides(c), ordered=ordered)


@given(comparisons())
def test_counts_are_those_of_a_dictionary(c: Comparisons) -> None:
    assert c.outcome is not None
    for ordered in (False, True):
        expected: Any = defaultdict(lambda: np.zeros(3))
        for left, right, sign, weight in zip(c.left, c.right, c.outcome, c.weight, strict=True):
            if not ordered and right < left:
                left, right, sign = right, left, -sign
            expected[left, right] += weight * np.array([1.0, float(sign == 0), float(sign)])
        found = counted(c, ordered)
        pairs = list(zip(found.first.tolist(), found.partner.tolist(), strict=True))
        assert len(pairs) == len(set(pairs)) == len(expected)
        for e, pair in enumerate(pairs):
            assert [found.total[e], found.ties[e], found.margin[e]] == pytest.approx(expected[pair].tolist())
        assert found.score.sum() == pytest.approx(c.weight.sum())
        assert found.games.sum() == pytest.approx(2 * c.weight.sum())
        seen = np.zeros(n_sides(c), dtype=bool)
        seen[c.left] = seen[c.right] = True
        np.testing.assert_array_equal(found.appears, seen)
        compact = found.of_sides(found.appears)
        np.testing.assert_allclose(compact.games, found.games[found.appears])
        np.testing.assert_allclose(compact.score, found.score[found.appears])


@given(comparisons(teams=False))
def test_without_ties_equals_counting_only_decisive_games(c: Comparisons) -> None:
    assert c.outcome is not None
    kept, dropped = counted(c, False).without_ties(), counted(c[c.outcome != 0], False)
    np.testing.assert_allclose(kept.games, dropped.games)
    np.testing.assert_allclose(kept.score, dropped.score)
    assert kept.left_wins.sum() + kept.right_wins.sum() == pytest.approx(kept.total.sum())


def test_rounding_of_fractional_weights_creates_no_wins() -> None:
    weight = np.array([0.1, 0.2, 0.3, 0.7])
    counts = count_pairs(
        np.zeros(4, np.int32),
        np.ones(4, np.int32),
        np.array([-1, 0, -1, 0], np.int8),
        weight,
        2,
        ordered=False,
    )
    assert counts.right_wins.tolist() == [0]
    assert counts.left_wins.tolist() == pytest.approx([0.4])


def test_sums_by_side_and_items_that_appear_are_right() -> None:
    """Side 3 met side 1 with weight 0; side 2 met nobody."""
    left, right = np.array([0, 4, 1, 3], np.int32), np.array([1, 0, 0, 1], np.int32)
    weight = np.array([1.0, 2.0, 1.0, 0.0])
    counts = count_pairs(left, right, np.array([1, 0, -1, 1], np.int8), weight, 5, ordered=False)
    np.testing.assert_array_equal(counts.appears, [True, True, False, True, True])
    values = np.arange(1, len(counts.partner) + 1).astype(np.float64)
    by_side, net = np.zeros(5), np.zeros(5)
    np.add.at(by_side, counts.first, values)
    np.add.at(by_side, counts.partner, values)
    np.add.at(net, counts.partner, values)
    np.subtract.at(net, counts.first, values)
    np.testing.assert_array_equal(counts.by_side(values), by_side)
    np.testing.assert_array_equal(counts.net_by_side(values), net)


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    c = random_games(50, SHARED_PAIRS)
    monkeypatch.setattr("podium.numerics.threads.n_cores", lambda: 1)
    alone = counted(c, False)
    monkeypatch.setattr("podium.numerics.threads.n_cores", lambda: 3)
    same(counted(c, False), alone)


def test_items_without_games_do_not_change_the_rest() -> None:
    c = random_games(30, 400)
    assert c.outcome is not None
    spread = count_pairs(2 * c.left, 2 * c.right, c.outcome, c.weight, 60, ordered=False)
    same(spread.of_sides(spread.appears), counted(c, False))


def random_games(n_items: int, n: int) -> Comparisons:
    rng = np.random.default_rng(5)
    left = rng.integers(0, n_items, n)
    return Comparisons.from_arrays(
        left, (left + rng.integers(1, n_items, n)) % n_items, rng.integers(-1, 2, n)
    )


def same(found: PairCounts, expected: PairCounts) -> None:
    for name in ("indptr", "partner", "total", "ties", "margin", "score", "games", "n_ties"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
