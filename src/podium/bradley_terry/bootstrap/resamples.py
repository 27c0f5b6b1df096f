"""Resamples of the results of pairs, by rows or by groups of rows, for the bootstrap of a fitted model."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from podium.bradley_terry.bootstrap.resample import Replicate
    from podium.bradley_terry.model import BradleyTerry

Resample = Callable[[int], "Replicate"]


def resample_rows(model: "BradleyTerry", n: int, rng: np.random.Generator) -> Resample:
    """Resample r of single rows."""
    from podium.bradley_terry.bootstrap.resample import cells_of, draw, empty_replicate

    counts = model._problem.counts
    cells = cells_of(counts)
    seeds = rng.integers(0, 2**63, size=n, dtype=np.uint64)

    def resample(r: int) -> "Replicate":
        replicate = empty_replicate(len(counts.partner))
        draw(seeds[r], cells, replicate)
        return replicate

    return resample


def resample_groups(model: "BradleyTerry", n: int, rng: np.random.Generator) -> Resample:
    """Resample r of whole groups of rows: as many groups as there are, with replacement."""
    from podium.bradley_terry.bootstrap.resample import Replicate

    tables = tables_by_group(model)
    n_groups = tables[0].shape[1]
    if n_groups < 2:
        raise ValueError("all comparisons are in one group, which cannot be resampled")
    streams = rng.spawn(n)

    def resample(r: int) -> "Replicate":
        times = streams[r].multinomial(n_groups, np.full(n_groups, 1 / n_groups)).astype(np.float64)
        return Replicate(*(table @ times for table in tables))

    return resample


def tables_by_group(model: "BradleyTerry") -> tuple[Any, Any, Any]:
    """Total, ties and margin of each pair (rows) in each group (columns)."""
    from scipy.sparse import coo_array

    c = model._comparisons
    if c is None or c.group is None or c.groups is None or c.outcome is None:
        raise ValueError("the comparisons have no groups to resample; read them with group=")
    counts = model._problem.counts
    left, right, sign = model._data.sides[c.left], model._data.sides[c.right], c.outcome.astype(np.float64)
    if not counts.ordered:
        turned = right < left
        left, right = np.where(turned, right, left), np.where(turned, left, right)
        sign = np.where(turned, -sign, sign)
    known = counts.first.astype(np.int64) * counts.n_sides + counts.partner
    order = np.argsort(known)
    pair = order[np.searchsorted(known, left.astype(np.int64) * counts.n_sides + right, sorter=order)]
    shape = (len(known), len(c.groups))
    weight = np.where((c.outcome == 0) & (model.ties == "ignore"), 0.0, c.weight)
    columns = (weight, weight * (sign == 0), weight * sign)
    total, ties, margin = (coo_array((values, (pair, c.group)), shape=shape).tocsr() for values in columns)
    return total, ties, margin
