"""Cholesky's method for many small matrices, in compiled loops where a call of LAPACK would cost more."""

import numpy as np

from podium.numerics.compiled import njit


@njit(cache=True, nogil=True, error_model="numpy")
def factorise(H):  # type: ignore[no-untyped-def]
    """UᵀU = H in its upper half; False where a pivot is not positive."""
    k = len(H)
    for j in range(k):
        if not H[j, j] > 0.0:
            return False
        inverse = 1.0 / np.sqrt(H[j, j])
        for t in range(j, k):
            H[j, t] *= inverse
        for s in range(j + 1, k):
            factor = H[j, s]
            for t in range(s, k):
                H[s, t] -= factor * H[j, t]
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def solve(U, x):  # type: ignore[no-untyped-def]
    """Replace x by (UᵀU)⁻¹ x."""
    k = len(U)
    for s in range(k):
        x[s] /= U[s, s]
        for t in range(s + 1, k):
            x[t] -= x[s] * U[s, t]
    for s in range(k - 1, -1, -1):
        rest = x[s]
        for t in range(s + 1, k):
            rest -= U[s, t] * x[t]
        x[s] = rest / U[s, s]
