"""Kernel rows, computed on first use and kept while there is room: the least recently used go first."""

from collections.abc import Callable

import numpy as np

from podium.comparisons.arrays import Floats, Positions

# The budget of one cache: all rows up to 11,500 pairs, a third of them for 20,000. Half as much or half as
# much again changes the time for 5,000 and 20,000 pairs by less than 15 %. Memory is only used as rows come
# in.
MOST_BYTES = 1 << 30
AT_ONCE = 64  # rows computed in one call, so that there is never a second copy of all of them


class RowCache:
    """Rows of a matrix, in the first ``n_kept`` rows of ``store``.

    ``compute`` returns the rows at some positions. At least ``least`` rows are kept, whatever they take.
    """

    def __init__(
        self,
        compute: Callable[[Positions], Floats],
        n_rows: int,
        n_columns: int,
        least: int = 1,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        capacity = min(n_rows, max(most_bytes // (8 * max(n_columns, 1)), least))
        self.compute = compute
        self.store = np.empty((capacity, n_columns))
        self.n_kept = 0
        self._slot = np.full(n_rows, -1, dtype=np.intp)
        self._owner = np.full(capacity, -1, dtype=np.intp)
        self._used = np.zeros(capacity, dtype=np.int64)
        self._clock = 0

    def fetch(self, rows: Positions) -> Positions:
        """Where in ``store`` these distinct rows are, once the missing ones are computed.

        There may be no more of them than ``store`` has room for.
        """
        self._clock += 1
        slots = self._slot[rows]
        self._used[slots[slots >= 0]] = self._clock
        missing = rows[slots < 0]
        if len(missing):
            free = np.sort(np.argsort(self._used, kind="stable")[: len(missing)])  # empty slots come first
            self._slot[self._owner[free][self._owner[free] >= 0]] = -1
            for start in range(0, len(missing), AT_ONCE):
                part = slice(start, start + AT_ONCE)
                self.store[free[part]] = self.compute(missing[part])
            self._owner[free], self._slot[missing], self._used[free] = missing, free, self._clock
            self.n_kept = max(self.n_kept, int(free[-1]) + 1)
        return self._slot[rows]

    def block(self, rows: Positions, columns: Positions) -> Floats:
        """The entries in these rows and columns."""
        return self.store[self.fetch(rows)[:, None], columns]

    def weighted_sum(self, rows: Positions, weights: Floats) -> Floats:
        """Σ weight · row."""
        return np.asarray(weights @ self.store[self.fetch(rows)])
