"""The pass adds up what the links say of every pair."""

from typing import Any

import numpy as np
import pytest

from podium.comparisons.arrays import Floats
from podium.core.links import Link, derivatives
from podium.core.pair_pass import (
    CROSS,
    CURVATURE,
    EXPECTED,
    PAIR_CURVATURE,
    SCORE,
    Pairs,
    T,
    no_terms,
    pair_sums,
)

N_SIDES, BIAS = 40, 1.3


def random_pairs(seed: int = 0) -> Pairs:
    rng = np.random.default_rng(seed)
    first = np.sort(rng.integers(0, N_SIDES - 1, 300))
    partner = rng.integers(first + 1, N_SIDES).astype(np.int32)
    wins, ties, losses = rng.integers(0, 4, (3, 300)).astype(np.float64)
    return Pairs(
        np.searchsorted(first, np.arange(N_SIDES + 1)), partner, wins + ties + losses, ties, losses - wins
    )


def state_of(t: Floats) -> Floats:
    state = np.zeros((N_SIDES, 3))
    state[:, T] = t
    return state


LINKS = {"none": (None, False), "davidson": Link(0.8), "rao-kupper": Link(1.7, rao_kupper=True)}


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_pass_is_the_sum_over_pairs(name: str, n_threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.numerics.threads.n_cores", lambda: n_threads)
    pairs, rng = random_pairs(), np.random.default_rng(1)
    tie, rao_kupper = LINKS[name]
    t, factor, terms = np.exp(rng.normal(size=N_SIDES)), np.exp(rng.normal(size=300)), no_terms(300)
    state = state_of(t)
    more: Any = {"bias": BIAS, "factor": factor, "terms": terms, "shared_pairs": 10}
    sums = pair_sums(pairs, state, tie, rao_kupper=rao_kupper, **more)
    first = np.repeat(np.arange(N_SIDES), np.diff(pairs.indptr))
    x, results = factor * t[pairs.partner] / (t[first] * BIAS), (pairs.total, pairs.ties, pairs.margin)
    score, by_pair, tie_score, tie_curvature, cross = derivatives(x, *results, tie, rao_kupper)
    right = pairs.total + rao_kupper * pairs.ties - score
    expected, curvature = np.zeros((2, N_SIDES))
    for at, values in ((first, score), (pairs.partner, right)):
        np.add.at(expected, at, values)
        np.add.at(curvature, at, by_pair)
    np.testing.assert_allclose(state[:, EXPECTED], expected, rtol=1e-12)
    np.testing.assert_allclose(state[:, CURVATURE], curvature, rtol=1e-12)
    np.testing.assert_allclose(
        sums, [score.sum(), np.sum(tie_score), np.sum(tie_curvature), by_pair.sum()], rtol=1e-12
    )
    np.testing.assert_allclose(terms[[SCORE, PAIR_CURVATURE]], [score, by_pair], rtol=1e-12)
    np.testing.assert_allclose(terms[CROSS], cross, rtol=1e-10, atol=1e-12)


def test_the_factor_may_have_all_of_the_difference() -> None:
    """This is how strengths that a float cannot hold are handled."""
    pairs, theta = random_pairs(2), np.random.default_rng(2).normal(size=N_SIDES)
    first = np.repeat(np.arange(N_SIDES), np.diff(pairs.indptr))
    plain, all_one = state_of(np.exp(theta / 2)), state_of(np.ones(N_SIDES))
    sums = [
        pair_sums(pairs, plain, 0.8),
        pair_sums(pairs, all_one, 0.8, factor=np.exp((theta[pairs.partner] - theta[first]) / 2)),
    ]
    np.testing.assert_allclose(sums[0], sums[1], rtol=1e-12)
    np.testing.assert_allclose(plain[:, EXPECTED:], all_one[:, EXPECTED:], rtol=1e-12)
