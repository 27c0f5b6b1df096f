"""Rows of the kernel between pairs, computed when they are needed and kept as long as there is room.

With few items everything follows from their kernel matrix. With many, the rows of pairs that a solver comes
back to are kept, those used last, in at most half of the memory that all rows would take.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.numerics.compiled import njit
from podium.numerics.kernels.kernel import PairKernel

ALL_ROWS = 1 << 25  # bytes: up to here all rows are kept (2,048 pairs)
MOST_BYTES = 3 << 29  # 1.5 GiB
FEWEST_ROWS = 2048  # two working sets


class KernelRows:
    """What a solver asks of the matrix K: square blocks, and sums of rows."""

    def __init__(self, kernel: PairKernel) -> None:
        n = len(kernel)
        self.kernel = kernel
        self.by_items = kernel.n_items**2 <= n * FEWEST_ROWS and kernel.few_items
        if not self.by_items:
            capacity = n if 8 * n * n <= ALL_ROWS else max(min(n // 2, MOST_BYTES // (8 * n)), FEWEST_ROWS)
            self.store = np.empty((min(capacity, n), n))
            self.slot = np.full(n, -1, dtype=np.intp)
            self.owner = np.full(len(self.store), -1, dtype=np.intp)
            self.used = np.zeros(len(self.store), dtype=np.int64)
            self.clock = 0

    def block(self, pairs: Positions) -> Floats:
        """K between the given pairs."""
        if not self.by_items:
            return self.store[self._fetch(pairs)[:, None], pairs]
        head, tail, gram = self.kernel.head[pairs], self.kernel.tail[pairs], self.kernel.gram
        table = gram[head] - gram[tail]
        return np.asarray(table[:, head] - table[:, tail])

    def add(self, f: Floats, pairs: Positions, change: Floats) -> None:
        """Add K[:, pairs] change to f, in place."""
        if self.by_items:
            k = self.kernel
            n = k.n_items
            weight = np.bincount(k.head[pairs], change, n) - np.bincount(k.tail[pairs], change, n)
            touched = np.flatnonzero(weight)
            r = weight[touched] @ k.gram[touched]
            f += r[k.head] - r[k.tail]
            return
        size = FEWEST_ROWS // 2
        for start in range(0, len(pairs), size):
            part = slice(start, start + size)
            _add_rows(f, self.store, self._fetch(pairs[part]), change[part])

    def _fetch(self, pairs: Positions) -> Positions:
        """The slots of the rows, after computing those that are missing."""
        self.clock += 1
        slots = self.slot[pairs]
        self.used[slots[slots >= 0]] = self.clock
        missing = pairs[slots < 0]
        if len(missing):
            oldest = np.argpartition(self.used, len(missing) - 1)[: len(missing)]
            oldest.sort()
            self.slot[self.owner[oldest][self.owner[oldest] >= 0]] = -1
            self._compute(missing, oldest)
            self.owner[oldest], self.slot[missing], self.used[oldest] = missing, oldest, self.clock
        return self.slot[pairs]

    def _compute(self, missing: Positions, slots: Positions) -> None:
        """In pieces: rows go to their slots without a second copy of all of them."""
        size = 64
        for start in range(0, len(missing), size):
            self.store[slots[start : start + size]] = self.kernel.rows(missing[start : start + size])


@njit(cache=True, nogil=True)
def _add_rows(f, store, slots, change):  # type: ignore[no-untyped-def]
    for k in range(len(slots)):
        row, step = store[slots[k]], change[k]
        for i in range(len(f)):
            f[i] += step * row[i]
