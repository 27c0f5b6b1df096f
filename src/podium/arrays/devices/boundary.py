"""Arrays of libraries such as torch and CuPy become NumPy arrays, and results go back where they came from.

Nearly everything computes in NumPy. Rows of comparisons, labels and weights are copied without a word, since
they are small. Features are large, so a model that copies them says so. Few models, such as `LinearCompare`,
compute where the features are (`podium.arrays.devices.features`).
"""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj, is_dask_array, is_numpy_array
from numpy.typing import NDArray

IN_NUMPY = "{what} runs in NumPy only, so the features are copied from the device"

Floats = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")


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


# ------------------------------------------------------------------------------------ into NumPy


def to_numpy(X: Any) -> NDArray[Any]:
    """The values of an array in NumPy."""
    if not on_device(X):
        return np.asanyarray(X)  # a masked array stays one, so that it can be refused
    if hasattr(X, "detach"):  # torch
        return np.asarray(X.detach().cpu())
    return np.asarray(X.get() if hasattr(X, "get") else X)  # CuPy has get


def to_floats(X: Any) -> Floats:
    """The values of an array in NumPy, in float64."""
    return np.asarray(to_numpy(X), dtype=np.float64)


def from_device(values: Any) -> Any:
    """Values on a device as a NumPy array; anything else, such as a list or a series, unchanged."""
    return to_numpy(values) if on_device(values) else values


def as_array(values: Any) -> Any:
    """An array on a device as it is, and anything else in NumPy."""
    return values if on_device(values) else np.asarray(values)


def in_numpy(data: Any, what: str) -> Any:
    """Features, or comparisons with features, in NumPy. If that takes a copy, warn that ``what`` needs it."""
    X = getattr(data, "features", data)
    if not on_device(X):
        return data
    warnings.warn(IN_NUMPY.format(what=what), UserWarning, stacklevel=3)
    return to_numpy(X) if X is data else data.with_features(to_numpy(X), data.feature_names)


def validate_in_numpy(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """scikit-learn's `validate_data` for estimators that run in NumPy."""
    from sklearn.utils.validation import validate_data

    return validate_data(estimator, in_numpy(X, type(estimator).__name__), from_device(y), **options)


# ------------------------------------------------------------------------------------ and back


def to_device_of(values: Any, X: Any, dtype: Any = None) -> Any:
    """Values from NumPy as an array of the library and on the device of X, in ``dtype`` if given."""
    if not on_device(X):
        return np.asarray(values, dtype=dtype)
    xp, place = namespace(X), device(X)
    stored_once = isinstance(values, np.ndarray) and values.strides == (0,) and len(values)
    if stored_once and values.dtype == np.float64:
        return xp.full(len(values), float(values[0]), dtype=dtype or xp.float64, device=place)
    values = np.require(values, requirements=["C", "W"])  # torch warns about arrays that cannot be written to
    return xp.asarray(values, dtype=dtype, device=place)


def computed_in_numpy(function: Callable[P, R]) -> Callable[P, R]:
    """Copy arguments from a device to NumPy, and the arrays that the function returns back to the device.

    This is for functions of one number per row, which are cheap to copy.
    """

    @wraps(function)
    def anywhere(*args: P.args, **named: P.kwargs) -> R:
        there = next((value for value in (*args, *named.values()) if on_device(value)), None)
        if there is None:
            return function(*args, **named)
        here: Any = [from_device(value) for value in (*args, *named.values())]
        found: Any = function(*here[: len(args)], **dict(zip(named, here[len(args) :], strict=True)))
        return _to_device_of(found, there)  # type: ignore[no-any-return]

    return anywhere


def _to_device_of(found: Any, there: Any) -> Any:
    if isinstance(found, tuple):  # a curve, perhaps with names
        return getattr(found, "_make", tuple)([_to_device_of(part, there) for part in found])
    return to_device_of(found, there) if isinstance(found, np.ndarray) else found
