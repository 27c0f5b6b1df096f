"""Turn counts of equal rows into numbers of observations, and merge rows that mean the same."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.comparisons.arrays import Positions, row_arrays
from podium.comparisons.flat_rankings import bytes_of_rankings
from podium.comparisons.rankings import Rankings
from podium.comparisons.table import Comparisons
from podium.reading.sources.counting import ROWS

MOST_KEYS = 2**62  # so many keys fit into an int64


def observations(table: pa.Table, own: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """How many observations each row stands for: its own count, times the number of equal rows."""
    if ROWS not in table.column_names:
        return own
    equal: NDArray[np.float64] = table[ROWS].to_numpy().astype(np.float64)
    return equal if own is None else own * equal


def merged_comparisons(c: Comparisons) -> Comparisons:
    """Sort the rows, which were counted in any order, and merge those that mean the same."""
    if not len(c):
        return c
    keys = [array for name, array in row_arrays(c).items() if name != "count"]
    columns = [column for array in keys for column in np.atleast_2d(array.T)]
    key, size = _as_one([column for column in columns if (column != column[0]).any()], len(c))
    order, repeats = _sorted(key, size)
    return c[order].aggregate(by_group=True, by_category=True) if repeats else c[order]


def merged_rankings(r: Rankings) -> Rankings:
    """Merge rankings that mean the same, and sort them, since they were counted in any order."""
    r = r.aggregate(by_group=True)
    place = pc.rank(bytes_of_rankings(r.indptr, r._canonical(), r.level), tiebreaker="dense").to_numpy()
    group = np.zeros(len(r)) if r.group is None else r.group
    return r[np.lexsort((r.weight, group, place))]


def _as_one(columns: Sequence[NDArray[Any]], n: int) -> tuple[NDArray[np.int64], int]:
    """One number per row, in the order of the rows by the first column, then by the second, and so on.

    The numbers are below the second result.
    """
    key, size = np.zeros(n, dtype=np.int64), 1
    for column in columns:
        whole = column.dtype.kind in "iu"
        codes = column - column.min() if whole else np.unique(column, return_inverse=True)[1]
        n_codes = int(codes.max()) + 1
        if size * n_codes > MOST_KEYS:
            distinct, key = np.unique(key, return_inverse=True)
            size = len(distinct)
        key, size = key * n_codes + codes, size * n_codes
    return key, size


def _sorted(key: NDArray[np.int64], size: int) -> tuple[Positions, bool]:
    """The order that sorts the keys, and whether a key occurs twice.

    NumPy sorts numbers several times faster than it finds their order, so the position is part of the number.
    """
    n = len(key)
    if size * n > MOST_KEYS:
        order = np.argsort(key, kind="stable")
        return order, bool((np.diff(key[order]) == 0).any())
    key, order = np.divmod(np.sort(key * n + np.arange(n)), n)
    return order, bool((np.diff(key) == 0).any())
