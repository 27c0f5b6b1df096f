"""Ordered labels and rankings become pairs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


def pairs_of_rankings(sizes: Index) -> tuple[Index, Index, Index]:
    """All pairs within each ranking: its number, and two positions in the rankings laid end to end."""
    start = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    parts = [(np.zeros(0, dtype=np.int64),) * 3]
    for size in np.flatnonzero(np.bincount(sizes)):
        better, worse = np.triu_indices(int(size), k=1)
        ranking = np.flatnonzero(sizes == size)
        offset = start[ranking][:, None]
        parts.append((np.repeat(ranking, len(better)), (offset + better).ravel(), (offset + worse).ravel()))
    ranking, better, worse = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(ranking, kind="stable")
    return ranking[order], better[order], worse[order]


def pairs_of_labels(
    y: NDArray[Any], qid: NDArray[np.int32] | None, partners: int | None, random_state: Any
) -> tuple[Index, Index]:
    """Pairs of rows of one query that have different labels: all of them, or some partners for each row."""
    qid = np.zeros(len(y), dtype=np.int32) if qid is None else qid
    order = np.lexsort((y, qid))
    if partners is None:
        bounds = np.flatnonzero(np.diff(qid[order])) + 1
        found = [_all_pairs(rows, y) for rows in np.split(order, bounds)]
        low, high = (np.concatenate(columns) for columns in zip(*found, strict=True))
        return np.minimum(low, high), np.maximum(low, high)
    if partners < 1:
        raise ValueError(f"partners is None or at least 1, not {partners}")
    return _random_partners(order, y, qid, partners, random_state)


def _all_pairs(rows: Index, y: NDArray[Any]) -> tuple[Index, Index]:
    """Rows in the order of their labels: each is paired with all that lie above its own block of equals."""
    above = np.searchsorted(y[rows], y[rows], side="right")
    count = len(rows) - above
    low = np.repeat(rows, count)
    skipped = np.repeat(np.cumsum(count) - count, count)
    return low, rows[np.arange(len(low)) - skipped + np.repeat(above, count)]


def _random_partners(
    order: Index, y: NDArray[Any], qid: NDArray[np.int32], partners: int, random_state: Any
) -> tuple[Index, Index]:
    """Draw without replacement, by Floyd's method for all rows at once, from those with another label."""
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    query, label = qid[order], y[order]
    new_query = np.concatenate([[True], query[1:] != query[:-1]]) if len(order) else np.zeros(0, dtype=bool)
    new_block = new_query | np.concatenate([[True], label[1:] != label[:-1]])[: len(order)]
    query_start, query_end = _bounds(new_query)
    block_start, block_end = _bounds(new_block)
    block = block_end - block_start
    others = query_end - query_start - block
    take = np.minimum(partners, others)
    drawn = np.full((len(order), partners), -1, dtype=np.int64)
    for k in range(partners):
        last = others - take + k
        guess = (rng.random_sample(len(order)) * (last + 1)).astype(np.int64)
        taken = (drawn[:, :k] == guess[:, None]).any(axis=1)
        drawn[:, k] = np.where(k < take, np.where(taken, last, guess), -1)
    row, column = np.nonzero(drawn >= 0)
    position = query_start[row] + drawn[row, column]
    position += np.where(position >= block_start[row], block[row], 0)
    return order[row], order[position]


def _bounds(is_start: NDArray[np.bool_]) -> tuple[Index, Index]:
    """For each position, where its run begins and ends."""
    starts = np.flatnonzero(is_start)
    ends = np.append(starts[1:], len(is_start))
    run = np.cumsum(is_start) - 1
    return starts[run], ends[run]
