"""Newton's step in a box goes downhill, stays inside, and reaches a minimum that is inside."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.comparers.dual.certificate import Variables
from podium.comparers.dual.steps import newton_step


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(1, 30), st.booleans())
def test_a_step_goes_down_and_stays_inside(seed: int, n: int, rank: int, balanced: bool) -> None:
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(n, rank))
    K, variables = L @ L.T, Variables(rng.uniform(0.1, 3.0, n), int(rng.integers(0, n + 1)))
    variables.label = rng.normal(size=len(variables.pair))  # any linear function of y
    y = variables.low + (variables.high - variables.low) * rng.choice(
        [0.0, 0.3, 0.7, 1.0], len(variables.pair)
    )
    f = K @ variables.coefficients(y)

    def value(y: np.ndarray) -> float:
        s = variables.coefficients(y)
        return float(0.5 * s @ K @ s - variables.label @ y)

    before, start = value(y), y.copy()
    newton_step(K, f, y, variables, balanced)
    assert np.all((y >= variables.low) & (y <= variables.high))
    assert value(y) <= before + 1e-9
    np.testing.assert_allclose(f, K @ variables.coefficients(y), atol=1e-8)
    bound = (start == variables.low) | (start == variables.high)
    assert np.array_equal(y[bound], start[bound])
    if balanced:
        assert y.sum() == pytest.approx(start.sum(), abs=1e-9)


@pytest.mark.parametrize("balanced", [True, False])
def test_it_finds_the_minimum_that_is_inside(balanced: bool) -> None:
    rng = np.random.default_rng(0)
    n = 12
    L = rng.normal(size=(n, n))
    K, target = L @ L.T + np.eye(n), rng.uniform(1, 2, n)
    variables = Variables(np.full(n, 3.0), n)
    variables.label = K @ target - (0.7 if balanced else 0.0)  # the multiplier of Σ y does not move it
    y = target + 0.1 * rng.normal(size=n)
    y -= np.mean(y - target)
    f = K @ y
    newton_step(K, f, y, variables, balanced)
    np.testing.assert_allclose(y, target, atol=1e-6)
    np.testing.assert_allclose(f, K @ y, atol=1e-8)


def test_a_variable_that_reaches_its_bound_is_on_it() -> None:
    variables = Variables(np.ones(3), 3)
    variables.label = np.array([5.0, 0.25, -5.0])
    y, f = np.full(3, 0.5), np.full(3, 0.5)
    newton_step(np.eye(3), f, y, variables, balanced=False)
    np.testing.assert_allclose(y, [1.0, 0.25, 0.0], atol=1e-8)
    assert y[0] == 1.0
    assert y[2] == 0.0
