"""The weights of the random pairs that Herbrich's machine learns from.

A row of weight 2 is the same as the row twice. So equal rows (features, label and query) become one row with
the sum m of their weights, and the draw depends on what rows contain, not on their order or number.

If each of the m_g copies of a row g drew k of the N_g copies of rows with another label, the pair of g and h
would be drawn

    m_g m_h min(k, N_g) / N_g

times on average. Here g draws min(k, D_g) of the D_g distinct rows with another label, so h with probability
min(k, D_g) / D_g. The weight of the pair is the average divided by this probability. Without equal rows and
weights every pair weighs 1; with all partners it weighs m_g m_h.
"""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from podium.comparisons.arrays import Floats, Positions, bounds
from podium.comparisons.features import as_features, distinct_rows, is_sparse
from podium.comparisons.table import Comparisons
from podium.ordered.labelled_items import LabelledItems


def distinct_items(data: LabelledItems, precomputed: bool) -> LabelledItems:
    """Equal rows merged, sorted by query, label and features."""
    X = as_features(data.X, "X")
    kind = kinds_of_rows(X)
    group = np.zeros(len(kind), dtype=np.int32) if data.group is None else data.group
    order = np.lexsort((kind, data.y, group))
    changes = [np.diff(key[order]) != 0 for key in (kind, data.y, group)]
    starts = np.flatnonzero(np.append(True, np.any(changes, axis=0)))
    row = order[starts]
    return LabelledItems(
        X[row][:, row] if precomputed else X[row],
        data.y[row],
        None if data.group is None else group[row],
        np.add.reduceat(data.weight[order], starts),
        data.row[row],
    )


def kinds_of_rows(X: Any) -> Positions:
    """The rank of each row in the lexicographic order of its features; the same for dense and sparse.

    Columns are read only until they distinguish all rows.

    >>> X = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0], [0.0, -1.0], [2.0, -0.0]])
    >>> kinds_of_rows(X), kinds_of_rows(csr_array(X))
    (array([2, 3, 1, 0, 3]), array([2, 3, 1, 0, 3]))
    """
    X = csr_array((X.data + 0.0, X.indices, X.indptr), X.shape) if is_sparse(X) else X + 0.0  # no -0.0
    first, kind = distinct_rows(X)
    columns = X[first].tocsc() if is_sparse(X) else X[first]
    rank = np.zeros(len(first), dtype=np.intp)
    for j in range(X.shape[1]):
        if rank.max(initial=0) + 1 == len(first):
            break
        values = columns[:, [j]].toarray().ravel() if is_sparse(X) else columns[:, j]
        _, level = np.unique(values, return_inverse=True)
        rank = np.unique(rank * (level.max() + 1) + level, return_inverse=True)[1]
    return np.asarray(rank[kind])


def pair_weights(data: LabelledItems, pairs: Comparisons, partners: int | None) -> Floats:
    """The weights of pairs whose left row drew the right one; rows are in the order of `distinct_items`."""
    m, left, right = data.weight, pairs.left, pairs.right
    if partners is None:
        return np.asarray(m[left] * m[right])
    group = np.zeros(len(m), dtype=np.int32) if data.group is None else data.group
    new_query = np.diff(group, prepend=-1) != 0
    query_start, query_end = bounds(new_query)
    start, end = bounds(new_query | (np.diff(data.y, prepend=np.nan) != 0))  # rows with the same label
    n_distinct = (query_end - end) + (start - query_start)
    total = np.append(0.0, np.cumsum(m))
    n = (total[query_end] - total[end]) + (total[start] - total[query_start])
    n = np.maximum(n, m.min())  # rounding may make it 0 next to a huge weight
    with np.errstate(divide="ignore"):
        likely = np.minimum(1.0, partners / n_distinct)
    return np.asarray(m[left] * (m[right] / n[left]) * (np.minimum(partners, n) / likely)[left])
