"""Variances of very many skills, without an inverse.

The information of the skills is a Laplacian H = D - A: A holds the information of each pair (and of the
prior), D its row sums. With T = D⁻¹A the pseudo-inverse in the gauge of D is the series

    G = Σ_t (T^t - 1 dᵀ / Σd) D⁻¹,

whose first three terms give the diagonal at the cost of one pass over the pairs; two more bring it to the
gauge with mean 0. What is left out falls as the third power of the second eigenvalue of T. Where that is near
one (a chain, a ladder) or where many items hang on few others, the equations are solved instead, and where
there are too many of these the variances are sampled.
"""

from typing import Any

import numpy as np

from podium.bradley_terry.errors.covariance import squared_residuals
from podium.bradley_terry.errors.information import factorize, information, regular, solve_bordered, whole
from podium.bradley_terry.errors.laplacian import Laplacian, conjugate_gradients, graph_of
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.threads import over_rows

WELL_CONNECTED = 0.8  # the second eigenvalue of T up to which the series is trusted
LOCAL = 0.1  # second term over first, from which on an item is solved for on its own
FEW = 200  # items that are worth a solution of their own by conjugate gradients
SOLVED_ITEMS = 5_000  # up to here the equations of a badly connected graph are solved item by item
BLOCK = 256
POWERS = 8


def approximate_variances(problem: PairedProblem, x: Floats, *, sandwich: bool = False) -> Floats:
    """The variance of each log-skill less the mean of its group.

    By the series on a well-connected graph; else exactly up to `SOLVED_ITEMS` items, or with teams; beyond
    that by sampling, which leaves the standard errors off by one per cent or so, and by 3 % where an item
    hangs on the rest by few pairs (`sampling` has the measure of it).
    """
    graph, border, corner = graph_of(problem, x)
    local = _second_term(graph)
    if second_eigenvalue(graph) <= WELL_CONNECTED and np.count_nonzero(local > LOCAL) <= FEW:
        variance = _expanded(graph, local)
        if sandwich:
            seen = information(problem, x, weights=squared_residuals(problem, x)).skills.diagonal()
            variance *= seen / graph.degree
    elif problem.n_items <= SOLVED_ITEMS or problem.teams is not None:
        return _solved(problem, x, sandwich)
    else:
        variance = _sampled(problem, x, graph, sandwich)
    return np.asarray(variance + _from_the_rest(graph, border, corner))


def variance_of_contrast(
    problem: PairedProblem, x: Floats, contrast: Floats, *, sandwich: bool = False
) -> float:
    """The variance of contrastᵀ x, whose entries for the skills sum to 0 in every group."""
    graph, border, corner = graph_of(problem, x)

    def solve(right: Floats) -> Floats:
        columns = right.reshape(len(right), -1).T
        return np.array([conjugate_gradients(graph, b, 1e-8) for b in columns]).T.reshape(right.shape)

    solution = solve_bordered(solve, border, corner, contrast)
    if not sandwich:
        return float(contrast @ solution)
    y, bottom = solution[: problem.n_items], solution[problem.n_items :]
    seen = information(problem, x, weights=squared_residuals(problem, x))
    both = y @ (whole(seen.skills) @ y) + 2 * (y @ seen.border) @ bottom + bottom @ seen.corner @ bottom
    return float(both)


def second_eigenvalue(graph: Laplacian) -> float:
    """Of T, in absolute value, by a few steps of the power method: never above the truth."""
    rng = np.random.default_rng(0)
    v: Floats = rng.standard_normal(len(graph.degree))
    total = np.bincount(graph.group, graph.degree)
    ratio = 0.0
    for _ in range(POWERS):
        v = v - (np.bincount(graph.group, graph.degree * v) / total)[graph.group]
        before = np.sqrt((graph.degree * v * v).sum())
        if before == 0:
            return 0.0
        v = graph.onward(v / before)
        ratio = float(np.sqrt((graph.degree * v * v).sum()))
    return ratio


def _expanded(graph: Laplacian, local: Floats) -> Floats:
    """By the series, but for the items that hang on few others."""
    variance = _series(graph, local)
    for i in np.flatnonzero(local > LOCAL):
        unit = np.zeros(len(local))
        unit[i] = 1.0
        variance[i] = conjugate_gradients(graph, graph.centred(unit), 1e-6)[i]
    return variance


