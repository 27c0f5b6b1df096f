"""Which nodes of a directed graph are connected, and which lead to each other and back.

A graph comes in parts: arrays with the two ends of each edge. In comparisons that are worth a ranking, a few
of them already lead from every item to every other, so the parts are read one by one, with one quick sweep
each, until this is so. Only if all parts together do not show it, scipy finds the classes.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes
from podium.numerics.compiled import njit

Edges = tuple[Codes, Codes]  # where each edge begins, and where it ends


def classes(parts: Iterable[Edges], n: int) -> tuple[Codes, Codes]:
    """For each of n nodes, its connected class (0 is the largest), and its strongly connected class.

    Without the sweeps, a fit of 1,000 to 10,000 items and a million games takes 2.2 to 2.6 times as long.
    """
    reached, reaching = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    reached[:1] = reaching[:1] = True
    missing, read = 2 * (n - 1), []
    for edges in parts:
        read.append(edges)
        missing = _sweep(*edges, reached, reaching, missing)
        if missing == 0:
            break
    every = joined(read)
    if missing == 0 or _sweep(*every, reached, reaching, missing) == 0:
        return np.zeros(n, np.int32), np.zeros(n, np.int32)
    graph = _graph(every, n)
    return largest_first(_components(graph, "weak")), _components(graph, "strong")


def has_cycle(parts: Iterable[Edges], n: int) -> bool:
    """Whether some edges lead in a circle."""
    read: list[Edges] = []
    begins = np.zeros(n, np.bool_)
    for edges in parts:
        read.append(edges)
        begins[edges[0]] = True
        if begins.all():  # a walk goes on for ever, and the nodes are finitely many
            return True
    several = (_graph(joined(read[: k + 1]), n) for k in range(len(read)))
    return any(_components(graph, "strong").max() < n - 1 for graph in several)


def growing(indptr: NDArray[Any], first: int = 2**10) -> Iterator[tuple[int, int]]:
    """Ranges of compressed rows: about ``first`` entries, then each time thrice as many as all before.

    So reading them one by one and all that was read again costs at most a third more than reading all once;
    a first range takes about as long as its calls.
    """
    start = 0
    while start < len(indptr) - 1:
        end = int(np.searchsorted(indptr, max(4 * int(indptr[start]), first), side="left"))
        end = min(max(end, start + 1), len(indptr) - 1)
        yield start, end
        start = end


def largest_first(label: NDArray[Any]) -> Codes:
    """Number the classes of nodes; class 0 is the largest."""
    _, label, size = np.unique(label, return_inverse=True, return_counts=True)
    number = np.empty(len(size), dtype=np.int32)
    number[np.argsort(-size, kind="stable")] = np.arange(len(size), dtype=np.int32)
    return number[label]


def joined(read: list[Edges]) -> Edges:
    """The edges of several parts."""
    if len(read) == 1:
        return read[0]
    tail, head = zip(*read, strict=True)
    return np.concatenate(tail), np.concatenate(head)


def _graph(edges: Edges, n: int) -> Any:
    from scipy.sparse import coo_array

    return coo_array((np.ones(len(edges[0]), dtype=np.int8), edges), shape=(n, n)).tocsr()


def _components(graph: Any, connection: str) -> Codes:
    from scipy.sparse.csgraph import connected_components

    return np.asarray(connected_components(graph, connection=connection)[1], dtype=np.int32)


@njit(cache=True, nogil=True)
def _sweep(tail, head, reached, reaching, missing):  # type: ignore[no-untyped-def]
    """Sweep over the edges, back and forth, for as long as this halves what is missing.

    A node is reached if an edge leads to it from one that is; it reaches node 0 if an edge leads from it to
    one that does. Returns how much is still missing.
    """
    n, before = len(tail), 2 * missing
    while 0 < 2 * missing <= before:
        before = missing
        for k in range(2 * n):
            e = k if k < n else 2 * n - 1 - k
            i, j = tail[e], head[e]
            if reached[i] and not reached[j]:
                reached[j] = True
                missing -= 1
            if reaching[j] and not reaching[i]:
                reaching[i] = True
                missing -= 1
            if missing == 0:
                break
    return missing
