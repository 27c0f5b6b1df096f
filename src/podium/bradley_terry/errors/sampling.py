"""Variances of very many skills on a badly connected graph, by sampling.

With independent signs ε the sum w = Σ √(a_ij) ε_ij (e_i - e_j) over the pairs, and as much for the prior, has
the information H as its covariance, so y = H⁺ w has H⁺: the mean of y_i² over the draws is the variance of
item i. Of that most is known. H y = w says that an item is what its neighbours have it to be and noise of its
own, y = T y + D⁻¹ w with T = I - D⁻¹ H, whence in a group of n items with mean 0

    H⁺_ii = E (T y)_i² + (1 - 2/n) / d_i,

and only the neighbours' part is sampled. Its share f of the variance is small where an item has few games,
for then its own noise prevails, and where it has many opponents, for then theirs cancels out. With k draws
the standard error is off by about f / √(2k), relatively. There are so many draws that this is `ERROR` in the
root mean square over the items, but no more than `MOST_DRAWS`, which leave 3.1 % where f = 1. Measured
against exact solutions: 0.6 to 0.8 % on eleven years of chess, 2 to 3 % on ladders and a grid.

For the sandwich H⁺ M H⁺ the draws have the covariance M, and E (T y)_i² + 2 E (T y)_i w_i / d_i is sampled:
2 % on the chess, 2.6 to 3.4 % on ladders and a grid.

The equations are solved by conjugate gradients, `BLOCK` draws at a time in single precision, after a scaling
that makes the diagonal 1. A draw has an energy yᵀ H y of about one in every mode of the graph, so that a step
that gains far less than the smallest eigenvalue has left none out. Where that takes too many steps the graph
is long and narrow (a ladder, a grid), so that a factorization has little fill-in, and is used in their place.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.errors.laplacian import Laplacian
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.numerics.threads import in_threads

Pairs = tuple[NDArray[Any], NDArray[Any], Floats]  # where rows start, partners, weights
Solve = Callable[[Floats], Floats]

BLOCK = 16  # draws at once: a row of them in single precision is a line of the cache
ROUND = 8  # blocks after which the error is looked at
ERROR = 0.008  # of a standard error, relative
MOST_DRAWS = 512
ENOUGH = 1e-6  # the gain of energy in a step at which conjugate gradients stop
MOST_STEPS = 300


def sampled_variances(graph: Laplacian, exactly: Callable[[], Solve]) -> Floats:
    """The diagonal of H⁺, mean 0 in every group; ``exactly()`` solves where conjugate gradients are slow."""
    size = np.bincount(graph.group)[graph.group]
    pairs = (graph.indptr, graph.partner, graph.weight)
    return _known_and_sampled((1 - 2 / size) / graph.degree, graph, pairs, graph.gamma, exactly, False)


def sampled_sandwich(graph: Laplacian, pairs: Pairs, exactly: Callable[[], Solve]) -> Floats:
    """The diagonal of H⁺ M H⁺, M being the Laplacian of ``pairs`` with other weights."""
    indptr, partner, weight = pairs
    n = len(graph.degree)
    first = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    own = (np.bincount(first, weight, n) + np.bincount(partner, weight, n)) / graph.degree**2
    return _known_and_sampled(own, graph, pairs, np.zeros(n), exactly, True)


def _known_and_sampled(
    known: Floats, graph: Laplacian, pairs: Pairs, gamma: Floats, exactly: Callable[[], Solve], mixed: bool
) -> Floats:
    parts = roots(graph, pairs, gamma)
    n_groups = int(graph.group.max()) + 1
    solve, run = _solver(graph, n_groups, draw(*parts, 0)), in_threads
    if solve is None:
        solve, run = exactly(), map  # type: ignore[assignment]

    def squares(block: int) -> Floats:
        w = draw(*parts, block)
        return np.asarray(_squares(solve(w), w, graph.degree, graph.group, n_groups, mixed))

    total, n_blocks = np.zeros((2, len(known))), 0
    while True:
        total += sum(run(squares, range(n_blocks, n_blocks + ROUND)))
        n_blocks += ROUND
        k = n_blocks * BLOCK
        mean, second_moment = total / k
        variance = np.maximum(known + mean, known * 1e-3)  # only the mixed terms are below 0, if ever
        of_mean = np.sqrt(np.maximum(second_moment - mean**2, 0.0) / k)
        error = of_mean / np.maximum(2 * variance, 1e-300)
        if k >= MOST_DRAWS or np.sqrt((error**2).mean()) <= ERROR:
            return np.asarray(variance)


def roots(graph: Laplacian, pairs: Pairs, gamma: Floats) -> tuple[Pairs, tuple[Any, ...]]:
    """What signs are multiplied by: of the pairs, and of the items for the prior."""
    indptr, partner, weight = pairs
    of_items = (graph.group, np.sqrt(gamma * graph.share), np.sqrt(graph.share), int(graph.group.max()) + 1)
    return (indptr, partner, np.sqrt(weight)), of_items


def draw(of_pairs: Pairs, of_items: tuple[Any, ...], block: int) -> Floats:
    """A block of draws, a column each, the same at every call."""
    rng = np.random.default_rng(block)
    n_signs = (len(of_pairs[1]), len(of_items[0]))
    signs, signs_of_items = (rng.integers(0, 1 << BLOCK, n, np.uint16) for n in n_signs)
    return np.asarray(_draw(*of_pairs, signs, *of_items, signs_of_items))


def _solver(graph: Laplacian, n_groups: int, sample: Floats) -> Solve | None:
    """Conjugate gradients, if they make quick work of the sample."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    n = len(graph.degree)
    above = csr_array((graph.weight, graph.partner, graph.indptr), shape=(n, n))
    both = (above + above.T).tocsr()
    order = reverse_cuthill_mckee(both, symmetric_mode=True)  # neighbours are near each other in memory
    both = both[order][:, order].tocsr()
    scale = 1 / np.sqrt(graph.degree[order])
    both.data *= np.repeat(scale, np.diff(both.indptr)) * scale[both.indices]
    loading = np.sqrt(graph.gamma[order]) * graph.share[order] * scale
    single = (both.data.astype(np.float32), loading.astype(np.float32))
    matrix = (both.indptr, both.indices, *single, graph.group[order], n_groups, scale)

    def solve(w: Floats) -> Floats:
        y = np.empty_like(w)
        y[order], _ = _conjugate_gradients(*matrix, w[order], 2 * MOST_STEPS)
        return y

    return solve if _conjugate_gradients(*matrix, sample[order], MOST_STEPS)[1] else None


