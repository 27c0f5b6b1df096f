from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from podium.classes.codes import make_code
from podium.classes.coupling.newton import couple_by_newton
from podium.classes.coupling.rest import couple_with_rest, single_classes

UNIT = st.floats(0, 1, allow_subnormal=False)
ROWS = st.lists(UNIT, min_size=3, max_size=7)


def solved(r: Any, rest: Any) -> Any:
    code = make_code("one-vs-rest", r.shape[1])
    return couple_with_rest(code, np.arange(r.shape[1]), r, rest)


@given(ROWS)
@example([1.0, 1.0, 0.0])
@example([0.0, 0.0, 0.0, 0.0])
@example([1.0, 1.0, 1.0])
@example([1e-300, 0.0, 1e-12])
def test_formula_equals_the_iterative_solve(row: list[float]) -> None:
    r = np.array([row])
    by_delta = solved(r, 1 - r)
    code = make_code("one-vs-rest", len(row))
    by_newton = couple_by_newton(code, r, 1 - r, tol=1e-12)
    np.testing.assert_allclose(by_delta.solution, by_newton.solution, atol=1e-10)
    assert by_delta.gradient_norm <= 1e-13


@given(ROWS)
def test_theorem_3(row: list[float]) -> None:
    r = np.array([row])
    p = solved(r, 1 - r).solution[0]
    order = np.argsort(row, kind="stable")
    assert (np.diff(p[order]) >= -1e-15).all()
    assert p.sum() == pytest.approx(1, abs=1e-14)


@given(ROWS)
def test_delta_solves_its_equations(row: list[float]) -> None:
    r = np.clip(np.array([row]), 1e-3, 1 - 1e-3)
    result = solved(r, 1 - r)
    p, delta = result.solution[0], result.details["delta"][0]
    np.testing.assert_allclose(r[0] / p - (1 - r[0]) / (1 - p), delta, atol=1e-9)


def test_r_that_add_up_to_one_are_the_answer() -> None:
    r = np.array([[0.5, 0.3, 0.2]])
    result = solved(r, 1 - r)
    np.testing.assert_allclose(result.solution, r, rtol=1e-15)
    assert result.details["delta"][0] == pytest.approx(0, abs=1e-15)


@given(ROWS, st.lists(st.floats(0.1, 10), min_size=7, max_size=7))
def test_problems_of_different_mass(row: list[float], mass: list[float]) -> None:
    n = np.array(mass[: len(row)])
    r = np.array([row]) * n
    code = make_code("one-vs-rest", len(row))
    by_newton = couple_by_newton(code, r, n - r, tol=1e-12)
    np.testing.assert_allclose(solved(r, n - r).solution, by_newton.solution, atol=1e-9)


def test_recognised_in_any_order_and_with_any_sign() -> None:
    code = make_code("one-vs-rest", 4)[[2, 0, 3, 1]] * np.array([[1], [-1], [1], [-1]], dtype=np.int8)
    single = single_classes(code)
    assert single is not None
    np.testing.assert_array_equal(single, [2, 0, 3, 1])
    r = np.array([[0.2, 0.3, 0.9, 0.6]])  # the rows for class 2, not 0, 3, not 1
    straight = np.array([[0.7, 0.4, 0.2, 0.9]])
    np.testing.assert_allclose(
        couple_with_rest(code, single, r, 1 - r).solution, solved(straight, 1 - straight).solution, rtol=1e-14
    )


@pytest.mark.parametrize("name", ["one-vs-one", "dense", "sparse"])
def test_other_codes_are_not_recognised(name: Any) -> None:
    assert single_classes(make_code(name, 6, random_state=0)) is None
    twice = make_code("one-vs-rest", 4)
    twice[1] = twice[0]
    assert single_classes(twice) is None


def test_iterations_are_steps() -> None:
    equal = np.full((1, 4), 0.25)
    assert solved(equal, 1 - equal).iterations == 0  # the first δ is already right
    assert 1 <= solved(np.array([[0.9, 0.4, 0.2]]), np.array([[0.1, 0.6, 0.8]])).iterations < 20
