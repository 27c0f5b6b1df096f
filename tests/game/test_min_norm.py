"""Wolfe's algorithm agrees with nonnegative least squares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.game.min_norm import min_norm_point
from tests.game.games import least_norm


@given(st.integers(0, 10**6))
def test_the_norm_is_the_least(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 12))
    Z = rng.normal(size=(n, d)) * np.exp(rng.normal(size=d)) + rng.normal(size=d) * rng.integers(0, 3)
    if seed % 3 == 0:
        Z = np.round(Z)  # equal and dependent points
    start = rng.dirichlet(np.ones(n)) if seed % 2 else np.zeros(n)
    K = Z @ Z.T
    p = min_norm_point(K, start, tol=1e-12, max_iter=10_000)
    value = float(((Z.T @ p) ** 2).sum())
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1)
    assert value == pytest.approx(least_norm(Z), rel=1e-6, abs=1e-10 * np.diagonal(K).max())


def test_nearly_equal_points_do_no_harm() -> None:
    """Condition numbers of 1e12 and more, where a factor of K itself would not exist."""
    rng = np.random.default_rng(0)
    Z = 1.0 + 1e-6 * rng.normal(size=(200, 6))
    p = min_norm_point(Z @ Z.T, np.zeros(200), tol=1e-12, max_iter=10_000)
    f = Z @ (Z.T @ p)
    assert np.count_nonzero(p) <= 7
    assert np.sqrt(((Z.T @ p) ** 2).sum()) <= np.sqrt((Z**2).sum(axis=1)).min()
    assert min(f) >= float(p @ f) * (1 - 1e-12)


def test_rounds_are_limited() -> None:
    Z = np.random.default_rng(0).normal(size=(50, 60))
    K, start = Z @ Z.T, np.zeros(50)
    in_corral = [np.count_nonzero(min_norm_point(K, start, tol=1e-9, max_iter=n)) for n in range(4)]
    assert in_corral == [1, 2, 3, 4]
