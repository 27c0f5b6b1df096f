import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from podium.numerics.kernels.kernel import Kernel, PairKernel, make_kernel, whole_power

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(7, 3)), RNG.normal(size=(5, 3))
WIDE_X, WIDE_Y = RNG.normal(size=(7, 40)), RNG.normal(size=(5, 40))


def laplacian(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-np.abs(A[:, None] - B[None]).sum(axis=2)))


KERNELS = [
    Kernel("linear"),
    Kernel("poly", gamma=0.5, degree=3, coef0=1.0),
    Kernel("rbf", gamma=0.7),
    Kernel(laplacian),
]


def test_the_kernels_are_those_of_scikit_learn() -> None:
    for A, B in ((X, Y), (WIDE_X, WIDE_Y)):
        np.testing.assert_allclose(Kernel("linear")(A, B), A @ B.T)
        np.testing.assert_allclose(Kernel("rbf", 0.3)(A, B), rbf_kernel(A, B, gamma=0.3))
        np.testing.assert_allclose(Kernel("poly", 0.3, 2, 1.0)(A, B), polynomial_kernel(A, B, 2, 0.3, 1.0))


@pytest.mark.parametrize("kernel", KERNELS[:3])
def test_sparse_features_give_the_same(kernel: Kernel) -> None:
    np.testing.assert_allclose(kernel(csr_array(X), csr_array(Y)), kernel(X, Y), atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_pairs", [4, 30], ids=["many items", "few items"])
def test_the_kernel_of_pairs_is_that_of_the_paper(kernel: Kernel, n_pairs: int) -> None:
    tail, head = RNG.integers(0, 7, size=(2, n_pairs))
    pairs = PairKernel(kernel, X, tail, head)
    K = kernel(np.vstack([X[tail], X[head]]), np.vstack([X[tail], X[head]]))
    M = np.vstack([-np.eye(n_pairs), np.eye(n_pairs)])
    expected = M.T @ K @ M
    np.testing.assert_allclose(pairs.rows(np.arange(n_pairs)), expected, atol=1e-12)
    np.testing.assert_allclose(pairs.rows(np.array([2, 0])), expected[[2, 0]], atol=1e-12)
    np.testing.assert_allclose(pairs.diagonal, np.diagonal(expected), atol=1e-12)
    gram = PairKernel(Kernel("precomputed"), kernel(X, X), tail, head)
    np.testing.assert_allclose(gram.rows(np.arange(n_pairs)), expected, atol=1e-12)


def test_gamma_follows_scikit_learn() -> None:
    assert make_kernel("rbf", "auto", 3, 0.0, X).gamma == 1 / 3
    for table in (X, csr_array(X)):
        assert make_kernel("poly", "scale", 3, 0.0, table).gamma == pytest.approx(1 / (3 * X.var()))
    centred = X - X.mean(axis=0)
    for moved in (centred, X, csr_array(X), X + np.array([0.0, 5.0, 1e6])):  # which does not change distances
        assert make_kernel("rbf", "scale", 3, 0.0, moved).gamma == pytest.approx(1 / (3 * centred.var()))
    assert make_kernel("rbf", "scale", 3, 0.0, np.ones((4, 2))).gamma == 1.0


@pytest.mark.parametrize(
    ("kernel", "gamma", "degree", "sentence"),
    [
        ("cosine", 1.0, 3, "kernel is one of"),
        ("rbf", "wide", 3, "gamma is"),
        ("rbf", -1.0, 3, "gamma is"),
        ("poly", 1.0, 1.5, "degree is a whole number"),
    ],
)
def test_bad_parameters_are_named(kernel: str, gamma: object, degree: float, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make_kernel(kernel, gamma, degree, 0.0, X)  # type: ignore[arg-type]


def test_a_kernel_function_returns_a_matrix() -> None:
    with pytest.raises(ValueError, match="returned the shape"):
        Kernel(lambda A, B: 1.0)(X, Y)


@pytest.mark.parametrize("degree", range(1, 10))
def test_a_whole_power_is_the_power(degree: int) -> None:
    x = np.random.default_rng(0).normal(size=(20, 5))
    np.testing.assert_allclose(whole_power(x, degree), x**degree, rtol=1e-13)


def test_a_kernel_function_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        make_kernel(lambda X, Y: np.full((len(X), len(Y)), np.nan), 1.0, 3, 0.0, np.ones((2, 1)))


@pytest.mark.parametrize("clusters", [1, 2])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_gaussian_far_from_0_keeps_its_digits(sparse: bool, clusters: int) -> None:
    """Integers, so an offset changes no difference; two clusters, so no centre is near all items."""
    near = RNG.integers(0, 5, size=(30, 20)).astype(float)
    far = near + 1e9 * (np.arange(30) % clusters + 1.0)[:, None]
    expected = np.exp(-0.05 * ((far[:, None] - far) ** 2).sum(axis=2))
    table = csr_array(far) if sparse else far
    kernel = make_kernel("rbf", 0.05, 3, 0.0, table)
    np.testing.assert_allclose(kernel(table, table), expected, rtol=1e-12)
    ones = np.ones(30)
    np.testing.assert_allclose(kernel.expand(table, table, ones), expected @ ones, rtol=1e-12)
    np.testing.assert_allclose(Kernel("rbf", 0.05)(table, table), expected, rtol=1e-12)


def test_a_linear_kernel_has_a_centre_only_for_pairs() -> None:
    far = X + 1e9
    assert make_kernel("linear", 1.0, 3, 0.0, far).centre is None
    kernel = make_kernel("linear", 1.0, 3, 0.0, far, pairs=True)
    tail, head = np.array([0, 1, 2]), np.array([3, 4, 5])
    pairs = PairKernel(kernel, far, tail, head)
    d = far[head] - far[tail]
    np.testing.assert_allclose(pairs.rows(np.arange(3)), d @ d.T, rtol=1e-12)
    assert pairs.rounding == 0.0
    assert PairKernel(Kernel("linear"), far, tail, head).rounding > 100


def test_a_polynomial_far_from_0_warns() -> None:
    make_kernel("poly", 1.0, 2, 0.0, X + 100.0)
    with pytest.warns(UserWarning, match=r"times as far from 0 .* subtract their means first"):
        make_kernel("poly", 1.0, 2, 0.0, X + 1e6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_squares_are_the_diagonal(kernel: Kernel) -> None:
    np.testing.assert_allclose(kernel.squares(X), np.diagonal(kernel(X, X)))


def test_the_rows_of_an_asymmetric_function_are_named() -> None:
    many = np.arange(600.0)[:, None]
    odd = many[-1, 0]
    with pytest.raises(ValueError, match=r"^the kernel function is not symmetric: .* with 600, and that"):
        make_kernel(lambda A, B: np.exp(-((A - B.T) ** 2)) + (odd == B.T), 1.0, 3, 0.0, many)
