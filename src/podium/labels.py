"""Labels of any kind become integer codes in one pass.

Rows are never sorted: integers that lie densely go through a lookup table, everything else through Arrow's
dictionary encoding (a hash table). Only the distinct labels are sorted, so that the codes do not depend on
the order of the rows.
"""

import reprlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

LONGEST_LABEL = 65_536
INTEGER_TEXT = r"^(0|-?[1-9][0-9]{0,17})$"


class Labels(NamedTuple):
    """The distinct labels, sorted, and for each column the index of every row's label among them."""

    distinct: NDArray[Any]
    codes: list[NDArray[np.int32]]


def row_name(index: int) -> str:
    """How every message names a row, so that nobody has to guess where counting starts."""
    return f"row {index + 1} (counting from 1)"


def quoted(value: Any) -> str:
    """A label or cell for a message: in quotes, and cut if it is long."""
    return reprlib.repr(value)


def as_column(values: Any, name: str) -> pa.ChunkedArray:
    """Any one-dimensional array, series or list as an Arrow column."""
    if isinstance(values, pa.ChunkedArray):
        return values
    if hasattr(values, "to_arrow"):
        values = values.to_arrow()
    try:
        array = values if isinstance(values, pa.Array) else pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError):
        raise ValueError(
            f"column '{name}' mixes types; make its values all strings or all integers"
        ) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def encode(columns: Sequence[pa.ChunkedArray], names: Sequence[str], *, text: bool = False) -> Labels:
    """Give the columns one common set of codes.

    With ``text`` the columns were read from a text file: labels that are all whole numbers written in the
    one canonical way become integers, so that ``7`` stays apart from ``07`` but sorts before ``10``.
    """
    columns = [_comparable(column, name) for column, name in zip(columns, names, strict=True)]
    if len({pa.types.is_integer(column.type) for column in columns}) > 1:
        kinds = ", ".join(
            f"'{name}' holds {column.type}" for column, name in zip(columns, names, strict=True)
        )
        raise ValueError(f"the columns name items in different types ({kinds}); make them alike")
    if all(pa.types.is_integer(column.type) for column in columns):
        arrays = [column.to_numpy() for column in columns]
        if (dense := _encode_dense(arrays)) is not None:
            return dense
    return _encode_hashed(columns, names, text=text)


