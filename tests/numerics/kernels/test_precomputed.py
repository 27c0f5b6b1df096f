"""Matrices that are not kernels are refused; kernel matrices may be rounded, singular or sparse."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import podium as pod
from podium.comparisons.table import Comparisons
from podium.numerics.kernels.kernel import make_kernel


def test_a_kernel_matrix_is_symmetric() -> None:
    Z = np.random.default_rng(0).normal(size=(7, 3))
    K = Z @ Z.T
    K[2, 4] += 1e-9
    make_kernel("precomputed", "scale", 3, 0.0, K.astype(np.float32))  # rounding errors are allowed
    K[2, 4] += 1.0
    with pytest.raises(
        ValueError,
        match=r"not symmetric: of the items in use, counting from 1, 3 has .* with 5, and that",
    ):
        make_kernel("precomputed", "scale", 3, 0.0, K)
    with pytest.raises(ValueError, match="not symmetric"):
        make_kernel("precomputed", "scale", 3, 0.0, csr_array(K))


@pytest.mark.parametrize("n", [30, 1200])
def test_a_kernel_matrix_has_no_negative_eigenvalue(n: int) -> None:
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n, 3))
    for good in (Z @ Z.T, (1e3 + Z) @ (1e3 + Z).T, (Z @ Z.T).astype(np.float32), np.zeros((n, n))):
        make_kernel("precomputed", "scale", 3, 0.0, good)  # singular up to rounding
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
def test_models_for_pairs_refuse_matrices_that_are_not_kernels(model: Any) -> None:
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


# ------------------------------------------------------------------------------------ every model alike

POINTS = np.random.default_rng(0).normal(size=(40, 3))
LEFT, RIGHT = np.arange(40), (np.arange(40) + 7) % 40
PAIRS = Comparisons.from_arrays(LEFT, RIGHT, np.where(POINTS[RIGHT, 0] > POINTS[LEFT, 0], 1, -1))
OF_PAIRS = [pod.SVMCompare, pod.SVMRank, pod.SVMCompareLP]
OF_ROWS = [pod.SwappedPairsSVM, pod.HerbrichSVM, pod.OrdinalSVM, pod.PreferenceGame]


def hyperbolic(A: Any, B: Any) -> Any:
    return np.tanh(3 * A @ B.T - 1)


def one_sided(A: Any, B: Any) -> Any:
    return A @ B.T + A[:, :1]


def fitted(model: Any, kernel: Any, X: Any) -> Any:
    if model in OF_PAIRS:
        return model(kernel=kernel, C=1.0).fit(PAIRS.with_features(X))
    options = {} if model is pod.OrdinalSVM else {"random_state": 0}
    return model(kernel=kernel, **options).fit(X, np.digitize(POINTS[:, 0], [-0.5, 0.5]))


@pytest.mark.parametrize("model", [*OF_PAIRS, *OF_ROWS])
def test_every_model_refuses_matrices_that_are_not_kernels(model: Any) -> None:
    for kernel, what in ((hyperbolic, "is not positive semi-definite"), (one_sided, "is not symmetric")):
        with pytest.raises(ValueError, match=f"^the kernel function {what}"):
            fitted(model, kernel, POINTS)
        for K in (kernel(POINTS, POINTS), csr_array(kernel(POINTS, POINTS))):
            with pytest.raises(ValueError, match=f"^the precomputed kernel matrix {what}"):
                fitted(model, "precomputed", K)


def test_the_sentence_has_the_eigenvalue() -> None:
    K = np.diag([4.0, 2.0, -1.0])
    with pytest.raises(ValueError, match=r"a negative eigenvalue, -0.25 times the largest one in size; take"):
        make_kernel("precomputed", "scale", 3, 0.0, K)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", OF_ROWS)
def test_labelled_rows_with_a_sparse_kernel_matrix(model: Any) -> None:
    K = POINTS @ POINTS.T + 10 * np.eye(40)
    full, thin = (fitted(model, "precomputed", M) for M in (K, csr_array(K)))
    np.testing.assert_allclose(thin.decision_function(csr_array(K)), full.decision_function(K), atol=1e-9)
