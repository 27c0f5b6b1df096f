"""Check that a matrix or function of the user can be a kernel: symmetric, without negative eigenvalues.

Solvers accept any matrix, but for one that is not a kernel their certificates mean nothing.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions

SYMMETRY_TOL = 1e-5  # allowed asymmetry, as a share of the largest entry: float32 explains it
DEFINITE_TOL = 1e-6  # allowed negative eigenvalue, as a share of the sum of all: float32 explains it
SQUARE = 64  # rows compared with columns at once, to save memory
SOME_ITEMS = 1024  # sample of the items that is checked for negative eigenvalues
FEW_OF_FUNCTION = 256  # the same for a kernel function, which may be slow


def check_kernel_matrix(K: Floats, what: str, items: Positions | None = None) -> None:
    """Raise a ValueError that says what is wrong with K, the values of ``what`` between items."""
    check_symmetric(K, what, items)
    check_definite(K, what)


def check_symmetric(K: Floats, what: str, items: Positions | None = None) -> None:
    """Raise a ValueError that names two items whose two entries differ by more than rounding."""
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
    """Raise a ValueError if a symmetric matrix clearly has a negative eigenvalue.

    Then a Cholesky factorisation with a small shift fails. If there are many items, an evenly spread sample
    is checked: a principal submatrix of a kernel matrix has no negative eigenvalue either.
    """
    from scipy.linalg.lapack import dpotrf

    some = evenly_spread(len(K), SOME_ITEMS)
    part = np.asfortranarray(K[np.ix_(some, some)])
    shifted = part.copy(order="F")
    shifted[np.diag_indices_from(part)] += DEFINITE_TOL * np.abs(np.diagonal(part)).sum()
    if part.any() and dpotrf(shifted, overwrite_a=1)[1] > 0:
        raise ValueError(indefinite(part, what))


def indefinite(K: Floats, what: str) -> str:
    """The message for a symmetric matrix with a negative eigenvalue."""
    eigenvalues = np.linalg.eigvalsh(K)
    share = eigenvalues[0] / np.abs(eigenvalues).max()
    return (
        f"{what} is not positive semi-definite: it has a negative eigenvalue, {share:.2g} times the largest "
        "one in size; take another kernel, or add a constant to the diagonal"
    )


def evenly_spread(n: int, most: int) -> Positions:
    """Positions of at most ``most`` of n items."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)
