"""Find triangles of items that met pairwise, and cycles among them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit


class Triangles(NamedTuple):
    """The worst cycles first (each item beats the next, the last beats the first), and the number of all."""

    cycles: NDArray[np.int64]
    z: Floats
    n_triangles: int
    n_cycles: int


def worst_cycles(
    indptr: NDArray[np.int64], partner: NDArray[np.int32], logit: Floats, variance: Floats, limit: int
) -> Triangles:
    """Among all triples that met pairwise, the cycles with the largest z = |Σ logit| / √(Σ variance).

    Rows list the partners with a larger number, in order; ``logit`` is the log-odds of the row over the
    partner.
    """
    cycles, z, n_triangles, n_cycles = _search(indptr, partner, logit, variance, limit)
    order = np.argsort(-z[: min(n_cycles, limit)], kind="stable")
    return Triangles(cycles[order], z[order], n_triangles, n_cycles)


@njit(cache=True, nogil=True)
def _search(indptr, partner, logit, variance, limit):  # type: ignore[no-untyped-def]
    n = len(indptr) - 1
    cycles, z = np.zeros((limit, 3), np.int64), np.full(limit, -1.0)
    edge_of = np.full(n, -1, np.int64)
    n_triangles = n_cycles = 0
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            edge_of[partner[e]] = e
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            for f in range(indptr[j], indptr[j + 1]):
                k = partner[f]
                g = edge_of[k]
                if g < 0:
                    continue
                n_triangles += 1
                forward = logit[e] > 0 and logit[f] > 0 and logit[g] < 0
                backward = logit[e] < 0 and logit[f] < 0 and logit[g] > 0
                if not (forward or backward):
                    continue
                n_cycles += 1
                value = abs(logit[e] + logit[f] - logit[g]) / np.sqrt(variance[e] + variance[f] + variance[g])
                worst = np.argmin(z)
                if value > z[worst]:
                    z[worst] = value
                    cycles[worst, 0] = i
                    cycles[worst, 1] = j if forward else k
                    cycles[worst, 2] = k if forward else j
        for e in range(indptr[i], indptr[i + 1]):
            edge_of[partner[e]] = -1
    return cycles, z, n_triangles, n_cycles
