"""Games listed by both sides give the same counts, answers and estimates as merged pairs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from podium import BradleyTerry, Comparisons
from podium.bradley_terry.counts import by_side, counting
from podium.bradley_terry.counts.by_side import GamesBySide
from podium.bradley_terry.counts.counting import count_pairs
from podium.bradley_terry.counts.pairs import PairCounts
from podium.bradley_terry.passes import CURVATURE, EXPECTED, T, davidson_pass, shared_pass
from podium.comparisons.arrays import Floats


@pytest.fixture
def unmerged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows stay unmerged, however few they are."""
    monkeypatch.setattr(counting, "MANY_ROWS", 0)
    monkeypatch.setattr(by_side, "WORTH_MERGING", 2.0)


def random_games(n_sides: int, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    left = rng.integers(0, n_sides, n).astype(np.int32)
    right = ((left + rng.integers(1, n_sides, n)) % n_sides).astype(np.int32)
    return left, right, rng.integers(-1, 2, n).astype(np.int8)


def counts_of(left: np.ndarray, right: np.ndarray, outcome: np.ndarray, n_sides: int) -> PairCounts:
    return count_pairs(left, right, outcome, np.broadcast_to(1.0, len(left)), n_sides, ordered=False)


def test_pairs_scores_and_games_are_those_of_merged_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    games = random_games(30, 400, 0)
    merged = counts_of(*games, 30)
    monkeypatch.setattr(counting, "MANY_ROWS", 0)
    monkeypatch.setattr(by_side, "WORTH_MERGING", 2.0)
    listed = counts_of(*games, 30)
    assert merged.unmerged is None
    assert listed.unmerged is not None
    for name in ("indptr", "total", "ties", "margin", "partner", "score", "games", "n_ties", "n_games"):
        np.testing.assert_array_equal(getattr(listed, name), getattr(merged, name), name)


@pytest.mark.parametrize("nu", [None, 0.8])
def test_a_pass_over_games_is_the_pass_over_pairs(unmerged: None, nu: float | None) -> None:
    listed = counts_of(*random_games(40, 600, 1), 40)
    merged = PairCounts.of_pairs(listed.source.pairs, ordered=False)
    t = np.exp(np.random.default_rng(0).normal(size=40))

    def state_and_sums(counts: PairCounts) -> tuple[Floats, Floats]:
        state = np.zeros((40, 3))
        state[:, T] = t
        sums = shared_pass(davidson_pass, counts, state, 1.0, nu, None, None)
        return state[:, [EXPECTED, CURVATURE]], np.array(sums[1:3])

    for found, expected in zip(state_and_sums(listed), state_and_sums(merged), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.integers(1, 25), st.integers(0, 10**6))
def test_connection_is_that_of_the_graph_of_wins(n_sides: int, n: int, seed: int) -> None:
    left, right, outcome = random_games(n_sides, n, seed)
    start, packed, _ = counting._partition(left, right, outcome, np.ones(1), n_sides, counting.BOTH)
    games = GamesBySide(start, packed)
    winner = np.concatenate([left[outcome <= 0], right[outcome >= 0]])
    loser = np.concatenate([right[outcome <= 0], left[outcome >= 0]])
    graph = coo_array((np.ones(len(winner)), (winner, loser)), shape=(n_sides, n_sides))
    assert games.strongly_connected == (connected_components(graph, connection="strong")[0] == 1)
    won = {(a, b) for a, b, y in zip(left, right, outcome, strict=True) if y < 0}
    won |= {(b, a) for a, b, y in zip(left, right, outcome, strict=True) if y > 0}
    assert games.some_beat_each_other() == any((b, a) in won for a, b in won)


@pytest.mark.parametrize("ties", ["davidson", "half", "ignore", "rao-kupper"])
def test_estimates_and_errors_do_not_change(ties: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    c = Comparisons.from_arrays(*random_games(30, 400, 2))
    expected = BradleyTerry(ties=ties).fit(c)
    monkeypatch.setattr(counting, "MANY_ROWS", 0)
    monkeypatch.setattr(by_side, "WORTH_MERGING", 2.0)
    found = BradleyTerry(ties=ties).fit(c)
    assert found.result_.converged
    np.testing.assert_allclose(found.log_skill_, expected.log_skill_, atol=1e-8)
    np.testing.assert_allclose(found.interval(), expected.interval(), atol=1e-7)
    assert found.result_.objective == pytest.approx(expected.result_.objective, rel=1e-12)


def test_an_item_that_always_won_still_needs_a_prior(unmerged: None) -> None:
    left, right, outcome = random_games(30, 400, 3)
    outcome[left == 7], outcome[right == 7] = -1, 1
    with pytest.warns(UserWarning, match="skills of 7 have no finite"):
        BradleyTerry().fit(Comparisons.from_arrays(left, right, outcome))


def test_rows_that_repeat_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MANY_ROWS", 0)
    rare, often = random_games(400, 800, 4), random_games(40, 780, 4)
    assert counts_of(*rare, 400).unmerged is not None
    assert counts_of(*often, 40).unmerged is None


def test_threads_change_nothing(unmerged: None, monkeypatch: pytest.MonkeyPatch) -> None:
    games = random_games(50, 900, 5)
    alone = counts_of(*games, 50)
    monkeypatch.setattr("podium.numerics.threads.SHARED_PAIRS", 10)
    monkeypatch.setattr("podium.numerics.threads.n_cores", lambda: 3)
    shared = counts_of(*games, 50)
    assert alone.unmerged is not None
    assert shared.unmerged is not None
    np.testing.assert_array_equal(shared.unmerged.packed, alone.unmerged.packed)


def test_items_without_games_do_not_merge_the_rest(unmerged: None) -> None:
    left, right, outcome = random_games(30, 400, 6)
    weight = np.broadcast_to(1.0, 400)
    spread = count_pairs(2 * left, 2 * right, outcome, weight, 60, ordered=False)
    kept, alone = spread.of_sides(spread.appears), counts_of(left, right, outcome, 30)
    assert kept.unmerged is not None
    for name in ("indptr", "partner", "total", "ties", "margin", "score", "games"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(alone, name), name)
