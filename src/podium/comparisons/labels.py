"""Labels of any kind become integer codes in one pass.

Rows are never sorted: integers that lie densely go through a lookup table, everything else through Arrow's
dictionary encoding (a hash table). Only the distinct labels are sorted, so that the codes do not depend on
the order of the rows.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.arrays.devices.boundary import from_device
from podium.comparisons.arrays import Codes, Index
from podium.comparisons.messages import InputError, first_true, listed, type_name

LONGEST_LABEL = 65_536
NOBODY = (  # where an opponent should be
    *("bye", "Bye", "BYE", "spielfrei", "Spielfrei", "Freilos", "descansa", "Descansa", "exempt", "Exempt"),
    *("-", "--", "---", "–", "—", "?"),
)


class Labels(NamedTuple):
    """The distinct labels, sorted, and for each column the index of every row's label among them."""

    distinct: NDArray[Any]
    codes: list[Codes]


def as_column(values: Any, name: str) -> pa.ChunkedArray:
    """Any one-dimensional array, series or list as an Arrow column."""
    if isinstance(values, pa.ChunkedArray):
        return values
    if hasattr(values, "to_arrow"):
        values = values.to_arrow()
    values = from_device(values)
    try:
        array = values if isinstance(values, pa.Array) else pa.array(values, from_pandas=True)
    except (NotImplementedError, OverflowError, TypeError, ValueError):  # Arrow's errors are among them
        raise ValueError(
            f"column '{name}' mixes types; make its values all strings or all integers"
        ) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


RowOf = Callable[[int], int]


def encode(
    columns: Sequence[pa.ChunkedArray],
    names: Sequence[str],
    *,
    text: bool = False,
    row_of: Sequence[RowOf] | None = None,
) -> Labels:
    """Give the columns one common set of codes.

    With ``text`` the columns come from a file written by people: blanks around a label are dropped, and
    numbers next to text become text. A label of a text file that looks like a number stays text, whatever the
    other labels look like; see `find_labels`. ``row_of`` finds, for messages, the row of the table that an
    entry of a column belongs to, if the two have different numbers.
    """
    row_of = row_of or [int] * len(columns)
    columns = [_comparable(*each) for each in zip(columns, names, row_of, strict=True)]
    integer = [pa.types.is_integer(_value_type(column)) for column in columns]
    if any(integer) and not all(integer):
        if text:  # a sheet in which one side happens to have numbers only
            as_text = [column.cast(pa.large_string()) for column in columns]
            return _encode_hashed(as_text, names, row_of, text=True)
        kinds = ", ".join(
            f"'{name}' holds {type_name(column.type)}" for column, name in zip(columns, names, strict=True)
        )
        raise ValueError(f"the columns name items in different types ({kinds}); make them alike")
    if all(pa.types.is_integer(column.type) for column in columns):
        dense = _encode_dense([column.to_numpy() for column in columns])
        if dense is not None:
            return dense
    return _encode_hashed(columns, names, row_of, text=text)


def _comparable(column: pa.ChunkedArray, name: str, row_of: RowOf) -> pa.ChunkedArray:
    """The column as integers, strings or a dictionary of one of them, without gaps."""
    if column.null_count:
        row = row_of(first_true(column.is_null()))
        raise InputError(f"column '{name}' has no label at {{@row}}", column=name, row=row)
    kind = _value_type(column)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_uint64(kind):
        try:  # what a frame makes of integers once a value was missing
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            what = "numbers too large" if pa.types.is_uint64(kind) else "fractions"
            raise ValueError(f"column '{name}' holds {what}; labels are strings or integers") from None
    if pa.types.is_null(kind) or len(column) == 0:
        return column.cast(pa.string())
    if pa.types.is_integer(kind) or is_text(kind):
        return column
    raise ValueError(f"column '{name}' holds {type_name(kind)}; labels are strings or integers")


def alike(columns: Sequence[pa.ChunkedArray]) -> list[pa.ChunkedArray]:
    """Cast columns of labels to one Arrow type; frames change the type of columns with gaps or categories."""
    columns = [column.cast(_value_type(column)) for column in columns]
    wanted = pa.large_string() if any(is_text(column.type) for column in columns) else pa.int64()
    return [
        column.cast(wanted)
        if is_text(column.type) == is_text(wanted) or pa.types.is_null(column.type)
        else column
        for column in columns
    ]


