"""Passes over items and passes over pairs are the same sums."""

import numpy as np
from scipy.sparse import csr_array

from podium.comparers.primal.problem import LinearPairs, second_derivatives


def test_second_derivatives_through_items_are_those_of_the_differences() -> None:
    rng = np.random.default_rng(0)
    n, k, p = 300, 9, 4
    X = rng.normal(size=(k, p))
    lower, upper = rng.integers(0, k, (2, n)).astype(np.int32)
    both, cross = rng.uniform(size=n), rng.normal(size=n)
    rows = np.flatnonzero(rng.uniform(size=n) < 0.7)
    few = LinearPairs(X, lower, upper, np.zeros(n, bool), np.ones(n))
    H, h = second_derivatives(few, rows, both[rows], cross[rows])
    D = X[upper[rows]] - X[lower[rows]]
    np.testing.assert_allclose(H, (D * both[rows, None]).T @ D, atol=1e-10)
    np.testing.assert_allclose(h, D.T @ cross[rows], atol=1e-10)
    many = LinearPairs(np.vstack([X, rng.normal(size=(500, p))]), lower, upper, np.zeros(n, bool), np.ones(n))
    sparse = LinearPairs(csr_array(X), lower, upper, np.zeros(n, bool), np.ones(n))
    for other in (many, sparse):
        again, cross_again = second_derivatives(other, rows, both[rows], cross[rows])
        np.testing.assert_allclose(again, H, atol=1e-10)
        np.testing.assert_allclose(cross_again, h, atol=1e-10)
