"""Pairs that contradict each other: no u has u·d_i ≥ 1 for all i. Which rows are to blame?

By Farkas' lemma there is no such u exactly if some v ≥ 0, v ≠ 0, has Σ_i v_i d_i = 0. Examples are a pair of
an item with itself and a cycle of preferences (a over b over c over a). With a Gaussian kernel there are no
others, since the Φ of distinct items are independent. With other kernels a linear program looks for v; its
solution is a vertex, which has few pairs.
"""

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.factor import factor_by_rows
from podium.numerics.kernels.kernel import PairKernel

RANK = 1e-10  # pivots below this share of the largest are rounding
SHARE = 1e-9  # weights of the linear program below this are 0


def contradiction(kernel: PairKernel) -> Positions | None:
    """Some pairs that no u can satisfy together; None if all can be."""
    alone = np.flatnonzero(kernel.diagonal <= RANK * np.max(kernel.diagonal, initial=0.0))
    if len(alone):
        return alone[:1]
    cycle = preference_cycle(kernel)
    if cycle is not None or kernel.kernel.kernel == "rbf":
        return cycle
    scale = 1.0 / np.sqrt(kernel.diagonal)

    def row(pivot: int) -> Floats:
        return kernel.rows(np.array([pivot]))[0] * scale * scale[pivot]

    return _cancelling(factor_by_rows(row, np.ones(len(kernel)), RANK).Z)


def preference_cycle(kernel: PairKernel) -> Positions | None:
    """The pairs of a shortest cycle through some pair, or None."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    n = kernel.n_items
    graph = coo_array((np.ones(len(kernel)), (kernel.tail, kernel.head)), shape=(n, n)).tocsr()
    component = connected_components(graph, connection="strong")[1]
    inside = np.flatnonzero(component[kernel.tail] == component[kernel.head])
    if not len(inside):
        return None
    first = inside[0]
    pair_of = {(int(kernel.tail[i]), int(kernel.head[i])): int(i) for i in inside}
    before = breadth_first_order(graph, int(kernel.head[first]))[1]
    pairs, item = [int(first)], int(kernel.tail[first])
    while item != kernel.head[first]:
        pairs.append(pair_of[int(before[item]), item])
        item = int(before[item])
    return np.sort(np.array(pairs, dtype=np.intp))


def _cancelling(D: Floats) -> Positions | None:
    """The support of some v ≥ 0 with D'v = 0 and Σ v = 1."""
    from scipy.optimize import linprog

    n, rank = D.shape
    if rank == n:
        return None
    table, right = np.vstack([D.T, np.ones(n)]), np.concatenate([np.zeros(rank), [1.0]])
    found = linprog(np.zeros(n), A_eq=table, b_eq=right, bounds=(0, None), method="highs-ds")
    return None if found.status != 0 else np.flatnonzero(found.x > SHARE)
