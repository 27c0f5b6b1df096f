"""Sums and means over groups of items, of a vector or of the columns of a table."""

from typing import Any

import numpy as np

from podium.comparisons.arrays import Codes, Floats


def group_sums(values: Any, group: Codes) -> Floats:
    """For each group, the sum of the rows of its items."""
    if values.ndim == 1:
        return np.asarray(np.bincount(group, values), dtype=np.float64)
    columns = [np.bincount(group, column) for column in values.T]
    return np.array(columns, dtype=np.float64).reshape(values.shape[1], -1).T


def centred(values: Floats, group: Codes) -> Floats:
    """The values minus the mean of the group of each item; later rows, of other parameters, stay as they are.

    Log-skills are relative to the mean of the items that are ranked together.
    """
    k = len(group)
    if not group.any():
        mean = values[:k].mean(axis=0)
    else:
        size = np.maximum(np.bincount(group), 1).reshape(-1, *[1] * (values.ndim - 1))
        mean = (group_sums(values[:k], group) / size)[group]
    if k == len(values):
        return np.asarray(values - mean)
    found = values.copy()
    found[:k] -= mean
    return found
