"""Fit normal skills: what the marginal likelihood must know of rankings."""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.core.linear import EXACT_ITEMS, inverse_of
from podium.core.marginal import MarginalFit, Model, Posterior, fit_marginal
from podium.numerics.result import SolverResult
from podium.rankings.fit import fit_rankings
from podium.rankings.likelihood import RankingProblem


def choices_per_item(problem: RankingProblem) -> float:
    return float(problem.ballots.tally.choices.mean())


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


LISTED = Model(_posterior, _log_determinant, choices_per_item)


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
