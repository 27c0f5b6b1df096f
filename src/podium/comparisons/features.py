"""Features of items and covariates of comparisons: checked, and equal rows of features found in one pass."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.arrays.devices.boundary import from_device, on_device
from podium.arrays.devices.features import (
    device_rows,
    device_table,
    equal_tables,
    joined_tables,
    rows_changed,
    rows_not_finite,
)
from podium.comparisons.arrays import Codes, Floats, Index
from podium.comparisons.checks import check_length, check_unmasked
from podium.comparisons.labels import factorize, factorize_rows
from podium.comparisons.messages import InputError, quoted

MOST_COLUMNS = 2**31 - 1  # what an index of 32 bits can count
# The columns of `Comparisons.to_frame`:
ROW_COLUMNS = set("left right outcome count weight group category judge_kind time neutral grade".split())


def as_features(X: Any, name: str, at_once: int = 1) -> Any:
    """A read-only float matrix of its own, or a sparse one in compressed rows; every value is finite.

    Features on a device stay there, and are not copied. In a message about a row, so many rows of X count as
    one.
    """
    if on_device(X):
        X = device_table(X, name)
        bad = rows_not_finite(X)
    elif np.iscomplexobj(X):
        raise ValueError(f"{name} has complex numbers; features are real")
    elif is_sparse(X):
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
    if not X.shape[1]:
        raise ValueError(f"{name} has no columns; describe each item by one number or more")
    if len(bad):
        row = int(bad[0]) // at_once
        raise InputError(f"{name} has a value that is missing or infinite at {{@row}}", row=row)
    return X


def as_covariates(
    covariates: Any, n: int, names: Sequence[str] | None = None
) -> tuple[Floats | None, tuple[str, ...]]:
    """Covariates in any form as a matrix, right side minus left side, and the names of its columns.

    >>> as_covariates({"length": ([5, 3], [4, 9]), "bold": [0, 2]}, 2)
    (array([[-1.,  0.],
           [ 6.,  2.]]), ('length', 'bold'))
    """
    if covariates is None:
        return None, ()
    if isinstance(covariates, Mapping):
        names = names or [str(name) for name in covariates]
        X = np.empty((n, len(covariates)))
        for k, (name, values) in enumerate(covariates.items()):
            X[:, k] = _difference(values, n, str(name))
    else:
        named = getattr(covariates, "name", None)  # of a Series
        names = names or column_names(covariates) or (None if named is None else [str(named)])
        X = _numbers(covariates, "covariates")
        X = X[:, None] if X.ndim == 1 else X
        if X.ndim != 2 or len(X) != n:
            raise ValueError(f"covariates has the shape {X.shape} where {n:,} rows are expected")
        names = names or [f"x{k + 1}" for k in range(X.shape[1])]
    X += 0.0  # turns -0.0 into 0.0
    _check_covariate_names(names, X.shape[1])
    bad = ~np.isfinite(X)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"covariate {quoted(names[column])} is missing or infinite at {{@row}}", row=int(row)
        )
    return (X, tuple(names)) if len(names) else (None, ())


def _difference(values: Any, n: int, name: str) -> Floats:
    """Right minus left, given as such or as the values of the two sides."""
    of_sides = isinstance(values, tuple | list) and len(values) == 2 and all(map(np.ndim, values))
    sides = [_numbers(side, f"covariate '{name}'") for side in (values if of_sides else [values])]
    for side in sides:
        check_length(n, side, name)
    return sides[1] - sides[0] if of_sides else sides[0]


def _numbers(values: Any, name: str) -> Floats:
    check_unmasked(**{name: values})
    values = from_device(values)
    if np.asarray(values).dtype.kind in "mMc":
        raise ValueError(f"{name} has dates, spans of time or complex numbers; make them real numbers")
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} has something that is not a number") from None


def _check_covariate_names(names: Sequence[str], p: int) -> None:
    if len(names) != p:
        raise ValueError(f"there are {len(names)} names for {p} covariates")
    for k, name in enumerate(names):
        if name in ROW_COLUMNS:
            raise ValueError(f"a covariate is called {quoted(name)}, a column of every table; rename it")
        if name in names[:k]:
            raise ValueError(f"two covariates are called {quoted(name)}; rename one")


def summed(X: Any, name: str = "X") -> Any:
    """X; if it is in compressed rows, with duplicate entries of a cell added up."""
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


def rows_at(X: Any, rows: Any) -> Any:
    """Some rows of a table, which may be sparse or on a device."""
    return device_rows(X, rows) if on_device(X) else X[rows]


def stacked(tables: Sequence[Any]) -> Any:
    """The rows of all tables; sparse if one of them is."""
    if any(map(on_device, tables)):
        return joined_tables(tables)
    if any(map(is_sparse, tables)):
        from scipy.sparse import csr_array, vstack

        return vstack([csr_array(table) for table in tables], format="csr")
    return np.vstack(tables)


def distinct_rows(X: Any) -> tuple[Index, Codes]:
    """The first row of each kind, and for each row which kind it is. On a device, no rows are compared."""
    if on_device(X):
        own = np.arange(X.shape[0])
        return own, own.astype(np.int32)
    if not is_sparse(X):
        return factorize_rows(X + 0.0)  # which makes -0.0 and 0.0 one
    X.sort_indices()
    entries = np.empty(X.nnz, dtype=[("column", np.int32), ("value", np.float64)])  # 12 bytes each
    entries["column"], entries["value"] = X.indices, X.data + 0.0
    offsets = X.indptr.astype(np.int64) * entries.itemsize
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(entries)]
    return factorize(pa.Array.from_buffers(pa.large_binary(), X.shape[0], buffers))


def rows_differ(X: Any, others: Index) -> NDArray[np.bool_]:
    """Whether each row of X differs from another one, whose number is given."""
    if on_device(X):
        return rows_changed(X, others)
    kind = distinct_rows(X)[1]
    return np.asarray(kind != kind[others])


def equal(A: Any, B: Any) -> bool:
    """Whether two feature matrices are equal; either may be sparse or None."""
    if A is B or A is None or B is None or A.shape != B.shape:
        return A is B
    if on_device(A) or on_device(B):
        return equal_tables(A, B)
    if is_sparse(A) or is_sparse(B):
        from scipy.sparse import csr_array

        return bool((csr_array(A) != csr_array(B)).nnz == 0)
    return bool(np.array_equal(A, B))


def is_sparse(X: Any) -> bool:
    """Whether X is one of scipy's sparse matrices, without loading scipy to find out."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")
