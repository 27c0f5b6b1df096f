"""Tables with one row per ballot and item, and the place that the item took."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.labels import dictionary_encode, factorize_rows, is_text, unusable_labels
from podium.comparisons.messages import few
from podium.reading.formats.cells import trimmed
from podium.reading.formats.numbers import number_cells
from podium.reading.rankings.layouts import Fault, Parsed, without_blanks
from podium.reading.skipped import Mask

# Spelled without dots, slashes and blanks. The short ones are those of motor racing, athletics and sailing.
UNPLACED = set(
    "dnf dns dnq dnpq dq dsq dqf dnc nc ocs bfd ufd zfp raf ret rtd wd wdr abd exc otl hd "
    "retired withdrawn withdrew disqualified excluded abandoned unplaced notclassified didnotfinish "
    "didnotstart didnotqualify".split()
)
MARKED = r"^(?:[Tt]|=)?\s*(\d+)\s*(?:st|nd|rd|th|\.|=|[Tt])?$"  # T3, =3, 3rd, 3.


def long(table: pa.Table, ballot: Sequence[str], item: str, place: str, dnf: str) -> Parsed:
    """Rows in any order; equal places are a tie, and what has no place is a rest behind all others.

    ``dnf="drop"`` leaves out what has no place.
    """
    faults = [Fault(_missing(table[name], name), f"nothing in '{name}'") for name in (*ballot, item)]
    placed, unplaced, bad = _places(table[place], place)
    faults.append(Fault(bad, f"no place in '{place}'", place))
    codes = np.column_stack([dictionary_encode(without_blanks(table[name]))[1] for name in ballot])
    first, which = factorize_rows(codes)
    key = np.where(np.isnan(placed), np.inf, placed)
    order = np.lexsort((key, which))
    if dnf == "drop":
        order = order[~unplaced[order]]
    which, key = which[order], key[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = which[1:] != which[:-1]
    sizes = np.diff(np.append(np.flatnonzero(new), len(order)))
    rises = new.copy()
    rises[1:] |= key[1:] != key[:-1]
    height = np.cumsum(rises)
    level = (height - np.repeat(height[new], sizes)).astype(np.int32)
    ends = np.append(np.flatnonzero(new)[1:], len(order)) - 1
    rest = unplaced[order][ends] if len(order) else None
    labels = without_blanks(table[item]).take(pa.array(order))
    rows = first[which[new]]
    return Parsed(labels, sizes, level, order, rows, faults, rest, place_as=_as(table[place], unplaced, dnf))


def _missing(column: pa.ChunkedArray, name: str) -> Mask:
    return unusable_labels(trimmed(column), name)[0]


def _places(column: pa.ChunkedArray, name: str) -> tuple[Floats, Mask, Mask]:
    """The places, nan where there is none; the rows of those that took no place; rows that make no sense."""
    column = without_blanks(column)
    unplaced = np.asarray(column.is_null())
    if is_text(column.type):
        distinct, codes = dictionary_encode(column)
        letters = pc.replace_substring_regex(pc.utf8_lower(distinct), r"[\s./_-]", "")
        words = np.asarray(pc.is_in(letters, value_set=pa.array(sorted(UNPLACED), letters.type)))
        unplaced |= np.append(words, False)[codes]
        plain = pc.replace_substring_regex(distinct, MARKED, r"\1")
        plain = pc.if_else(pa.array(words), pa.scalar(None, plain.type), plain)
        cells = number_cells(pa.chunked_array([plain]), name)
        values = np.append(cells.values.astype(np.float64), np.nan)[codes]
    else:
        values = number_cells(column, name).values.astype(np.float64)
        unplaced |= np.isnan(values)
    values[unplaced] = np.nan
    return values, unplaced, ~np.isfinite(values) & ~unplaced


def _as(column: pa.ChunkedArray, unplaced: NDArray[np.bool_], dnf: str) -> str:
    """How the column of places was read, with the words that stand for no place."""
    if not unplaced.any():
        return "place"
    cells = without_blanks(column).filter(pa.array(unplaced))
    words = [str(word) if word is not None else "blank" for word in cells.unique().to_pylist()]
    done = "left out" if dnf == "drop" else "behind all others, in no order"
    return f"place; {int(unplaced.sum()):,} without a place ({few(words)}): {done}"
