"""Rankings laid end to end as arrays: made of lists, choices and scores, checked, and compared."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Index
from podium.comparisons.checks import check_length, check_unmasked, checked_flags
from podium.comparisons.labels import as_column, encode
from podium.comparisons.messages import InputError, first_true, quoted
from podium.comparisons.sides import TEAM_TYPES


class Flat(NamedTuple):
    """Rankings end to end: ranking i is ``entries[indptr[i]:indptr[i + 1]]``, best first."""

    items: NDArray[Any]
    indptr: Index
    entries: Codes
    level: Codes


def flat_lists(rankings: Any) -> Flat:
    """Lists of labels, best first, in which a tuple is a tie."""
    places, sizes = end_to_end(rankings, "rankings")
    indptr = offsets(sizes)
    level = positions_within(indptr)
    if isinstance(places, list) and any(issubclass(kind, TEAM_TYPES) for kind in set(map(type, places))):
        tied = [place if isinstance(place, TEAM_TYPES) else (place,) for place in places]
        size_of_tie = np.fromiter(map(len, tied), np.int64, len(tied))
        if (empty := size_of_tie == 0).any():
            ranking = int(np.searchsorted(indptr, first_true(empty), side="right")) - 1
            raise ValueError(f"{ranking_name(ranking)} has a tie of no items")
        places, level = list(chain.from_iterable(tied)), np.repeat(level, size_of_tie)
        indptr = offsets(size_of_tie)[indptr]
    items, (entries,) = encode([as_column(places, "rankings")], ["rankings"], row_of=[row_in(indptr)])
    return Flat(items, indptr, entries, level)


def flat_choices(chosen: Any, alternatives: Any) -> Flat:
    """The chosen item of each row first, and all its other alternatives on the level below."""
    check_unmasked(chosen=chosen)
    others, sizes = end_to_end(alternatives, "alternatives")
    check_length(len(sizes), chosen, "chosen")
    return flat_columns(as_column(chosen, "chosen"), as_column(others, "alternatives"), sizes)


def flat_columns(
    chosen: pa.ChunkedArray, others: pa.ChunkedArray, sizes: Index, *, text: bool = False
) -> Flat:
    """As `flat_choices`, for the alternatives of all rows end to end."""
    indptr = offsets(sizes)
    names, row_of = ["chosen", "alternatives"], [int, row_in(indptr)]
    items, (first, entries) = encode([chosen, others], names, text=text, row_of=row_of)
    row = np.repeat(np.arange(len(sizes)), sizes)
    is_first = entries == first[row]
    found = np.bincount(row[is_first], minlength=len(sizes))
    for wrong, what in ((found == 0, "not among"), (found > 1, "twice among")):
        if wrong.any():
            at = first_true(wrong)
            raise InputError(
                f"item {quoted(items[first[at]])}, chosen at {{@row}}, is {what} its alternatives", row=at
            )
    return Flat(items, indptr, *chosen_first(indptr, entries, is_first))


def chosen_first(indptr: Index, entries: Codes, is_first: NDArray[np.bool_]) -> tuple[Codes, Codes]:
    """Move the one chosen entry of each row to its front; the others keep their order."""
    at = np.flatnonzero(is_first)
    where = np.arange(len(entries))
    where += where < np.repeat(at, np.diff(indptr))  # those before it make room
    where[at] = indptr[:-1]
    moved, level = np.empty_like(entries), np.ones(len(entries), dtype=np.int32)
    moved[where] = entries
    level[indptr[:-1]] = 0
    return moved, level


def flat_scores(table: Any, higher_is_better: bool) -> Flat:
    """One row per ranking and one column per item; nan for items that are absent, equal scores tie."""
    check_unmasked(table=table)
    labels = list(table.columns) if hasattr(table, "columns") else None
    try:
        missing = {"na_value": np.nan} if hasattr(table, "iloc") else {}  # pandas has several
        scores = table.to_numpy(np.float64, **missing) if missing else np.array(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("the table of scores has cells that are not numbers; empty cells are nan") from None
    if scores.ndim != 2:
        raise ValueError(f"scores are a table of rows × items, not an array of shape {scores.shape}")
    items, (code,) = encode([as_column(labels or np.arange(scores.shape[1]), "columns")], ["columns"])
    if len(items) < len(code):
        item = items[first_true(np.bincount(code) > 1)]
        raise ValueError(f"the table of scores has two columns for item {quoted(item)}")
    item, sizes, level = order_of_scores(scores, higher_is_better)
    return Flat(items, offsets(sizes), code[item], level)


def order_of_scores(scores: NDArray[np.float64], higher_is_better: bool) -> tuple[Index, Index, Codes]:
    """The columns of each row from best to worst, without nan; how many they are; their levels."""
    order = np.argsort(-scores if higher_is_better else scores, axis=1, kind="stable")  # nan is last
    ordered = np.take_along_axis(scores, order, axis=1)
    present = ~np.isnan(ordered)
    rises = np.zeros(scores.shape, dtype=bool)
    rises[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    level = np.cumsum(rises, axis=1, dtype=np.int32)
    return order[present], present.sum(axis=1), level[present]


# ------------------------------------------------------------------------------------ runs


def end_to_end(rows: Any, name: str) -> tuple[Any, Index]:
    """All values of a list of lists, or of a table, and how many of them each row has."""
    check_unmasked(**{name: rows})
    if isinstance(rows, np.ndarray) and rows.ndim == 2:
        return rows.ravel(), np.full(rows.shape[0], rows.shape[1])
    rows = list(rows)
    if any(isinstance(row, str) or not hasattr(row, "__len__") for row in rows):
        raise ValueError(f"'{name}' has to be a list of lists of labels, not a list of labels")
    return list(chain.from_iterable(rows)), np.fromiter(map(len, rows), np.int64, len(rows))


def offsets(sizes: Sequence[int] | Index) -> Index:
    """Where each run starts, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def positions_within(indptr: Index) -> Codes:
    """For each entry, how many of its ranking stand before it."""
    return (np.arange(indptr[-1]) - np.repeat(indptr[:-1], np.diff(indptr))).astype(np.int32)


