"""Arrays of libraries other than NumPy, such as torch and CuPy, through Python's array API standard.

Features may be such an array. Then passes over the features run where they are, and results are arrays of the
same library on the same device. Rows of comparisons, coefficients while a solver runs, and everything else
that is small stay in NumPy.
"""

from typing import Any

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj, is_dask_array, is_numpy_array
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError


def on_device(X: Any) -> bool:
    """Whether X is an array of a library such as torch or CuPy, even if its device is the processor.

    Arrays of NumPy and Dask and sparse arrays are not.

    >>> on_device(np.ones(3)), on_device([1.0])
    (False, False)
    """
    return bool(is_array_api_obj(X)) and not is_numpy_array(X) and not is_dask_array(X) and not _is_sparse(X)


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "nnz")


def namespace(X: Any) -> Any:
    """The functions of the library of X: NumPy itself, or a library with the names of the array API."""
    return array_namespace(X) if on_device(X) else np


def to_numpy(X: Any) -> NDArray[Any]:
    """The values of an array in NumPy."""
    if not on_device(X):
        return np.asanyarray(X)  # a masked array stays one, so that it can be refused
    if hasattr(X, "detach"):  # torch
        return np.asarray(X.detach().cpu())
    return np.asarray(X.get() if hasattr(X, "get") else X)  # CuPy has get


def off_device(values: Any) -> Any:
    """Values on a device as a NumPy array; anything else, such as a list or a series, unchanged."""
    return to_numpy(values) if on_device(values) else values


def to_floats(X: Any) -> Floats:
    """The values of an array in NumPy, in float64."""
    return np.asarray(to_numpy(X), dtype=np.float64)


def beside(values: Any, X: Any, dtype: Any = None) -> Any:
    """Values from NumPy as an array of the library and on the device of X, in ``dtype`` if given."""
    if not on_device(X):
        return np.asarray(values, dtype=dtype)
    xp, place = namespace(X), device(X)
    if (
        isinstance(values, np.ndarray)
        and values.dtype == np.float64
        and values.strides == (0,)
        and len(values)
    ):
        return xp.full(len(values), float(values[0]), dtype=dtype or xp.float64, device=place)
    values = np.require(values, requirements=["C", "W"])  # torch warns about arrays that cannot be written to
    return xp.asarray(values, dtype=dtype, device=place)


def rows_at(X: Any, rows: NDArray[Any]) -> Any:
    """Some rows of a table, which may be sparse or on a device."""
    if not on_device(X):
        return X[rows]
    return namespace(X).take(X, rows if on_device(rows) else beside(rows, X), axis=0)


def as_device_features(X: Any, name: str, at_once: int = 1) -> Any:
    """Features on a device, in float32 or float64. They are not copied, since they may be large.

    In a message about a row, so many rows of X count as one.
    """
    xp = namespace(X)
    X = X.detach() if hasattr(X, "detach") else X
    if getattr(X, "is_sparse", False):
        raise ValueError(f"{name} is sparse; sparse features are matrices of scipy")
    if X.ndim != 2:
        raise ValueError(f"{name} has {X.ndim} dimensions; features are a table with one row per item")
    if xp.isdtype(X.dtype, "complex floating"):
        raise ValueError(f"{name} has complex numbers; features are real")
    if X.dtype not in (xp.float32, xp.float64):  # whole numbers and bools, or half precision
        X = xp.astype(X, xp.float32 if xp.isdtype(X.dtype, "real floating") else xp.float64)
    if X.shape[0] and X.shape[1] and not np.isfinite(extremes(X)).all():
        bad = np.flatnonzero(~to_numpy(xp.all(xp.isfinite(X), axis=1)))
        row = int(bad[0]) // at_once
        raise InputError(f"{name} has a value that is missing or infinite at {{@row}}", row=row)
    return X


def extremes(X: Any) -> tuple[float, float]:
    """The smallest and the largest value, without a temporary array; nan if there is one."""
    if not on_device(X):
        return float(X.min()), float(X.max())
    xp = namespace(X)
    return float(xp.min(X)), float(xp.max(X))