def truths_as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of truth values as true and false; any other as it is."""
    return column.cast(pa.string()) if pa.types.is_boolean(column.type) else column


def is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _value_type(column: pa.ChunkedArray) -> pa.DataType:
    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def _encode_dense(arrays: list[NDArray[Any]]) -> Labels | None:
    """Integers by a lookup table, when the table is not much longer than the data."""
    arrays = [array.astype(np.int64, copy=False) for array in arrays]
    filled = [array for array in arrays if len(array)]
    if not filled:
        return None
    lowest = min(int(array.min()) for array in filled)
    span = max(int(array.max()) for array in filled) - lowest + 1
    if span > max(4 * sum(map(len, arrays)), 65_536):
        return None
    shifted = [array - lowest if lowest else array for array in arrays]
    seen = _appearing(shifted, span)
    if seen.all():
        codes = [array.astype(np.int32) for array in shifted]
    else:
        code_of = (np.cumsum(seen) - 1).astype(np.int32)
        codes = [code_of[array] for array in shifted]
    return Labels(np.flatnonzero(seen) + lowest, codes)


def _appearing(arrays: list[NDArray[Any]], span: int) -> NDArray[np.bool_]:
    """Which of the numbers from 0 to ``span`` appear; it stops as soon as all of them have."""
    seen = np.zeros(span, dtype=bool)
    step = max(span, 65_536)
    for array in arrays:
        for start in range(0, len(array), step):
            seen[array[start : start + step]] = True
            if seen.all():
                return seen
    return seen


def _encode_hashed(
    columns: list[pa.ChunkedArray], names: Sequence[str], row_of: Sequence[RowOf], *, text: bool
) -> Labels:
    with ThreadPoolExecutor(max_workers=2) as pool:  # Arrow lets go of the interpreter lock
        encoded = list(pool.map(dictionary_encode, columns))
    for (_, codes), name, row in zip(encoded, names, row_of, strict=True):
        if (codes < 0).any():  # a null among the categories
            raise InputError(
                f"column '{name}' has no label at {{@row}}", column=name, row=row(first_true(codes < 0))
            )
    values = [distinct for distinct, _ in encoded]
    if pa.types.is_integer(values[0].type):
        values = [each.cast(pa.int64()) for each in values]
    else:
        values = [each.cast(pa.large_string()) for each in values]
        if text:
            values = [pc.utf8_trim_whitespace(each) for each in values]
        for each, (_, codes), name, row in zip(values, encoded, names, row_of, strict=True):
            _check_lengths(each, codes, name, row)
    distinct = pa.chunked_array(values).unique()
    distinct = distinct.take(pc.sort_indices(distinct))
    code_of = [pc.index_in(each, value_set=distinct).to_numpy() for each in values]
    recoded = [new[old] for new, (_, old) in zip(code_of, encoded, strict=True)]
    return Labels(distinct.to_numpy(zero_copy_only=False), recoded)


def _check_lengths(values: pa.Array, codes: Codes, name: str, row_of: RowOf) -> None:
    """Refuse blank labels, and huge ones, which come from an open quote or the wrong column."""
    lengths = pc.utf8_length(pc.utf8_trim_whitespace(values)).to_numpy()
    for strange, what in ((lengths == 0, "an empty label"), (lengths > LONGEST_LABEL, "a label too long")):
        if strange.any():
            row = row_of(first_true(np.isin(codes, np.flatnonzero(strange))))
            allowed = f"labels have 1 to {LONGEST_LABEL:,} characters"
            raise InputError(f"column '{name}' has {what} at {{@row}}; {allowed}", column=name, row=row)


def unusable_labels(column: pa.ChunkedArray, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each label whether it is missing (or much too long), and whether it stands for nobody: a bye."""
    try:
        values, codes = dictionary_encode(column)
    except pa.ArrowNotImplementedError:
        what = f"column '{name}' holds {type_name(column.type)}; labels are strings or integers"
        raise ValueError(what) from None
    missing, nobody = np.zeros(len(values) + 1, dtype=bool), np.zeros(len(values) + 1, dtype=bool)
    missing[-1] = True  # the place of -1
    if is_text(values.type):
        text = pc.utf8_trim_whitespace(values.cast(pa.large_string()))
        lengths = pc.utf8_length(text).to_numpy(zero_copy_only=False)
        missing[:-1] = (lengths == 0) | (lengths > LONGEST_LABEL)
        nobody[:-1] = np.asarray(pc.is_in(text, value_set=pa.array(NOBODY, pa.large_string())))
    return missing[codes], nobody[codes]


