"""Targets of `OrdinalSVM`: ordered classes, and real numbers in bins of equal frequency."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.messages import InputWarning, quoted

CATEGORICAL = "pandas.Categorical(y, categories=[...], ordered=True)"


class Bins(NamedTuple):
    """A real target in bins: the median of each bin, the bin of each row, and the numbers between bins."""

    medians: Floats
    level: Positions
    edges: Floats


def equal_frequency(y: Any, weight: Floats, bins: int) -> Bins:
    """Cut between distinct values, where the cumulative weight is closest to a multiple of total / bins.

    >>> equal_frequency([1.0, 2.0, 2.0, 5.0], np.ones(4), 2)
    Bins(medians=array([1., 2.]), level=array([0, 1, 1, 1]), edges=array([1.5]))
    """
    values, inverse = np.unique(np.asarray(y, dtype=np.float64), return_inverse=True)
    total = np.cumsum(np.bincount(inverse, weight))
    if len(values) < 2:
        raise ValueError(f"y has one value, {values[0]:g}, where at least two classes are needed")
    wanted = total[-1] * np.arange(1, bins) / bins
    cuts = np.unique(np.abs(total[:-1, None] - wanted).argmin(axis=0))
    edges = 0.5 * (values[cuts] + values[cuts + 1])
    level = np.searchsorted(cuts, inverse, side="left")
    own = np.searchsorted(cuts, np.arange(len(values)), side="left")
    medians = [_median(values[own == k], np.diff(total, prepend=0.0)[own == k]) for k in range(len(cuts) + 1)]
    return Bins(np.array(medians), level, edges)


def _median(values: Floats, weight: Floats) -> float:
    """The weighted median of sorted distinct values; between two if exactly half of the weight is below."""
    below = np.cumsum(weight) / weight.sum()
    first = int(np.searchsorted(below, 0.5 - 1e-12))
    if abs(below[first] - 0.5) <= 1e-12:
        return float(0.5 * (values[first] + values[first + 1]))
    return float(values[first])


def ordered_categories(y: Any) -> list[Any] | None:
    """The categories of an ordered pandas categorical, or of a series of these."""
    dtype: Any = getattr(y, "dtype", None)
    return list(dtype.categories) if getattr(dtype, "ordered", None) is True else None


def numbered_categories(y: Any) -> Any:
    """An ordered categorical as numbers in its order, nan if missing; anything else unchanged.

    >>> import pandas as pd
    >>> numbered_categories(pd.Categorical(["good", "poor", None], ["poor", "good"], ordered=True))
    array([ 1.,  0., nan])
    """
    if ordered_categories(y) is None:
        return y
    codes = np.asarray(getattr(y, "cat", y).codes, dtype=np.float64)
    return np.where(codes < 0, np.nan, codes)


def ordered_classes(y: NDArray[Any], categories: list[Any] | None) -> tuple[NDArray[Any], Positions]:
    """The classes that occur, in their order, and the position of each row's class among them."""
    kind = "multiclass" if y.ndim == 1 and y.dtype.kind in "biuU" else type_of_target(y)
    if kind.startswith("continuous"):
        raise ValueError(
            "Unknown label type: y has real numbers where ordered classes are expected; "
            "give bins=5 to cut it into five bins of equal frequency"
        )
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"Unknown label type: y is '{kind}' where a column of ordered classes is expected")
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(f"y has one class, {quoted(classes[0])}, where at least two are needed")
    level = np.searchsorted(classes, y)
    if categories is None:
        return classes, level
    order = np.argsort([categories.index(label) for label in classes])
    return classes[order], np.argsort(order)[level]


def alphabetical(classes: NDArray[Any]) -> InputWarning | None:
    """The warning about three or more classes of text; with two, the order only flips the score.

    >>> print(alphabetical(np.array(["fair", "good", "poor"])))  # doctest: +ELLIPSIS
    y is text, and its classes are taken in the order of the alphabet, 'fair' < 'good' < 'poor'; ...
    """
    if len(classes) < 3 or not isinstance(classes[0], str):
        return None
    shown = [quoted(label) for label in classes]
    shown = shown if len(shown) <= 10 else [*shown[:5], "...", *shown[-2:]]
    return InputWarning(
        f"{{@y is text}}, and its classes are taken in the order of the alphabet, {' < '.join(shown)}; for "
        f"another order give numbers, or {CATEGORICAL}, the lowest class first"
    )
