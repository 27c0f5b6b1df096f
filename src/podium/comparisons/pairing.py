"""Ordered labels, rankings and square tables of counts become pairs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Index, bounds, ranges
from podium.comparisons.checks import check_unmasked
from podium.comparisons.labels import as_column, encode, find_labels
from podium.comparisons.messages import quoted
from podium.comparisons.random_states import legacy_generator


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


# ------------------------------------------------------------------------------------ counts


Counts = NDArray[np.float64]


def pairs_of_counts(wins: Any, ties: Any) -> tuple[NDArray[Any], Codes, Codes, NDArray[np.int8], Counts]:
    """Square tables of counts: how often the item of a row beat that of a column, and how often they tied.

    They become the items and one row for each outcome of a pair that occurs: the left item, the right one,
    the outcome and its count.
    """
    won, labels = _square(wins, "wins")
    tied = np.zeros_like(won) if ties is None else _once(*_square(ties, "ties", labels))
    (i, j), (k, m) = np.nonzero(won), np.nonzero(tied)
    if not len(i) + len(k):
        raise ValueError("every count is 0, so nothing was compared; check the table")
    items, (code,) = encode([as_column(labels, "wins")], ["wins"])
    outcome = np.repeat(np.array([-1, 0], dtype=np.int8), [len(i), len(k)])
    left, right = code[np.concatenate([i, k])], code[np.concatenate([j, m])]
    return items, left, right, outcome, np.concatenate([won[i, j], tied[k, m]])


def _square(values: Any, name: str, wanted: list[Any] | None = None) -> tuple[Counts, list[Any]]:
    """A square table of counts and its labels, in the order of those that are wanted."""
    values = values.toarray() if hasattr(values, "toarray") else values
    is_frame = hasattr(values, "index") and hasattr(values, "columns")
    if wanted is None:
        wanted = (
            list(values.index) if is_frame else list(range(np.shape(values)[0] if np.ndim(values) else 0))
        )
    if is_frame:
        order = [_positions(list(axis), wanted, name) for axis in (values.index, values.columns)]
        values = values.to_numpy()[np.ix_(*order)]
    check_unmasked(**{name: values})
    try:
        table = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is not a table of numbers; a pandas frame or an array is") from None
    if table.shape != (len(wanted), len(wanted)):
        raise ValueError(f"{name} has the shape {table.shape}; it needs a row and a column for each item")
    diagonal = np.eye(len(table), dtype=bool)
    table[diagonal & np.isnan(table)] = 0
    for wrong, rule in (
        (~np.isfinite(table) | (table < 0), "a count is 0 or more"),
        (diagonal & (table != 0), "an item does not meet itself, so set the diagonal to 0"),
    ):
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            where = f"row {quoted(wanted[row])} and column {quoted(wanted[column])}"
            raise ValueError(f"{name} has {table[row, column]:g} in {where}; {rule}")
    return table, wanted


def _positions(axis: list[Any], wanted: list[Any], name: str) -> Index:
    """Where the labels stand on an axis that has each of them once, and no others."""
    place = find_labels(np.array(axis, dtype=object), wanted)
    if len(axis) == len(wanted) == len(set(place.tolist()) - {-1}):
        return place
    odd = [label for label, k in zip(wanted, place.tolist(), strict=True) if k < 0] or axis
    raise ValueError(
        f"rows and columns of {name} do not have the same labels, each once; see {quoted(odd[0])}"
    )


def _once(tied: Counts, labels: list[Any]) -> Counts:
    """Ties counted once, if both triangles of the table have them."""
    if not (np.triu(tied).any() and np.tril(tied).any()):
        return tied
    if (differ := tied != tied.T).any():
        i, j = np.argwhere(differ)[0]
        raise ValueError(
            f"ties has {tied[i, j]:g} for {quoted(labels[i])} and {quoted(labels[j])}, but {tied[j, i]:g} "
            "the other way round; make it symmetric, or fill one triangle only"
        )
    return np.triu(tied)
