"""Resample the results of pairs, by rows or by groups of rows.

By rows, every cell (pair and outcome) with count m gets a Poisson number with mean m, as if each row were
drawn a Poisson(1) number of times. The numbers come from tables: with numpy's generator a bootstrap of 100
items took 3.8 times as long.

If weights are not counts (robust errors), a row of count n and weight w adds n w to the mean of its cell and
n w² to its variance. A cell then gets u times a Poisson number; the unit u = Σ n w² / Σ n w makes both right.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.counting import pairs_of_rows
from podium.bradley_terry.counts.pairs import NO_GRADES, PairCounts, Replicate
from podium.bradley_terry.covariates import design_of
from podium.bradley_terry.fitted import PairedFit
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError
from podium.comparisons.table import Comparisons
from podium.numerics.compiled import njit

TABLE_MEAN = 64.0  # cells with a larger mean have no table; their numbers are normal instead of Poisson
GUIDES = 256  # 8 random bits choose where the search in a table starts; without this it takes twice as long


class Cells(NamedTuple):
    """The outcomes that occurred, and the Poisson tables of their counts."""

    pair: NDArray[np.int64]
    sign: NDArray[np.int8]
    mean: Floats
    table: NDArray[np.int64]  # -1: no table, because the count is large
    cumulative: Floats
    start: NDArray[np.int64]
    guide: NDArray[np.int64]


def cells_of(counts: PairCounts, squares: PairCounts | None = None) -> tuple[Cells, Floats | None]:
    """The cells, sorted by side, partner and outcome, so the order of the rows does not matter.

    ``squares`` has the same pairs, counted by squared weights; with it, each cell gets a unit.
    """
    order = sorted_pairs(counts)
    table = counts.outcomes.T[order]
    row, column = np.nonzero(table)
    pair, mean = order[row], table[row, column]
    unit = None if squares is None else squares.outcomes.T[order][row, column] / mean
    mean = mean if unit is None else mean / unit
    distinct, which = np.unique(np.minimum(mean, TABLE_MEAN + 1), return_inverse=True)
    small = distinct <= TABLE_MEAN
    cumulative, start, guide = _poisson_tables(distinct[small])
    chosen = np.where(small[which], which, -1)
    return Cells(
        pair, (column - table.shape[1] // 2).astype(np.int8), mean, chosen, cumulative, start, guide
    ), unit


def sorted_pairs(counts: PairCounts) -> NDArray[np.int64]:
    """The pairs by side, partner and design, whatever the order of the rows."""
    effects = () if counts.design is None else counts.design.T
    return np.asarray(np.lexsort((*effects, counts.partner, counts.first)))


def _poisson_tables(means: Floats) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """For each mean, the cumulative probabilities and where a search in them starts, given 8 bits."""
    from scipy.special import pdtr

    parts, guides, start = [], [], [0]
    for mean in means:
        part = pdtr(np.arange(int(mean + 12 * np.sqrt(mean) + 20)), mean)
        part[-1] = 1.0
        guides.append(np.searchsorted(part, np.arange(GUIDES) / GUIDES, side="right"))
        parts.append(part)
        start.append(start[-1] + len(part))
    empty = [np.zeros(0)]
    guide = np.array(guides, dtype=np.int64).reshape(-1, GUIDES)
    return np.concatenate(parts + empty), np.array(start[:-1], dtype=np.int64), guide


def empty_replicate(n_pairs: int, grades: Floats | None = None) -> Replicate:
    plain = (np.empty(n_pairs), np.empty(n_pairs), np.empty(n_pairs))
    return Replicate(*plain, NO_GRADES if grades is None else np.zeros_like(grades))


Resample = Callable[[int], Replicate]


def resample_rows(fit: PairedFit, n: int, rng: np.random.Generator) -> Resample:
    """A function that returns resample r of single rows."""
    counts = fit.problem.counts
    seeds = rng.integers(0, 2**63, size=n, dtype=np.uint64)
    cells, unit = cells_of(counts, fit.squares)

    def resample(r: int) -> Replicate:
        replicate = empty_replicate(len(counts.partner), counts.grades)
        draw(seeds[r], cells, unit, replicate)
        return replicate

    return resample


def resample_groups(fit: PairedFit, n: int, rng: np.random.Generator) -> Resample:
    """A function that returns resample r of whole groups of rows, as many as there are, with replacement."""
    times_groups, n_groups = replicate_of_groups(fit)
    if n_groups < 2:
        raise ValueError("all comparisons are in one group; resampling groups needs at least two")
    streams = rng.spawn(n)

    def resample(r: int) -> Replicate:
        times = streams[r].multinomial(n_groups, np.full(n_groups, 1 / n_groups))
        return times_groups(times.astype(np.float64))

    return resample


def replicate_of_groups(
    fit: PairedFit, c: Comparisons | None = None
) -> tuple[Callable[[Floats], Replicate], int]:
    """A function from how often each group counts to the results, and the number of groups.

    The groups are those of the fitted rows, or of others. It multiplies a sparse matrix for total, ties and
    margin, or for every grade, of each pair (rows) in each group (columns).
    """
    from scipy.sparse import coo_array

    c = fit.rows if c is None else c
    if c is None:
        raise ValueError(
            "a saved model does not keep its comparisons, so groups cannot be resampled; fit again"
        )
    if c.group is None or c.groups is None or c.outcome is None:
        raise InputError(
            "the comparisons have no groups to resample; give {@group} when you read or make them"
        )
    counts, left, right = fit.problem.counts, fit.data.sides[c.left], fit.data.sides[c.right]
    design = design_of(c, fit.covariates, fit.has_order_effect)
    pair, turn = pairs_of_rows(counts, left, right, design)
    weight = np.where((c.outcome == 0) & (fit.ties == "ignore"), 0.0, c.mass)
    if counts.grades is None:
        sign = turn * np.asarray(c.outcome, dtype=np.float64)
        columns = [weight, weight * (sign == 0), weight * sign]
    else:
        most = len(counts.grades) // 2
        columns = [weight * (turn * np.asarray(c.grade) == k) for k in range(-most, most + 1)]
    shape = (len(counts.partner), len(c.groups))
    tables = [coo_array((values, (pair, c.group)), shape=shape).tocsr() for values in columns]
    if counts.grades is not None:
        return lambda times: Replicate.of_grades(np.array([table @ times for table in tables])), len(c.groups)
    return lambda times: Replicate(*(table @ times for table in tables)), len(c.groups)


@njit(cache=True, nogil=True, error_model="numpy")
def draw(seed, cells, unit, replicate):  # type: ignore[no-untyped-def]
    """Fill one replicate from a seed, by the generator SplitMix64 [Steele et al. 2014]."""
    total, ties, margin, grades = replicate
    total[:] = 0.0
    ties[:] = 0.0
    margin[:] = 0.0
    state = np.uint64(seed)
    for cell in range(len(cells.pair)):
        state += np.uint64(0x9E3779B97F4A7C15)
        z = state
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        count = _poisson(z ^ (z >> np.uint64(31)), cells, cell)
        if unit is not None:
            count *= unit[cell]
        e = cells.pair[cell]
        total[e] += count
        if cells.sign[cell] == 0:
            ties[e] += count
        else:
            margin[e] += np.sign(cells.sign[cell]) * count
        if len(grades) > 0:
            grades[len(grades) // 2 + cells.sign[cell], e] += count


@njit(cache=True, nogil=True, error_model="numpy")
def _poisson(z, cells, cell):  # type: ignore[no-untyped-def]
    """The count of a cell, from 64 random bits."""
    t = cells.table[cell]
    if t >= 0:
        u = np.float64(z >> np.uint64(11)) * 2.0**-53
        k = cells.guide[t, np.int64(z >> np.uint64(56))]
        while cells.cumulative[cells.start[t] + k] <= u:
            k += 1
        return np.float64(k)
    # A normal number by Box and Muller, from the two halves of z.
    u = (np.float64(z >> np.uint64(32)) + 0.5) * 2.0**-32
    v = np.float64(z & np.uint64(0xFFFFFFFF)) * 2.0**-32
    normal = np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * v)
    mean = cells.mean[cell]
    return max(mean + np.sqrt(mean) * normal, 0.0)