def _comparable(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """The column as integers, strings or a dictionary of one of them, without gaps."""
    if column.null_count:
        raise ValueError(f"column '{name}' has no label at {row_name(first_true(column.is_null()))}")
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_floating(kind):  # what a frame makes of integers once a value was missing
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise ValueError(f"column '{name}' holds fractions; labels are strings or integers") from None
    if pa.types.is_null(kind) or len(column) == 0:
        return column.cast(pa.string())
    if pa.types.is_integer(kind) or _is_text(kind):
        return column
    raise ValueError(f"column '{name}' holds {kind}; labels are strings or integers")


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _encode_dense(arrays: list[NDArray[Any]]) -> Labels | None:
    """Integers by a lookup table, when the table is not much longer than the data."""
    n_rows = sum(map(len, arrays))
    if n_rows == 0:
        return None
    lowest = min(int(array.min()) for array in arrays)
    span = max(int(array.max()) for array in arrays) - lowest + 1
    if span > max(4 * n_rows, 65_536):
        return None
    seen = np.zeros(span, dtype=bool)
    shifted = [array - lowest if lowest else array for array in arrays]
    for array in shifted:
        seen[array] = True
    if seen.all():
        codes = [array.astype(np.int32) for array in shifted]
    else:
        code_of = (np.cumsum(seen) - 1).astype(np.int32)
        codes = [code_of[array] for array in shifted]
    return Labels(np.flatnonzero(seen) + lowest, codes)


def _encode_hashed(columns: list[pa.ChunkedArray], names: Sequence[str], *, text: bool) -> Labels:
    with ThreadPoolExecutor(max_workers=2) as pool:  # Arrow lets go of the interpreter lock
        encoded = list(pool.map(dictionary_encode, columns))
    if any(not pa.types.is_integer(values.type) for values, _ in encoded):
        encoded = [(values.cast(pa.large_string()), codes) for values, codes in encoded]
        if text:  # "ann, bob" names bob, not a blank and bob
            encoded = [(pc.utf8_trim_whitespace(values), codes) for values, codes in encoded]
        _check_lengths(encoded, names)
        if text and all(
            pc.all(pc.match_substring_regex(values, INTEGER_TEXT)).as_py() for values, _ in encoded
        ):
            encoded = [(values.cast(pa.int64()), codes) for values, codes in encoded]
    distinct = pa.chunked_array([values for values, _ in encoded]).unique()
    distinct = distinct.take(pc.sort_indices(distinct))
    codes = [_recode(values, codes, distinct) for values, codes in encoded]
    integers = pa.types.is_integer(distinct.type)
    return Labels(distinct.to_numpy(zero_copy_only=False).astype(np.int64 if integers else object), codes)


def dictionary_encode(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int32]]:
    """Distinct values in the order of their first row, and each row's index among them (-1 where null)."""
    encoded = (
        column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    )
    if encoded.num_chunks == 0:
        return pa.array([], type=encoded.type.value_type), np.zeros(0, dtype=np.int32)
    codes = pa.chunked_array([chunk.indices for chunk in encoded.chunks])
    if codes.null_count:
        codes = codes.fill_null(-1)
    return encoded.chunk(0).dictionary, codes.to_numpy().astype(np.int32, copy=False)


def _check_lengths(encoded: list[tuple[pa.Array, NDArray[np.int32]]], names: Sequence[str]) -> None:
    """A label of a megabyte is a broken quote or the wrong column, and would wreck every table."""
    for (values, codes), name in zip(encoded, names, strict=True):
        lengths = pc.utf8_length(values).to_numpy(zero_copy_only=False)
        for strange, what in (
            (lengths == 0, "an empty label"),
            (lengths > LONGEST_LABEL, "a label too long"),
        ):
            if strange.any():
                row = first_true(np.isin(codes, np.flatnonzero(strange)))
                raise ValueError(
                    f"column '{name}' has {what} at {row_name(row)}; "
                    f"labels have 1 to {LONGEST_LABEL:,} characters"
                )


def _recode(values: pa.Array, codes: NDArray[np.int32], distinct: pa.Array) -> NDArray[np.int32]:
    new_code = pc.index_in(values, value_set=distinct).to_numpy(zero_copy_only=False).astype(np.int32)
    return new_code[codes] if len(new_code) else codes


def factorize(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The first row of each distinct key, and for each row which key it has; no sort."""
    _, codes = dictionary_encode(pa.chunked_array([pa.array(keys)]))
    first = np.empty(codes.max(initial=-1) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the assignment that stays is the first row's
    return first, codes


def equal_rows(columns: list[NDArray[np.integer[Any]]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """An order of the rows in which equal ones stand together, and where each run of them starts."""
    lowest = [int(column.min(initial=0)) for column in columns]
    spans = [int(column.max(initial=0)) - low + 1 for column, low in zip(columns, lowest, strict=True)]
    if prod(spans) < 2**63:
        key = np.zeros(len(columns[0]), dtype=np.int64)
        for column, low, span in zip(columns, lowest, spans, strict=True):
            key = key * span + (column - low)
        order = np.argsort(key, kind="stable")
    else:
        order = np.lexsort(columns[::-1])
    new = np.ones(len(order), dtype=bool)
    new[1:] = False
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    return order, np.flatnonzero(new)


def first_true(mask: pa.ChunkedArray | NDArray[np.bool_]) -> int:
    """Index of the first true value."""
    return int(np.argmax(mask.to_numpy() if isinstance(mask, pa.ChunkedArray) else mask))
