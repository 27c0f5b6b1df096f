"""How columns of numbers and truth values are read: decided from all cells, then applied to any part."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.labels import Distinct, dictionary_encode, is_text
from podium.comparisons.messages import InputError, first_true, quoted

Mask = NDArray[np.bool_]
NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$|^[-+]?(?i:inf|infinity|nan)$"
GAP = r"[ '’\x{a0}\x{202f}]"
SPACED = rf"^[-+]?\d{{1,3}}({GAP}\d{{3}})+([.,]\d+)?$"  # 12 345
DECIMAL = r"^[-+]?\d*,\d+$"  # 0,5
GROUPED = r"^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$"  # 12,345 and 12,345.6
DOTTED = r"^[-+]?\d{1,3}(\.\d{3})+,\d+$"  # 1.234,5
SHAPES = (DECIMAL, GROUPED, DOTTED)
YES, NO = "true t yes y 1 1.0".split(), "false f no n 0 0.0".split()
YES_NO = dict.fromkeys(YES, True) | dict.fromkeys(NO, False)
GROUND = {"neutral": True, "n": True, "home": False, "h": False}


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
    if isinstance(text, list):
        what = f"column '{name}' has a list of length {len(text)} at {{@row}} where "
        what += (
            f"{values.shape[1]} finite numbers should be" if values.ndim > 1 else f"{form.wanted} should be"
        )
        raise InputError(what, column=name, row=row, wanted=form.wanted)
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


# ------------------------------------------------------------------------------------ numbers


@dataclass(frozen=True)
class Numbers:
    """How a column of numbers is read: 12,345 is twelve thousand if ``grouped``, or twelve and a bit.

    If all are ``whole``, integers keep all digits. With ``lists`` a cell may be a list of numbers.
    """

    name: str
    grouped: bool = True
    whole: bool = False
    lists: bool = False
    wanted: ClassVar[str] = "a number"

    def apply(self, column: pa.ChunkedArray) -> Column:
        """Cells that Arrow can cast as they are cost one pass; others are looked at again."""
        column = trimmed(column)
        if self.lists and is_list(column.type):
            return _vectors(column)
        values = first_cast(column, [pa.int64()] * self.whole + [pa.float64()])
        if values is None and is_text(column.type):
            cells, codes = dictionary_encode(column)
            values = np.append(self.spelled(cells), np.nan)[codes]
        elif values is None:
            values = np.full(len(column), np.nan)
        return Column(values, ~np.isfinite(values))

    def spelled(self, cells: pa.Array) -> Floats:
        """The numbers of cells of text, nan where there is none."""
        cells = _without_fractions_and_gaps(cells)
        decimal, grouped, dotted = (_matches(cells, pattern) for pattern in SHAPES)
        grouped &= ~decimal | self.grouped
        cells = pc.if_else(pa.array(grouped), pc.replace_substring(cells, ",", ""), cells)
        cells = pc.if_else(pa.array(dotted), pc.replace_substring(cells, ".", ""), cells)
        commas = (decimal | dotted) & ~grouped
        cells = pc.if_else(pa.array(commas), pc.replace_substring(cells, ",", "."), cells)
        known = pc.if_else(pa.array(_matches(cells, NUMBER)), cells, None).cast(pa.float64())
        return np.asarray(known.to_numpy(zero_copy_only=False))


def decide_numbers(name: str, with_commas: Distinct, whole: bool = False) -> Numbers:
    """How to read a column of numbers, from its cells with commas.

    ``12,345`` is twelve thousand or twelve and a bit. The other cells of the column decide; if none of them
    does, the column is refused.
    """
    if not len(with_commas.cells):
        return Numbers(name, whole=whole)
    cells = _without_fractions_and_gaps(with_commas.cells)
    decimal, grouped, dotted = (_matches(cells, pattern) for pattern in SHAPES)
    unclear = decimal & grouped
    has_decimals, has_groups = (dotted | decimal & ~grouped).any(), (grouped & ~decimal).any()
    if unclear.any() and has_decimals == has_groups:
        cell, row = with_commas.first(unclear)
        raise InputError(
            f"column '{name}' has {quoted(cell)} at {{@row}}, which could be "
            f"{cell.replace(',', '')} or {cell.replace(',', '.')}; write it with a dot or no comma",
            column=name,
            row=row,
        )
    return Numbers(name, not has_decimals, whole)


def cells_with_commas(column: pa.ChunkedArray) -> Distinct:
    """The cells that decide how numbers are read."""
    column = trimmed(column)
    if not is_text(column.type):
        return Distinct.of(pa.chunked_array([], pa.large_string()))
    rows = np.flatnonzero(pc.match_substring(column, ",").fill_null(False))
    if not len(rows):  # in a wide table, most columns
        return Distinct.of(column.slice(0, 0))
    found = Distinct.of(column.take(pa.array(rows)))
    return found._replace(first_row=rows[found.first_row])


def numbers(table: pa.Table, name: str) -> Floats:
    """A column of finite numbers of a table in memory; a column of lists is a matrix."""
    return complete(table[name], replace(decide_numbers(name, cells_with_commas(table[name])), lists=True))


def is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _vectors(column: pa.ChunkedArray) -> Column:
    """A row of numbers for every cell; the length that most lists have is right."""
    lengths = pc.list_value_length(column).fill_null(0).to_numpy().astype(np.int64)
    width = int(np.bincount(lengths).argmax()) if len(lengths) else 0
    good = (lengths == width) & column.is_valid().to_numpy()
    values = np.full((len(column), width), np.nan)
    cells = first_cast(pc.list_flatten(column.filter(pa.array(good))), (pa.float64(),))
    if cells is not None:
        values[good] = cells.reshape(-1, width)
    return Column(values, ~(good & np.isfinite(values).all(axis=1)))


def matrix(names: Sequence[str], columns: Sequence[Floats]) -> tuple[Floats, tuple[str, ...]]:
    """Columns side by side and their names; those of a matrix ``x`` are x_0, x_1 and so on."""
    named = [
        [name] if column.ndim == 1 else [f"{name}_{k}" for k in range(column.shape[1])]
        for name, column in zip(names, columns, strict=True)
    ]
    return np.column_stack(columns), tuple(chain.from_iterable(named))


def number_cells(column: pa.ChunkedArray, name: str, whole: bool = False) -> Column:
    """The numbers of a column in memory; decimal commas and ½ are numbers too."""
    return decide_numbers(name, cells_with_commas(column), whole).apply(column)


def _without_fractions_and_gaps(cells: pa.Array) -> pa.Array:
    """1½ is 1.5, and 12 345 is 12345."""
    halves = pc.replace_substring(pc.replace_substring_regex(cells, r"^([-+]?)1/2$", r"\1½"), "½", ".5")
    closed = pc.replace_substring_regex(halves, GAP, "")
    return pc.if_else(pa.array(_matches(halves, SPACED)), closed, halves)


def _matches(cells: pa.Array, pattern: str) -> NDArray[np.bool_]:
    return np.asarray(pc.match_substring_regex(cells, pattern).fill_null(False))


# ------------------------------------------------------------------------------------ truth values


@dataclass(frozen=True)
class Truths:
    """How a column of truth values is read: by the words for yes and no, or by those for neutral ground."""

    name: str
    of_ground: bool
    wanted: ClassVar[str] = "true or false"

    def apply(self, column: pa.ChunkedArray) -> Column:
        """Truth values, however a file spells them."""
        column = trimmed(column)
        if not is_text(column.type):
            values = first_cast(column, (pa.float64(),))
            values = np.full(len(column), np.nan) if values is None else values
            return Column(values == 1, ~np.isin(values, (0, 1)))
        distinct, codes = dictionary_encode(column)
        meaning = GROUND if self.of_ground else YES_NO
        words = [word.casefold() for word in distinct.to_pylist()]
        truth = np.array([*(meaning.get(word, False) for word in words), False])
        strange = np.array([*(word not in meaning for word in words), True])  # the last for an empty cell
        return Column(truth[codes], strange[codes])


def decide_truths(name: str, found: Distinct) -> Truths:
    """By the vocabulary that fits: N means no beside Y, and neutral beside H."""
    cells = trimmed(pa.chunked_array([found.cells]))
    if not is_text(cells.type):
        return Truths(name, False)
    words = [None if cell is None else cell.casefold() for cell in cells.to_pylist()]
    known = [sum(word in vocabulary for word in set(words)) for vocabulary in (YES_NO, GROUND)]
    if "n" in words and known[0] == known[1]:
        cell, row = found.first(np.array([word == "n" for word in words]))
        raise InputError(
            f"column '{name}' has {quoted(cell)} at {{@row}}, which could mean no or neutral; write "
            "true and false",
            column=name,
            row=row,
        )
    return Truths(name, known[1] > known[0])
