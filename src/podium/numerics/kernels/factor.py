"""A kernel matrix as inner products of short vectors: K = ZZ', by a pivoted Cholesky factorisation.

A kernel machine with ½‖w‖² is then the linear machine on the rows of Z. The factorisation stops when no pivot
is above a tolerance. The values of the function h at the items stay exact: Z w is K[:, pivots] b for the b
with Z[pivots]' b = w, and w'w is the squared norm of h.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.precomputed import check_symmetric, indefinite

# Both as shares of the largest entry of K times n.
SINGLE = 1e-9  # smaller pivots are rounding if K was computed in float32
INDEFINITE = 1e-8  # largest allowed difference between ZZ' and K


class KernelFactor(NamedTuple):
    """``Z`` has one column per pivot, or one column of zeros if there is no pivot."""

    Z: Floats
    pivots: Positions

    def coefficients(self, w: Floats) -> Floats:
        """The b with h(x) = Σ_j b_j κ(pivot j, x), where h is w·z at the items."""
        from scipy.linalg import solve_triangular

        if not len(self.pivots):
            return np.zeros(0)
        return np.asarray(solve_triangular(self.Z[self.pivots], w, trans="T", lower=True, check_finite=False))


def kernel_factor(K: Floats, tol: float) -> KernelFactor:
    """Factor K, of which only the lower half is read; all pivots are above ``tol``."""
    from scipy.linalg.lapack import dpstrf

    L, order, rank, _ = dpstrf(K, tol=max(tol, np.finfo(float).tiny), lower=1)
    order = order.astype(np.intp) - 1
    Z = np.zeros((len(K), max(rank, 1)))
    Z[order, :rank] = np.tril(L[:, :rank])
    return KernelFactor(Z, order[:rank])


def checked_factor(K: Floats, pivot: float = 1e-11, largest: float | None = None) -> KernelFactor:
    """Factor K with pivots above a share of its ``largest`` entry; a ValueError if ZZ' is not K."""
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
    """Factor a K of low rank that is too large to form, from one row per pivot."""
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
