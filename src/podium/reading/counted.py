"""When equal rows are counted instead of loaded, and what becomes of the counts."""

import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.comparisons.arrays import Positions
from podium.comparisons.messages import quoted
from podium.comparisons.summary import Columns
from podium.comparisons.table import Comparisons, row_arrays
from podium.reading.casts import numbers
from podium.reading.files import Opened
from podium.reading.selection import Selection
from podium.reading.sources.counting import ROWS, Counting, Progress
from podium.reading.sources.frames import ArrowDataset, Frame
from podium.reading.sources.json_files import JsonFiles
from podium.reading.sources.parquet_files import ParquetFiles
from podium.reading.sources.text_files import TextFiles

ROW = 90  # bytes of memory per row while a file is read: 40 million rows took 3.6 GB
PACKED = 6  # times as large is a text file without its compression
SHARE = 0.5  # of DuckDB's own limit, which is most of the machine's memory
MOST_KEYS = 2**62  # that fit into an integer
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def reasons_for_rows(given: Columns, columns: Columns, chosen: Selection, items: Any) -> list[str]:
    """The arguments that need every row as it is."""
    needs = {
        "time=": given.time is not None,
        "since=": chosen.since is not None,
        "dedup=": bool(chosen.dedup),
        "features=": bool(columns.features),
        "items=": items is not None,
        "wins=": bool(columns.wins),
    }
    return [name for name, is_needed in needs.items() if is_needed]


def how_to_count(
    opened: Opened,
    counted: bool | None,
    memory: str | int | None,
    progress: Progress | None,
    reasons: Sequence[str],
) -> Counting | None:
    """How equal rows are to be counted; None if all rows are to be loaded."""
    limit = None if memory is None else bytes_of(memory)
    if counted is None:
        counted = not reasons and (is_lazy(opened) or is_past_memory(opened, limit))
        if counted and not is_lazy(opened):
            warnings.warn(
                "the files would take too much memory, so equal rows are counted, without order and time; "
                "counted=False loads all rows",
                stacklevel=3,
            )
    elif counted and reasons:
        raise ValueError(
            f"counted=True merges equal rows, and {reasons[0]} needs every row; drop one of the two"
        )
    return Counting(limit, progress) if counted else None


def is_past_memory(opened: Opened, limit: int | None = None) -> bool:
    """Whether loading all rows would take more than this many bytes, or than a share of the memory."""
    return _estimate(opened) > (limit or share_of_memory())


def is_lazy(opened: Opened) -> bool:
    """Whether an engine holds the rows of a frame."""
    return isinstance(opened, Frame) and opened.is_lazy


def bytes_of(memory: str | int) -> int:
    """An amount of memory, such as "4GB".

    >>> bytes_of("1.5 GB"), bytes_of(1024)
    (1500000000, 1024)
    """
    found = re.fullmatch(r"([\d.]+)\s*([KMGT]I?B|)", str(memory).strip().upper())
    if found is None or not float(found[1]) > 0:
        raise ValueError(f"memory= takes a size such as '4GB', not {quoted(memory)}")
    return int(float(found[1]) * UNITS[found[2]])


def share_of_memory() -> int:
    import duckdb

    [limit] = duckdb.sql("SELECT current_setting('memory_limit')").fetchall()[0]
    return int(SHARE * bytes_of(limit))


def _estimate(opened: Opened) -> int:
    """About how many bytes loading all rows would take; 0 for what is in memory already, or small."""
    if isinstance(opened, ParquetFiles):
        return ROW * opened.n_rows
    if isinstance(opened, ArrowDataset):
        return ROW * int(opened.dataset.count_rows())
    if isinstance(opened, TextFiles | JsonFiles):
        return sum(file.path.stat().st_size * (PACKED if file.packed else 1) for file in opened.files)
    return 0


def without_time(columns: Columns) -> Columns:
    """The columns without that of time, which would keep equal rows apart."""
    if columns.time is None:
        return columns
    return replace(columns, time=None, unused=(*columns.unused, columns.time))


def load(opened: Opened, columns: Sequence[str], counting: Counting | None) -> pa.Table:
    """All rows, or the distinct ones with a column of counts."""
    if counting is None:
        return opened.load(columns)
    if isinstance(opened, ArrowDataset | Frame | JsonFiles | ParquetFiles | TextFiles):
        return opened.load(columns, counting)
    table = opened.load(columns)
    found = table.group_by(list(columns)).aggregate([([], "count_all")])
    return found.select([*columns, "count_all"]).rename_columns([*columns, ROWS])


def observations(table: pa.Table, count: str | None) -> NDArray[np.float64] | None:
    """How many observations each row stands for: its own count, times the number of equal rows."""
    own = None if count is None else numbers(table, count)
    if ROWS not in table.column_names:
        return own
    equal: NDArray[np.float64] = table[ROWS].to_numpy().astype(np.float64)
    return equal if own is None else own * equal


def merged(c: Comparisons) -> Comparisons:
    """Sort the rows, which were counted in any order, and merge those that mean the same."""
    keys = [array for name, array in row_arrays(c).items() if name != "count"]
    columns = [column for array in keys for column in np.atleast_2d(array.T)]
    key, size = _as_one([column for column in columns if (column != column[0]).any()], len(c))
    order, repeats = _sorted(key, size)
    return c[order].aggregate(by_group=True, by_category=True) if repeats else c[order]


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
