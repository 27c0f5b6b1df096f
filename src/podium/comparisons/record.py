"""What every item won, tied and lost."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes
from podium.comparisons.teams import Teams


class Record(NamedTuple):
    """Sums of count times weight, with one entry per item."""

    wins: NDArray[np.float64]
    ties: NDArray[np.float64]
    losses: NDArray[np.float64]

    @property
    def games(self) -> NDArray[np.float64]:
        return self.wins + self.ties + self.losses


def record_of(
    left: Codes,
    right: Codes,
    outcome: NDArray[np.int8],
    mass: NDArray[np.float64],
    n_items: int,
    teams: Teams | None,
) -> Record:
    """The record of each item; a member of a team has the results of the team."""
    n_sides = n_items if teams is None else len(teams)
    counts: list[NDArray[np.float64]] = []
    for sign in (-1, 0, 1):  # as the left side sees it; the right side's sign is the opposite
        won, lost = outcome == sign, outcome == -sign
        count: NDArray[Any] = np.bincount(left[won], mass[won], n_sides)
        count = count + np.bincount(right[lost], mass[lost], n_sides)
        counts.append(count if teams is None else teams.matrix(n_items).T @ count)
    return Record(*counts)
