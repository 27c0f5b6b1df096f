"""The rankings of a loaded table, for each way to lay them out."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats, Index, ranges
from podium.comparisons.flat_rankings import offsets, order_of_scores, positions_within
from podium.comparisons.labels import as_column, dictionary_encode, factorize_rows, is_text, unusable_labels
from podium.comparisons.messages import InputError, few, first_true, listed, quoted
from podium.comparisons.sides import side_of_cells, side_of_column, side_of_columns
from podium.reading.formats import Mask, number_cells, trimmed

SEPARATORS = (";", "|", ",", "/")  # looked for between alternatives
SPELLED = {"≻": ">", "∼": "="}  # as in mathematics
# Spelled without dots, slashes and blanks. The short ones are those of motor racing, athletics and sailing.
UNPLACED = set(
    "dnf dns dnq dnpq dq dsq dqf dnc nc ocs bfd ufd zfp raf ret rtd wd wdr abd exc otl hd "
    "retired withdrawn withdrew disqualified excluded abandoned unplaced notclassified didnotfinish "
    "didnotstart didnotqualify".split()
)
MARKED = r"^(?:[Tt]|=)?\s*(\d+)\s*(?:st|nd|rd|th|\.|=|[Tt])?$"  # T3, =3, 3rd, 3.


class Fault(NamedTuple):
    """Rows of the table that cannot be read, the reason, and the column that may say more about it."""

    rows: Mask
    reason: str
    column: str | None = None


class Parsed(NamedTuple):
    """Rankings end to end, as labels.

    ``row_of_entry`` and ``row_of_ranking`` point to the rows of the table. The rankings of rows at fault are
    meaningless.
    """

    labels: pa.ChunkedArray
    sizes: Index
    level: Codes
    row_of_entry: Index
    row_of_ranking: Index
    faults: Sequence[Fault]
    rest: NDArray[np.bool_] | bool | None = None
    chosen: pa.ChunkedArray | None = None  # of choices, whose level is not known yet
    place_as: str = "place"


def one_per_row(labels: Any, sizes: Index, level: Codes, faults: Sequence[Fault], **more: Any) -> Parsed:
    rows = np.arange(len(sizes))
    labels = labels if isinstance(labels, pa.ChunkedArray) else pa.chunked_array([labels])
    return Parsed(labels, sizes, level, np.repeat(rows, sizes), rows, faults, **more)


def without_blanks(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text without blanks around it; a cell of nothing but blanks is missing."""
    column = trimmed(column)
    if not is_text(column.type):
        return column
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)


# ------------------------------------------------------------------------------------ ranks side by side


def wide(table: pa.Table, ranks: Sequence[str]) -> Parsed:
    """One column per rank, best first; blank cells at the end make a ranking shorter."""
    columns = [without_blanks(table[name]) for name in ranks]
    side = side_of_columns(columns, ranks)
    sizes = side.n_members()
    present = np.column_stack([column.is_valid().to_numpy() for column in columns])
    last = present.shape[1] - np.argmax(present[:, ::-1], axis=1)  # the number of the last filled cell
    faults = [
        Fault(sizes == 0, "no item at all"),
        Fault((sizes > 0) & (sizes < last), "a gap between its items"),
    ]
    return one_per_row(side.labels, sizes, positions_within(offsets(sizes)), faults)


# ------------------------------------------------------------------------------------ text


