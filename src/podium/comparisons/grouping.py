"""Equal things found and runs of positions laid out, without a sort and without a loop."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Index = NDArray[np.int64]


def dictionary_encode(column: pa.ChunkedArray) -> tuple[pa.Array, Codes]:
    """The distinct values of a column, and each row's index among them (-1 where null)."""
    if pa.types.is_dictionary(column.type):
        try:
            encoded = column.unify_dictionaries()
        except pa.ArrowInvalid:  # more values than its indices can count
            return dictionary_encode(column.cast(column.type.value_type))
    else:
        encoded = column.dictionary_encode()
    if encoded.num_chunks == 0:
        return pa.array([], type=encoded.type.value_type), np.zeros(0, dtype=np.int32)
    indices = pa.chunked_array([chunk.indices for chunk in encoded.chunks])
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(-1)
    values, codes = encoded.chunk(0).dictionary, indices.to_numpy().astype(np.int32, copy=False)
    return _only_used(values, codes) if pa.types.is_dictionary(column.type) else (values, codes)


def _only_used(values: pa.Array, codes: Codes) -> tuple[pa.Array, Codes]:
    """A category that no row has is no value of the column, and a null among the categories is a null."""
    used = np.zeros(len(values) + 1, dtype=bool)  # the last place is that of -1
    used[codes] = True
    used[:-1] &= values.is_valid().to_numpy(zero_copy_only=False)
    if used[:-1].all():
        return values, codes
    new_code = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
    new_code[-1] = -1
    return values.filter(pa.array(used[:-1])), new_code[codes]


def factorize(keys: Any) -> tuple[Index, Codes]:
    """The first row of each distinct key, and for each row which key it has; keys are what Arrow can hash."""
    _, codes = dictionary_encode(pa.chunked_array([pa.array(keys) if isinstance(keys, np.ndarray) else keys]))
    return first_rows(codes), codes


def factorize_rows(table: NDArray[Any]) -> tuple[Index, Codes]:
    """As `factorize`, for the rows of a table: Arrow compares them by their bytes."""
    if table.shape[1] == 0:
        return np.arange(min(1, len(table))), np.zeros(len(table), dtype=np.int32)
    table = np.ascontiguousarray(table)
    width = pa.binary(table.itemsize * table.shape[1])
    return factorize(pa.Array.from_buffers(width, len(table), [None, pa.py_buffer(table)]))


def first_rows(codes: Codes) -> Index:
    """For each code, the first row that has it."""
    first = np.empty(codes.max(initial=-1) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several assignments the last one stays
    return first


def ranges(start: NDArray[np.integer[Any]], stop: NDArray[np.integer[Any]]) -> tuple[Index, Index]:
    """Every position of ``start[i]:stop[i]`` for each i in turn, and its i.

    >>> ranges(np.array([5, 1]), np.array([7, 4]))
    (array([0, 0, 1, 1, 1]), array([5, 6, 1, 2, 3]))
    """
    size = stop - start
    which = np.repeat(np.arange(len(size)), size)
    return which, np.arange(len(which)) + np.repeat(start - (np.cumsum(size) - size), size)


def bounds(is_start: NDArray[np.bool_]) -> tuple[Index, Index]:
    """For each position, where its run begins and ends, given where runs begin."""
    starts = np.flatnonzero(is_start)
    ends = np.append(starts[1:], len(is_start))
    run = np.cumsum(is_start) - 1
    return starts[run], ends[run]
