"""The method of multipliers proves its optimum, in few steps even if all rows are separable."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from podium import SwappedPairsSVM
from podium.numerics.result import Bounds
from podium.numerics.swapped.counts import OrderedItems
from podium.ordered.swapped.multipliers import Limits, solve_by_multipliers
from podium.ordered.swapped.newton import fit_swapped_newton
from podium.ordered.swapped.problem import SwappedPairs
from tests.ordered.all_pairs import all_pairs, graded, objective


def dual_and_primal(X: Any, C: float, pairs: tuple[Any, Any, Any]) -> tuple[float, float]:
    """Bounds of the optimum from the dual over all pairs (libsvm takes minutes if they are separable)."""
    i, j, weight = pairs
    D, most = 2 * (X[i] - X[j]), 100 * C * weight / weight.sum()

    def negative(alpha: Any) -> tuple[float, Any]:
        v = alpha @ D
        return 0.5 * v @ v - alpha.sum(), D @ v - 1

    options = {"maxiter": 3000, "maxfun": 10000, "ftol": 1e-13, "gtol": 1e-10}
    box = list(zip(np.zeros_like(most), most, strict=True))
    found = minimize(negative, 0.1 * most, jac=True, bounds=box, method="L-BFGS-B", options=options)
    return -found.fun, objective(X, found.x @ D, C, pairs)


@pytest.mark.parametrize("few_features", [0, 200])
@pytest.mark.parametrize(("n", "d"), [(24, 40), (24, 6)])
@pytest.mark.parametrize("levels", [2, 5, None])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_the_certificate_is_true(few_features: int, n: int, d: int, levels: int | None, C: float) -> None:
    """With groups and weights, and with steps both by the rows and by the features."""
    X, y = graded(n, d, levels)
    rng = np.random.default_rng(1)
    group, weight = rng.integers(0, 2, n).astype(np.int32), rng.uniform(0.5, 2, n)
    bounds, pairs = Bounds(1e-6, 300), all_pairs(y, group, weight)
    problem = SwappedPairs(X, OrderedItems.of(y, group, weight), C)
    solve_by_multipliers(problem, bounds, Limits(few_features))
    low, high = dual_and_primal(X, C, pairs)
    assert bounds.closed
    assert bounds.primal == pytest.approx(objective(X, bounds.solution, C, pairs), rel=1e-9)
    assert bounds.dual <= high * (1 + 1e-9)
    assert low <= bounds.primal * (1 + 1e-9)
    assert low == pytest.approx(bounds.primal, rel=1e-3)


@pytest.mark.parametrize(("levels", "C"), [(5, 1.0), (5, 100.0), (2, 1.0), (None, 1.0)])
def test_rows_that_are_separable_take_few_steps(levels: int | None, C: float) -> None:
    """Rounding off took 50 to 110 steps to 1e-3."""
    X, y = graded(250, 250, levels)
    result = fit_swapped_newton(SwappedPairs(X, OrderedItems.of(y), C), tol=1e-6)
    assert result.converged
    assert result.iterations < 50
    assert result.objective == pytest.approx(objective(X, result.solution, C, all_pairs(y)), rel=1e-9)


@pytest.mark.parametrize(("n", "d"), [(40, 3), (60, 100), (250, 250)])
@pytest.mark.parametrize("columns", [slice(None), slice(1)])
@pytest.mark.parametrize("levels", [5, None])
def test_unscaled_features_end_with_a_certificate(n: int, d: int, columns: slice, levels: int | None) -> None:
    X, y = graded(n, d, levels)
    X[:, columns] *= 1e5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SwappedPairsSVM(random_state=0).fit(X, y)
    result, pairs = model.result_, all_pairs(y)
    value = objective(X, model.coef_, 1.0, pairs)
    rounding = 1e-13  # of the loss, which is up to 100
    assert value == pytest.approx(result.objective, rel=1e-6, abs=rounding)
    assert 0 < result.details["dual"] <= value + rounding
    assert result.gap is not None
    assert result.gap <= 1e-3
    assert result.iterations <= 120


def by_the_rows(problem: SwappedPairs, tol: float, **limits: Any) -> Bounds:
    bounds = Bounds(tol, 300)
    solve_by_multipliers(problem, bounds, Limits(few_features=0, **limits))
    return bounds


def test_equal_rows_and_sparse_rows() -> None:
    """Equal rows make K singular."""
    X, y = graded(60, 80, 3)
    once = by_the_rows(SwappedPairs(X, OrderedItems.of(y), 1.0), tol=1e-5)
    twice = SwappedPairs(np.repeat(X, 2, axis=0), OrderedItems.of(np.repeat(y, 2)), 1.0)
    thin = SwappedPairs(sparse.csr_array(X), OrderedItems.of(y), 1.0)
    for problem in (twice, thin):
        bounds = by_the_rows(problem, tol=1e-5)
        assert bounds.closed
        assert bounds.primal == pytest.approx(once.primal, rel=2e-5)


def test_inaccurate_steps_by_the_rows_are_replaced() -> None:
    X, y = graded(60, 80, 3)
    problem = SwappedPairs(X, OrderedItems.of(y), 1.0)
    found = by_the_rows(problem, tol=1e-3, inaccurate=-1.0)
    assert found.closed
    assert found.primal == pytest.approx(fit_swapped_newton(problem, tol=1e-6).objective, rel=1e-3)


def test_the_search_ends_if_no_accurate_step_is_affordable() -> None:
    X, y = graded(60, 80, 3)
    found = by_the_rows(SwappedPairs(X, OrderedItems.of(y), 1.0), 1e-9, inaccurate=-1.0, most_features=0)
    assert not found.closed
    assert len(found.history) == 1


def test_features_that_are_too_large_are_one_sentence() -> None:
    X = 1e200 * np.random.default_rng(0).normal(size=(6, 9))
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="too large to compute with"):
        SwappedPairsSVM().fit(X, [0, 1, 2, 0, 1, 2])


def test_float32_features_on_a_device_with_fewer_rows_than_features() -> None:
    xp = pytest.importorskip("array_api_strict")
    X = np.random.default_rng(0).normal(size=(6, 9)).astype(np.float32)
    y = np.array([0, 1, 2, 0, 1, 2])
    with pytest.warns(UserWarning, match="SwappedPairsSVM runs in NumPy only"):
        model = SwappedPairsSVM().fit(xp.asarray(X), xp.asarray(y))
    assert model.result_.converged
