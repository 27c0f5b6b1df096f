"""Feature vectors of items: dense or sparse, checked, equal rows found in one pass."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.labels import factorize, row_name

# Odd 64-bit constants: multiplying by them spreads every input bit over the upper half of the product.
MIX_COLUMN, MIX_VALUE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def as_features(X: Any, name: str) -> Any:
    """A float matrix, or a sparse one in compressed rows; an error names the first row that is not finite."""
    if _is_sparse(X):
        X = X.tocsr().astype(np.float64)
        X.sum_duplicates()
        X.eliminate_zeros()
        bad = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[~np.isfinite(X.data)]
    else:
        try:
            X = np.array(X, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} is not a table of numbers") from None
        if X.ndim != 2:
            raise ValueError(f"{name} has {X.ndim} dimensions; features are a table with a row an item")
        bad = np.flatnonzero(~np.isfinite(X).all(axis=1))
    if len(bad):
        raise ValueError(f"{name} has a value that is missing or infinite at {row_name(int(bad[0]))}")
    return X


def stack_rows(top: Any, bottom: Any) -> Any:
    if _is_sparse(top) or _is_sparse(bottom):
        from scipy.sparse import vstack

        return vstack([top, bottom], format="csr")
    return np.vstack([top, bottom])


def distinct_rows(X: Any) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The first row of each kind, and for each row which kind it is.

    Rows are told apart by a 64-bit hash. Two different rows could share one, so equality is checked, and the
    slow exact way taken should that ever happen.
    """
    first, codes = factorize(_hash_rows(X))
    if _equal(X, X[first[codes]]):
        return first, codes
    dense = X.toarray() if _is_sparse(X) else X
    _, first, kinds = np.unique(dense, axis=0, return_index=True, return_inverse=True)
    return first, kinds.astype(np.int32)


def _hash_rows(X: Any) -> NDArray[np.int64]:
    if _is_sparse(X):
        terms = _mix(X.data, X.indices)
        total = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
        return np.asarray(total[X.indptr[1:]] - total[X.indptr[:-1]]).view(np.int64)
    sums = np.zeros(X.shape[0], dtype=np.uint64)
    for column in range(X.shape[1]):
        sums += _mix(X[:, column], np.array([column]))
    return sums.view(np.int64)


def _mix(values: NDArray[np.float64], column: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    bits = (values + 0.0).view(np.uint64)  # + 0.0 makes -0.0 and 0.0 one
    mixed = (bits ^ (bits >> np.uint64(31))) * MIX_VALUE
    mixed = (mixed ^ (mixed >> np.uint64(29))) + (column.astype(np.uint64) + np.uint64(1)) * MIX_COLUMN
    return np.asarray((mixed ^ (mixed >> np.uint64(32))) * MIX_VALUE)


def _equal(A: Any, B: Any) -> bool:
    if _is_sparse(A):
        return bool((A != B).nnz == 0)
    return bool(np.array_equal(A, B))


def _is_sparse(X: Any) -> bool:
    """Whether X is one of scipy's sparse matrices, without loading scipy to find out."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")
