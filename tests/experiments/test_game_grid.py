import numpy as np
import pytest

from experiments.game_grid import game_grid
from podium.game.preference_game import PreferenceGame


def test_every_cell_is_the_sampled_game() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X**2 @ rng.normal(size=3)) > 0
    model = PreferenceGame(n_games=10, random_state=3)
    seen: list[tuple[int, int]] = []
    grid = game_grid(
        model, X[:50], y[:50], X[50:], y[50:],
        sample_sizes=[0.1, 0.3], feedbacks=[0.0, 0.1, 0.5],
        progress=lambda done, of: seen.append((done, of)),
    )  # fmt: skip
    assert seen == [(k, 6) for k in range(1, 7)]
    for i, size in enumerate(grid.sample_sizes):
        for j, rate in enumerate(grid.feedbacks):
            for how, value, accuracy in (
                ("uniform", grid.uniform_value, grid.uniform_accuracy),
                ("optimal", grid.optimal_value, grid.optimal_accuracy),
            ):
                one = PreferenceGame(n_games=10, random_state=3, solver="sampled")
                one.set_params(combine=how, sample_size=float(size), feedback=float(rate)).fit(X[:50], y[:50])
                assert value[i, j] == pytest.approx(one.value_, rel=1e-9)
                assert accuracy[i, j] == one.score(X[50:], y[50:])
    exact = PreferenceGame().fit(X[:50], y[:50])
    assert grid.exact_value == pytest.approx(exact.value_)
    assert grid.exact_accuracy == exact.score(X[50:], y[50:])
    assert np.all(grid.optimal_value >= grid.exact_value * (1 - 1e-3))
    none = game_grid(model, X, y, X, y, sample_sizes=0.2, feedbacks=0.1, exact=False)
    assert np.isnan(none.exact_value)


def test_values_of_zero_warn() -> None:
    X = np.array([[1.0], [1.0], [2.0]])
    with pytest.warns(UserWarning, match="games have the value 0"):
        game_grid(
            PreferenceGame("linear", ridge=0.0, n_games=3),
            X,
            [0, 1, 1],
            X,
            [0, 1, 1],
            sample_sizes=1.0,
            feedbacks=0.1,
        )