def text(table: pa.Table, name: str, better: str = ">", tied: str = "=") -> Parsed:
    """Cells such as ``a > b = c``; each distinct cell is split once."""
    cells, codes = dictionary_encode(without_blanks(table[name]))
    if not is_text(cells.type):
        raise ValueError(f"column '{name}' holds {cells.type}; rankings are text such as 'a > b = c'")
    for sign, usual in SPELLED.items():
        if better == ">" and np.any(pc.match_substring(cells, sign)):
            cells = pc.replace_substring(cells, sign, usual)
    if not np.any(pc.match_substring(cells, better)):
        raise InputError(
            f"column '{name}' has no '>' in any cell; rankings are text such as 'a > b = c', and the two "
            "sides of comparisons are named with {@left} and {@right}"
        )
    places = pc.split_pattern(cells, better)
    n_places = pc.list_value_length(places).to_numpy(zero_copy_only=False).astype(np.int64)
    tie = pc.split_pattern(places.flatten(), tied)
    n_tied = pc.list_value_length(tie).to_numpy(zero_copy_only=False).astype(np.int64)
    labels = pc.utf8_trim_whitespace(tie.flatten())
    level = np.repeat(positions_within(offsets(n_places)), n_tied)
    indptr = offsets(n_tied)[offsets(n_places)]
    cell_of_label = np.repeat(np.arange(len(cells)), np.diff(indptr))
    empty = np.bincount(cell_of_label[np.asarray(pc.equal(labels, ""))], minlength=len(cells)) > 0
    faults = [
        Fault(codes < 0, f"nothing in '{name}'"),
        Fault(np.append(empty, False)[codes], f"no ranking such as 'a > b = c' in '{name}'", name),
    ]
    start, end = np.append(indptr[:-1], 0)[codes], np.append(indptr[1:], 0)[codes]
    _, entry = ranges(start, end)
    return one_per_row(labels.take(pa.array(entry)), end - start, level[entry], faults)


# ------------------------------------------------------------------------------------ scores


def scores(table: pa.Table, names: Sequence[str], higher_is_better: bool) -> Parsed:
    """One column of numbers per item; blank for an item that is absent, equal scores are a tie."""
    faults, columns = [], []
    for name in names:
        column = without_blanks(table[name])
        cells = number_cells(column, name)
        columns.append(cells.values.astype(np.float64))
        absent = np.asarray(column.is_null()) if is_text(column.type) else np.isnan(columns[-1])
        faults.append(Fault(cells.bad & ~absent, f"no number in '{name}'", name))
        if len(table) and faults[-1].rows.all():
            advice = "name the columns of the items with {@ranks}, and that of the judges with {@group}"
            raise InputError(f"column {quoted(name)} has no numbers, so it is no item; {advice}")
    values = np.column_stack(columns)
    item, sizes, level = order_of_scores(values, higher_is_better)
    faults.append(Fault(sizes == 0, "no score at all"))
    return one_per_row(as_column(np.array(names, dtype=object)[item], "items"), sizes, level, faults)


# ------------------------------------------------------------------------------------ choices


def choices(table: pa.Table, chosen: str, alternatives: Sequence[str], separator: str | None) -> Parsed:
    """The chosen item and what there was to choose from, in one cell or in several."""
    first = without_blanks(table[chosen])
    columns = [without_blanks(table[name]) for name in alternatives]
    if len(columns) > 1:
        side = side_of_columns(columns, alternatives)
    elif is_text(columns[0].type):
        first = first.cast(pa.large_string())  # a frame may have read its numbers as such
        side = side_of_cells(
            columns[0].fill_null(""), alternatives[0], separator or _separator(columns[0], alternatives[0])
        )
    else:
        side = side_of_column(columns[0], alternatives[0])
    sizes = side.n_members()
    faults = [
        Fault(np.asarray(first.is_null()), f"nothing in '{chosen}'"),
        Fault(sizes == 0, f"nothing in '{few(alternatives)}'"),
    ]
    level = np.zeros(int(sizes.sum()), dtype=np.int32)
    return one_per_row(side.labels, sizes, level, faults, rest=True, chosen=first)


def _separator(column: pa.ChunkedArray, name: str) -> str:
    """The one separator that occurs."""
    found = [mark for mark in SEPARATORS if np.any(pc.match_substring(column, mark))]
    if len(found) == 1:
        return found[0]
    what = f"{listed(found)} all occur" if found else f"none of {listed(SEPARATORS)} occurs"
    raise InputError(f"say with {{@separator}} what stands between the alternatives in '{name}'; {what}")


# ------------------------------------------------------------------------------------ faults


def first_fault(parsed: Parsed, table: pa.Table) -> tuple[int, str] | None:
    """The first row at fault and the reason, with the cell at fault if one is known."""
    found = [(first_true(fault.rows), fault) for fault in parsed.faults if fault.rows.any()]
    if not found:
        return None
    row, fault = min(found, key=lambda each: each[0])
    cell = "" if fault.column is None else f": {quoted(table[fault.column][row].as_py())}"
    return row, fault.reason + cell


# ------------------------------------------------------------------------------------ places


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
