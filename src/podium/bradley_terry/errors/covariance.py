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

from podium.bradley_terry.errors.information import exactly, observed, regular
from podium.bradley_terry.errors.meat import Meat
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.core.groups import centred
from podium.core.linear import inverse_of
from podium.numerics.threads import one_blas_thread

# Up to this many items BLAS gets one thread, which takes as long and rounds in the same way every time.
FEW_ITEMS = 500


def exact_covariance(problem: PairedProblem, x: Floats, meat: Meat | None = None) -> Floats:
    """The covariance of all of x, by a dense inverse."""
    with one_blas_thread(problem.n_items <= FEW_ITEMS):
        found = observed(problem, x)
        inverse = inverse_of(regular(problem, x, found.skills))
        joint = _bordered_inverse(inverse, found.border, found.corner)
        if meat is not None:  # before centring, which mixes the error of a hardly known item into all others
            joint = np.asarray(joint @ (meat @ joint))
    return centred(centred(joint, problem.rank_group).T, problem.rank_group).T


def exact_variances(problem: PairedProblem, x: Floats) -> Floats | None:
    """The variance of each log-skill minus the mean of its group; None if a factorization takes too long.

    No pair joins two groups, so A⁻¹ 1 holds the sum of every row over the group of its item.
    """
    k, group = problem.n_items, problem.rank_group
    found = exactly(problem, x)
    if found is None:
        return None
    variance, row_sum = found.skills.inverse_diagonal(), found.skills.solve(np.ones(k))
    row_mean = row_sum / np.bincount(group)[group]
    variance -= row_mean + centred(row_mean, group)
    if not found.border.shape[1]:
        return variance
    across = centred(found.across, group)
    return np.asarray(variance + ((across @ found.rest) * across).sum(axis=1))


def _bordered_inverse(inverse: Floats, border: Floats, corner: Floats) -> Any:
    """The inverse of [[A, B], [Bᵀ, D]] from that of A."""
    if not border.shape[1]:
        return inverse
    across = inverse @ border
    rest = np.linalg.inv(corner - border.T @ across)
    skills = inverse + across @ rest @ across.T
    return np.block([[skills, -across @ rest], [-rest @ across.T, rest]])
