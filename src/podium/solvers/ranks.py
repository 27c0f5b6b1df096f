"""Ranks that items share when they cannot be told apart, for many items."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
    """Items best first: whoever leads by more than the largest variance allows is certainly better."""
    n = len(theta)
    rank = np.ones(n, np.int64)
    largest = variance.max() if n else 0.0
    for i in range(n):
        certain = theta[i] + quantile * np.sqrt(variance[i] + largest)
        possible = theta[i] + quantile * np.sqrt(variance[i])
        low, high = 0, i
        while low < high:  # the first item that is not certainly better
            middle = (low + high) // 2
            if theta[middle] > certain:
                low = middle + 1
            else:
                high = middle
        rank[i] += low
        j = low
        while j < i and theta[j] > possible:
            if theta[j] - theta[i] > quantile * np.sqrt(variance[i] + variance[j]):
                rank[i] += 1
            j += 1
    return rank
