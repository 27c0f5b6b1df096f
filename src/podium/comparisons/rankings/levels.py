"""What the levels of rankings say: which entries are tied, and which rankings are equal."""

import numpy as np
import pyarrow as pa

from podium.comparisons.arrays import Codes, Index


def starts_of_levels(indptr: Index, level: Codes) -> Codes:
    """For each entry, 1 if it is the first of its level and 0 otherwise."""
    first: Codes = (np.diff(level, prepend=np.int32(-1)) != 0).astype(np.int32)
    first[indptr[:-1]] = 1
    return first


def in_order_of_items(indptr: Index, entries: Codes, level: Codes, n_items: int) -> Codes:
    """The entries with those of each tie in the order of their codes."""
    first = starts_of_levels(indptr, level)
    if first.all():
        return entries
    start = np.cumsum(first, dtype=np.int64) * n_items
    return (np.sort(start + entries) - start).astype(np.int32)


def bytes_of_rankings(indptr: Index, entries: Codes, level: Codes) -> pa.Array:
    """Each ranking as bytes, equal for rankings that have the same entries on the same levels."""
    words = np.ascontiguousarray(entries * np.int64(2) + starts_of_levels(indptr, level))
    buffers = [None, pa.py_buffer(indptr * words.itemsize), pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.large_binary(), len(indptr) - 1, buffers)
