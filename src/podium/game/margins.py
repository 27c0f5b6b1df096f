"""Margins f = K p of one strategy after another, with a cache of kernel rows of the instances.

Most of the support stays the same from one working set to the next, so most of its rows are in the cache.
`Products` multiplies K_z by vectors without zeros, from the same cache.
"""

from functools import cached_property
from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.kernel import GameKernel, expand, is_short
from podium.numerics.kernels.row_cache import MOST_BYTES, RowCache


class Margins:
    """K p for strategies of one game."""

    def __init__(self, game: GameKernel, most_bytes: int = MOST_BYTES) -> None:
        self.game = game
        asked, n = game.asked[0], len(game.asked[0])
        self.cache = RowCache(lambda rows: game.between(asked[rows], asked), n, n, most_bytes=most_bytes)

    def of(self, support: Positions, p: Floats) -> Floats:
        """K p with the ridge; without the cache if the rows of the support do not fit into it."""
        game, cache = self.game, self.cache
        used, table = game.table(support, p)
        features, n_columns = game.items.shape[1], game.n_labels - 1
        short = game.kernel.kernel == "precomputed" or is_short(game.kernel, features, len(used), n_columns)
        if short or len(used) > len(cache.store):
            return game.product(support, p)
        slots = cache.fetch(np.searchsorted(game.asked[0], used))
        coefficients = np.zeros((cache.n_kept, n_columns))
        coefficients[slots] = table[:, :-1]
        return game.margins(cache.store[: cache.n_kept].T @ coefficients, support, p)


class Products:
    """K_z v, without the ridge, for any v; uses the kernel matrix of the instances if it fits the cache."""

    def __init__(self, margins: Margins) -> None:
        self.game, cache = margins.game, margins.cache
        self.asked = self.game.asked[0]
        n, features = len(self.asked), self.game.items.shape[1]
        kernel = self.game.kernel
        short = kernel.kernel == "precomputed" or is_short(kernel, features, n, self.game.n_labels - 1)
        self.slots = None if short or n > len(cache.store) else cache.fetch(np.arange(n))
        self.rows = cache.store
        self.used = 0  # products so far

    @cached_property
    def signs(self) -> Any:
        """The z as sparse rows: 1 for the better label of the instance, -1 for the worse one."""
        from scipy.sparse import csr_array

        game, (asked, place) = self.game, self.game.asked
        columns = np.column_stack([place * game.n_labels + game.better, place * game.n_labels + game.worse])
        values = np.tile([1.0, -1.0], len(game))
        shape = (len(game), len(asked) * game.n_labels)
        return csr_array((values, columns.ravel(), np.arange(0, 2 * len(game) + 1, 2)), shape=shape)

    def __call__(self, v: Floats) -> Floats:
        game, self.used = self.game, self.used + 1
        table = (self.signs.T @ v).reshape(-1, game.n_labels)[:, :-1]
        if self.slots is None:
            scores = expand(game.kernel, game.items, self.asked, self.asked, table)
        else:
            by_slot = np.empty_like(table)
            by_slot[self.slots] = table
            scores = self.rows.T @ by_slot
        return np.asarray(self.signs @ np.column_stack([scores, -scores.sum(axis=1)]).ravel())
