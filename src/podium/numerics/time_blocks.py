"""Walking forward: blocks of time, each with everything that came strictly earlier."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Positions


def time_blocks(
    time: NDArray[Any] | None, n: int, blocks: int, first: int | None = None
) -> list[tuple[Positions, Positions]]:
    """For each block of rows, the rows that are strictly earlier and the rows of the block.

    The first part of the ``n`` rows is only learned from. The others are cut into ``blocks`` of about equal
    size, at changes of time. The first block begins with the row at position ``first`` in the order of time,
    and with all rows of the same time; by default the first part is as large as a block. Without ``time``
    each row is later than the one before it. There are fewer blocks if many rows have the same time, and none
    if all have.

    >>> [(earlier.tolist(), block.tolist()) for earlier, block in time_blocks(np.array([3, 1, 2, 2]), 4, 3)]
    [([1], [2, 3]), ([1, 2, 3], [0])]
    """
    moment = np.arange(n) if time is None else np.unique(time, return_inverse=True)[1]
    if first is None:
        cuts = np.arange(1, blocks + 1) * n // (blocks + 1)
    else:
        cuts = first + np.arange(blocks) * (n - first) // blocks
    starts = np.unique(np.maximum(np.sort(moment)[cuts], 1))  # nothing came before the first moment
    starts = starts[starts <= moment.max()]
    return [
        (np.flatnonzero(moment < start), np.flatnonzero((moment >= start) & (moment < end)))
        for start, end in pairwise([*starts, n])
    ]
