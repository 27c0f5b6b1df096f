"""The inverse of I + N for a symmetric N without negative eigenvalues, as a step of Newton's method needs."""

from collections.abc import Callable

import numpy as np

from podium.comparisons.arrays import Floats

TOO_LARGE = "the costs, or the features or the kernel, are too large to compute with; scale them down"


def inverse_of_identity_plus(N: Floats) -> Callable[[Floats], Floats]:
    """Return a function that solves (I + N) x = b; N is overwritten by its Cholesky factor.

    If rounding makes the factorization fail, a larger multiple of I is added.
    """
    from scipy.linalg.lapack import dpotrf, dpotrs  # scipy's wrappers take longer than small matrices

    ridge = 1.0
    while np.isfinite(ridge):
        N.flat[:: len(N) + 1] += ridge
        factor, failed = dpotrf(N.T, lower=1, clean=0)  # N is symmetric; Fortran sees it transposed
        if not failed:
            return lambda right: np.asarray(dpotrs(factor, right, lower=1)[0])
        ridge = max(100 * ridge, 1e-15 * float(np.max(np.diagonal(N))))
    raise np.linalg.LinAlgError(TOO_LARGE)
