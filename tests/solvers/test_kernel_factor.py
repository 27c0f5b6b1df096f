import numpy as np
import pytest

from podium.solvers.kernel_factor import kernel_factor


@pytest.mark.parametrize("rank", [1, 3, 12])
def test_the_factor_has_the_kernel_as_its_products(rank: int) -> None:
    A = np.random.default_rng(0).normal(size=(12, rank))
    K = A @ A.T
    factor = kernel_factor(K)
    assert factor.Z.shape == (12, rank)
    np.testing.assert_allclose(factor.Z @ factor.Z.T, K, atol=1e-9)
    w = np.random.default_rng(1).normal(size=rank)
    np.testing.assert_allclose(K[:, factor.pivots] @ factor.coefficients(w), factor.Z @ w, atol=1e-8)


def test_kernels_that_are_none() -> None:
    with pytest.raises(ValueError, match="not positive semi-definite"):
        kernel_factor(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert len(kernel_factor(np.zeros((3, 3))).coefficients(np.zeros(1))) == 0
