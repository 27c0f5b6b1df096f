"""Both solvers agree with libsvm on all pairs, and their certificates hold."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from podium.numerics.smoothed_newton import at
from podium.numerics.swapped.counts import OrderedItems
from podium.ordered.swapped.cutting_plane import fit_cutting_plane
from podium.ordered.swapped.newton import AllPairs, curvature, fit_swapped_newton
from podium.ordered.swapped.problem import SwappedPairs
from tests.ordered.all_pairs import all_pairs, graded, libsvm_solution, objective


def problem(X: Any, y: Any, C: float, group: Any = None, weight: Any = None) -> SwappedPairs:
    return SwappedPairs(X, OrderedItems.of(y, group, weight), C)


@pytest.mark.parametrize("fit", [fit_swapped_newton, fit_cutting_plane])
@pytest.mark.parametrize("levels", [2, 4, None])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_the_optimum_is_that_of_libsvm_on_all_pairs(fit: Any, levels: int | None, C: float) -> None:
    X, y = graded(40, 3, levels)
    rng = np.random.default_rng(1)
    group, weight = rng.integers(0, 2, 40).astype(np.int32), rng.uniform(0.5, 2, 40)
    pairs = all_pairs(y, group, weight)
    best = libsvm_solution(X, C, pairs)
    result = fit(problem(X, y, C, group, weight), tol=1e-7, max_iter=3000)
    np.testing.assert_allclose(result.solution, best, atol=1e-4 * max(1, np.abs(best).max()))
    value = objective(X, best, C, pairs)
    assert result.objective == pytest.approx(value, rel=1e-6)
    assert result.objective == pytest.approx(objective(X, result.solution, C, pairs), rel=1e-9)
    assert result.details["dual"] <= value * (1 + 1e-9)
    assert result.gap is not None
    assert result.gap <= 1e-7


@pytest.mark.parametrize("levels", [5, None])
@pytest.mark.parametrize("noise", [0.01, 1.0])
def test_many_items_are_certified(levels: int | None, noise: float) -> None:
    """This uses the subsample and the second derivatives of only some items."""
    p = problem(*graded(20_000, 6, levels, noise=noise), C=1.0)
    rough, sharp = fit_swapped_newton(p, tol=1e-3), fit_swapped_newton(p, tol=1e-5)
    for result, tol in ((rough, 1e-3), (sharp, 1e-5)):
        assert result.gap is not None
        assert 0 <= result.gap <= tol
    assert sharp.details["dual"] <= rough.objective
    assert sharp.objective <= rough.objective * (1 + 1e-5)
    assert rough.objective - sharp.details["dual"] <= 1.1e-3 * rough.objective


@pytest.mark.parametrize("group_size", [20, 2500])
def test_groups_are_sampled_too(group_size: int) -> None:
    X, y = graded(40_000, 4, 5)
    group = (np.arange(40_000) // group_size).astype(np.int32)
    result = fit_swapped_newton(problem(X, y, 1.0, group), tol=1e-4)
    assert result.gap is not None
    assert result.gap <= 1e-4


@pytest.mark.parametrize("n", [300, 6_000, 80_000])
@pytest.mark.parametrize("C", [0.01, 100.0])
def test_columns_of_all_scales(n: int, C: float) -> None:
    """Columns range from millionths to millions, far from 0; the sum of ranks gives a sensible order."""
    rng = np.random.default_rng(0)
    scale = 10.0 ** np.linspace(-6, 6, 13)
    Z = rng.normal(size=(n, 13))
    y = np.digitize(Z @ np.ones(13) + rng.normal(size=n), [-2.0, 0.0, 2.0]).astype(float)
    p = problem((Z + 10.0) * scale, y, C)
    result = fit_swapped_newton(p, tol=1e-3)
    assert result.converged
    assert result.details["dual"] > 0
    swapped = float(p.items.violations(p.scores(result.solution), 0.0).below.sum()) / p.items.n_pairs
    assert swapped < 0.25


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_second_derivatives_of_all_pairs(kind: Any) -> None:
    """A few columns at a time give those of all pairs, formed one by one."""
    X, y = graded(60, 5, 4)
    group = np.repeat([0, 1, 2], 20).astype(np.int32)
    p, rng = problem(kind(X), y, 3.0, group), np.random.default_rng(0)
    score, width = p.scores(rng.normal(size=5)), 0.7
    i, j, _ = all_pairs(y, group)
    near = np.abs(1.0 - (score[i] - score[j])) < width
    D = (X[i] - X[j])[near]
    assert 10 < len(D) < len(i) - 10
    found = curvature(p, score, width, at_once=120)  # two columns
    np.testing.assert_allclose(found, 2.0 * (300.0 / len(i)) / width * D.T @ D, rtol=1e-9)


@pytest.mark.parametrize("n_groups", [1, 4])
def test_second_derivatives_of_some_items_stand_for_those_of_all(n_groups: int) -> None:
    X, y = graded(20_000, 3, 5)
    rng = np.random.default_rng(0)
    p = problem(X, y, 3.0, rng.integers(0, n_groups, len(y)).astype(np.int32))
    w = rng.normal(size=3)
    pairs = AllPairs(p, np.random.RandomState(0))
    point = at(pairs, w, p.scores(w), 0.2, np.empty(0))
    sampled = pairs.second_derivatives(point)
    pairs.estimated = False
    exact = pairs.second_derivatives(point)
    np.testing.assert_allclose(sampled, exact, atol=0.05 * np.abs(exact).max())


def test_conjugate_gradients_find_the_same() -> None:
    X, y = graded(300, 8, None)
    dense = fit_swapped_newton(problem(X, y, 1.0), tol=1e-6)
    found = fit_swapped_newton(problem(sparse.csr_array(X), y, 1.0), tol=1e-6, dense_features=4)
    assert found.objective == pytest.approx(dense.objective, rel=2e-6)
    np.testing.assert_allclose(found.solution, dense.solution, atol=1e-3)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_a_huge_cost(noise: float) -> None:
    X, y = graded(100, 4, 4, noise=noise)
    result = fit_swapped_newton(problem(X, y, 1e6), tol=1e-3)
    assert result.converged
    pairs = all_pairs(y)
    assert result.objective == pytest.approx(objective(X, result.solution, 1e6, pairs), rel=1e-7)
    if noise == 0:  # separable: all margins are nearly satisfied
        i, j, _ = pairs
        assert np.min(2 * (X[i] - X[j]) @ result.solution) > 0.99


def test_what_has_no_features_to_learn_from() -> None:
    result = fit_swapped_newton(problem(np.zeros((30, 2)), np.arange(30.0), 1.0))
    np.testing.assert_array_equal(result.solution, 0.0)
    assert result.objective == pytest.approx(100.0)
    assert result.converged
