"""Rows that are ordered by their first side become one count per pair.

A row is packed into one integer, 4 * partner + outcome + 1, where the outcome is -1, 0 or 1: the first side
won, a tie, the partner won.
"""

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.core.pair_pass import Pairs
from podium.numerics.compiled import njit


def merge(start: NDArray[np.int64], packed: NDArray[np.int32], weights: Floats, n_partners: int) -> Pairs:
    """The sums of each pair; a single weight is that of every row. ``packed`` is overwritten."""
    # There may be as many pairs as rows; memory that is never written to costs nothing.
    total, ties, margin = (np.empty(len(packed)) for _ in range(3))
    indptr = _sum_pairs(start, packed, weights, total, ties, margin, n_partners)
    n = int(indptr[-1])
    return Pairs(indptr, packed[:n], total[:n], ties[:n], margin[:n])


@njit(cache=True, nogil=True)
def _sum_pairs(start, packed, weights, total, ties, margin, n_partners):  # type: ignore[no-untyped-def]
    """Fill the sums of each pair; ``packed`` is overwritten by the partners, always behind the reading.

    There is no branch that depends on the data: a partner is always written to the next place, which moves
    on only if the partner is new.
    """
    n_sides, step = len(start) - 1, 1 if len(weights) == len(packed) else 0
    indptr = np.zeros(n_sides + 1, np.int64)
    sums = np.zeros((n_partners, 4))  # left wins, ties, right wins of side a and a partner; 1 if they met
    n_pairs = 0
    for a in range(n_sides):
        for at in range(start[a], start[a + 1]):
            b, outcome = packed[at] >> 2, packed[at] & 3
            sums[b, outcome] += weights[at * step]
            packed[n_pairs] = b
            n_pairs += sums[b, 3] == 0.0
            sums[b, 3] = 1.0
        for e in range(indptr[a], n_pairs):
            b = packed[e]
            total[e] = sums[b, 0] + sums[b, 1] + sums[b, 2]
            ties[e] = sums[b, 1]
            margin[e] = sums[b, 2] - sums[b, 0]
            sums[b] = 0.0
        indptr[a + 1] = n_pairs
    return indptr
