"""The implicit kernel between preferences agrees with Kesler's explicit construction."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from podium.game.kernel import Products, expand
from podium.numerics.kernels.kernel import Kernel
from tests.game.games import embedded, game, products

KERNELS = [
    Kernel("linear"),
    Kernel("poly", 0.7, 1, 0.0),
    Kernel("poly", 0.7, 2, 0.0),
    Kernel("poly", 0.7, 2, 1.5),
    Kernel("poly", 0.5, 3, 1.0),
    Kernel("rbf", 0.3),
    Kernel(lambda A, B: np.asarray((A @ B.T) ** 2)),
]


@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.parametrize("kernel", KERNELS, ids=[*map(str, KERNELS[:-1]), "function"])
@pytest.mark.parametrize("thin", [False, True])
def test_blocks_and_products_are_those_of_the_whole_matrix(kernel: Kernel, n_labels: int, thin: bool) -> None:
    g = game(60, n_labels, kernel, ridge=0.5)
    sign = embedded(replace(g, ridge=np.zeros(len(g))), np.ones((len(g.items), 1)))
    kappa = kernel(g.items, g.items)[np.ix_(g.instance, g.instance)]
    K = (sign @ sign.T) * kappa
    if thin and not callable(kernel.kernel):
        g = replace(g, items=sparse.csr_array(g.items))
    rows = np.array([3, 0, 7])
    np.testing.assert_allclose(g.block(rows, np.arange(len(g))), K[rows], atol=1e-12)
    np.testing.assert_allclose(g.diagonal, np.diagonal(K) + 0.5)
    support = np.sort(np.random.default_rng(0).permutation(len(g))[:20])
    p = np.random.default_rng(1).dirichlet(np.ones(20))
    f = K[:, support] @ p
    f[support] += 0.5 * p
    np.testing.assert_allclose(g.product(support, p), f, atol=1e-10)
    part = g.take(np.arange(10))
    np.testing.assert_allclose(part.block(np.arange(10), np.arange(10)), K[:10, :10], atol=1e-12)


def test_quadratic_kernel_is_that_of_the_products() -> None:
    g = game(60, 3, Kernel("poly", 1.0, 2))
    Z = embedded(g, products(g.items))
    np.testing.assert_allclose(g.block(np.arange(len(g)), np.arange(len(g))), Z @ Z.T, atol=1e-10)


def test_a_precomputed_matrix_is_its_own_kernel() -> None:
    g = game(40, 3, Kernel("rbf", 0.3))
    own = replace(g, kernel=Kernel("precomputed"), items=g.kernel(g.items, g.items))
    support, p = np.arange(5), np.full(5, 0.2)
    np.testing.assert_allclose(own.product(support, p), g.product(support, p))
    np.testing.assert_allclose(own.diagonal, g.diagonal)
    np.testing.assert_allclose(own.block(support, support), g.block(support, support))


def test_scores_do_not_depend_on_the_size_of_the_pieces() -> None:
    g = game(200, 3, Kernel("rbf", 0.3))
    asked, used, table = np.arange(100), np.arange(5), np.random.default_rng(0).normal(size=(5, 2))
    whole, pieces = (expand(g.kernel, g.items, asked, used, table, piece) for piece in (1 << 21, 1))
    np.testing.assert_allclose(pieces, whole)


@pytest.mark.parametrize("room", [0, 4, 12, 1000])
@pytest.mark.parametrize("kernel", [Kernel("rbf", 0.5), Kernel("poly", 1.0, 3), Kernel("linear")], ids=str)
def test_margins_are_those_without_a_store(kernel: Kernel, room: int) -> None:
    """Supports change; a small cache replaces rows, and a smaller one stores nothing."""
    g = game(80, 3, kernel, ridge=0.3)
    products = Products(g, most_bytes=room * 8 * len(g.asked[0]))
    rng = np.random.default_rng(0)
    for size in (3, 8, 5, 30, 2):
        support = np.sort(rng.permutation(len(g))[:size])
        p = rng.dirichlet(np.ones(size))
        np.testing.assert_allclose(products.margins(support, p), g.product(support, p), atol=1e-12)
    assert products.cache.n_kept <= len(products.cache.store)
