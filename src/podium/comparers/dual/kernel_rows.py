"""The kernel matrix K between pairs, as a solver uses it: square blocks, and sums of rows.

If the items are few, everything follows from their kernel matrix. Otherwise rows of K are cached. Both are
stored where the items are, perhaps on a device; blocks and sums are in NumPy.
"""

import numpy as np

from podium.arrays.devices.boundary import beside, on_device, to_floats
from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.features import rows_at
from podium.numerics.kernels.kernel import PairKernel
from podium.numerics.kernels.row_cache import MOST_BYTES, DeviceRows, RowCache

LEAST_ROWS = 1024  # the cache holds at least this many rows, enough for two working sets


class KernelRows:
    """Blocks and sums of rows of K."""

    def __init__(
        self, kernel: PairKernel, least_rows: int = LEAST_ROWS, most_bytes: int = MOST_BYTES
    ) -> None:
        n = len(kernel)
        self.kernel, self.at_once = kernel, least_rows
        self.by_items = kernel.few_items and kernel.n_items**2 <= 2 * least_rows * n
        self.cache: RowCache | DeviceRows | None = None
        if not self.by_items and on_device(kernel.items):
            self.cache = DeviceRows(kernel.rows, n)
        elif not self.by_items:
            self.cache = RowCache(kernel.rows, n, n, least_rows, most_bytes)

    def block(self, pairs: Positions) -> Floats:
        """K between the given pairs."""
        if self.cache is not None:
            return self.cache.block(pairs, pairs)
        head, tail = (rows_at(self.kernel.gram, end[pairs]) for end in (self.kernel.head, self.kernel.tail))
        return to_floats(self.kernel.across(head - tail, pairs))

    def add(self, f: Floats, pairs: Positions, change: Floats) -> None:
        """Add K[:, pairs] change to f, in place."""
        if self.cache is not None:
            for start in range(0, len(pairs), self.at_once):
                part = slice(start, start + self.at_once)
                f += self.cache.weighted_sum(pairs[part], change[part])
            return
        coefficients = self.kernel.item_coefficients(change, pairs)
        touched = np.flatnonzero(coefficients)
        gram = rows_at(self.kernel.gram, touched)
        f += self.kernel.across(to_floats(beside(coefficients[touched], gram) @ gram))
