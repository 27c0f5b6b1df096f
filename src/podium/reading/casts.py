"""Columns of a table as arrays of numbers or of moments; an error names the first row that is neither."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.labels import is_text
from podium.comparisons.messages import first_true, quoted, row_name

MOMENTS = [pa.timestamp(unit, zone) for zone in (None, "UTC") for unit in ("s", "us", "ns")]
TIME_KINDS = (pa.int64(), pa.float64(), *MOMENTS)  # 10:00Z and 12:00+02:00 are one moment


def numbers(table: pa.Table, name: str, kinds: Sequence[pa.DataType] = (pa.float64(),)) -> NDArray[Any]:
    """A column of finite numbers."""
    values = _cast(complete(table, name), kinds, name, "a number")
    if not (finite := np.isfinite(values)).all():
        raise ValueError(f"column '{name}' is missing or infinite at {row_name(first_true(~finite))}")
    return values


def feature_matrix(table: pa.Table, names: Sequence[str]) -> NDArray[np.float64]:
    """Columns of finite numbers, side by side."""
    return np.column_stack([numbers(table, name) for name in names])


def times(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of numbers or of moments, which text files spell out."""
    column = complete(table, name)
    if not is_text(column.type):
        return np.asarray(column.to_numpy())
    dashed = pc.replace_substring_regex(trimmed(column), r"^(\d{4})[./](\d{2})[./](\d{2})", r"\1-\2-\3")
    return _cast(dashed, TIME_KINDS, name, "a number or a date")


def complete(table: pa.Table, name: str) -> pa.ChunkedArray:
    """A column in which nothing is missing."""
    column = table[name]
    if column.null_count:
        raise ValueError(f"column '{name}' is missing at {row_name(first_true(column.is_null()))}")
    return column


def trimmed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text without blanks around it, categories as their values, and everything else as it is."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.utf8_trim_whitespace(column.cast(pa.large_string())) if is_text(column.type) else column


def _cast(column: pa.ChunkedArray, kinds: Sequence[pa.DataType], name: str, wanted: str) -> NDArray[Any]:
    """The column as the first kind that fits all of it; an error names the first row that does not fit."""
    column = trimmed(column)
    for kind in kinds:
        if (values := _try_cast(column, kind)) is not None:
            return np.asarray(values.to_numpy())
    likely = next((kind for kind in kinds if _try_cast(column[:1], kind) is not None), kinds[-1])
    good, bad = 0, len(column)  # so many rows fit, so many do not
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if _try_cast(column[:middle], likely) is None else (middle, bad)
    if good and pa.types.is_timestamp(likely):  # perhaps one has a time zone and the other has none
        wanted = f"a date like {quoted(column[0].as_py())}"
    where = f"{quoted(column[good].as_py())} at {row_name(good)}"
    raise ValueError(f"column '{name}' has {where} where {wanted} should be")


def _try_cast(values: Any, kind: pa.DataType) -> Any:
    try:
        return values.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
