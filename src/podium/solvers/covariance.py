"""How far the estimates of a paired-comparison model are from the truth: the inverse of the information.

Theorem 2 of [GeneralizedBT] with its factor mended: the covariance is the inverse of the information summed
over the comparisons, without a further 1/n. In log-skill, jointly with tie parameter and order effect, the
prior counted as by Laplace. The gauge is mean 0 in every rank group: with A = H + γ v vᵀ of `information` and
C the matrix that subtracts group means, C A⁻¹ C is the pseudo-inverse of H.

Where the objective is no likelihood (a tie as half a win) the information overstates or understates what the
data say; the sandwich A⁻¹ M A⁻¹ holds, M being the sum of the squared residuals.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.solvers.information import information, regular
from podium.solvers.one_thread import one_blas_thread
from podium.solvers.paired import PairedProblem

Floats = NDArray[np.float64]

SMALL = 2_000  # items, up to which a second thread does not pay


def exact_covariance(problem: PairedProblem, x: Floats, *, sandwich: bool = False) -> Floats:
    """The covariance of all of x, by a dense inverse."""
    with one_blas_thread(problem.n_items <= SMALL):
        return _exact(problem, x, sandwich)


def _exact(problem: PairedProblem, x: Floats, sandwich: bool) -> Floats:
    found = information(problem, x)
    inverse = _inverse(regular(problem, x, found.skills).toarray())
    joint = centre(_bordered_inverse(inverse, found.border, found.corner), problem.rank_group)
    if not sandwich:
        return joint
    seen = information(problem, x, weights=squared_residuals(problem, x))
    k = problem.n_items
    above = seen.skills @ joint[:k] + seen.border @ joint[k:]
    below = seen.border.T @ joint[:k] + seen.corner @ joint[k:]
    return np.asarray(joint @ np.vstack([above, below]))


def squared_residuals(problem: PairedProblem, x: Floats) -> Floats:
    """Of each pair, the sum over its games of (score of the left side - expected score)²."""
    theta, _, order = problem.parts(x)
    strength = theta if problem.teams is None else np.log(problem.teams @ np.exp(theta - theta.max()))
    c = problem.counts
    expected = 1 / (1 + np.exp(np.minimum(strength[c.partner] - strength[c.first] - order, 700)))
    squares = c.left_wins * (1 - expected) ** 2 + c.ties * (0.5 - expected) ** 2 + c.right_wins * expected**2
    return np.asarray(squares)


def centre(joint: Floats, group: NDArray[np.int32]) -> Floats:
    """Rows and columns of the skills less the means of their group, in place."""
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


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a symmetric positive definite matrix, in its place."""
    from scipy.linalg.lapack import dpotrf, dpotri

    factor, failed = dpotrf(matrix.T, lower=1, overwrite_a=1, clean=1)
    if failed:
        raise np.linalg.LinAlgError("the information is singular: some skills cannot be told from others")
    inverse, _ = dpotri(factor, lower=1, overwrite_c=1)
    lower: Floats = np.tril(inverse, -1)
    lower += lower.T
    lower[np.diag_indices_from(lower)] = np.diag(inverse)
    return lower


def _bordered_inverse(inverse: Floats, border: Floats, corner: Floats) -> Any:
    """The inverse of [[A, B], [Bᵀ, D]] from that of A."""
    if not border.shape[1]:
        return inverse
    across = inverse @ border
    rest = np.linalg.inv(corner - border.T @ across)
    skills = inverse + across @ rest @ across.T
    return np.block([[skills, -across @ rest], [-rest @ across.T, rest]])