# ------------------------------------------------------------------------------------ labels again


def find_labels(known: NDArray[Any], labels: Any) -> Index:
    """The position of each label among the known ones; -1 if it is unknown.

    The text ``'7'`` and the integer 7 are one name, since text files have the first where frames have the
    second. ``'07'`` is another name. Known labels that have both 7 and ``'7'`` are told apart by their type.

    >>> find_labels(np.array(["10", "7", "X9"]), [7, "X9", "07"])
    array([ 1,  2, -1])
    >>> find_labels(np.array([7, 10]), ["10", "X9"])
    array([ 1, -1])
    """
    labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    place = {label: number for number, label in enumerate(known.tolist())}
    found = np.array([place.get(label, -1) for label in labels], dtype=np.int64)
    if (found < 0).any():
        by_text: dict[str | None, int] = {str(label): number for label, number in place.items()}
        if len(by_text) == len(place):
            lost = np.flatnonzero(found < 0)
            found[lost] = [by_text.get(_as_text(labels[row]), -1) for row in lost]
    return found


def codes_among(items: NDArray[Any], own: NDArray[Any], appears: NDArray[np.bool_]) -> Codes:
    """The position of each own item among other items, which must have all own items that appear."""
    if len(set(items.tolist())) < len(items):
        raise ValueError("the items have one of them twice")
    codes = find_labels(items, own).astype(np.int32)
    if (unknown := own[(codes < 0) & appears]).size:
        raise ValueError(f"{len(unknown):,} of the items are unknown: {listed(unknown)}")
    return codes


def _as_text(label: Any) -> str | None:
    """The label as a text file would spell it; None if it cannot be a label."""
    if isinstance(label, float) and label.is_integer():  # what a frame makes of integers beside a gap
        label = int(label)
    return str(label) if isinstance(label, str | int | np.integer) else None


# ------------------------------------------------------------------------------------ equal values


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
    """Drop categories that no row has, and treat a null among the categories as missing."""
    used = np.zeros(len(values) + 1, dtype=bool)  # the last place is that of -1
    used[codes] = True
    used[:-1] &= values.is_valid().to_numpy(zero_copy_only=False)
    if used[:-1].all():
        return values, codes
    new_code = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
    new_code[-1] = -1
    return values.filter(pa.array(used[:-1])), new_code[codes]


class Distinct(NamedTuple):
    """The distinct cells of a column, with null if a row has none; how many rows have each, and the first."""

    cells: pa.Array
    rows: Index
    first_row: Index

    @classmethod
    def of(cls, column: pa.ChunkedArray, rows: Index | None = None) -> Self:
        """``rows`` is how many rows each row of the column stands for, by default 1."""
        return cls.of_codes(*dictionary_encode(column), rows)

    @classmethod
    def of_codes(cls, cells: pa.Array, codes: Codes, rows: Index | None = None) -> Self:
        """A row of code -1 has no cell."""
        if (codes < 0).any():
            cells = pa.concat_arrays([cells, pa.nulls(1, cells.type)])
            codes = np.where(codes < 0, len(cells) - 1, codes)
        count = np.bincount(codes, rows, len(cells)).astype(np.int64)
        return cls(cells, count, first_rows(codes))

    def only(self, wanted: NDArray[np.bool_]) -> Self:
        return type(self)(self.cells.filter(pa.array(wanted)), self.rows[wanted], self.first_row[wanted])

    def first(self, wanted: NDArray[np.bool_]) -> tuple[Any, int]:
        """Of the wanted cells the one that comes first, and its row."""
        places = np.flatnonzero(wanted)
        at = places[np.argmin(self.first_row[places])]
        return self.cells[int(at)].as_py(), int(self.first_row[at])


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


def merge_equal(keys: Mapping[str, Any], count: NDArray[np.float64]) -> tuple[Index, NDArray[np.float64]]:
    """The first of all rows that agree in their keys, and the sum of their counts."""
    table = pa.table({**keys, "count": count, "row": np.arange(len(count))})
    merged = table.group_by(list(keys), use_threads=False).aggregate([("count", "sum"), ("row", "min")])
    return merged["row_min"].to_numpy(), merged["count_sum"].to_numpy()
