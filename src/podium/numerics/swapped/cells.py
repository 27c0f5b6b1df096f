"""The pass of `hinge`, correct to about one per cent in a tenth of the time.

Scores and labels are put into cells: STEPS cells per margin, about LABELS cells for the labels. A table holds
the total weight of the items up to each cell of scores and labels. From it the violated pairs of every item
can be read without sorting the scores.

Two cases cannot be decided by cells and count half. If two scores are exactly one margin of cells apart, half
of the pair is violated. If two items share a cell with several labels, each is above the other by half. This
makes the error of the slope one of second order. The result shows where to go; it is no proof of optimality.

`SwappedPairsSVM` without these passes took 1.6 times as long on 100,000 items.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit

Ints = NDArray[np.integer[Any]]

STEPS = 16  # cells per margin: more are more accurate, and make the table larger
LABELS = 256  # cells for the labels, with about equally many items each
LARGEST = 32  # largest table, in numbers per item; a larger one would take longer than an exact pass


class LabelCells(NamedTuple):
    """The cell of every item's label, and whether a cell holds several labels."""

    of_item: NDArray[np.int32]
    several: NDArray[np.bool_]

    @classmethod
    def of(cls, run_of: Ints, start: Ints) -> Self:
        """From the runs of equal labels in `OrderedItems`, for items of one group."""
        of_run, several = _packed(start, LABELS)
        return cls(of_run[run_of], several)


def count_in_cells(
    score: Floats, weight: Floats, labels: LabelCells, margin: float
) -> tuple[Floats, Floats, float] | None:
    """Estimate the weight of the violated pairs below and above every item, and their loss.

    Return None if the scores are so far apart that the table would be too large.
    """
    least, most = float(score.min()), float(score.max())
    n_cells = (most - least) / margin * STEPS
    if not n_cells * len(labels.several) <= LARGEST * len(score):
        return None
    return _counted(score, weight, *labels, margin, least, int(n_cells) + 1)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def _packed(start, n_cells):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Assign runs to cells: as many runs as fit into a cell; a long run has a cell of its own."""
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
    """Replace the weight in every cell by the weight before it plus half of its own."""
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
