"""Whether equal rows are counted instead of loaded: those of lazy frames, and of files past memory."""

import re
import warnings
from collections.abc import Sequence

from podium.comparisons.messages import InputError, InputWarning, quoted
from podium.reading.sources.counting import Counting, Progress
from podium.reading.sources.opened import Opened

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
        counted = not reasons and (opened.is_lazy or is_past_memory(opened, limit))
        if counted and not opened.is_lazy:
            warnings.warn(
                InputWarning(
                    "the files would take too much memory, so equal rows are counted, without order and "
                    "time; a larger {@memory=, or counted=False,} loads all rows"
                ),
                stacklevel=5,
            )
    elif counted and reasons:
        raise InputError(
            f"{{@counted=True}} merges equal rows, and {reasons[0]} needs every row; drop one of the two"
        )
    if not counted:
        return None
    if opened.is_lazy and limit is not None:
        warnings.warn(
            InputWarning(
                "the engine of a lazy frame counts its rows, which {@memory} does not limit; limit it there"
            ),
            stacklevel=5,
        )
    return Counting(limit, progress, rows=0 if progress is None else opened.n_rows())


# ------------------------------------------------------------------------------------ memory


def is_past_memory(opened: Opened, limit: int | None = None) -> bool:
    """Whether loading all rows would take more than this many bytes, or than a share of the memory."""
    needed = opened.n_bytes()
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
