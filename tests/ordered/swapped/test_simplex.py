"""The quadratic program over a simplex agrees with scipy, or with its certificate where scipy fails."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from podium.ordered.swapped.cutting_plane import maximise_on_simplex


def shortfall(G: np.ndarray, b: np.ndarray, x: np.ndarray) -> float:
    slope = b - G @ x
    return float(x.sum() * slope.max() - x @ slope)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_optimum_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(8, 5)), rng.normal(size=8)
    G = A @ A.T
    found = maximise_on_simplex(G, b, np.full(8, 0.25), 1e-10)
    other = minimize(
        lambda x: 0.5 * x @ G @ x - b @ x,
        np.full(8, 0.25),
        jac=lambda x: G @ x - b,
        bounds=[(0, None)] * 8,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 2.0},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.sum() == pytest.approx(2.0)
    assert b @ found - 0.5 * found @ G @ found == pytest.approx(-other.fun, abs=1e-8)


@given(st.integers(0, 10**6), st.integers(1, 20), st.integers(1, 6))
def test_it_ends_within_the_gap_or_where_it_began(seed: int, n: int, rank: int) -> None:
    """Also with planes of very different lengths, and more planes than dimensions."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, rank)) * np.exp(3 * rng.normal(size=rank))
    b, start = rng.normal(size=n), rng.dirichlet(np.ones(n))
    G = A @ A.T
    gap = 1e-8 * max(1.0, shortfall(G, b, start))
    found = maximise_on_simplex(G, b, start, gap)
    assert np.all(found >= 0)
    assert found.sum() == pytest.approx(1.0)
    assert shortfall(G, b, found) <= gap * (1 + 1e-6)
