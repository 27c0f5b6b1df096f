"""The arrays that most signatures name, and runs of positions laid out end to end without a loop."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]  # of items, teams, groups: positions in a table of them
Index = NDArray[np.int64]
Positions = NDArray[np.intp]  # as NumPy itself returns them


def ranges(start: NDArray[np.integer[Any]], stop: NDArray[np.integer[Any]]) -> tuple[Index, Index]:
    """Every position of ``start[i]:stop[i]`` for each i in turn, and its i.

    >>> ranges(np.array([5, 1]), np.array([7, 4]))
    (array([0, 0, 1, 1, 1]), array([5, 6, 1, 2, 3]))
    """
    size = stop - start
    which = np.repeat(np.arange(len(size)), size)
    return which, np.arange(len(which)) + np.repeat(start - (np.cumsum(size) - size), size)


def bounds(is_start: NDArray[np.bool_]) -> tuple[Index, Index]:
    """For each position, where its run begins and ends, given where runs begin."""
    starts = np.flatnonzero(is_start)
    ends = np.append(starts[1:], len(is_start))
    run = np.cumsum(is_start) - 1
    return starts[run], ends[run]
