"""Checks that all rankings pass; each failure is one sentence that names the ranking."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Index
from podium.comparisons.checks import checked_flags
from podium.comparisons.messages import first_true, quoted


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
