"""Resample the results of pairs and refit, in a fraction of a millisecond.

Every cell (pair and outcome) with the count m gets a Poisson number with the mean m, as if each row had been
drawn a Poisson(1) number of times. The refit starts at the estimate and goes x ← x - A⁻¹ g with the fixed
inverse A⁻¹ of the information there, until the gradient of the resampled likelihood is small; a replicate
that does not get there is left to a careful solver.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from podium.solvers.pair_counts import ROUNDING, PairCounts
from podium.solvers.pair_losses import davidson_pass, rao_kupper_pass
from podium.solvers.paired import PairedProblem

Floats = NDArray[np.float64]

TABLE_MEAN = 64.0  # beyond this a Poisson number is a normal one
GUIDES = 256
MAX_STEPS = 60
LONGEST_STEP = 2.0


class Cells(NamedTuple):
    """The outcomes that were seen, and tables of the Poisson distributions of their counts."""

    pair: NDArray[np.int64]
    sign: NDArray[np.int8]
    mean: Floats
    table: NDArray[np.int64]  # -1: no table, the count is large
    cumulative: Floats
    start: NDArray[np.int64]
    guide: NDArray[np.int64]


def cells_of(counts: PairCounts) -> Cells:
    """The cells of a table of counts, by side, partner and outcome: the order of rows must not decide."""
    order = np.argsort(counts.first.astype(np.int64) * counts.n_sides + counts.partner)
    table = np.column_stack([counts.left_wins, counts.ties, counts.right_wins])[order]
    row, column = np.nonzero(table)
    pair, mean = order[row], table[row, column]
    distinct, which = np.unique(np.minimum(mean, TABLE_MEAN + 1), return_inverse=True)
    small = distinct <= TABLE_MEAN
    cumulative, start, guide = _poisson_tables(distinct[small])
    chosen = np.where(small[which], which, -1)
    return Cells(pair, (column - 1).astype(np.int8), mean, chosen, cumulative, start, guide)


def _poisson_tables(means: Floats) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Cumulative probabilities of each mean, and where a search in them starts, given 8 bits."""
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


class Replicate(NamedTuple):
    """The results of one resample, pair by pair."""

    total: Floats
    ties: Floats
    margin: Floats


def empty_replicate(n_pairs: int) -> Replicate:
    return Replicate(np.empty(n_pairs), np.empty(n_pairs), np.empty(n_pairs))


@njit(cache=True, nogil=True, error_model="numpy")
def draw(seed, pair, sign, mean, table, cumulative, start, guide, total, ties, margin):  # type: ignore[no-untyped-def]
    """Fill the results of one replicate; the seed decides them (SplitMix64 [Steele et al. 2014])."""
    total[:] = 0.0
    ties[:] = 0.0
    margin[:] = 0.0
    state = np.uint64(seed)
    for cell in range(len(pair)):
        state += np.uint64(0x9E3779B97F4A7C15)
        z = state
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
        t = table[cell]
        if t >= 0:
            u = np.float64(z >> np.uint64(11)) * 2.0**-53
            k = guide[t, np.int64(z >> np.uint64(56))]
            while cumulative[start[t] + k] <= u:
                k += 1
            count = np.float64(k)
        else:  # the two halves of the number, by Box and Muller
            u = (np.float64(z >> np.uint64(32)) + 0.5) * 2.0**-32
            v = np.float64(z & np.uint64(0xFFFFFFFF)) * 2.0**-32
            normal = np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * v)
            count = max(mean[cell] + np.sqrt(mean[cell]) * normal, 0.0)
        e = pair[cell]
        total[e] += count
        if sign[cell] == 0:
            ties[e] += count
        else:
            margin[e] += sign[cell] * count


