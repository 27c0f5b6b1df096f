"""What goes with the rows of a table of items: the group that a row belongs to, and its weight."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.labels import as_column, factorize
from podium.comparisons.messages import first_true, row_name


def group_codes(qid: Any, n: int) -> NDArray[np.int32] | None:
    """A number for every group; None is one group.

    >>> group_codes(["b", "a", "b"], 3)
    array([0, 1, 0], dtype=int32)
    """
    if qid is None:
        return None
    column = as_column(qid, "qid")
    if len(column) != n:
        raise ValueError(f"qid has {len(column):,} rows where {n:,} rows are expected")
    if column.null_count:
        raise ValueError(f"qid is missing at {row_name(first_true(column.is_null()))}")
    return factorize(column)[1]


def row_weights(sample_weight: Any, n: int) -> NDArray[np.float64]:
    """One a row, or one for all, none negative; a row of weight 0 is as good as not there."""
    try:
        weight = np.asarray(1.0 if sample_weight is None else sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight is not a column of numbers") from None
    weight = np.full(n, weight) if weight.ndim == 0 else weight
    if weight.shape != (n,):
        shape = f"{len(weight):,} rows" if weight.ndim == 1 else f"the shape {weight.shape}"
        raise ValueError(f"sample_weight has {shape} where {n:,} rows are expected")
    if (bad := ~(np.isfinite(weight) & (weight >= 0))).any():
        row = first_true(bad)
        raise ValueError(f"the weight {weight[row]} at {row_name(row)} is negative, infinite or missing")
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; give some rows a weight above 0")
    return weight