def row_in(indptr: Index) -> Any:
    """A function that finds the ranking of an entry."""
    return lambda entry: int(np.searchsorted(indptr, entry, side="right")) - 1


# ------------------------------------------------------------------------------------ checks


def ranking_name(index: Any) -> str:
    """The number of a ranking, counting from 1, and a note that says so."""
    return f"ranking {int(index) + 1:,} (counting from 1)"


def check_offsets(indptr: Index, n_entries: int) -> None:
    """Refuse offsets that do not cut the entries into rankings of at least one item."""
    if indptr.ndim != 1 or indptr.dtype.kind not in "iu" or not len(indptr) or indptr[0] != 0:
        raise ValueError("'indptr' is not an array of whole numbers that starts with 0")
    if indptr[-1] != n_entries:
        raise ValueError(f"'indptr' ends with {indptr[-1]:,}, and there are {n_entries:,} entries")
    if (bad := np.diff(indptr) < 1).any():
        raise ValueError(f"{ranking_name(first_true(bad))} is empty; leave it out")


def check_entries(items: NDArray[Any], indptr: Index, entries: NDArray[Any]) -> None:
    """Refuse codes of no item, and items that are twice in one ranking."""
    if entries.dtype.kind not in "iu" or (
        len(entries) and not 0 <= entries.min() <= entries.max() < len(items)
    ):
        raise ValueError(f"'entries' has codes that are not whole numbers from 0 to {len(items) - 1}")
    key = np.repeat(np.arange(len(indptr) - 1) * len(items), np.diff(indptr)) + entries
    key.sort()
    if (same := key[1:] == key[:-1]).any():
        ranking, item = np.divmod(key[first_true(same)], len(items))
        raise ValueError(f"item {quoted(items[item])} is twice in {ranking_name(ranking)}")


def checked_level(level: Any, indptr: Index) -> Codes:
    """Levels that start with 0 in each ranking and rise by 1."""
    levels: NDArray[Any] = np.asarray(level)
    if levels.shape != (indptr[-1],) or levels.dtype.kind not in "iu":
        raise ValueError(f"'level' is not an array of {indptr[-1]:,} whole numbers, one per entry")
    rise = np.diff(levels, prepend=levels[:1])
    bad = (rise != 0) & (rise != 1)
    bad[indptr[:-1]] = levels[indptr[:-1]] != 0
    if bad.any():
        ranking = np.searchsorted(indptr, first_true(bad), side="right") - 1
        raise ValueError(f"the levels of {ranking_name(ranking)} do not start with 0 and rise by 1")
    return levels.astype(np.int32, copy=False)


def checked_rest(rest: Any, n: int) -> NDArray[np.bool_] | None:
    """Whether the last level of each ranking is an unordered rest; one truth value may stand for all."""
    if rest is None or rest is False:
        return None
    flags = np.broadcast_to(np.True_, (n,)) if rest is True else checked_flags(rest, n, "rest")
    return flags if flags.any() else None


# ------------------------------------------------------------------------------------ levels


def starts_of_levels(indptr: Index, level: Codes) -> Codes:
    """For each entry, 1 if it is the first of its level and 0 otherwise."""
    first: Codes = (np.diff(level, prepend=np.int32(-1)) != 0).astype(np.int32)
    first[indptr[:-1]] = 1
    return first


def in_order_of_items(indptr: Index, entries: Codes, level: Codes, n_items: int) -> Codes:
    """The entries with those of each tie in the order of their codes."""
    first = starts_of_levels(indptr, level)
    if first.all():
        return entries
    start = np.cumsum(first, dtype=np.int64) * n_items
    return (np.sort(start + entries) - start).astype(np.int32)


def bytes_of_rankings(indptr: Index, entries: Codes, level: Codes) -> pa.Array:
    """Each ranking as bytes, equal for rankings that have the same entries on the same levels."""
    words = np.ascontiguousarray(entries * np.int64(2) + starts_of_levels(indptr, level))
    buffers = [None, pa.py_buffer(indptr * words.itemsize), pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.large_binary(), len(indptr) - 1, buffers)
