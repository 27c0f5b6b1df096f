import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from podium.numerics.centre import SOME_ROWS, centre_of, offset, subtracted

RNG = np.random.default_rng(0)


def test_features_near_0_are_left_alone() -> None:
    X = RNG.normal(size=(50, 3))
    for near in (X, X + 5.0, np.zeros((4, 2)), np.empty((3, 0))):
        assert centre_of(near) is None
    assert subtracted(X, None) is X


@pytest.mark.parametrize("n", [1, 50, 10 * SOME_ROWS])
def test_features_far_from_0_have_a_centre_among_them(n: int) -> None:
    X = RNG.normal(size=(n, 3)) + np.array([0.0, 1e6, -1e12])
    centre = centre_of(X)
    assert centre is not None
    assert np.abs(subtracted(X, centre)).max() < 10
    assert offset(X).spreads > 1e11


def test_only_full_columns_of_sparse_rows_move() -> None:
    thin = random_array((40, 6), density=0.2, random_state=0, format="csr")
    assert centre_of(csr_array(thin)) is None
    X = thin.toarray()
    X[:, 2] = 1e9 + RNG.normal(size=40)
    centre = centre_of(csr_array(X))
    assert centre is not None
    assert np.array_equal(np.flatnonzero(centre), [2])
    moved = subtracted(csr_array(X), centre)
    assert moved.nnz <= csr_array(X).nnz
    np.testing.assert_array_equal(moved.toarray(), X - centre)
    row = csr_array(np.zeros((1, 6)))  # a row to predict, without an entry there
    np.testing.assert_array_equal(subtracted(row, centre).toarray(), -centre[None])


def test_what_overflows_has_no_centre() -> None:
    assert centre_of(np.array([[1e308], [-1e308], [1e308]])) is None
