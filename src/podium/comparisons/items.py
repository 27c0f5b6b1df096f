"""What the rows of a table say of its items: which of them appear, are connected, and what each won."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes
from podium.comparisons.teams import Teams

DENSE_CELLS = 2**26  # up to this size it is cheaper to mark pairs in a table of all pairs


def items_that_appear(left: Codes, right: Codes, n_items: int, teams: Teams | None) -> NDArray[np.bool_]:
    """For each item, whether some row has it."""
    sides = np.zeros(n_items if teams is None else len(teams), dtype=bool)
    sides[left] = sides[right] = True
    if teams is None:
        return sides
    items = np.zeros(n_items, dtype=bool)
    items[teams.expand(np.flatnonzero(sides)).members] = True
    return items


def connected_items(left: Codes, right: Codes, n_items: int, teams: Teams | None) -> Codes:
    """The component of each item, numbered from the largest; -1 if the item is in no row."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_nodes = n_sides = n_items if teams is None else len(teams)
    start, end = _pairs_that_met(left, right, n_sides)
    if teams is not None:  # a team is a node of its own, behind the items and joined to its members
        played = np.flatnonzero(np.bincount(np.concatenate([start, end])))
        rows = teams.expand(played)
        start = np.concatenate([start, np.repeat(played, rows.sizes)]) + n_items
        end = np.concatenate([end + n_items, rows.members])
        n_nodes += n_items
    edges = coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(n_nodes, n_nodes))
    found = connected_components(edges, directed=False)[1][:n_items]
    appears = items_that_appear(left, right, n_items, teams)
    sizes = np.bincount(found[appears], minlength=found.max(initial=0) + 1)
    number = np.empty(len(sizes), dtype=np.int32)
    number[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return np.where(appears, number[found], np.int32(-1))


def _pairs_that_met(left: Codes, right: Codes, n_sides: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    key = left.astype(np.int64) * n_sides + right
    if n_sides**2 <= DENSE_CELLS:
        met = np.zeros(n_sides**2, dtype=bool)
        met[key] = True
        key = np.flatnonzero(met)
    return np.divmod(key, max(n_sides, 1))


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
