"""Ranks that items share when they cannot be told apart, from the covariance of their skills."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
