"""Numbers as people write them: decimal commas, halves, thousands in groups."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.labels import dictionary_encode
from podium.comparisons.messages import InputError, first_true, quoted

NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$|^[-+]?(?i:inf|infinity|nan)$"
GAP = r"[ '’\x{a0}\x{202f}]"
SPACED = rf"^[-+]?\d{{1,3}}({GAP}\d{{3}})+([.,]\d+)?$"  # 12 345
DECIMAL = r"^[-+]?\d*,\d+$"  # 0,5
GROUPED = r"^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$"  # 12,345 and 12,345.6
DOTTED = r"^[-+]?\d{1,3}(\.\d{3})+,\d+$"  # 1.234,5


def spelled_numbers(column: pa.ChunkedArray, name: str) -> Floats:
    """The numbers of a column of text, nan where there is none.

    ``12,345`` is twelve thousand or twelve and a bit. The other cells of the column decide; if none of them
    does, the column is refused.
    """
    distinct, codes = dictionary_encode(column)
    cells = _without_fractions_and_gaps(distinct)
    decimal, grouped, dotted = (_matches(cells, pattern) for pattern in (DECIMAL, GROUPED, DOTTED))
    unclear = decimal & grouped
    if unclear.any():
        has_decimals, has_groups = (dotted | decimal & ~grouped).any(), (grouped & ~decimal).any()
        if has_decimals == has_groups:
            code = first_true(unclear)
            cell, row = distinct[code].as_py(), first_true(codes == code)
            raise InputError(
                f"column '{name}' has {quoted(cell)} at {{@row}}, which could be "
                f"{cell.replace(',', '')} or {cell.replace(',', '.')}; write it with a dot or no comma",
                column=name,
                row=row,
            )
        grouped = grouped & ~unclear if has_decimals else grouped
    cells = pc.if_else(pa.array(grouped), pc.replace_substring(cells, ",", ""), cells)
    cells = pc.if_else(pa.array(dotted), pc.replace_substring(cells, ".", ""), cells)
    cells = pc.if_else(pa.array((decimal | dotted) & ~grouped), pc.replace_substring(cells, ",", "."), cells)
    known = pc.if_else(pa.array(_matches(cells, NUMBER)), cells, None).cast(pa.float64())
    return np.append(known.to_numpy(zero_copy_only=False), np.nan)[codes]


def _without_fractions_and_gaps(cells: pa.Array) -> pa.Array:
    """1½ is 1.5, and 12 345 is 12345."""
    halves = pc.replace_substring(pc.replace_substring_regex(cells, r"^([-+]?)1/2$", r"\1½"), "½", ".5")
    closed = pc.replace_substring_regex(halves, GAP, "")
    return pc.if_else(pa.array(_matches(halves, SPACED)), closed, halves)


def _matches(cells: pa.Array, pattern: str) -> NDArray[np.bool_]:
    return np.asarray(pc.match_substring_regex(cells, pattern).fill_null(False))
