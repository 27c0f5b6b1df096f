"""Whether what somebody computed can be a kernel matrix: symmetric, without negative eigenvalues.

A machine that is given another one finds something, and certifies it, but the certificate means nothing.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions

SYMMETRY_TOL = 1e-5  # of the largest entry: what rounding to float32 explains
DEFINITE_TOL = 1e-6  # of the sum of the eigenvalues: so does a negative one of this size
SQUARE = 64  # rows that are compared with columns at once
SOME_ITEMS = 1024  # whose eigenvalues are looked at
FEW_OF_FUNCTION = 256  # the same of a kernel function, which may be slow


def check_kernel_matrix(K: Floats, what: str, items: Positions | None = None) -> None:
    """An error that says what is wrong with the values of ``what``, a matrix or a function, between items."""
    check_symmetric(K, what, items)
    check_definite(K, what)


def check_symmetric(K: Floats, what: str, items: Positions | None = None) -> None:
    """An error that names two items whose two entries differ by more than rounding."""
    far = SYMMETRY_TOL * max(float(K.max(initial=0.0)), -float(K.min(initial=0.0)))
    for start in range(0, len(K), SQUARE):
        part = slice(start, start + SQUARE)
        apart = np.abs(K[part] - K[:, part].T)
        if apart.max(initial=0.0) > far:
            row, j = divmod(int(np.argmax(apart)), len(K))
            i = start + row
            one, other = (i, j) if items is None else (items[i], items[j])
            raise ValueError(
                f"{what} is not symmetric: of the items in use, counting from 1, "
                f"{one + 1:,} has the kernel {K[i, j]:.6g} with {other + 1:,}, and that has {K[j, i]:.6g}"
            )


def check_definite(K: Floats, what: str) -> None:
    """An error where a symmetric matrix clearly has a negative eigenvalue.

    Cholesky's method with a small shift fails exactly there. Of many items some are looked at, evenly spread:
    no principal part of a kernel matrix has a negative eigenvalue if the whole has none.
    """
    from scipy.linalg.lapack import dpotrf

    some = evenly_spread(len(K), SOME_ITEMS)
    part = np.asfortranarray(K[np.ix_(some, some)])
    shifted = part.copy(order="F")
    shifted[np.diag_indices_from(part)] += DEFINITE_TOL * np.abs(np.diagonal(part)).sum()
    if part.any() and dpotrf(shifted, overwrite_a=1)[1] > 0:
        raise ValueError(indefinite(part, what))


def indefinite(K: Floats, what: str) -> str:
    """What to say of a symmetric matrix with a negative eigenvalue."""
    eigenvalues = np.linalg.eigvalsh(K)
    share = eigenvalues[0] / np.abs(eigenvalues).max()
    return (
        f"{what} is not positive semi-definite: it has a negative eigenvalue, {share:.2g} times the largest "
        "one in size; take another kernel, or add a constant to the diagonal"
    )


def evenly_spread(n: int, most: int) -> Positions:
    """Some of n items."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)
