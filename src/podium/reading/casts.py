"""Columns of a table as arrays of numbers, moments or truth values, and which rows cannot be read as such.

A column that Arrow can cast as it is costs one pass. Only a column with something else in it is looked at
again, by `podium.reading.numbers` and `podium.reading.dates`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.labels import dictionary_encode, is_text
from podium.comparisons.messages import InputError, first_true, quoted
from podium.comparisons.outcomes import Votes
from podium.options import DateOrder
from podium.reading.dates import Cells, Mask, as_moments, spelled_times
from podium.reading.numbers import spelled_numbers

MOMENTS = [
    pa.timestamp(unit, zone) for zone in (None, "UTC") for unit in ("s", "us", "ns")
]  # 10:00Z is 12:00+02:00
YES, NO = "true t yes y 1 1.0".split(), "false f no n 0 0.0".split()
YES_NO = dict.fromkeys(YES, True) | dict.fromkeys(NO, False)
GROUND = {"neutral": True, "n": True, "home": False, "h": False}


def numbers(table: pa.Table, name: str, kinds: Sequence[pa.DataType] = (pa.float64(),)) -> NDArray[Any]:
    """A column of finite numbers."""
    return _complete(table[name], number_cells(table[name], name, kinds), name)


def feature_matrix(table: pa.Table, names: Sequence[str]) -> NDArray[np.float64]:
    """Columns of finite numbers, side by side."""
    return np.column_stack([numbers(table, name) for name in names])


def times(table: pa.Table, name: str, order: DateOrder | None = None, votes: Votes | None = None) -> Cells:
    """A column of numbers or moments, none of them missing."""
    cells = time_cells(table[name], name, order, votes)
    _complete(table[name], cells, name)
    return cells


def truths(table: pa.Table, name: str) -> Mask:
    """A column of truth values, none of them missing."""
    return _complete(table[name], truth_cells(table[name], name), name)


def number_cells(column: pa.ChunkedArray, name: str, kinds: Sequence[pa.DataType] = (pa.float64(),)) -> Cells:
    """Numbers of one of the kinds, the first that fits; decimal commas and ½ are numbers too."""
    column = trimmed(column)
    values = _first_cast(column, kinds)
    if values is None and is_text(column.type):
        values = spelled_numbers(column, name)
    elif values is None:
        values = np.full(len(column), np.nan)
    return Cells(values, ~np.isfinite(values), "a number")


def truth_cells(column: pa.ChunkedArray, name: str) -> Cells:
    """Truth values, however a file spells them; the ground of a game may be neutral or home."""
    column = trimmed(column)
    if is_text(column.type):
        return _spelled_truths(column, name)
    values = _first_cast(column, (pa.float64(),))
    values = np.full(len(column), np.nan) if values is None else values
    return Cells(values == 1, ~np.isin(values, (0, 1)), "true or false")


def _spelled_truths(column: pa.ChunkedArray, name: str) -> Cells:
    """Truth values by the vocabulary that fits: N means no beside Y, and neutral beside H."""
    distinct, codes = dictionary_encode(column)
    words = [word.casefold() for word in distinct.to_pylist()]
    known = [sum(word in vocabulary for word in words) for vocabulary in (YES_NO, GROUND)]
    if "n" in words and known[0] == known[1]:
        code = words.index("n")
        cell, row = distinct[code].as_py(), first_true(codes == code)
        raise InputError(
            f"column '{name}' has {quoted(cell)} at {{@row}}, which could mean no or neutral; write "
            "true and false",
            column=name,
            row=row,
        )
    vocabulary = GROUND if known[1] > known[0] else YES_NO
    truth = np.array([vocabulary.get(word, False) for word in words] + [False])
    strange = np.array([word not in vocabulary for word in words] + [True])  # the last for an empty cell
    return Cells(truth[codes], strange[codes], "true or false")


def time_cells(
    column: pa.ChunkedArray, name: str, order: DateOrder | None = None, votes: Votes | None = None
) -> Cells:
    """Numbers or moments, however a file spells them; ``votes`` as in `spelled_times`."""
    column = trimmed(column)
    if not is_text(column.type):
        missing = column.is_null().to_numpy() if column.null_count else np.zeros(len(column), dtype=bool)
        values = np.asarray(column.to_numpy())
        return _as_moments(Cells(values, missing | ~_finite(values), "a number or a date"))
    if (plain := _first_cast(column, (pa.int64(), pa.float64()))) is not None:
        return _as_moments(Cells(plain, ~np.isfinite(plain), "a number"))
    dashed = pc.replace_substring_regex(column, r"^(\d{4})[./](\d{2})[./](\d{2})", r"\1-\2-\3")
    if not column.null_count and (moments := _first_cast(dashed, MOMENTS)) is not None:
        return Cells(moments, np.zeros(len(column), dtype=bool), "a date")
    return _as_moments(spelled_times(column, name, order, votes))


def trimmed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text without blanks around it, categories as their values, and everything else as it is."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.utf8_trim_whitespace(column.cast(pa.large_string())) if is_text(column.type) else column


def _complete(column: pa.ChunkedArray, cells: Cells, name: str) -> NDArray[Any]:
    """The values, if every row has one; otherwise an error that names the first row without."""
    if not cells.bad.any():
        return cells.values
    row = first_true(cells.bad)
    cell = column[row].as_py()
    text = cell.strip() if isinstance(cell, str) else cell
    if text is None or text == "":
        raise InputError(f"column '{name}' is missing at {{@row}}", column=name, row=row, cell="")
    if isinstance(text, float) or str(text).lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise InputError(f"column '{name}' is missing or infinite at {{@row}}", column=name, row=row)
    what = f"column '{name}' has {quoted(text)} at {{@row}} where {cells.wanted} should be"
    raise InputError(what, column=name, row=row, cell=text, wanted=cells.wanted)


def _as_moments(cells: Cells) -> Cells:
    """Numbers that can only be moments (seconds since 1970, 20220905) as moments; others stay numbers."""
    values, how = as_moments(cells.values, ~cells.bad)
    return cells._replace(values=values, how=cells.how or how)


def _finite(values: NDArray[Any]) -> Mask:
    if values.dtype.kind == "M":
        return np.asarray(~np.isnat(values))
    return np.asarray(np.isfinite(values)) if values.dtype.kind in "iuf" else np.ones(len(values), dtype=bool)


def _first_cast(column: pa.ChunkedArray, kinds: Sequence[pa.DataType]) -> NDArray[Any] | None:
    """The column as the first kind that fits all of it; None if none does.

    The first rows go first: Arrow writes a message for every cell that does not fit, which takes long.
    """
    for kind in kinds:
        try:
            column.slice(0, 100).cast(kind)
            return np.asarray(column.cast(kind).to_numpy())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    return None
