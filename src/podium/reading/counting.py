"""Whether equal rows are counted instead of loaded: those of lazy frames, and of files past memory."""

import re
import warnings
from collections.abc import Sequence

from podium.comparisons.messages import InputError, InputWarning, quoted
from podium.reading.files import Opened
from podium.reading.sources.counting import Counting, Progress
from podium.reading.sources.encodings import blocks
from podium.reading.sources.frames import ArrowDataset, Frame
from podium.reading.sources.json_files import JsonFiles
from podium.reading.sources.parquet_files import ParquetFiles
from podium.reading.sources.text_files import TextFiles

ROW = 90  # bytes of memory per row while a file is read: 40 million rows took 3.6 GB
PACKED = 6  # how many times larger a text file is without its compression
SHARE = 0.5  # of DuckDB's own limit, which is most of the machine's memory
LITTLE = 50 * 10**6  # bytes that fit into any machine; asking DuckDB for its limit takes time
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def how_to_count(
    opened: Opened,
    counted: bool | None,
    memory: str | int | None,
    progress: Progress | None,
    reasons: Sequence[str],
) -> Counting | None:
    """How to count equal rows; None if all rows are to be loaded.

    ``reasons`` are the arguments that need every row.
    """
    limit = None if memory is None else bytes_of(memory)
    if counted is None:
        counted = not reasons and (is_lazy(opened) or is_past_memory(opened, limit))
        if counted and not is_lazy(opened):
            warnings.warn(
                InputWarning(
                    "the files would take too much memory, so equal rows are counted, without order and "
                    "time; a larger {@memory=, or counted=False,} loads all rows"
                ),
                stacklevel=5,
            )
    elif counted and reasons:
        raise InputError(
            f"counted=True merges equal rows, and {reasons[0]} needs every row; drop one of the two"
        )
    if not counted:
        return None
    return Counting(limit, progress, rows=0 if progress is None else n_rows(opened))


def is_lazy(opened: Opened) -> bool:
    """Whether an engine holds the rows of a frame."""
    return isinstance(opened, Frame) and opened.is_lazy


# ------------------------------------------------------------------------------------ memory


def is_past_memory(opened: Opened, limit: int | None = None) -> bool:
    """Whether loading all rows would take more than this many bytes, or than a share of the memory."""
    needed = _estimate(opened)
    return needed > limit if limit else needed > LITTLE and needed > share_of_memory()


def share_of_memory() -> int:
    """The bytes that the rows of files may take by default."""
    import duckdb

    [limit] = duckdb.sql("SELECT current_setting('memory_limit')").fetchall()[0]
    return int(SHARE * bytes_of(limit))


def bytes_of(memory: str | int) -> int:
    """An amount of memory, such as "4GB"; a number is in bytes, and text needs a unit.

    >>> bytes_of("1.5 GB"), bytes_of(1024)
    (1500000000, 1024)
    """
    unit = "[KMGT]I?B" if isinstance(memory, str) else ""
    found = re.fullmatch(rf"(\d*\.?\d+)\s*({unit})", str(memory).strip().upper())
    if found is None or not float(found[1]) > 0:
        raise InputError(f"{{@memory}} takes a size such as '4GB', not {quoted(memory)}")
    return int(float(found[1]) * UNITS[found[2]])


def _estimate(opened: Opened) -> int:
    """About how many bytes loading all rows would take; 0 for tables that are in memory already, or small."""
    return _size(opened) if isinstance(opened, TextFiles | JsonFiles) else ROW * n_rows(opened)


def _size(opened: TextFiles | JsonFiles) -> int:
    """About how many bytes the files have, without compression."""
    return sum(file.path.stat().st_size * (PACKED if file.packed else 1) for file in opened.files)


# ------------------------------------------------------------------------------------ number of rows


def n_rows(opened: Opened) -> int:
    """The number of rows of files, without reading them all; 0 for other tables.

    Parquet files know it. For text and JSON it is an estimate from the first rows and the size of the files.
    """
    if isinstance(opened, ParquetFiles):
        return opened.n_rows
    if isinstance(opened, ArrowDataset):
        return int(opened.dataset.count_rows())
    if isinstance(opened, TextFiles | JsonFiles):
        text = next(blocks(opened.files[0], opened.encoding), "")
        rows = text.count(_once_per_row(opened))
        return max(1, rows * _size(opened) // max(1, len(text.encode(opened.encoding))))
    return 0


def _once_per_row(opened: TextFiles | JsonFiles) -> str:
    """Text that every row has once: the end of a line, or a key of an object."""
    return "\n" if isinstance(opened, TextFiles) else f'"{next(iter(opened.paths.values()))[0]}"'
