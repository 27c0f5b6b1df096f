"""Whether a matrix that somebody computed can be a kernel matrix: symmetric, without negative eigenvalues.

A machine that is given another one finds something, and certifies it, but the certificate means nothing.
"""

import numpy as np

from podium.comparisons.arrays import Floats

SYMMETRY_TOL = 1e-5  # of the largest entry: what rounding to float32 explains
DEFINITE_TOL = 1e-6  # of the sum of the eigenvalues: so does a negative one of this size
SQUARE = 64  # rows that are compared with columns at once
SOME_ITEMS = 1024  # whose eigenvalues are looked at


def check_symmetric(K: Floats) -> None:
    """An error that names two entries which differ by more than rounding."""
    far = SYMMETRY_TOL * max(float(K.max(initial=0.0)), -float(K.min(initial=0.0)))
    for start in range(0, len(K), SQUARE):
        part = slice(start, start + SQUARE)
        apart = np.abs(K[part] - K[:, part].T)
        if apart.max(initial=0.0) > far:
            row, j = divmod(int(np.argmax(apart)), len(K))
            i = start + row
            raise ValueError(
                "the precomputed kernel matrix is not symmetric: of the items in use, counting from 1, "
                f"{i + 1:,} has the kernel {K[i, j]:.6g} with {j + 1:,}, and that has {K[j, i]:.6g}"
            )


def check_definite(K: Floats) -> None:
    """An error where a symmetric matrix clearly has a negative eigenvalue.

    Cholesky's method with a small shift fails exactly there. Of many items some are looked at, evenly spread:
    no principal part of a kernel matrix has a negative eigenvalue if the whole has none.
    """
    from scipy.linalg.lapack import dpotrf

    some = np.linspace(0, len(K) - 1, min(len(K), SOME_ITEMS)).astype(np.intp)
    part = np.asfortranarray(K[np.ix_(some, some)])
    part[np.diag_indices_from(part)] += DEFINITE_TOL * np.abs(np.diagonal(part)).sum()
    if part.any() and dpotrf(part, overwrite_a=1)[1] > 0:
        raise ValueError(
            "the precomputed kernel matrix has a negative eigenvalue, so it is not positive semi-definite; "
            "add a constant to its diagonal, or take another kernel"
        )
