"""Errors of very many skills on a badly connected graph, from joint random draws.

Take independent random signs ε and add up w = Σ √(a_ij) ε_ij (e_i - e_j) over the pairs, and the same for
the prior. The covariance of w is the information H, so the covariance of y = H⁺ w is H⁺. Draws of y give
the error of every difference; with k draws it is off by 1 / √(2k).

Most of a single variance is known exactly. H y = w says that an item's value comes from its neighbours plus
noise of its own: y = T y + D⁻¹ w with T = I - D⁻¹ H. In a group of n items with mean 0 it follows that

    H⁺_ii = E (T y)_i² + (1 - 2/n) / d_i,

so only the neighbours' part has to be sampled. Its share f of the variance is small if an item has few games,
because its own noise dominates, and if it has many opponents, because their noise cancels out. The relative
error of a standard error is about f / √(2k). Measured against exact solutions: 0.6 to 0.8 % on eleven years
of chess, 2 to 3 % on ladders and a grid.

For the sandwich H⁺ M H⁺ the draws have the covariance M, and E (T y)_i² + 2 E (T y)_i w_i / d_i is sampled:
2 % on the chess, 2.6 to 3.4 % on ladders and a grid. With clustered errors, the gradient of every group gets
one random sign. Estimating the other parameters (ties, order effect, covariates) adds errors that all skills
share.

The equations are solved by scipy's conjugate gradients, `TOGETHER` draws at a time, with the diagonal scaled
to 1. If that takes too many steps, the graph is badly connected, and a factorization is used if it is
affordable (`core.linear`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.errors.covariance import Clustered, ScoreCovariance
from podium.bradley_terry.errors.information import Information, information, jacobian, pair_terms, solver_of
from podium.bradley_terry.errors.laplacian import QUICK, Laplacian, graph_of, spectrum_ends
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.core.groups import centred, group_sums
from podium.core.linear import Curvature
from podium.numerics.compiled import njit
from podium.numerics.threads import in_threads, one_blas_thread
from podium.skill.joint import DRAWS, TOGETHER, Drawn

Solve = Callable[[Floats], Floats]

# A draw has an energy yᵀ H y of about 1 in every mode (eigenvector) of the graph. Conjugate gradients stop
# when no mode, not even the one with the smallest eigenvalue, can lack more than this share of its energy.
MISSING_ENERGY = 1e-4
# Double precision is used only if the smallest eigenvalue is below this. It takes 1.8 times as long on 20,000
# items and 60,000 games.
WEAK = 1e-3


class Sampled(NamedTuple):
    """The variance of each log-skill minus the mean of its group; draws of all errors, one row per item."""

    variance: Floats
    errors: NDArray[np.float32]


def sampled_errors(
    problem: PairedProblem, x: Floats, score_covariance: ScoreCovariance | None = None, quick: int = QUICK
) -> Sampled:
    """Variances and draws of the errors.

    Draws for teams are made by side and mapped to their members; they have the expected information.
    """
    with one_blas_thread():
        graph, border, corner = graph_of(problem, x)
        graph = replace(graph, quick=quick)
        across = _across(problem, x, graph, border)
        rest = np.asarray(np.linalg.inv(corner - border.T @ across), dtype=np.float64)
        if isinstance(score_covariance, Clustered):
            return _sampled_by_group(problem, x, score_covariance, graph, across, rest)
        return _sampled(problem, x, score_covariance, graph, across, rest)


def _across(problem: PairedProblem, x: Floats, graph: Laplacian, border: Floats) -> Floats:
    """How the skills move with the other parameters."""
    if not border.shape[1]:
        return border
    try:
        across = graph.equations(1e-4, graph.quick).solve(border)
    except np.linalg.LinAlgError:
        across = _slow_solver(problem, x).solve(border)
    return centred(across, graph.group)


def conditional_draws(problem: PairedProblem, x: Floats, graph: Laplacian, n_blocks: int) -> Floats:
    """Draws of the errors of the skills if all other parameters were known, one per column."""
    with one_blas_thread():
        draw = noise_of(problem, x, graph, pair_terms(problem, x).curvature)
        solve = _solver(problem, x, graph, draw(0))
        return np.hstack(list(in_threads(lambda block: solve(draw(block)), range(n_blocks))))


def _sampled(
    problem: PairedProblem, x: Floats, score_covariance: Any, graph: Laplacian, across: Floats, rest: Floats
) -> Sampled:
    """Draws with the information as their covariance, or with the squared residuals of every pair."""
    sandwich, teams = score_covariance is not None, problem.teams is not None
    terms = score_covariance.terms if sandwich else pair_terms(problem, x)
    weight = terms.curvature + terms.held
    draw = noise_of(problem, x, graph, weight, with_prior=not sandwich or problem.normal is not None)
    solve = _solver(problem, x, graph, draw(0))
    noise = across @ np.linalg.cholesky(rest)
    degree = np.full(len(across), np.inf) if teams else graph.degree  # members share the noise of their team
    errors = np.empty((len(across), DRAWS), dtype=np.float32)

    def work(block: int) -> Floats:
        w = draw(block)
        y = centred(np.asarray(solve(w), dtype=np.float64), graph.group)
        others = np.random.default_rng([DRAWS, block]).standard_normal((noise.shape[1], TOGETHER))
        errors[:, block * TOGETHER : (block + 1) * TOGETHER] = y + noise @ others
        own = w / degree[:, None]
        onward = y - own  # T y
        return np.asarray(np.einsum("ic,ic->i", onward, onward + 2 * own if sandwich else onward))

    sampled = sum(in_threads(work, range(DRAWS // TOGETHER))) / DRAWS
    size = np.bincount(graph.group)[graph.group]
    known = (1 - 2 / size) / degree  # of each variance, from the noise of the item's own games
    if sandwich and not teams:
        known = (problem.counts.by_side(weight) + graph.precision) / degree**2
    variance = np.maximum(known + sampled, known * 1e-3)  # the mixed terms of a sandwich may be negative
    return Sampled(variance + ((across @ rest) * across).sum(axis=1), errors)


def _sampled_by_group(
    problem: PairedProblem,
    x: Floats,
    score_covariance: Clustered,
    graph: Laplacian,
    across: Floats,
    rest: Floats,
) -> Sampled:
    """Draws in which the gradient of every group has a random sign.

    If there are not more groups than draws, each column is the error due to one group, which is exact.
    """
    k, n_groups, scores = problem.n_items, score_covariance.scores.shape[0], score_covariance.scores.T.tocsr()
    n_draws = min(-(-n_groups // TOGETHER) * TOGETHER, DRAWS)

    def noise(block: int) -> tuple[Floats, Floats]:
        factors = np.eye(n_groups, TOGETHER, -block * TOGETHER) * np.sqrt(n_draws)
        if n_groups > DRAWS:
            factors = 2.0 * np.random.default_rng(block).integers(0, 2, (n_groups, TOGETHER)) - 1.0
        w = np.asarray(scores @ factors)
        return w[:k], w[k:]

    solve = _solver(problem, x, graph, noise(0)[0])
    errors = np.empty((k, n_draws), dtype=np.float32)

    def work(block: int) -> None:
        skills, others = noise(block)
        y = solve(skills) - across @ (rest @ (others - across.T @ skills))
        errors[:, block * TOGETHER : (block + 1) * TOGETHER] = centred(np.asarray(y), graph.group)

    list(in_threads(work, range(n_draws // TOGETHER)))
    return Sampled(Drawn(errors).variances(), errors)


def _solver(problem: PairedProblem, x: Floats, graph: Laplacian, sample: Floats) -> Solve:
    """How to solve for a block of draws."""
    quick = None if problem.teams is not None else quick_solver(graph, sample)
    return quick or _slow_solver(problem, x).solve


def _slow_solver(problem: PairedProblem, x: Floats) -> Curvature:
    """For the skills alone; a factorization if it is affordable."""
    skills, border, corner = information(problem, x)
    return solver_of(problem, x, Information(skills, border[:, :0], corner[:0, :0]))


def noise_of(
    problem: PairedProblem, x: Floats, graph: Laplacian, weight: Floats, *, with_prior: bool = True
) -> Callable[[int], Floats]:
    """A function that returns a block of random gradients, one per column, the same at every call.

    Their covariance is that of pairs with these weights, and of the prior.
    """
    indptr, partner, root = problem.counts.indptr, problem.counts.partner, np.sqrt(weight)
    lift = None if problem.teams is None else jacobian(problem, x).T.tocsr()  # from sides to items
    own = np.sqrt(graph.gamma * graph.share + graph.precision) * with_prior
    shared = np.sqrt(graph.share) * (graph.precision == 0)  # a normal prior does not join the items

    def draw(block: int) -> Floats:
        rng = np.random.default_rng(block)
        bits, bits_of_items = (rng.integers(0, 1 << TOGETHER, n, np.uint16) for n in (len(root), len(own)))
        out = np.asarray(_draw_pairs(indptr, partner, root, bits))
        out = out if lift is None else lift @ out
        if not own.any():
            return out
        signs = 2.0 * ((bits_of_items[:, None] >> np.arange(TOGETHER, dtype=np.uint16)) & 1) - 1.0
        total = group_sums(shared[:, None] * signs, graph.group)  # with the covariance γ (diag s - s sᵀ)
        return np.asarray(out + own[:, None] * (signs - shared[:, None] * total[graph.group]))

    return draw


def quick_solver(graph: Laplacian, sample: Floats) -> Solve | None:
    """Conjugate gradients for blocks of draws; None if the sample takes too many steps.

    The draws of a block are solved as one system: its matrix is block-diagonal, with the same block for each.
    """
    from scipy.sparse import csr_array, diags_array
    from scipy.sparse.linalg import LinearOperator, cg

    n = len(graph.degree)
    scale = 1 / np.sqrt(graph.degree)
    loading = np.sqrt(graph.gamma) * graph.share * scale  # the prior is a diagonal - loading loadingᵀ
    smallest = max(1 - spectrum_ends(graph)[1], np.finfo(float).eps)
    precision = np.float64 if smallest < WEAK else np.float32
    rows = diags_array(scale)
    matrix = diags_array(1 + loading**2) - rows @ (graph.above + graph.above.T) @ rows
    matrix = matrix.tocsr().astype(precision)
    prior = csr_array((loading.astype(precision), (graph.group, np.arange(n))))
    back = prior.T.tocsr()

    def times(v: Any) -> Any:
        block = v.reshape(n, TOGETHER)
        return (matrix @ block - back @ (prior @ block)).ravel()

    operator = LinearOperator((n * TOGETHER, n * TOGETHER), matvec=times, dtype=precision)

    def attempt(w: Floats, most_steps: int) -> tuple[Floats, bool]:
        right = (scale[:, None] * w).astype(precision).ravel()
        atol = np.sqrt(MISSING_ENERGY * smallest)
        y, failed = cg(operator, right, rtol=0.0, atol=atol, maxiter=most_steps)
        return scale[:, None] * y.reshape(n, TOGETHER), not failed

    return (lambda w: attempt(w, 2 * graph.quick)[0]) if attempt(sample, graph.quick)[1] else None


@njit(cache=True, nogil=True)
def _draw_pairs(indptr, partner, root, signs):  # type: ignore[no-untyped-def]
    """Draws with the covariance Σ a_ij (e_i - e_j)(e_i - e_j)ᵀ; bit c of ``signs`` is the sign in draw c."""
    out = np.zeros((len(indptr) - 1, TOGETHER))
    for i in range(len(out)):
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            for c in range(TOGETHER):
                value = root[e] * (2.0 * ((signs[e] >> c) & 1) - 1.0)
                out[i, c] += value
                out[j, c] -= value
    return out
