"""The sampled game of Algorithm 1."""

from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.game.active_set import solve_game
from podium.game.kernel import GameKernel
from podium.game.sub_games import (
    Rows,
    Sampler,
    SubGame,
    combine_sub_games,
    draw,
    payoffs,
    play_sub_games,
    strategies_of,
)
from podium.numerics.kernels.kernel import Kernel
from tests.game.games import embedded, game, least_norm


def played(g: GameKernel, seed: int = 0, weight: Any = None, **options: Any) -> list[SubGame]:
    rows = Rows(np.arange(len(g)), np.ones(len(g)) if weight is None else weight)
    size, settings = options.pop("size", 10), {"feedback": 0.1, "n_games": 12, **options}
    return play_sub_games(Sampler(g, rows, size, 1e-8, 100), rng=np.random.default_rng(seed), **settings)


@given(
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.05, 1.0]),
    st.sampled_from([0.0, 0.2]),
)
def test_no_combination_beats_the_exact_game(seed: int, feedback: float, ridge: float) -> None:
    g = game(60, 3, d=6, ridge=ridge, seed=seed)
    best = solve_game(g, tol=1e-8, max_iter=100).objective
    games = played(g, seed, feedback=feedback)
    uniform, optimal = (combine_sub_games(g, games, how, tol=1e-9) for how in ("uniform", "optimal"))
    assert best <= optimal.objective * (1 + 1e-6) + 1e-12
    assert optimal.objective <= uniform.objective * (1 + 1e-6) + 1e-12
    assert optimal.objective <= min(game.value for game in games) * (1 + 1e-6) + 1e-12
    for result in (uniform, optimal):
        assert result.gap is not None
        assert result.objective * (1 - result.gap) <= best * (1 + 1e-6) + 1e-12
        assert result.solution.sum() == pytest.approx(1)


@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_eq_4_with_the_strategies_written_out(n_labels: int, ridge: float) -> None:
    g = game(60, n_labels, ridge=ridge)
    games = played(g)
    P = np.zeros((len(games), len(g)))
    for t, one in enumerate(games):
        P[t, one.kinds] = one.mass
    Z = embedded(g, g.items)
    np.testing.assert_allclose(payoffs(g, strategies_of(games, len(g))), P @ Z @ Z.T @ P.T, atol=1e-10)
    result = combine_sub_games(g, games, "optimal", tol=1e-10)
    assert result.objective == pytest.approx(least_norm(P @ Z), rel=1e-6)
    np.testing.assert_allclose(result.solution, result.details["game_weights"] @ P, atol=1e-12)


def test_a_sub_game_of_everything_is_the_exact_game() -> None:
    g = game(60, 3, d=6)
    best = solve_game(g, tol=1e-8, max_iter=100).objective
    (only,) = played(g, size=len(g), n_games=1)
    assert only.value == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("how", ["uniform", "optimal"])
def test_threads_change_nothing_and_seeds_do(how: Literal["uniform", "optimal"]) -> None:
    g = game(80, 3, Kernel("rbf", 0.5))
    one, two = (combine_sub_games(g, played(g, feedback=0.0, n_jobs=k), how, tol=1e-6) for k in (1, 2))
    np.testing.assert_array_equal(one.solution, two.solution)
    other = combine_sub_games(g, played(g, 1, feedback=0.0), how, tol=1e-6)
    assert not np.array_equal(one.solution, other.solution)


def test_full_feedback_samples_what_there_is() -> None:
    """λ = 1: the next game is drawn from the support of the last, which only shrinks."""
    g = game(80, 3, d=20)
    games = played(g, feedback=1.0, size=30)
    for last, later in pairwise(games):
        assert set(later.kinds) <= set(last.kinds)


def test_feedback_lowers_the_value() -> None:
    """Figure 1: with a small λ the games find the hard preferences."""
    g = game(300, 3, Kernel("rbf", 1.0), d=4)
    blind, led = (
        combine_sub_games(g, played(g, feedback=rate, size=30, n_games=100), "uniform", tol=1e-6).objective
        for rate in (0.0, 0.02)
    )
    assert led < blind


def test_draws_follow_the_distribution() -> None:
    """Two draws out of four, compared with the enumerated probabilities."""
    d = np.array([0.1, 0.2, 0.3, 0.4])
    rng = np.random.default_rng(0)
    count = np.zeros((4, 4))
    for _ in range(20_000):
        i, j = draw(d, 2, rng)
        count[i, j] += 1
    for i in range(4):
        for j in range(i + 1, 4):
            chance = d[i] * d[j] / (1 - d[i]) + d[j] * d[i] / (1 - d[j])
            assert count[i, j] / 20_000 == pytest.approx(chance, abs=4 * np.sqrt(chance / 20_000))
    np.testing.assert_array_equal(draw(np.array([0.0, 0.5, 0.5]), 3, rng), [1, 2])


def test_weights_steer_the_first_draw_and_equal_rows_share() -> None:
    g = game(40, 3)
    weight = np.where(np.arange(len(g)) < 5, 1.0, 1e-12)
    (only,) = played(g, weight=weight, size=5, n_games=1)
    assert set(only.rows) <= set(range(5))
    rows = Rows(np.repeat(np.arange(len(g)), 2), np.tile([1.0, 3.0], len(g)))
    sampler = Sampler(g, rows, 2 * len(g), 1e-8, 99)
    (only,) = play_sub_games(sampler, feedback=0.5, n_games=1, rng=np.random.default_rng(0))
    share = dict(zip(only.rows, only.row_mass, strict=True))
    for kind, mass in zip(only.kinds, only.mass, strict=True):
        assert share[2 * kind] == pytest.approx(mass / 4)
        assert share[2 * kind + 1] == pytest.approx(3 * mass / 4)


@pytest.mark.parametrize("feedback", [0.0, 0.1])
def test_progress_is_reported(feedback: float) -> None:
    seen: list[tuple[int, int]] = []
    played(game(), feedback=feedback, n_games=3, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
