"""Errors of very many skills on a badly connected graph, drawn together.

With independent signs ε the sum w = Σ √(a_ij) ε_ij (e_i - e_j) over the pairs, and as much for the prior, has
the information H as its covariance, so y = H⁺ w has H⁺: draws of y say of every difference how large its
error is, off by 1 / √(2k) with k draws. Of single variances most is known. H y = w says that an item is what
its neighbours have it to be and noise of its own, y = T y + D⁻¹ w with T = I - D⁻¹ H, whence in a group of n
items with mean 0

    H⁺_ii = E (T y)_i² + (1 - 2/n) / d_i,

and only the neighbours' part is sampled. Its share f of the variance is small where an item has few games,
for then its own noise prevails, and where it has many opponents, for then theirs cancels out. The standard
error is off by about f / √(2k), relatively: measured against exact solutions, 0.6 to 0.8 % on eleven years of
chess, 2 to 3 % on ladders and a grid.

For the sandwich H⁺ M H⁺ the draws have the covariance M, and E (T y)_i² + 2 E (T y)_i w_i / d_i is sampled:
2 % on the chess, 2.6 to 3.4 % on ladders and a grid. Not knowing the tie parameter and the order effect adds
an error of its own to all skills at once.

The equations are solved by conjugate gradients, `BLOCK` draws at a time in single precision, after a scaling
that makes the diagonal 1. A draw has an energy yᵀ H y of about one in every mode of the graph, so that a step
that gains far less than the smallest eigenvalue, which Lanczos' method finds, has left none out. Where that
takes too many steps the graph is long and narrow (a ladder, a grid), so that a factorization has little
fill-in, and is used in their place.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.errors.covariance import squared_residuals
from podium.bradley_terry.errors.information import factorize, information, jacobian, pair_terms, regular
from podium.bradley_terry.errors.laplacian import Laplacian, conjugate_gradients, graph_of, spectrum_ends
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.threads import in_threads

Pairs = tuple[NDArray[Any], NDArray[Any], Floats]  # where rows start, partners, weights
Solve = Callable[[Floats], Floats]

BLOCK = 16  # draws at once: a row of them in single precision is a line of the cache
DRAWS = 512  # which leave 3.1 % of the error of a difference
ENOUGH = 1e-6  # the gain of energy in a step at which conjugate gradients stop, if no mode is weaker:
WEAK = 1e-3  # of the smallest eigenvalue, which is where a mode may hide; below this one in double precision
MOST_STEPS = 300


class Sampled(NamedTuple):
    """The variance of each log-skill less the mean of its group; draws of all errors, one row per item."""

    variance: Floats
    errors: NDArray[np.float32]


def sampled_errors(problem: PairedProblem, x: Floats, *, sandwich: bool = False) -> Sampled:
    """Variances and draws; the results of teams are drawn side by side, and then mapped to their members."""
    graph, border, corner = graph_of(problem, x)
    weight = squared_residuals(problem, x) if sandwich else pair_terms(problem, x).bend
    pairs = (problem.counts.indptr, problem.counts.partner, weight)
    parts = roots(graph, pairs, 0 * graph.gamma if sandwich else graph.gamma)
    teams = problem.teams is not None
    lift = jacobian(problem, x).T.tocsr() if teams else None
    solve, run = None if teams else quick_solver(graph, draw(*parts, 0)), in_threads
    if solve is None:
        solve, run = factorize(regular(problem, x, information(problem, x).skills)), map  # type: ignore[assignment]
    columns = [conjugate_gradients(graph, column, 1e-4) for column in border.T]
    across = np.array(columns).reshape(-1, len(border)).T
    rest = np.linalg.inv(corner - border.T @ across)
    noise = across @ np.linalg.cholesky(rest)
    degree = np.full(len(border), np.inf) if teams else graph.degree  # of members not all noise is their own
    errors = np.empty((len(border), DRAWS), dtype=np.float32)

    def work(block: int) -> Floats:
        w = draw(*parts, block, lift)
        y = np.ascontiguousarray(solve(w), dtype=np.float64)
        _centre(y, graph.group, np.bincount(graph.group))
        others = np.random.default_rng([DRAWS, block]).standard_normal((noise.shape[1], BLOCK))
        errors[:, block * BLOCK : (block + 1) * BLOCK] = y + noise @ others
        return np.asarray(_squares(y, w, degree, sandwich))

    sampled = sum(run(work, range(DRAWS // BLOCK))) / DRAWS
    known = _own_noise(graph, pairs, sandwich) * np.isfinite(degree)
    variance = np.maximum(known + sampled, known * 1e-3)  # only the mixed terms are below 0, if ever
    return Sampled(variance + ((across @ rest) * across).sum(axis=1), errors)


def _own_noise(graph: Laplacian, pairs: Pairs, sandwich: bool) -> Floats:
    """What an item's own games add to its variance."""
    size = np.bincount(graph.group)[graph.group]
    if not sandwich:
        return np.asarray((1 - 2 / size) / graph.degree)
    indptr, partner, weight = pairs
    n = len(indptr) - 1
    first = np.repeat(np.arange(n), np.diff(indptr))
    own = np.bincount(first, weight, n) + np.bincount(partner, weight, n)
    return np.asarray(own / graph.degree**2 if n == len(size) else 0 * graph.degree)


