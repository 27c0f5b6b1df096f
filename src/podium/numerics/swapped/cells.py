"""The pass of `hinge` to about a per cent, at a tenth of its time: scores and labels in cells.

Scores are rounded to some cells a margin, labels to some hundred, and a table of what the items up to a cell
of either weigh answers for all items who violates whom: no score is sorted. Of two items whose difference is
a margin of cells, half a pair is violated, and of two in one cell of several labels, either is above the
other by half, so that what rounding does to the slope is of second order. It shows where to go; it proves
nothing.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit

Ints = NDArray[np.integer[Any]]

STEPS = 16  # cells of a margin
LABELS = 256  # cells of the labels, about as many items in each
LARGEST = 32  # numbers an item that the table may have


class LabelCells(NamedTuple):
    """The cell of every item's label, and of every cell whether it has several labels."""

    of_item: NDArray[np.int32]
    several: NDArray[np.bool_]

    @classmethod
    def of(cls, run_of: Ints, start: Ints, n_cells: int = LABELS) -> Self:
        """Runs of a label as in `OrderedItems`, of one group; some of their items, or all."""
        of_run, several = _packed(start, n_cells)
        return cls(of_run[run_of], several)


def count_in_cells(
    score: Floats, weight: Floats, labels: LabelCells, margin: float
) -> tuple[Floats, Floats, float] | None:
    """About what violates every item from below and from above, and the loss of these halves and wholes; None
    where the scores are too far apart for cells.
    """
    least, most = float(score.min()), float(score.max())
    n_cells = (most - least) / margin * STEPS
    if not n_cells * len(labels.several) <= LARGEST * len(score):
        return None
    return _counted(score, weight, *labels, margin, least, int(n_cells) + 1)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def _packed(start, n_cells):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Runs to cells: as many as there is room for, a long one alone."""
    n_runs = start.shape[0] - 1
    of_run, several = np.empty(n_runs, np.int32), np.zeros(2 * n_cells + 1, np.bool_)
    room, cell, first = start[n_runs] / n_cells, -1, 0
    for run in range(n_runs):
        if cell >= 0 and n_runs > n_cells and start[run + 1] - first <= room:
            several[cell] = True
        else:
            cell, first = cell + 1, start[run]
        of_run[run] = cell
    return of_run, several[: cell + 1].copy()


@njit(cache=True, nogil=True)
def _counted(score, weight, label, several, margin, least, n_cells):  # type: ignore[no-untyped-def]  # pragma: no cover
    n, every = score.shape[0], several.shape[0]
    table = np.zeros((n_cells + 2 * STEPS + 2, every + 1))
    cell = np.empty(n, np.int32)
    for i in range(n):
        cell[i] = STEPS + 1 + int((score[i] - least) / margin * STEPS)
        table[cell[i], label[i] + 1] += weight[i]
    _summed_up(table, several)
    below, above, loss, last = np.empty(n), np.empty(n), 0.0, table.shape[0] - 1
    for i in range(n):
        low, high, d = cell[i] - STEPS, cell[i] + STEPS, label[i]
        below[i] = table[last, d] - table[low, d]
        above[i] = table[high, every] - table[high, d if several[d] else d + 1]
        loss += weight[i] * (below[i] * (margin - (score[i] - least)) + above[i] * (score[i] - least))
    return below, above, loss


@njit(cache=True, nogil=True)
def _summed_up(table, several):  # type: ignore[no-untyped-def]  # pragma: no cover
    """From what is in a cell to what is before it, with the half of it."""
    rows, columns = table.shape
    for c in range(1, rows):
        total = 0.0
        for d in range(columns):
            total += table[c, d]
            table[c, d] = table[c - 1, d] + total
    for c in range(rows - 1, 0, -1):
        for d in range(columns):
            table[c, d] = (table[c, d] + table[c - 1, d]) / 2
        for d in range(columns - 1):
            if several[d]:
                table[c, d] = (table[c, d] + table[c, d + 1]) / 2
