"""Numbers as people write them: decimal commas, halves, thousands in groups."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.labels import Distinct, dictionary_encode, is_text
from podium.comparisons.messages import InputError, quoted
from podium.reading.formats.cells import Column, complete, first_cast, trimmed

NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$|^[-+]?(?i:inf|infinity|nan)$"
GAP = r"[ '’\x{a0}\x{202f}]"
SPACED = rf"^[-+]?\d{{1,3}}({GAP}\d{{3}})+([.,]\d+)?$"  # 12 345
DECIMAL = r"^[-+]?\d*,\d+$"  # 0,5
GROUPED = r"^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$"  # 12,345 and 12,345.6
DOTTED = r"^[-+]?\d{1,3}(\.\d{3})+,\d+$"  # 1.234,5
SHAPES = (DECIMAL, GROUPED, DOTTED)


@dataclass(frozen=True)
class Numbers:
    """How a column of numbers is read: 12,345 is twelve thousand if ``grouped``, or twelve and a bit.

    If all are ``whole``, integers keep all digits.
    """

    name: str
    grouped: bool = True
    whole: bool = False
    wanted: ClassVar[str] = "a number"

    def apply(self, column: pa.ChunkedArray) -> Column:
        """Cells that Arrow can cast as they are cost one pass; others are looked at again."""
        column = trimmed(column)
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
    found = Distinct.of(column.take(pa.array(rows)))
    return found._replace(first_row=rows[found.first_row])


def numbers(table: pa.Table, name: str) -> Floats:
    """A column of finite numbers of a table in memory."""
    return complete(table[name], decide_numbers(name, cells_with_commas(table[name])))


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