def roots(graph: Laplacian, pairs: Pairs, gamma: Floats) -> tuple[Pairs, tuple[Any, ...]]:
    """What signs are multiplied by: of the pairs, and of the items for the prior."""
    indptr, partner, weight = pairs
    of_items = (graph.group, np.sqrt(gamma * graph.share), np.sqrt(graph.share), int(graph.group.max()) + 1)
    return (indptr, partner, np.sqrt(weight)), of_items


def draw(of_pairs: Pairs, of_items: tuple[Any, ...], block: int, lift: Any = None) -> Floats:
    """A block of draws, one per column, the same at every call; ``lift`` takes those of sides to items."""
    rng = np.random.default_rng(block)
    n_signs = (len(of_pairs[1]), len(of_items[0]))
    signs, signs_of_items = (rng.integers(0, 1 << BLOCK, n, np.uint16) for n in n_signs)
    out = _draw_pairs(*of_pairs, signs)
    out = out if lift is None else lift @ out
    _add_prior(*of_items, signs_of_items, out)
    return np.asarray(out)


def quick_solver(graph: Laplacian, sample: Floats) -> Solve | None:
    """Conjugate gradients for blocks of draws, if they make quick work of the sample."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    n, n_groups = len(graph.degree), int(graph.group.max()) + 1
    above = csr_array((graph.weight, graph.partner, graph.indptr), shape=(n, n))
    both = (above + above.T).tocsr()
    order = reverse_cuthill_mckee(both, symmetric_mode=True)  # neighbours are near each other in memory
    both = both[order][:, order].tocsr()
    scale = 1 / np.sqrt(graph.degree[order])
    both.data *= np.repeat(scale, np.diff(both.indptr)) * scale[both.indices]
    loading = np.sqrt(graph.gamma[order]) * graph.share[order] * scale
    smallest = max(1 - spectrum_ends(graph)[1], np.finfo(float).eps)
    precision = np.float64 if smallest < WEAK else np.float32
    numbers = (both.data.astype(precision), loading.astype(precision))
    enough = min(ENOUGH, WEAK * smallest)
    matrix = (both.indptr, both.indices, *numbers, graph.group[order], n_groups, scale, enough)

    def solve(w: Floats) -> Floats:
        y = np.empty_like(w)
        y[order], _ = _conjugate_gradients(*matrix, w[order], 2 * MOST_STEPS)
        return y

    return solve if _conjugate_gradients(*matrix, sample[order], MOST_STEPS)[1] else None


@njit(cache=True, nogil=True)
def _draw_pairs(indptr, partner, root, signs):  # type: ignore[no-untyped-def]
    """Draws with the covariance Σ a_ij (e_i - e_j)(e_i - e_j)ᵀ; every bit is a sign."""
    out = np.zeros((len(indptr) - 1, BLOCK))
    for i in range(len(out)):
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            for c in range(BLOCK):
                value = root[e] * (2.0 * ((signs[e] >> c) & 1) - 1.0)
                out[i, c] += value
                out[j, c] -= value
    return out


@njit(cache=True, nogil=True)
def _add_prior(group, root_prior, root_share, n_groups, signs, out):  # type: ignore[no-untyped-def]
    """Add draws with the covariance γ (diag s - s sᵀ)."""
    total = np.zeros((n_groups, BLOCK))
    for i in range(len(group)):
        for c in range(BLOCK):
            sign = 2.0 * ((signs[i] >> c) & 1) - 1.0
            out[i, c] += root_prior[i] * sign
            total[group[i], c] += root_share[i] * sign
    for i in range(len(group)):
        for c in range(BLOCK):
            out[i, c] -= root_prior[i] * root_share[i] * total[group[i], c]


@njit(cache=True, nogil=True)
def _conjugate_gradients(indptr, partner, coupling, loading, group, n_groups, scale, enough, w, most_steps):  # type: ignore[no-untyped-def]
    """Solve H y = w for all columns, D^-½ H D^-½ being I - coupling - loading loadingᵀ off the diagonal."""
    n = len(w)
    x, image = np.zeros((n, BLOCK), coupling.dtype), np.empty((n, BLOCK), coupling.dtype)
    residual = np.empty((n, BLOCK), coupling.dtype)
    product, following = np.zeros(BLOCK), np.zeros(BLOCK)
    for i in range(n):
        for c in range(BLOCK):
            residual[i, c] = w[i, c] * scale[i]
            product[c] += residual[i, c] * residual[i, c]
    direction = residual.copy()
    length, turn = np.zeros(BLOCK, coupling.dtype), np.zeros(BLOCK, coupling.dtype)
    converged = False
    for _ in range(most_steps):
        curvature = _times(indptr, partner, coupling, loading, group, n_groups, direction, image)
        gain = 0.0
        for c in range(BLOCK):
            step = product[c] / curvature[c] if curvature[c] > 0 else 0.0
            length[c], following[c] = step, 0.0
            gain = max(gain, step * product[c])
        for i in range(n):
            for c in range(BLOCK):
                x[i, c] += length[c] * direction[i, c]
                residual[i, c] -= length[c] * image[i, c]
                following[c] += residual[i, c] * residual[i, c]
        if gain < enough:
            converged = True
            break
        for c in range(BLOCK):
            turn[c] = following[c] / product[c] if product[c] > 0 else 0.0
            product[c] = following[c]
        for i in range(n):
            for c in range(BLOCK):
                direction[i, c] = residual[i, c] + turn[c] * direction[i, c]
    return x * scale.reshape(-1, 1), converged


@njit(cache=True, nogil=True)
def _times(indptr, partner, coupling, loading, group, n_groups, v, out):  # type: ignore[no-untyped-def]
    """The scaled matrix times each column of v, and what v has in common with that."""
    pull, common = np.zeros((n_groups, BLOCK), coupling.dtype), np.zeros(BLOCK)
    own = np.zeros(BLOCK, coupling.dtype)
    for i in range(len(v)):
        for c in range(BLOCK):
            pull[group[i], c] += loading[i] * v[i, c]
    for i in range(len(v)):
        for c in range(BLOCK):
            own[c] = v[i, c] + loading[i] * (loading[i] * v[i, c] - pull[group[i], c])
        for e in range(indptr[i], indptr[i + 1]):
            j, a = partner[e], coupling[e]
            for c in range(BLOCK):
                own[c] -= a * v[j, c]
        for c in range(BLOCK):
            out[i, c] = own[c]
            common[c] += own[c] * v[i, c]
    return common


@njit(cache=True, nogil=True)
def _centre(y, group, size):  # type: ignore[no-untyped-def]
    """Every column of y less its mean in each group, in place."""
    mean = np.zeros((len(size), BLOCK))
    for i in range(len(y)):
        for c in range(BLOCK):
            mean[group[i], c] += y[i, c] / size[group[i]]
    for i in range(len(y)):
        for c in range(BLOCK):
            y[i, c] -= mean[group[i], c]


@njit(cache=True, nogil=True)
def _squares(y, w, degree, mixed):  # type: ignore[no-untyped-def]
    """The sum over the columns of (T y)², if mixed + 2 (T y) w / d."""
    out = np.zeros(len(y))
    for i in range(len(y)):
        for c in range(BLOCK):
            own = w[i, c] / degree[i]
            onward = y[i, c] - own
            out[i] += onward * onward + (2 * onward * own if mixed else 0.0)
    return out
