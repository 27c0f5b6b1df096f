"""The kernel matrix K between pairs, as a solver uses it: square blocks, and sums of rows.

If the items are few, everything follows from their kernel matrix. Otherwise rows of K are cached.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.kernel import PairKernel
from podium.numerics.kernels.row_cache import MOST_BYTES, RowCache

LEAST_ROWS = 1024  # the cache holds at least this many rows, enough for a small working set
MOST_ROWS = 6144  # a working set has at most this many pairs: 0.3 GiB


class KernelRows:
    """Blocks and sums of rows of K."""

    def __init__(
        self, kernel: PairKernel, least_rows: int = LEAST_ROWS, most_bytes: int = MOST_BYTES
    ) -> None:
        n = len(kernel)
        self.kernel, self.at_once, self.most = kernel, least_rows, MOST_ROWS
        self.cache: RowCache | None = None
        if not kernel.few_items or kernel.n_items**2 > 2 * least_rows * n:
            self.cache = RowCache(kernel.rows, n, n, least_rows, most_bytes)
            self.most = min(MOST_ROWS, len(self.cache.store))

    def block(self, pairs: Positions) -> Floats:
        """K between the given pairs."""
        if self.cache is not None:
            return self.cache.block(pairs, pairs)
        gram = self.kernel.gram
        block = self.kernel.across(gram[self.kernel.head[pairs]] - gram[self.kernel.tail[pairs]], pairs)
        return block.T  # of a symmetric matrix, whose rows are then contiguous, as those of the cache

    def add(self, f: Floats, pairs: Positions, change: Floats) -> None:
        """Add K[:, pairs] change to f, in place."""
        if self.cache is not None:
            for start in range(0, len(pairs), self.at_once):
                part = slice(start, start + self.at_once)
                f += self.cache.weighted_sum(pairs[part], change[part])
            return
        coefficients = self.kernel.item_coefficients(change, pairs)
        touched = np.flatnonzero(coefficients)
        f += self.kernel.across(coefficients[touched] @ self.kernel.gram[touched])
