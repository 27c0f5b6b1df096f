"""What a model is given to fit, if it is in partitions: the counterpart of `podium.comparisons.inputs`."""

from typing import Any

import numpy as np

from podium.arrays.partitions.blocks import is_dask, mapped
from podium.arrays.partitions.rounds import Partitions
from podium.arrays.partitions.table import PartitionedComparisons
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.table import Comparisons


def in_partitions(c: Any) -> bool:
    return isinstance(c, PartitionedComparisons) or is_dask(c)


def comparisons_in_partitions(c: Any, y: Any, sample_weight: Any) -> Partitions:
    """Comparisons with features and outcomes, or None, in every partition."""
    if not isinstance(c, PartitionedComparisons):
        if getattr(c, "ndim", None) != 3 or c.shape[1] != 2:
            raise ValueError(
                f"c is PartitionedComparisons or an array of shape (n, 2, p), not {_form(c)}; "
                "podium.PartitionedComparisons.from_frame takes frames"
            )
        if y is None:
            raise ValueError("these comparisons have no outcome to learn from; give it as y")
        return mapped(_comparisons, c=c, y=y, sample_weight=sample_weight)
    if y is not None or sample_weight is not None:
        raise ValueError(
            "PartitionedComparisons hold their outcomes and weights; leave out y and sample_weight"
        )
    return c.partitions


def _form(c: Any) -> str:
    return f"of shape {c.shape}" if hasattr(c, "chunks") else f"a {type(c).__name__}"


def _comparisons(c: Any, y: Any, sample_weight: Any = None) -> Comparisons | None:
    if (not len(c) and not len(y)) or (sample_weight is not None and not np.any(sample_weight)):
        return None
    return with_outcomes(featured_pairs(c), y, sample_weight)
