"""The exact game agrees with general solvers and with its own certificate."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.game.active_set import Limits, solve_game
from podium.game.kernel import GameKernel
from podium.numerics.kernels.kernel import Kernel
from podium.numerics.result import NotConverged
from tests.game.games import embedded, game, least_norm, least_norm_slsqp, products


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("n_labels", [2, 3, 5])
@pytest.mark.parametrize("quadratic", [False, True])
def test_the_value_is_that_of_two_oracles(n_labels: int, quadratic: bool, ridge: float) -> None:
    g = game(30, n_labels, Kernel("poly", 1.0, 2) if quadratic else None, ridge=ridge, seed=n_labels)
    Z = embedded(g, products(g.items) if quadratic else g.items)
    result = solve_game(g, tol=1e-10, max_iter=100)
    best = least_norm(Z)
    if result.details["degenerate"]:
        assert best <= 1e-12
        return
    assert result.objective == pytest.approx(best, rel=1e-6)
    assert result.objective == pytest.approx(least_norm_slsqp(Z), rel=1e-5)
    assert float(((Z.T @ result.solution) ** 2).sum()) == pytest.approx(best, rel=1e-6)
    assert result.converged
    assert result.gap is not None
    assert result.gap <= 1e-9


@given(st.integers(0, 10**6))
def test_the_gap_never_claims_too_much(seed: int) -> None:
    """Wherever the solver stops, the optimum is between (1 - gap) times the value and the value."""
    rng = np.random.default_rng(seed)
    g = game(
        int(rng.integers(2, 150)),
        int(rng.integers(2, 5)),
        d=int(rng.integers(2, 30)),
        ridge=float(rng.choice([0.0, 0.1])),
        seed=seed,
        separable=bool(seed % 3),
    )
    Z = embedded(g, g.items)
    best = least_norm(Z)
    tol = 10.0 ** -rng.integers(0, 9)
    start = rng.permutation(len(g))[: int(rng.integers(1, 5))]
    result = solve_game(g, tol=tol, max_iter=int(rng.integers(1, 20)), start=start)
    assert result.solution.min() >= 0
    assert result.solution.sum() == pytest.approx(1)
    assert result.gap is not None
    small = 1e-9 * float(g.diagonal.max())
    if result.details["degenerate"]:
        assert best <= small
        return
    assert result.objective * (1 - result.gap) <= best * (1 + 1e-6) + small
    assert result.objective >= best * (1 - 1e-6) - small
    f = Z @ (Z.T @ result.solution)
    np.testing.assert_allclose(result.details["margins"], f, atol=1e-9 * max(1.0, np.abs(f).max()))
    value = result.solution @ f
    assert result.gap == pytest.approx(1 - (max(0.0, f.min()) / value) ** 2, abs=1e-6)


def test_wolfe_takes_over_where_preferences_depend_on_each_other() -> None:
    """Ten times more preferences than dimensions."""
    g = game(600, 4, d=6, seed=3)
    result = solve_game(g, tol=1e-9, max_iter=200)
    assert result.converged
    assert result.objective == pytest.approx(least_norm(embedded(g, g.items)), rel=1e-6)
    assert np.count_nonzero(result.solution) <= 6 * 4 + 1


@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_large_supports_are_solved_without_a_factor(ridge: float) -> None:
    g = game(400, 3, Kernel("rbf", 2.0), d=5, ridge=ridge, seed=1)
    whole = solve_game(g, tol=1e-8, max_iter=100)
    result = solve_game(g, tol=1e-8, max_iter=100, limits=Limits(large=20))
    assert np.count_nonzero(result.solution) > 20
    assert result.converged
    assert result.objective == pytest.approx(whole.objective, rel=1e-7)
    np.testing.assert_allclose(result.details["margins"], whole.details["margins"], rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("ridge", [0.0, 0.1])
@pytest.mark.parametrize("gamma", [1.0, 50.0])
def test_all_pairs_of_many_rankings_need_few_rounds(gamma: float, ridge: float) -> None:
    """All pairs of a ranking are linearly dependent, and a narrow kernel needs every instance."""
    rng = np.random.default_rng(0)
    X, n_labels = rng.normal(size=(300, 5)), 5
    better, worse = np.triu_indices(n_labels, 1)
    order = np.argsort(rng.normal(size=(len(X), n_labels)), axis=1)
    instance = np.repeat(np.arange(len(X)), len(better))
    labels = order[:, better].ravel(), order[:, worse].ravel()
    g = GameKernel(Kernel("rbf", gamma), X, instance, *labels, n_labels, np.full(len(instance), ridge))
    result = solve_game(g, tol=1e-4, max_iter=1000)
    assert result.converged
    assert result.iterations < 60
    everything = np.arange(len(g))
    f = (g.block(everything, everything) + ridge * np.eye(len(g))) @ result.solution
    assert 1 - (f.min() / (result.solution @ f)) ** 2 <= 1e-4
    assert result.details["support"] < 0.7 * len(g)


def test_factors_take_over_where_products_are_not_enough() -> None:
    g = game(400, 3, Kernel("rbf", 2.0), d=5, seed=1)
    whole = solve_game(g, tol=1e-8, max_iter=100)
    result = solve_game(g, tol=1e-8, max_iter=100, limits=Limits(products=0, few_products=1))
    assert result.converged
    assert result.objective == pytest.approx(whole.objective, rel=1e-7)


@given(st.integers(0, 1000))
def test_contradictions_have_the_value_zero(seed: int) -> None:
    g = game(30, 3, seed=seed)
    parts: dict[str, Any] = {
        name: np.append(getattr(g, name), getattr(g, other)[0])
        for name, other in [("instance", "instance"), ("better", "worse"), ("worse", "better")]
    }
    g = replace(g, **parts, ridge=np.zeros(len(g) + 1))
    result = solve_game(g, tol=1e-6, max_iter=100)
    assert result.details["degenerate"]
    w = embedded(g, g.items).T @ result.solution
    assert np.abs(w).max() <= 1e-6 * np.sqrt(g.diagonal.max())


def test_stopping_early_warns() -> None:
    g = game(300, 3, Kernel("rbf", 2.0), d=5)
    result = solve_game(g, tol=1e-9, max_iter=1)
    assert not result.converged
    with pytest.warns(NotConverged, match="duality gap"):
        result.warn_if_stopped_early(1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve_game(g, tol=1e-9, max_iter=100).warn_if_stopped_early(1e-9)
