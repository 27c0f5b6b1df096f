"""Margins f = K p of one strategy after another, with a cache of kernel rows of the instances.

Most of the support stays the same from one working set to the next, so most of its rows are in the cache.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.kernel import GameKernel, is_short
from podium.numerics.kernels.row_cache import RowCache


class Margins:
    """K p for strategies of one game."""

    def __init__(self, game: GameKernel) -> None:
        self.game = game
        asked = game.asked[0]
        self.cache = RowCache(lambda rows: game.between(asked[rows], asked), len(asked), len(asked))

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
