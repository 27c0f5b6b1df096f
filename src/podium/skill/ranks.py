"""Ranks that items share when they cannot be told apart."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK = 256


def ranks_of_independent(
    theta: Floats, variance: Floats, component: NDArray[np.int32], quantile: float
) -> NDArray[np.int64]:
    """1 + the number of items of the same component with θ_j - θ_i > quantile · √(v_i + v_j)."""
    rank = np.ones(len(theta), dtype=np.int64)
    for group in range(component.max(initial=-1) + 1):
        members = np.flatnonzero(component == group)
        order = members[np.argsort(-theta[members], kind="stable")]
        rank[order] = _ranks_in_order(theta[order], variance[order], quantile)
    return rank


@njit(cache=True, nogil=True)
def _ranks_in_order(theta, variance, quantile):  # type: ignore[no-untyped-def]
    """Items best first. A block of them is counted or left out as a whole, unless it may be divided."""
    n = len(theta)
    n_blocks = (n + BLOCK - 1) // BLOCK
    least, most = np.empty(n_blocks), np.empty(n_blocks)
    for block in range(n_blocks):
        part = variance[block * BLOCK : (block + 1) * BLOCK]
        least[block], most[block] = part.min(), part.max()
    rank = np.ones(n, np.int64)
    for i in range(n):
        for block in range(i // BLOCK + 1):
            start, end = block * BLOCK, min((block + 1) * BLOCK, n)
            if theta[end - 1] > theta[i] + quantile * np.sqrt(variance[i] + most[block]):
                rank[i] += end - start
            elif theta[start] > theta[i] + quantile * np.sqrt(variance[i] + least[block]):
                for j in range(start, end):
                    rank[i] += theta[j] - theta[i] > quantile * np.sqrt(variance[i] + variance[j])
    return rank


def ranks_of_dependent(
    theta: Floats,
    covariance: Floats,
    component: NDArray[np.int32],
    keep: NDArray[np.int64],
    quantile: float,
) -> NDArray[np.int64]:
    """Of the items to keep, 1 + the number of those of the same component that are significantly better.

    Item j is better than i if θ_j - θ_i > quantile · √(v_i + v_j - 2 c_ij).
    """
    return np.asarray(_count_better(theta, covariance, component, keep, quantile**2))


@njit(cache=True, nogil=True)
def _count_better(theta, covariance, component, keep, square):  # type: ignore[no-untyped-def]
    variance = np.diag(covariance).copy()
    rank = np.ones(len(keep), np.int64)
    for p in range(len(keep)):
        i = keep[p]
        for q in range(p):
            j = keep[q]
            gap = theta[j] - theta[i]
            noise = variance[i] + variance[j] - 2.0 * covariance[i, j]
            apart = (gap * gap > square * noise) & (component[i] == component[j])  # no root, no branch
            rank[p] += apart & (gap > 0.0)
            rank[q] += apart & (gap < 0.0)
    return rank
