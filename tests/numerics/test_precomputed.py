"""What is no kernel matrix is refused; a kernel matrix may be rounded, singular or sparse."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import podium as pod
from podium.numerics.kernels import make_kernel


def test_a_kernel_matrix_is_symmetric() -> None:
    Z = np.random.default_rng(0).normal(size=(7, 3))
    K = Z @ Z.T
    K[2, 4] += 1e-9
    make_kernel("precomputed", "scale", 3, 0.0, K.astype(np.float32))  # rounding is none of its faults
    K[2, 4] += 1.0
    with pytest.raises(
        ValueError,
        match=r"not symmetric: of the items in use, counting from 1, 3 has .* with 5, and that",
    ):
        make_kernel("precomputed", "scale", 3, 0.0, K)
    with pytest.raises(ValueError, match="not symmetric"):
        make_kernel("precomputed", "scale", 3, 0.0, csr_array(K))


@pytest.mark.parametrize("n", [30, 3000])
def test_a_kernel_matrix_has_no_negative_eigenvalue(n: int) -> None:
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n, 3))
    for good in (Z @ Z.T, (1e3 + Z) @ (1e3 + Z).T, (Z @ Z.T).astype(np.float32), np.zeros((n, n))):
        make_kernel("precomputed", "scale", 3, 0.0, good)  # singular, but for rounding
    bad = Z @ np.diag([1.0, 1.0, -0.01]) @ Z.T
    for each in (bad, csr_array(bad), -np.eye(n), 1.0 - np.eye(n)):
        with pytest.raises(ValueError, match="negative eigenvalue"):
            make_kernel("precomputed", "scale", 3, 0.0, each)


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 12))
def test_every_gram_matrix_is_accepted(seed: int, n: int, rank: int) -> None:
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, rank)) * np.exp(5 * rng.normal(size=rank))
    K = Z @ Z.T
    kernel = make_kernel("precomputed", "scale", 3, 0.0, K)
    np.testing.assert_array_equal(kernel(K, np.arange(n)), K)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", [pod.SVMCompare, pod.SVMRank, pod.SVMCompareLP])
def test_machines_for_pairs_refuse_what_is_no_kernel(model: Any) -> None:
    c = pod.datasets.make_norm_comparisons(40, random_state=0)
    K = c.features @ c.features.T
    model("precomputed", C=1.0).fit(c.with_features(K))
    for bad in (K + np.triu(K, 1), -K):
        with pytest.raises(ValueError, match="precomputed kernel matrix"):
            model("precomputed", C=1.0).fit(c.with_features(bad))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", [pod.SVMCompare, pod.SVMRank, pod.SVMCompareLP])
def test_a_sparse_kernel_matrix_is_a_kernel_matrix(model: Any) -> None:
    c = pod.datasets.make_norm_comparisons(40, random_state=0)
    full = c.with_features(c.features @ c.features.T + 10 * np.eye(c.n_items))
    thin = full.with_features(csr_array(full.features))
    fits = [model("precomputed", C=1.0).fit(each) for each in (full, thin)]
    np.testing.assert_allclose(fits[1].decision_function(thin), fits[0].decision_function(full), atol=1e-9)
