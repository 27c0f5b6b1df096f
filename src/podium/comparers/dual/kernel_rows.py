"""The kernel matrix K between pairs, as a solver uses it: square blocks, and sums of rows.

If the items are few, everything follows from their kernel matrix. Otherwise rows of K are cached. Both are
stored where the items are, perhaps on a device; blocks and sums are in NumPy.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.devices.arrays import beside, on_device, rows_at, to_floats
from podium.numerics.kernels.kernel import PairKernel
from podium.numerics.kernels.row_cache import DeviceRows, RowCache

LEAST_ROWS = 1024  # the cache holds at least this many rows, enough for two working sets


class KernelRows:
    """Blocks and sums of rows of K."""

    def __init__(self, kernel: PairKernel) -> None:
        n = len(kernel)
        self.kernel = kernel
        self.by_items = kernel.few_items and kernel.n_items**2 <= 2 * LEAST_ROWS * n
        self.cache: RowCache | DeviceRows | None = None
        if not self.by_items:
            device = on_device(kernel.items)
            self.cache = DeviceRows(kernel.rows, n) if device else RowCache(kernel.rows, n, n, LEAST_ROWS)

    def block(self, pairs: Positions) -> Floats:
        """K between the given pairs."""
        if self.cache is not None:
            return self.cache.block(pairs, pairs)
        head, tail = (rows_at(self.kernel.gram, end[pairs]) for end in (self.kernel.head, self.kernel.tail))
        return to_floats(self.kernel.across(head - tail, pairs))

    def add(self, f: Floats, pairs: Positions, change: Floats) -> None:
        """Add K[:, pairs] change to f, in place."""
        if self.cache is not None:
            for start in range(0, len(pairs), LEAST_ROWS):
                part = slice(start, start + LEAST_ROWS)
                f += self.cache.weighted_sum(pairs[part], change[part])
            return
        coefficients = self.kernel.item_coefficients(change, pairs)
        touched = np.flatnonzero(coefficients)
        gram = rows_at(self.kernel.gram, touched)
        f += self.kernel.across(to_floats(beside(coefficients[touched], gram) @ gram))
