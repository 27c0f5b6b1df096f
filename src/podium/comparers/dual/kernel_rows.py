"""The kernel matrix K between pairs, as a solver uses it: square blocks, and sums of rows.

If the items are few, everything follows from their kernel matrix. Otherwise rows of K are cached.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.kernel import PairKernel
from podium.numerics.kernels.row_cache import RowCache

LEAST_ROWS = 1024  # the cache holds at least this many rows, enough for two working sets


class KernelRows:
    """Blocks and sums of rows of K."""

    def __init__(self, kernel: PairKernel) -> None:
        n = len(kernel)
        self.kernel = kernel
        self.by_items = kernel.few_items and kernel.n_items**2 <= 2 * LEAST_ROWS * n
        self.cache = None if self.by_items else RowCache(kernel.rows, n, n, LEAST_ROWS)

    def block(self, pairs: Positions) -> Floats:
        """K between the given pairs."""
        if self.cache is not None:
            return self.cache.store[self.cache.fetch(pairs)[:, None], pairs]
        head, tail, gram = self.kernel.head[pairs], self.kernel.tail[pairs], self.kernel.gram
        table = gram[head] - gram[tail]
        return np.asarray(table[:, head] - table[:, tail])

    def add(self, f: Floats, pairs: Positions, change: Floats) -> None:
        """Add K[:, pairs] change to f, in place."""
        if self.cache is not None:
            for start in range(0, len(pairs), LEAST_ROWS):
                part = slice(start, start + LEAST_ROWS)
                f += change[part] @ self.cache.store[self.cache.fetch(pairs[part])]
            return
        coefficients = self.kernel.item_coefficients(change, pairs)
        touched = np.flatnonzero(coefficients)
        r = coefficients[touched] @ self.kernel.gram[touched]
        f += r[self.kernel.head] - r[self.kernel.tail]
