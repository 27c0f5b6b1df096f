"""A kernel matrix as the inner products of short vectors: K = ZZ', by Cholesky's method with pivots.

A machine with ½‖w‖² and a kernel is then the linear machine on the rows of Z. Steps end when no diagonal
entry is left above a tolerance; what h is at the items is exact even then, because Z w is K[:, pivots] b for
the b with Z[pivots]' b = w, and w'w is its norm.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.precomputed import check_symmetric, indefinite

SINGLE = 1e-9  # of the largest entry times n: smaller pivots are rounding where K had 32 bits
INDEFINITE = 1e-8  # of the same: how far ZZ' may be from K


class KernelFactor(NamedTuple):
    """``Z`` has a column for every pivot, and one of zeros where there is none."""

    Z: Floats
    pivots: Positions

    def coefficients(self, w: Floats) -> Floats:
        """The b of h(x) = Σ_j b_j κ(pivot j, x) where h is w·z at the items."""
        from scipy.linalg import solve_triangular

        if not len(self.pivots):
            return np.zeros(0)
        return np.asarray(solve_triangular(self.Z[self.pivots], w, trans="T", lower=True, check_finite=False))


def kernel_factor(K: Floats, tol: float) -> KernelFactor:
    """Of the lower half of K; pivots are above ``tol``."""
    from scipy.linalg.lapack import dpstrf

    L, order, rank, _ = dpstrf(K, tol=max(tol, np.finfo(float).tiny), lower=1)
    order = order.astype(np.intp) - 1
    Z = np.zeros((len(K), max(rank, 1)))
    Z[order, :rank] = np.tril(L[:, :rank])
    return KernelFactor(Z, order[:rank])


def checked_factor(K: Floats, pivot: float = 1e-11, largest: float | None = None) -> KernelFactor:
    """With pivots above that share of ``largest``, the largest entry; a ValueError where ZZ' is not K."""
    n = len(K)
    unit = float(np.max(np.diagonal(K), initial=0.0)) if largest is None else largest
    probe = np.cos(np.arange(n))
    for share in (pivot, SINGLE * n):
        factor = kernel_factor(K, share * unit)
        if np.abs(K @ probe - factor.Z @ (factor.Z.T @ probe)).max() <= INDEFINITE * n * unit:
            return factor
    check_symmetric(K, "the kernel matrix")
    raise ValueError(indefinite(K, "the kernel matrix"))


def factor_by_rows(row: Callable[[int], Floats], diagonal: Floats, tol: float) -> KernelFactor:
    """For a K of low rank that is too large to form: a row of it for every pivot."""
    n, rest = len(diagonal), diagonal.copy()
    columns, pivots = np.zeros((16, n)), list[int]()
    while len(pivots) < n and rest.max() > tol:
        rank, pivot = len(pivots), int(np.argmax(rest))
        if rank == len(columns):
            columns = np.concatenate([columns, np.zeros_like(columns)])
        earlier = columns[:rank]
        columns[rank] = (row(pivot) - earlier[:, pivot] @ earlier) / np.sqrt(rest[pivot])
        rest -= columns[rank] ** 2
        rest[pivot] = 0.0
        pivots.append(pivot)
    return KernelFactor(columns[: max(len(pivots), 1)].T, np.array(pivots, dtype=np.intp))