def _series(graph: Laplacian, local: Floats) -> Floats:
    """The diagonal of C G C, C subtracting the mean of the group, from three terms of the series."""
    size = np.bincount(graph.group)[graph.group]
    total = np.bincount(graph.group, graph.degree)[graph.group]
    first = 1 / graph.degree
    second = graph.onward(first)
    third = graph.onward(second)
    row_mean = (first + second + third) / size - 3 / total  # of G, over the group
    grand_mean = (np.bincount(graph.group, row_mean) / np.bincount(graph.group))[graph.group]
    return np.asarray((1 + local) / graph.degree - 3 / total - 2 * row_mean + grand_mean)


def _second_term(graph: Laplacian) -> Floats:
    """(T²)_ii = Σ_j a_ij² / (d_i d_j), with a_ij = w_ij + γ s_i s_j."""
    scaled = graph.share / graph.degree
    columns = (graph.indptr, graph.partner, graph.weight, 1 / graph.degree, scaled)
    pairs, mixed = sum(over_rows(graph.indptr, lambda start, end: _squares(*columns, start, end)))
    everyone = np.bincount(graph.group, graph.share * scaled)[graph.group] - graph.share * scaled
    prior = graph.gamma * graph.share
    return np.asarray((pairs + 2 * prior * mixed + prior**2 * everyone) / graph.degree)


def _from_the_rest(graph: Laplacian, border: Floats, corner: Floats) -> Floats:
    """What not knowing the tie parameter and the order effect adds; little, so roughly solved."""
    if not border.shape[1]:
        return np.zeros(len(border))
    across = np.column_stack([conjugate_gradients(graph, b, 1e-2) for b in border.T])
    rest = np.linalg.inv(corner - border.T @ across)
    return np.asarray(((across @ rest) * across).sum(axis=1))


def _sampled(problem: PairedProblem, x: Floats, graph: Laplacian, sandwich: bool) -> Floats:
    from podium.bradley_terry.errors.sampling import sampled_sandwich, sampled_variances

    def solver() -> Any:
        return factorize(regular(problem, x, information(problem, x).skills))

    if not sandwich:
        return sampled_variances(graph, solver)
    pairs = (problem.counts.indptr, problem.counts.partner, squared_residuals(problem, x))
    return sampled_sandwich(graph, pairs, solver)


def _solved(problem: PairedProblem, x: Floats, sandwich: bool) -> Floats:
    """Every variance by a factorization of the information, a block of items at a time."""
    found = information(problem, x)
    k, group = problem.n_items, problem.rank_group
    size = np.bincount(group)
    solve = factorize(regular(problem, x, found.skills))
    across = solve(found.border) if found.border.shape[1] else found.border
    rest = np.linalg.inv(found.corner - found.border.T @ across)
    middle = information(problem, x, weights=squared_residuals(problem, x)) if sandwich else None
    spread = None if middle is None else whole(middle.skills)
    variance = np.empty(k)
    for start in range(0, k, BLOCK):
        chosen = np.arange(start, min(start + BLOCK, k))
        right = np.where(group[:, None] == group[chosen], -1.0 / size[group[chosen]], 0.0)
        right[chosen, np.arange(len(chosen))] += 1.0
        y = solve(right)
        bottom = -rest @ (found.border.T @ y)
        y = y - across @ bottom
        if middle is None:
            variance[chosen] = (right * y).sum(axis=0)
        else:
            variance[chosen] = (
                (y * (spread @ y)).sum(axis=0)
                + 2 * ((middle.border.T @ y) * bottom).sum(axis=0)
                + (bottom * (middle.corner @ bottom)).sum(axis=0)
            )
    return variance


@njit(cache=True, nogil=True)
def _squares(indptr, partner, weight, inverse, scaled, start, end):  # type: ignore[no-untyped-def]
    """Of every item, Σ_j w_ij² / d_j and Σ_j w_ij s_j / d_j, over the pairs of some rows."""
    out = np.zeros((2, len(inverse)))
    pairs, mixed = out
    for i in range(start, end):
        own = own_mixed = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j, w = partner[e], weight[e]
            own += w * w * inverse[j]
            own_mixed += w * scaled[j]
            pairs[j] += w * w * inverse[i]
            mixed[j] += w * scaled[i]
        pairs[i] += own
        mixed[i] += own_mixed
    return out
