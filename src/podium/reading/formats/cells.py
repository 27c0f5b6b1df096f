"""What a column means once its format is decided, and errors that name the first cell without a meaning."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.labels import is_text
from podium.comparisons.messages import InputError, first_true, quoted

Mask = NDArray[np.bool_]


class Column(NamedTuple):
    """The values of a column, and the rows that have none."""

    values: NDArray[Any]
    bad: Mask


class Format(Protocol):
    """How a column is read: decided from all its distinct cells, and applied to any part of it."""

    @property
    def name(self) -> str:
        """The column."""

    @property
    def wanted(self) -> str:
        """What every cell should be."""

    def apply(self, column: pa.ChunkedArray) -> Column:
        """What the cells mean."""


def complete(column: pa.ChunkedArray, form: Format) -> NDArray[Any]:
    """The values, if every row has one; otherwise an error that names the first row without."""
    values, bad = form.apply(column)
    if not bad.any():
        return values
    row = first_true(bad)
    cell, name = column[row].as_py(), form.name
    text = cell.strip() if isinstance(cell, str) else cell
    if text is None or text == "":
        raise InputError(f"column '{name}' is missing at {{@row}}", column=name, row=row, cell="")
    if isinstance(text, float) or str(text).lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise InputError(f"column '{name}' is missing or infinite at {{@row}}", column=name, row=row)
    what = f"column '{name}' has {quoted(text)} at {{@row}} where {form.wanted} should be"
    raise InputError(what, column=name, row=row, cell=text, wanted=form.wanted)


def trimmed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text without blanks around it, categories as their values, and everything else as it is."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.utf8_trim_whitespace(column.cast(pa.large_string())) if is_text(column.type) else column


def first_cast(column: pa.ChunkedArray | pa.Array, kinds: Sequence[pa.DataType]) -> NDArray[Any] | None:
    """The column as the first kind that fits all of it; None if none does."""
    cast = as_first(column, kinds)
    if cast is None:
        return None
    return np.asarray(cast.to_numpy(zero_copy_only=False) if isinstance(cast, pa.Array) else cast.to_numpy())


def as_first(column: pa.ChunkedArray | pa.Array, kinds: Sequence[pa.DataType]) -> Any:
    """As `first_cast`, in Arrow's terms.

    The first rows go first: Arrow writes a message for every cell that does not fit, which takes long.
    """
    for kind in kinds:
        try:
            column.slice(0, 100).cast(kind)
            return column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    return None
