"""What every item won, tied and lost."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from podium.comparisons.table import Comparisons


class Record(NamedTuple):
    """Sums of weights, an entry an item."""

    wins: NDArray[np.float64]
    ties: NDArray[np.float64]
    losses: NDArray[np.float64]

    @property
    def games(self) -> NDArray[np.float64]:
        return self.wins + self.ties + self.losses


def record_of(c: "Comparisons") -> Record:
    if c.outcome is None:
        raise ValueError("these comparisons have no outcomes, so nobody has won or lost")
    n_sides = c.n_items if c.teams is None else len(c.teams)
    counts: list[NDArray[np.float64]] = []
    for sign in (-1, 0, 1):  # as the left side sees it; the right side's sign is the opposite
        left, right = c.outcome == sign, c.outcome == -sign
        count: NDArray[Any] = np.bincount(c.left[left], c.weight[left], n_sides)
        count = count + np.bincount(c.right[right], c.weight[right], n_sides)
        counts.append(count if c.teams is None else c.teams.matrix(c.n_items).T @ count)
    return Record(*counts)
