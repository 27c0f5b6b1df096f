"""A kernel matrix as the inner products of short vectors: K = ZZ', by Cholesky's method with pivots.

A machine with ½‖w‖² and a kernel is then the linear machine on the rows of Z. Steps end when no diagonal
entry is left above ``RANK_TOL`` times the largest one; what h is at the items is exact even then, because Z w
is K[:, pivots] b for the b with Z[pivots]' b = w, and w'w is its norm.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RANK_TOL = 1e-11


class KernelFactor(NamedTuple):
    Z: Floats
    pivots: NDArray[np.intp]

    def coefficients(self, w: Floats) -> Floats:
        """The b of h(x) = Σ_j b_j κ(pivot j, x) where h is w·z at the items."""
        from scipy.linalg import solve_triangular

        if not len(self.pivots):
            return np.zeros(0)
        return np.asarray(solve_triangular(self.Z[self.pivots], w, trans="T", lower=True, check_finite=False))


def kernel_factor(K: Floats) -> KernelFactor:
    """Of a symmetric matrix; a ValueError where it has a negative eigenvalue on its diagonal or below it."""
    from scipy.linalg.lapack import dpstrf

    largest = float(np.max(np.diagonal(K), initial=0.0))
    if not largest > 0:
        return KernelFactor(np.zeros((len(K), 1)), np.zeros(0, dtype=np.intp))
    L, order, rank, _ = dpstrf(K, tol=RANK_TOL * largest, lower=1)
    order = order.astype(np.intp) - 1
    Z = np.empty((len(K), rank))
    Z[order] = np.tril(L)[:, :rank]
    left = np.diagonal(K) - np.einsum("ij,ij->i", Z, Z)
    if np.min(left) < -1e-6 * largest:
        raise ValueError("the kernel is not positive semi-definite, and this machine needs one that is")
    return KernelFactor(Z, order[:rank])
