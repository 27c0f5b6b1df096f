"""Newton's step in a box goes downhill, stays inside, and reaches a minimum that is inside."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.comparers.dual.free_newton import newton_step


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(1, 30), st.booleans())
def test_a_step_goes_down_and_stays_inside(seed: int, n: int, rank: int, balanced: bool) -> None:
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(n, rank))
    K, high, low = L @ L.T, rng.uniform(0.1, 3.0, n), np.zeros(n)
    sign, linear = rng.choice([-1.0, 1.0], n), rng.normal(size=n)
    label = rng.choice([-1.0, 1.0], n) if balanced else None
    x = high * rng.choice([0.0, 0.3, 0.7, 1.0], n)
    row = np.arange(n)
    f = K @ (sign * x)

    def value(x: np.ndarray) -> float:
        return float(0.5 * (sign * x) @ K @ (sign * x) + linear @ x)

    before, start = value(x), x.copy()
    newton_step(K, f, x, row, sign, linear, low, high, label)
    assert np.all((x >= low) & (x <= high))
    assert value(x) <= before + 1e-9
    np.testing.assert_allclose(f, K @ (sign * x), atol=1e-8)
    bound = (start == low) | (start == high)
    assert np.array_equal(x[bound], start[bound])
    if label is not None:
        assert label @ x == pytest.approx(label @ start, abs=1e-9)


@pytest.mark.parametrize("balanced", [True, False])
def test_it_finds_the_minimum_that_is_inside(balanced: bool) -> None:
    rng = np.random.default_rng(0)
    n = 12
    L = rng.normal(size=(n, n))
    K, target = L @ L.T + np.eye(n), rng.uniform(1, 2, n)
    label = np.where(np.arange(n) < 6, 1.0, -1.0)
    linear = -K @ target + (0.7 * label if balanced else 0.0)  # the multiplier of label'x does not move it
    x = target + 0.1 * rng.normal(size=n)
    x -= label * (label @ (x - target)) / n
    f = K @ x
    newton_step(
        K,
        f,
        x,
        np.arange(n),
        np.ones(n),
        linear,
        np.zeros(n),
        np.full(n, 3.0),
        label if balanced else None,
    )
    np.testing.assert_allclose(x, target, atol=1e-6)
    np.testing.assert_allclose(f, K @ x, atol=1e-8)


def test_a_variable_that_reaches_its_bound_is_on_it() -> None:
    K = np.eye(3)
    x, f = np.full(3, 0.5), np.full(3, 0.5)
    newton_step(
        K, f, x, np.arange(3), np.ones(3), np.array([-5.0, -0.25, 5.0]), np.zeros(3), np.ones(3), None
    )
    np.testing.assert_allclose(x, [1.0, 0.25, 0.0], atol=1e-8)
    assert x[0] == 1.0
    assert x[2] == 0.0
