import numpy as np
import pytest

from podium.numerics.kernels.factor import KernelFactor, checked_factor, factor_by_rows, kernel_factor


def by_rows(K: np.ndarray, tol: float) -> KernelFactor:
    return factor_by_rows(lambda pivot: K[pivot], np.diagonal(K), tol)


@pytest.mark.parametrize("rank", [1, 3, 12, 40])
@pytest.mark.parametrize("method", [kernel_factor, by_rows])
def test_the_factor_has_the_kernel_as_its_products(method, rank: int) -> None:  # type: ignore[no-untyped-def]
    A = np.random.default_rng(0).normal(size=(40, rank))
    K = A @ A.T
    factor = method(K, 1e-11)
    assert factor.Z.shape == (40, rank)
    np.testing.assert_allclose(factor.Z @ factor.Z.T, K, atol=1e-9)
    w = np.random.default_rng(1).normal(size=rank)
    np.testing.assert_allclose(K[:, factor.pivots] @ factor.coefficients(w), factor.Z @ w, atol=1e-7)


def test_both_ways_take_the_same_pivots_and_leave_out_what_is_small() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    K = np.exp(-0.1 * ((X[:, None] - X) ** 2).sum(axis=2))
    dense, rows = kernel_factor(K, 1e-4), by_rows(K, 1e-4)
    assert 1 < len(dense.pivots) < 30
    assert np.array_equal(dense.pivots, rows.pivots)
    np.testing.assert_allclose(dense.Z, rows.Z, atol=1e-9)
    left = np.diagonal(K - dense.Z @ dense.Z.T)
    assert -1e-12 <= left.min() <= left.max() <= 1e-4


@pytest.mark.parametrize("K", [[[1, 2], [2, 1]], [[0, 1], [1, 0]], [[-1, 0], [0, 1]], [[1, 0], [0.5, 1]]])
def test_matrices_that_are_not_kernels_are_refused(K: list[list[float]]) -> None:
    with pytest.raises(
        ValueError, match=r"not symmetric|not positive semi-definite: it has a negative eigenvalue, -"
    ):
        checked_factor(np.array(K, dtype=float))


def test_a_kernel_of_zeros_has_a_column_and_no_pivot() -> None:
    for factor in (checked_factor(np.zeros((3, 3))), by_rows(np.zeros((3, 3)), 0.0)):
        assert np.array_equal(factor.Z, np.zeros((3, 1)))
        assert len(factor.coefficients(np.zeros(1))) == 0


@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0])
def test_a_kernel_of_single_precision_is_one(gamma: float) -> None:
    """Rounding makes some eigenvalues negative."""
    X = np.random.default_rng(0).normal(size=(200, 3))
    K = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2)).astype(np.float32).astype(float)
    Z = checked_factor(K).Z
    assert np.abs(Z @ Z.T - K).max() < 1e-5
