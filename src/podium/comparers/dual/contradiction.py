"""Pairs that contradict each other, so that there is no hard margin. Which rows are to blame?

Without ties, no u has u·d_i ≥ 1 for all i exactly if some v ≥ 0, v ≠ 0, has Σ_i v_i d_i = 0 (Farkas' lemma).
Examples are a pair of an item with itself and a cycle of preferences (a over b over c over a). With a
Gaussian kernel there are no others, since the Φ of distinct items are independent.

With ties, v has an entry for each row of the flipped problem (8): d_i for a decisive pair, d_i and -d_i for a
tie. The multiplier of β asks that decisive pairs and ties have the same total; less is enough for the ties,
since d_i and -d_i together add to their total and nothing else. A linear program looks for v; its solution is
a vertex, which has few pairs.
"""

from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.messages import row_name
from podium.numerics.kernels.factor import factor_by_rows
from podium.numerics.kernels.kernel import PairKernel

RANK = 1e-10  # pivots below this share of the largest are rounding
SHARE = 1e-9  # weights of the linear program below this are 0


def no_hard_margin(what: str, rows: Positions) -> ValueError:
    """The error that names the rows that contradict each other."""
    names = [row_name(int(row)) for row in np.sort(rows)[:20]]
    verb = f"{', '.join(names[:-1])} and {names[-1]} contradict each other"
    if len(names) == 1:
        verb = f"{names[0]} contradicts itself"
    return ValueError(f"no {what} has a hard margin: {verb}; give a finite C to allow for errors")


def contradiction(kernel: PairKernel, n_decisive: int) -> Positions | None:
    """Some pairs that no u, and no β if there are ties, can satisfy together; None if all can be."""
    from scipy.sparse import csr_array

    n = len(kernel)
    size = np.sqrt(kernel.diagonal)
    alone = np.flatnonzero(size[:n_decisive] ** 2 <= RANK * np.max(kernel.diagonal, initial=0.0))
    if len(alone):
        return alone[:1]
    cycle = preference_cycle(kernel, n_decisive)
    independent = kernel.kernel.kernel == "rbf"  # the Φ of distinct items
    if cycle is not None or (independent and n_decisive == n):
        return cycle
    D = _ends(kernel) if independent else _vectors(kernel, size)
    if D is None:
        return None
    pair = np.concatenate([np.arange(n), np.arange(n_decisive, n)])
    label = np.where(np.arange(n) < n_decisive, 1.0, -1.0)[pair]
    if not independent:  # the vectors have length 1, so an entry of v is in units of this
        label /= np.where(size > 0, size / np.median(size[size > 0]), 1.0)[pair]
    side = np.where(np.arange(len(pair)) < n, 1.0, -1.0)
    found = _cancelling(csr_array(D)[pair].multiply(side[:, None]), label)
    return None if found is None else np.unique(pair[found])


def _ends(kernel: PairKernel) -> Any:
    """Head less tail of every pair, in the basis of the Φ of the items."""
    from scipy.sparse import csr_array

    n = len(kernel)
    ends, values = np.concatenate([kernel.head, kernel.tail]), np.repeat([1.0, -1.0], n)
    return csr_array((values, (np.tile(np.arange(n), 2), ends)), shape=(n, kernel.n_items))


def _vectors(kernel: PairKernel, size: Floats) -> Floats | None:
    """Vectors of length 1 with the kernel of the pairs; None if they are independent."""
    scale = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)

    def row(pivot: int) -> Floats:
        return np.asarray(kernel.rows(np.array([pivot]))[0] * scale * scale[pivot])

    Z = factor_by_rows(row, (size > 0).astype(float), RANK).Z
    return None if Z.shape[1] == len(kernel) else Z


def preference_cycle(kernel: PairKernel, n_decisive: int) -> Positions | None:
    """The decisive pairs of a shortest cycle through some pair, or None."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    n, tail, head = kernel.n_items, kernel.tail[:n_decisive], kernel.head[:n_decisive]
    graph = coo_array((np.ones(n_decisive), (tail, head)), shape=(n, n)).tocsr()
    component = connected_components(graph, connection="strong")[1]
    inside = np.flatnonzero(component[tail] == component[head])
    if not len(inside):
        return None
    first = inside[0]
    pair_of = {(int(tail[i]), int(head[i])): int(i) for i in inside}
    before = breadth_first_order(graph, int(head[first]))[1]
    pairs, item = [int(first)], int(tail[first])
    while item != head[first]:
        pairs.append(pair_of[int(before[item]), item])
        item = int(before[item])
    return np.sort(np.array(pairs, dtype=np.intp))


def _cancelling(D: Any, label: Floats) -> Positions | None:
    """The support of some v ≥ 0 with D'v = 0, label'v ≥ 0 and Σ v = 1."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    n, rank = D.shape
    table = vstack([csr_array(D.T), np.ones((1, n))])
    right = np.concatenate([np.zeros(rank), [1.0]])
    found = linprog(np.zeros(n), -label[None], [0.0], table, right, bounds=(0, None), method="highs-ds")
    return None if found.status != 0 else np.flatnonzero(found.x > SHARE)
