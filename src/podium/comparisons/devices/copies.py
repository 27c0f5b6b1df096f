"""Copies of data on a device, for what only runs in NumPy. Models warn that they copy, metrics do not."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from podium.comparisons.devices.arrays import beside, off_device, on_device, to_numpy
from podium.comparisons.table import Comparisons

IN_NUMPY = "{what} runs in NumPy only, so the features are copied from the device"

P = ParamSpec("P")
R = TypeVar("R")


def in_numpy(data: Any, what: str) -> Any:
    """Features, or comparisons with features, in NumPy. If that takes a copy, warn that ``what`` needs it."""
    X = data.features if isinstance(data, Comparisons) else data
    if not on_device(X):
        return data
    warnings.warn(IN_NUMPY.format(what=what), UserWarning, stacklevel=3)
    here = to_numpy(X)
    return data.with_features(here, data.feature_names) if isinstance(data, Comparisons) else here


def validate_in_numpy(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """scikit-learn's `validate_data` for estimators that run in NumPy."""
    from sklearn.utils.validation import validate_data

    return validate_data(estimator, in_numpy(X, type(estimator).__name__), off_device(y), **options)


def computed_in_numpy(function: Callable[P, R]) -> Callable[P, R]:
    """Copy arguments from a device to NumPy, and the arrays that the function returns back to the device.

    This is for functions of one number per row, which are cheap to copy.
    """

    @wraps(function)
    def anywhere(*args: P.args, **named: P.kwargs) -> R:
        there = next((value for value in (*args, *named.values()) if on_device(value)), None)
        if there is None:
            return function(*args, **named)
        here: Any = [off_device(value) for value in (*args, *named.values())]
        found: Any = function(*here[: len(args)], **dict(zip(named, here[len(args) :], strict=True)))
        return _beside(found, there)  # type: ignore[no-any-return]

    return anywhere


def _beside(found: Any, there: Any) -> Any:
    if isinstance(found, tuple):  # a curve, perhaps with names
        return getattr(found, "_make", tuple)([_beside(part, there) for part in found])
    return beside(found, there) if isinstance(found, np.ndarray) else found
