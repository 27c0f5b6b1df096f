"""Margins f = K p of one strategy after the other: kernel rows of instances in the support are kept.

From one working set to the next most of the support stays, so most of its rows are there already. They are
kept as long as there is room, those of the present support first; a support that does not fit is computed
and forgotten piece by piece.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.kernel import GameKernel, is_short

MOST_BYTES = 1 << 29


class Margins:
    """K p for strategies of one game."""

    def __init__(self, game: GameKernel) -> None:
        self.game = game
        columns = len(game.asked[0])
        self.store = np.empty((min(MOST_BYTES // (8 * columns) + 1, columns), columns))
        self.owner: Positions = np.empty(0, dtype=np.intp)  # of every row in the store

    def of(self, support: Positions, p: Floats) -> Floats:
        """K p with the ridge."""
        game = self.game
        used, table = game.table(support, p)
        features, short = game.items.shape[1], game.kernel.kernel == "precomputed"
        short = short or is_short(game.kernel, features, len(used), game.n_labels - 1)
        if short or len(used) > len(self.store):
            return game.product(support, p)
        self._fetch(used)
        coefficients = np.zeros((len(self.owner), game.n_labels - 1))
        order = np.argsort(self.owner)
        coefficients[order[np.searchsorted(self.owner, used, sorter=order)]] = table[:, :-1]
        scores = self.store[: len(self.owner)].T @ coefficients
        return game.margins(scores, support, p)

    def _fetch(self, used: Positions) -> None:
        """Compute the rows that are missing; if there is no room, those not in use make some."""
        missing = np.setdiff1d(used, self.owner)
        if len(self.owner) + len(missing) > len(self.store):
            kept = np.flatnonzero(np.isin(self.owner, used))
            self.store[: len(kept)] = self.store[kept]
            self.owner = self.owner[kept]
        first = len(self.owner)
        size = 256  # in pieces, without a second copy of all of them
        for start in range(0, len(missing), size):
            part = missing[start : start + size]
            self.store[first + start : first + start + len(part)] = self.game.between(
                part, self.game.asked[0]
            )
        self.owner = np.concatenate([self.owner, missing])
