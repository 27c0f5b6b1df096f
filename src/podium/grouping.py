"""Equal things found and runs of positions laid out, without a sort and without a loop."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Index = NDArray[np.int64]


def dictionary_encode(column: pa.ChunkedArray) -> tuple[pa.Array, Codes]:
    """Distinct values in the order of their first row, and each row's index among them (-1 where null)."""
    encoded = (
        column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    )
    if encoded.num_chunks == 0:
        return pa.array([], type=encoded.type.value_type), np.zeros(0, dtype=np.int32)
    codes = pa.chunked_array([chunk.indices for chunk in encoded.chunks])
    if codes.null_count:
        codes = codes.cast(pa.int64()).fill_null(-1)
    return encoded.chunk(0).dictionary, codes.to_numpy().astype(np.int32, copy=False)


def factorize(keys: Any) -> tuple[Index, Codes]:
    """The first row of each distinct key, and for each row which key it has; keys are what Arrow can hash."""
    _, codes = dictionary_encode(pa.chunked_array([pa.array(keys) if isinstance(keys, np.ndarray) else keys]))
    return first_rows(codes), codes


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
