"""Feature vectors of items: dense or sparse, checked, equal rows found in one pass."""

from typing import Any

import numpy as np
import pyarrow as pa

from podium.comparisons.arrays import Codes, Index
from podium.comparisons.labels import factorize, factorize_rows
from podium.comparisons.messages import row_name

MOST_COLUMNS = 2**31 - 1  # what an index of 32 bits can count


def as_features(X: Any, name: str) -> Any:
    """A read-only float matrix of its own, or a sparse one in compressed rows; every value is finite."""
    if np.iscomplexobj(X):
        raise ValueError(f"{name} has complex numbers; features are real")
    if is_sparse(X):
        from scipy.sparse import csr_array

        if X.ndim != 2:
            raise ValueError(f"{name} has {X.ndim} dimensions; features are a table with one row per item")
        X = summed(csr_array(X, dtype=np.float64, copy=True), name)
        X.eliminate_zeros()
        bad = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[~np.isfinite(X.data)]
        X.data.flags.writeable = False
    else:
        try:
            X = np.array(X, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} is not a table of numbers") from None
        if X.ndim != 2:
            raise ValueError(f"{name} has {X.ndim} dimensions; features are a table with one row per item")
        bad = np.flatnonzero(~np.isfinite(X).all(axis=1))
        X.flags.writeable = False
    if len(bad):
        raise ValueError(f"{name} has a value that is missing or infinite at {row_name(int(bad[0]))}")
    return X


def summed(X: Any, name: str = "X") -> Any:
    """X; if it is in compressed rows, one entry for each row and column, the sum of those that were given."""
    if not is_sparse(X):
        return X
    if X.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"{name} has {X.shape[1]:,} columns where at most {MOST_COLUMNS:,} are possible; leave out those "
            "without an entry, or hash the features into fewer columns"
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def column_names(X: Any) -> list[str] | None:
    """The names of the columns, if X is a frame that has them."""
    names = getattr(X, "columns", None)
    return None if names is None else [str(name) for name in names]


def stack_rows(top: Any, bottom: Any) -> Any:
    if is_sparse(top) or is_sparse(bottom):
        from scipy.sparse import csr_array, vstack

        return vstack([csr_array(top), csr_array(bottom)], format="csr")
    return np.vstack([top, bottom])


def distinct_rows(X: Any) -> tuple[Index, Codes]:
    """The first row of each kind, and for each row which kind it is."""
    if not is_sparse(X):
        return factorize_rows(X + 0.0)  # which makes -0.0 and 0.0 one
    X.sort_indices()
    entries = np.empty(
        X.nnz, dtype=[("column", np.int32), ("value", np.float64)]
    )  # packed: 12 bytes an entry
    entries["column"], entries["value"] = X.indices, X.data + 0.0
    offsets = X.indptr.astype(np.int64) * entries.itemsize
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(entries)]
    return factorize(pa.Array.from_buffers(pa.large_binary(), X.shape[0], buffers))


def equal(A: Any, B: Any) -> bool:
    """Whether two feature matrices, either of them possibly sparse or None, hold the same."""
    if A is None or B is None or A.shape != B.shape:
        return A is B
    if is_sparse(A) or is_sparse(B):
        from scipy.sparse import csr_array

        return bool((csr_array(A) != csr_array(B)).nnz == 0)
    return bool(np.array_equal(A, B))


def is_sparse(X: Any) -> bool:
    """Whether X is one of scipy's sparse matrices, without loading scipy to find out."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")
