"""Ordered labels and rankings become pairs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Index
from podium.comparisons.messages import first_true, quoted
from podium.comparisons.random_states import legacy_generator
from podium.comparisons.runs import bounds, ranges


def pairs_of_rankings(sizes: Index) -> tuple[Index, Index, Index]:
    """All pairs within each ranking: its number, and two positions in the rankings laid end to end."""
    end = np.cumsum(sizes)
    position = np.arange(sizes.sum())
    better, worse = ranges(position + 1, np.repeat(end, sizes))
    return np.searchsorted(end, better, side="right"), better, worse


def pairs_of_labels(
    y: NDArray[Any], qid: Codes | None, partners: int | None, random_state: Any
) -> tuple[Index, Index]:
    """Pairs of rows of one query that have different labels: all of them, or some partners for each row."""
    qid = np.zeros(len(y), dtype=np.int32) if qid is None else qid
    order = np.lexsort((y, qid))
    query, label = qid[order], y[order]
    new_query = np.diff(query, prepend=-1) != 0
    new_label = new_query.copy()
    new_label[1:] |= label[1:] != label[:-1]
    query_start, query_end = bounds(new_query)
    block_start, block_end = bounds(new_label)
    if partners is None:
        low, high = ranges(block_end, query_end)
        left, right = order[low], order[high]
        return np.minimum(left, right), np.maximum(left, right)
    if not isinstance(partners, int) or partners < 1:
        raise ValueError(f"partners is None or a whole number of at least 1, not {partners!r}")
    block = block_end - block_start
    row, drawn = _draw(query_end - query_start - block, partners, random_state)
    position = query_start[row] + drawn
    position += np.where(position >= block_start[row], block[row], 0)  # nobody of the same label
    return order[row], order[position]


def _draw(others: Index, partners: int, random_state: Any) -> tuple[Index, Index]:
    """For each row, that many of ``range(others[row])`` at random, by Floyd's method for all rows at once."""
    rng = legacy_generator(random_state)
    partners = int(min(partners, others.max(initial=0)))
    take = np.minimum(partners, others)
    drawn = np.full((len(others), partners), -1, dtype=np.int64)
    for k in range(partners):
        last = others - take + k
        guess = (rng.random_sample(len(others)) * (last + 1)).astype(np.int64)
        taken = (drawn[:, :k] == guess[:, None]).any(axis=1)
        drawn[:, k] = np.where(k < take, np.where(taken, last, guess), -1)
    row, column = np.nonzero(drawn >= 0)
    return row, drawn[row, column]


def check_rankings(codes: Codes, sizes: NDArray[np.int64], items: NDArray[Any]) -> None:
    """Nobody is twice in one ranking."""
    ranking = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((codes, ranking))
    twice = (np.diff(ranking[order]) == 0) & (np.diff(codes[order]) == 0)
    if twice.any():
        at = order[first_true(twice)]
        raise ValueError(
            f"item {quoted(items[codes[at]])} is twice in ranking {ranking[at] + 1} (counting from 1)"
        )
