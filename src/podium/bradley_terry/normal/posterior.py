"""The covariance V of skills with a normal prior, in the forms that the marginal likelihood needs.

For many items, random draws with covariance V replace it: sums over all items hardly differ. With teams,
differences are not linear in the skills, and the information counts as constant.
"""

import numpy as np

from podium.bradley_terry.errors.information import information, pair_terms, regular
from podium.bradley_terry.errors.laplacian import graph_of, solve_laplacian
from podium.bradley_terry.errors.sampling import conditional_draws
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.core.linear import inverse_of
from podium.core.marginal import Posterior
from podium.numerics.compiled import njit

EXACT_ITEMS = 1_000  # with more items, V is not computed; draws gave the same s up to a thousandth
DRAW_BLOCKS = 4  # of 16 draws


def posterior_of(problem: PairedProblem, x: Floats, exact_items: int = EXACT_ITEMS) -> Posterior:
    """V at a mode x of the skills, or draws of it."""
    counts = problem.counts

    def entries(there: Floats) -> Floats:
        return pair_terms(problem, there).bend if problem.teams is None else np.zeros(0)

    if problem.n_items <= exact_items:
        skills, border, corner = information(problem, x)
        V = inverse_of(regular(problem, x, skills))
        weight = _of_pairs(counts.indptr, counts.partner, V) if problem.teams is None else np.zeros(0)
        rest = corner - border.T @ V @ border
        return Posterior(V.__matmul__, float(np.trace(V)), border, rest, entries, weight)
    graph, border, corner = graph_of(problem, x)
    errors = conditional_draws(problem, x, graph, DRAW_BLOCKS)
    weight = _of_draws(counts.indptr, counts.partner, errors) if problem.teams is None else np.zeros(0)

    def times(right: Floats) -> Floats:
        columns = [solve_laplacian(graph, column, 1e-6) for column in right.reshape(len(right), -1).T]
        return np.array(columns).T.reshape(right.shape)

    return Posterior(times, float((errors**2).sum()) / errors.shape[1], border, corner, entries, weight)


@njit(cache=True, nogil=True)
def _of_pairs(indptr, partner, V):  # type: ignore[no-untyped-def]
    """V_ii + V_jj - 2 V_ij of every pair."""
    out = np.empty(len(partner))
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            out[e] = V[i, i] + V[j, j] - 2 * V[i, j]
    return out


@njit(cache=True, nogil=True)
def _of_draws(indptr, partner, errors):  # type: ignore[no-untyped-def]
    """The mean square of the difference of every pair over the draws."""
    out, n = np.zeros(len(partner)), errors.shape[1]
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            for k in range(n):
                out[e] += (errors[j, k] - errors[i, k]) ** 2 / n
    return out
