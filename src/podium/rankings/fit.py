"""Fit the likelihood of rankings, with or without a normal prior, and certify the result."""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.core.linear import EXACT_ITEMS, Curvature, Elimination, Iterative, by_diagonal, inverse_of
from podium.core.marginal import MarginalFit, Model, Posterior, fit_marginal
from podium.core.smooth import minimise
from podium.numerics.descent import Derivatives
from podium.numerics.result import SolverResult
from podium.rankings.likelihood import RankingProblem


def fit_rankings(
    problem: RankingProblem,
    tol: float,
    max_iter: int,
    start: Floats | None = None,
    exact_items: int = EXACT_ITEMS,
) -> SolverResult:
    """Minimise ``problem.objective``; the certificate is the gradient relative to ``problem.scale()``."""

    def curvature(x: Floats, _: Derivatives, extra: Floats, rtol: float) -> Curvature:
        if problem.n_items > exact_items:
            return equations(problem, x, rtol, extra, rough=True)
        matrix = regular(problem, problem.information(x))
        matrix[np.diag_indices_from(matrix)] += extra
        return Elimination.dense(len(x)).factorize(matrix)

    return minimise(problem, curvature, tol, max_iter, start)


def equations(
    problem: RankingProblem, x: Floats, rtol: float, extra: Floats | float = 0.0, *, rough: bool = False
) -> Iterative:
    """The second derivatives plus a diagonal, for conjugate gradients."""
    extra = np.broadcast_to(extra, len(x))

    def times(v: Floats) -> Floats:
        return np.asarray(problem.times(x, v) + extra[:, None] * v)

    return Iterative(times, by_diagonal(problem.derivatives(x).curvature + extra), rtol, rough=rough)


def regular(problem: RankingProblem, matrix: Floats) -> Floats:
    """Add γ v vᵀ for the indicator v of every group, in place: shifts of a group change nothing else.

    Known skills, whose group has a scale, are cut off.
    """
    matrix, group = problem.known.cut_off(matrix), problem.rank_group
    for number in np.unique(group[~problem.known.measured(group)]):
        members = np.flatnonzero(group == number)
        gamma = max(float(matrix[members, members].mean()), 1e-12)
        matrix[np.ix_(members, members)] += gamma / len(members)
    return matrix


# ------------------------------------------------------------------------------------ normal skills


def _posterior(problem: RankingProblem, x: Floats) -> Posterior:
    k, whole = problem.n_items, problem.information(x)
    V, border = inverse_of(whole[:k, :k].copy()), whole[:k, k:]

    def entries(there: Floats) -> Floats:
        return problem.information(there)[:k, :k].ravel()

    rest = whole[k:, k:] - border.T @ V @ border
    return Posterior(V.__matmul__, float(np.trace(V)), border, rest, entries, V.ravel())


def _log_determinant(problem: RankingProblem, x: Floats) -> float:
    k = problem.n_items
    return float(np.linalg.slogdet(problem.information(x)[:k, :k])[1])


LISTED = Model(_posterior, _log_determinant)


def fit_normal(problem: RankingProblem, tol: float, max_iter: int) -> MarginalFit:
    """Maximise the marginal likelihood over the scale of the prior and the tie parameters."""
    if problem.n_items > EXACT_ITEMS:
        raise ValueError(
            f"prior='normal' takes at most {EXACT_ITEMS:,} items, and there are {problem.n_items:,}; use "
            "prior='auto' or a number"
        )

    def solve(problem: RankingProblem, start: Floats | None) -> SolverResult:
        return fit_rankings(problem, tol, max_iter, start)

    return fit_marginal(problem, LISTED, solve)
