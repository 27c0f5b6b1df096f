"""The covariance of the estimates of a paired-comparison model: the inverse of the information.

This is Theorem 2 of [GeneralizedBT] with its factor corrected: the covariance is the inverse of the
information summed over the comparisons, without another 1/n. It is that of all parameters together, with
skills as logarithms, and includes the prior as in Laplace's approximation. Log-skills have mean 0 in every
rank group: with A = H + γ v vᵀ of `information` and C the matrix that subtracts group means, C A⁻¹ C is the
pseudo-inverse of H.

If the comparisons do not vary as the model says, the sandwich C A⁻¹ M A⁻¹ C is used instead (`meat`).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.errors.information import dense, mirrored, observed, regular
from podium.bradley_terry.errors.meat import Meat
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.threads import one_blas_thread

# Up to this many items BLAS gets one thread: with two, errors of 300 items take as long, those of 1,000 items
# 0.6 times as long.
SMALL = 500


def exact_covariance(problem: PairedProblem, x: Floats, meat: Meat | None = None) -> Floats:
    """The covariance of all of x, by a dense inverse."""
    with one_blas_thread(problem.n_items <= SMALL):
        found = observed(problem, x)
        inverse = inverse_from(cholesky(dense(regular(problem, x, found.skills))))
        joint = _bordered_inverse(inverse, found.border, found.corner)
        if meat is not None:  # before centring, which mixes the error of a hardly known item into all others
            joint = np.asarray(joint @ (meat @ joint))
        return centre(joint, problem.rank_group)


def exact_variances(problem: PairedProblem, x: Floats) -> Floats:
    """The variance of each log-skill minus the mean of its group, at 2/3 of the cost of the covariance.

    With A = L Lᵀ and R = L⁻¹, the diagonal of A⁻¹ = Rᵀ R holds the squared lengths of the columns of R. No
    pair joins two groups, so A⁻¹ 1 holds the sum of every row over the group of its item.
    """
    from scipy.linalg.blas import dtrmm

    k, group = problem.n_items, problem.rank_group
    with one_blas_thread(k <= SMALL):
        found = observed(problem, x)
        root = _inverse_root(dense(regular(problem, x, found.skills)))
        right = np.column_stack([np.ones(k), found.border])
        across = dtrmm(1.0, root, dtrmm(1.0, root, right, lower=1), lower=1, trans_a=1)
        variance = _squared_lengths(root.T)
    size = np.bincount(group)
    row_mean = across[:, 0] / size[group]
    variance += (np.bincount(group, row_mean) / size)[group] - 2 * row_mean
    if not found.border.shape[1]:
        return np.asarray(variance)
    rest = np.linalg.inv(found.corner - found.border.T @ across[:, 1:])
    for column in across.T:
        column -= (np.bincount(group, column) / size)[group]
    return np.asarray(variance + ((across[:, 1:] @ rest) * across[:, 1:]).sum(axis=1))


def centre(joint: Floats, group: NDArray[np.int32]) -> Floats:
    """Subtract the group means from the rows and columns of the skills, in place."""
    k = len(group)
    size = np.bincount(group)
    if len(size) == 1:
        joint[:k] -= joint[:k].mean(axis=0)
        joint[:, :k] -= joint[:, :k].mean(axis=1)[:, None]
        return joint
    member = (group[None, :] == np.arange(len(size))[:, None]) / size[:, None]
    joint[:k] -= (member @ joint[:k])[group]
    joint[:, :k] -= (joint[:, :k] @ member.T)[:, group]
    return joint


def inverse_from(factor: Floats) -> Floats:
    """The inverse of a symmetric positive definite matrix with this factor, in the same memory."""
    from scipy.linalg.lapack import dpotri

    inverse, _ = dpotri(factor, lower=1, overwrite_c=1)
    return mirrored(inverse.T)


def _inverse_root(matrix: Floats) -> Floats:
    """The inverse of the lower triangle L with L Lᵀ = matrix, in the same memory."""
    from scipy.linalg.lapack import dtrtri

    root, _ = dtrtri(cholesky(matrix), lower=1, overwrite_c=1)
    return np.asarray(root)


def cholesky(matrix: Floats) -> Any:
    """The lower triangle L with L Lᵀ = matrix, in the same memory; what is above it is undefined."""
    from scipy.linalg.lapack import dpotrf

    factor, failed = dpotrf(matrix.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        raise np.linalg.LinAlgError(
            "some skills are not determined by the data, so they have no standard errors; use prior="
            "'auto' or a number above 0"
        )
    return factor


def _bordered_inverse(inverse: Floats, border: Floats, corner: Floats) -> Any:
    """The inverse of [[A, B], [Bᵀ, D]] from that of A."""
    if not border.shape[1]:
        return inverse
    across = inverse @ border
    rest = np.linalg.inv(corner - border.T @ across)
    skills = inverse + across @ rest @ across.T
    return np.block([[skills, -across @ rest], [-rest @ across.T, rest]])


@njit(cache=True, nogil=True)
def _squared_lengths(upper):  # type: ignore[no-untyped-def]
    """The squared lengths of the rows of an upper triangle; what is below the diagonal is ignored."""
    out = np.zeros(len(upper))
    for i in range(len(upper)):
        for j in range(i, len(upper)):
            out[i] += upper[i, j] * upper[i, j]
    return out
