from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.classes.codes import CODES, CodeName, make_code
from podium.classes.coupling.likelihood import gradient_in_log_p
from podium.classes.coupling.newton import couple_by_newton
from tests.classes.coupling_oracle import by_algorithm_2, by_scipy, objective, problems


def drawn(code: Any, n: int = 20, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(0.02, 0.98, size=(n, len(code)))


@pytest.mark.parametrize("k", [3, 6])
@pytest.mark.parametrize("name", CODES)
def test_optimum_is_that_of_scipy(name: CodeName, k: int) -> None:
    code = make_code(name, k, random_state=0)
    r = drawn(code, 6)
    result = couple_by_newton(code, r, 1 - r)
    assert result.converged
    for row, p in zip(r, result.solution, strict=True):
        oracle = by_scipy(code, row, 1 - row, start=p if name == "sparse" else None)
        np.testing.assert_allclose(p, oracle, atol=2e-5)
        assert objective(code, row, 1 - row, p) <= objective(code, row, 1 - row, oracle) + 1e-9
    total = sum(objective(code, row, 1 - row, p) for row, p in zip(r, result.solution, strict=True))
    assert result.objective == pytest.approx(total)


def test_optimum_is_that_of_the_algorithm_of_the_paper() -> None:
    code = np.vstack([make_code("one-vs-rest", 5), make_code("sparse", 5, random_state=1)])
    r = drawn(code, 3)
    for row, p in zip(r, couple_by_newton(code, r, 1 - r).solution, strict=True):
        np.testing.assert_allclose(p, by_algorithm_2(code, row, 1 - row), atol=1e-9)


@pytest.mark.parametrize("k", [4, 10, 26])
@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("edge", [False, True])
def test_certificate(name: CodeName, k: int, edge: bool) -> None:
    """At an optimum of (4) on the simplex no ∂l/∂p is negative, and it is 0 where p is not."""
    code = make_code(name, k, random_state=0)
    r = drawn(code, 50)
    if edge:
        r = np.round(r)
    result = couple_by_newton(code, r, 1 - r)
    assert result.converged
    assert result.gradient_norm is not None
    assert result.gradient_norm <= 1e-10
    gradient = gradient_in_log_p(code, r, 1 - r, result.solution)
    assert np.abs(gradient).max() <= 2e-10
    np.testing.assert_allclose(result.solution.sum(axis=1), 1)
    inside = result.solution > 1e-6
    assert np.abs(gradient[inside] / result.solution[inside]).max() <= 1e-4
    if name in ("dense", "one-vs-rest"):  # convex in p: minus the smallest slope bounds the error of l
        assert (gradient / result.solution).min() >= -1e-8


def test_masses_of_zero() -> None:
    code = make_code("one-vs-one", 3)
    won = np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    lost = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    p = couple_by_newton(code, won, lost).solution
    assert p[0, 0] / p[0, 1] == pytest.approx(3, rel=1e-6)
    np.testing.assert_allclose(p[1], 1 / 3)


@given(problems(), st.floats(1e-6, 1e6))
def test_scale_of_the_masses_changes_nothing(problem: Any, scale: float) -> None:
    code, r = problem
    a = couple_by_newton(code, r, 1 - r)
    b = couple_by_newton(code, scale * r, scale * (1 - r))
    assert a.converged
    np.testing.assert_allclose(a.solution, b.solution, atol=1e-7)


def test_too_few_iterations_are_reported() -> None:
    code = make_code("dense", 8, random_state=0)
    r = drawn(code, 5)
    result = couple_by_newton(code, r, 1 - r, max_iter=1)
    assert not result.converged
    assert result.iterations == 1
    assert not result.details["row_converged"].any()
    assert result.gradient_norm is not None
    assert result.gradient_norm > 1e-10


def test_a_total_order_of_many_classes() -> None:
    """Every r is 0 or 1: the first class takes all, though the others are far below the smallest float."""
    code = make_code("one-vs-one", 40)
    r = np.ones((1, len(code)))
    result = couple_by_newton(code, r, 1 - r)
    assert result.converged
    assert result.solution[0, 0] > 1 - 1e-6


@pytest.mark.parametrize("k", [3, 6, 12])
def test_sure_pairs_take_few_steps(k: int) -> None:
    """Log p goes to its limit at once, not by 1 per step; pairs of very different masses converge as well."""
    code = make_code("one-vs-one", k)
    rng = np.random.default_rng(k)
    r = 1 / (1 + np.exp(-20 * rng.normal(size=(50, k)) @ code.T))
    r[:25] = np.round(r[:25])
    result = couple_by_newton(code, r, 1 - r)
    assert result.converged
    assert result.iterations <= 12
    assert np.abs(gradient_in_log_p(code, r, 1 - r, result.solution)).max() <= 2e-10
    mass = 10.0 ** -rng.uniform(0, 8, size=len(code))
    assert couple_by_newton(code, mass * r, mass * (1 - r)).converged


def test_rows_do_not_depend_on_each_other() -> None:
    code = make_code("one-vs-one", 5)
    r = np.random.default_rng(0).choice([0.0, 0.5, 1.0], size=(200, len(code)))
    apart = [couple_by_newton(code, row[None], 1 - row[None]).solution[0] for row in r]
    np.testing.assert_array_equal(couple_by_newton(code, r, 1 - r).solution, apart)