@njit(cache=True, nogil=True)
def _draw(indptr, partner, root, signs, group, root_prior, root_share, n_groups, signs_of_items):  # type: ignore[no-untyped-def]
    """Draws with the covariance Σ a_ij (e_i - e_j)(e_i - e_j)ᵀ + γ (diag s - s sᵀ); every bit is a sign."""
    out, total = np.zeros((len(group), BLOCK)), np.zeros((n_groups, BLOCK))
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            for c in range(BLOCK):
                value = root[e] * (2.0 * ((signs[e] >> c) & 1) - 1.0)
                out[i, c] += value
                out[j, c] -= value
    for i in range(len(group)):
        for c in range(BLOCK):
            sign = 2.0 * ((signs_of_items[i] >> c) & 1) - 1.0
            out[i, c] += root_prior[i] * sign
            total[group[i], c] += root_share[i] * sign
    for i in range(len(group)):
        for c in range(BLOCK):
            out[i, c] -= root_prior[i] * root_share[i] * total[group[i], c]
    return out


@njit(cache=True, nogil=True)
def _conjugate_gradients(indptr, partner, coupling, loading, group, n_groups, scale, w, most_steps):  # type: ignore[no-untyped-def]
    """Solve H y = w for all columns, D^-½ H D^-½ being I - coupling - loading loadingᵀ off the diagonal."""
    n = len(w)
    x, image = np.zeros((n, BLOCK), np.float32), np.empty((n, BLOCK), np.float32)
    residual = np.empty((n, BLOCK), np.float32)
    product, following = np.zeros(BLOCK), np.zeros(BLOCK)
    for i in range(n):
        for c in range(BLOCK):
            residual[i, c] = w[i, c] * scale[i]
            product[c] += residual[i, c] * residual[i, c]
    direction = residual.copy()
    length, turn = np.zeros(BLOCK, np.float32), np.zeros(BLOCK, np.float32)
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
        if gain < ENOUGH:
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
    pull, common = np.zeros((n_groups, BLOCK), np.float32), np.zeros(BLOCK)
    own = np.zeros(BLOCK, np.float32)
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
def _squares(y, w, degree, group, n_groups, mixed):  # type: ignore[no-untyped-def]
    """The sum over the columns of q = (T y)², if mixed + 2 (T y) w / d, y less its group means; and of q²."""
    mean, size = np.zeros((n_groups, BLOCK)), np.zeros(n_groups)
    for i in range(len(y)):
        size[group[i]] += 1
        for c in range(BLOCK):
            mean[group[i], c] += y[i, c]
    out = np.zeros((2, len(y)))
    for i in range(len(y)):
        for c in range(BLOCK):
            own = w[i, c] / degree[i]
            onward = y[i, c] - mean[group[i], c] / size[group[i]] - own
            square = onward * onward + (2 * onward * own if mixed else 0.0)
            out[0, i] += square
            out[1, i] += square * square
    return out
