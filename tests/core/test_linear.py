"""Factorizations compared with dense linear algebra, and conjugate gradients."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, diags_array

from podium.core.linear import Bordered, Elimination, Iterative, by_diagonal, factorized, inverse_of


def laplacian(left: Any, right: Any, k: int, extra: float = 0.01) -> Any:
    weight = np.random.default_rng(0).uniform(0.1, 1.0, len(left))
    above = coo_array((weight, (left, right)), shape=(k, k)).tocsr()
    graph = above + above.T
    return (diags_array(np.asarray(graph.sum(axis=1)).ravel() + extra) - graph).tocsr()


def ring(k: int) -> Any:
    return laplacian(np.arange(k), (np.arange(k) + 1) % k, k)


def grid(m: int) -> Any:
    place = np.arange(m * m).reshape(m, m)
    left = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    return laplacian(left, np.concatenate([place[:, 1:].ravel(), place[1:].ravel()]), m * m)


def scattered(k: int, n: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    left = rng.integers(0, k, n)
    return laplacian(left, (left + rng.integers(1, k, n)) % k, k)


MATRICES = {"ring": ring(300), "grid": grid(20), "few": scattered(400, 500), "dense": scattered(60, 2_000)}


@pytest.mark.parametrize("name", MATRICES)
def test_a_factor_agrees_with_dense_linear_algebra(name: str) -> None:
    matrix = MATRICES[name]
    dense = matrix.toarray()
    factor = factorized(matrix)
    assert factor is not None
    right = np.random.default_rng(1).normal(size=(len(dense), 3))
    np.testing.assert_allclose(factor.solve(right), np.linalg.solve(dense, right), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(factor.solve(right[:, 0]), factor.solve(right)[:, 0], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(factor.inverse_diagonal(), np.diag(np.linalg.inv(dense)), rtol=1e-10)
    assert factor.log_determinant() == pytest.approx(np.linalg.slogdet(dense)[1], rel=1e-12)


@given(st.integers(1, 60), st.integers(0, 120), st.integers(0, 10**6))
def test_any_graph_is_factorized(k: int, n: int, seed: int) -> None:
    """Single items, several components, games of a pair twice."""
    matrix = scattered(k + 1, n, seed)
    factor = factorized(matrix)
    assert factor is not None
    np.testing.assert_allclose(factor.inverse_diagonal(), np.diag(np.linalg.inv(matrix.toarray())), rtol=1e-8)


def test_hardly_anything_remains_of_a_ring_and_little_of_a_sparse_graph() -> None:
    plans = [Elimination.of(matrix) for matrix in (ring(5_000), scattered(5_000, 6_000))]
    left = [len(plan.order) - plan.n_eliminated for plan in plans if plan is not None]
    assert left[0] < 100
    assert left[1] < 800


def test_a_plan_that_costs_too_much_is_refused() -> None:
    assert factorized(scattered(3_000, 9_000), 1e7) is None
    assert factorized(scattered(3_000, 90_000), 1e9) is None


def test_a_singular_matrix_is_refused() -> None:
    k = 200
    matrix = laplacian(np.arange(k - 1), np.arange(1, k), k, extra=-0.1)
    for given_matrix in (matrix, matrix.toarray()):
        with pytest.raises(np.linalg.LinAlgError, match="not determined by the data"):
            factorized(given_matrix)


def test_of_a_dense_matrix_the_upper_triangle_is_read() -> None:
    dense = MATRICES["dense"].toarray()
    upper = np.where(np.tri(len(dense), k=-1, dtype=bool), np.nan, dense)
    np.testing.assert_allclose(inverse_of(upper), np.linalg.inv(dense), rtol=1e-9, atol=1e-12)


def test_bordered_equations() -> None:
    matrix, rng = MATRICES["grid"], np.random.default_rng(0)
    border, corner = rng.normal(size=(400, 2)), np.diag([1e5, 2e5])
    whole = np.block([[matrix.toarray(), border], [border.T, corner]])
    factor = factorized(matrix)
    assert factor is not None
    found = Bordered(factor, border, corner)
    right = rng.normal(size=402)
    np.testing.assert_allclose(found.solve(right), np.linalg.solve(whole, right), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.rest, np.linalg.inv(whole)[400:, 400:], rtol=1e-8)


def test_conjugate_gradients_end_at_the_residual_or_say_so() -> None:
    matrix = MATRICES["grid"]
    right = np.random.default_rng(0).normal(size=(400, 4))
    found = Iterative(matrix.__matmul__, by_diagonal(matrix.diagonal()), 1e-10).solve(right)
    np.testing.assert_allclose(matrix @ found, right, atol=1e-8)
    with pytest.raises(np.linalg.LinAlgError, match="5 steps of conjugate gradients do not solve"):
        Iterative(matrix.__matmul__, by_diagonal(matrix.diagonal()), 1e-10, most=5).solve(right)
    rough = Iterative(matrix.__matmul__, by_diagonal(matrix.diagonal()), 1e-10, most=5, rough=True).solve(
        right
    )
    assert ((rough * right).sum(axis=0) > 0).all()