class Refitter:
    """Refits a problem without teams to other results of its pairs, from its own estimate."""

    def __init__(self, problem: PairedProblem, x: Floats, inverse: Floats, tol: float) -> None:
        self.problem, self.x, self.inverse, self.tol = problem, x, np.ascontiguousarray(inverse), tol
        self.size = np.bincount(problem.rank_group)[problem.rank_group].astype(np.float64)

    def __call__(self, replicate: Replicate) -> Floats | None:
        """The estimate, or None if the iteration does not find it."""
        p, c, x = self.problem, self.problem.counts, self.x.copy()
        fixed = (p.rao_kupper, p.free_tie, p.free_order, np.asarray(p.prior), p.rank_group, self.size)
        found = _refit(c.indptr, c.partner, *replicate, *fixed, self.inverse, x, self.tol)
        return x if found else None


@njit(cache=True, nogil=True, error_model="numpy")
def _refit(  # type: ignore[no-untyped-def]
    indptr,
    partner,
    total,
    ties,
    margin,
    rao_kupper,
    free_tie,
    free_order,
    prior,
    group,
    size,
    inverse,
    x,
    tol,
):
    """Whether x, changed in place, is where every entry of the gradient is at most tol times its scale."""
    k = len(prior)
    score, games, left, all_ties = _totals(indptr, partner, total, ties, margin, rao_kupper)
    if free_tie and all_ties == 0.0:
        return False
    decided = (1.0 - ROUNDING) * (total.sum() - (all_ties if free_tie else 0.0))
    if decided == 0.0 or (free_order and abs(margin.sum()) >= decided):  # one side of all games never won
        return False
    for i in range(k):
        if prior[i] == 0.0 and (score[i] <= 0.0 or (score[i] >= games[i] and not rao_kupper)):
            return False
    state, gradient = np.empty((k, 3)), np.empty(len(x))
    for _ in range(MAX_STEPS):
        p = np.exp(x[:k])
        bias = np.exp(x[-1] / 2.0) if free_order else 1.0
        state[:] = 0.0
        state[:, 0] = np.sqrt(p)
        if rao_kupper:
            eta = x[k] if free_tie else 0.0
            sums = rao_kupper_pass(indptr, partner, total, ties, margin, state, bias, eta, None, (0, k), None)
            worth = 2.0 / -np.expm1(-2.0 * eta) if free_tie else 0.0
        else:
            nu = np.exp(x[k]) if free_tie else 0.0
            sums = davidson_pass(indptr, partner, total, ties, margin, state, bias, nu, None, (0, k), None)
            worth = 1.0
        group_sum = np.zeros(k)
        for i in range(k):
            group_sum[group[i]] += p[i]
        worst = 0.0
        for i in range(k):
            gradient[i] = state[i, 1] - score[i] + prior[i] * (size[i] * p[i] / group_sum[group[i]] - 1.0)
            if games[i] + prior[i] > 0.0:
                worst = max(worst, abs(gradient[i]) / (games[i] + prior[i]))
        if free_tie:
            gradient[k] = sums[1] - worth * all_ties
            worst = max(worst, abs(gradient[k]) / all_ties)
        if free_order:
            gradient[-1] = sums[0] - left
            worst = max(worst, abs(gradient[-1]) / total.sum())
        if not worst < np.inf:
            return False
        if worst <= tol:
            return True
        step = inverse @ gradient
        longest = np.max(np.abs(step))
        if longest > LONGEST_STEP:
            step *= LONGEST_STEP / longest
        if rao_kupper and free_tie and x[k] - step[k] <= 0.0:
            return False
        x -= step
    return False


@njit(cache=True, nogil=True, error_model="numpy")
def _totals(indptr, partner, total, ties, margin, rao_kupper):  # type: ignore[no-untyped-def]
    """Scores and games of every side, the score of the left sides, and the ties."""
    k = len(indptr) - 1
    score, games = np.zeros(k), np.zeros(k)
    left = all_ties = 0.0
    for i in range(k):
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            extra = ties[e] if rao_kupper else 0.0  # a tie counts as a win of both
            mine = 0.5 * (total[e] - margin[e] + extra)
            score[i] += mine
            score[j] += 0.5 * (total[e] + margin[e] + extra)
            games[i] += total[e]
            games[j] += total[e]
            left += mine
            all_ties += ties[e]
    return score, games, left, all_ties
