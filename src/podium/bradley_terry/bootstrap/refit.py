"""Refits to other results of the same pairs: a quick one, and a careful one if the quick one fails.

The quick refit starts at the estimate and iterates x ← x - A⁻¹ g until the gradient g of the resampled
likelihood is small. A⁻¹ is the inverse of the information at the estimate, the same for all replicates.
Replicates for which this does not converge are left to a full solver.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.bootstrap.resample import Replicate
from podium.bradley_terry.counts.pairs import ROUNDING, PairCounts
from podium.bradley_terry.determined import open_effects
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.existence import connected_groups, rest_is_finite, strong_classes
from podium.bradley_terry.fit import fit_paired
from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.prior import WEAK, runaway
from podium.comparisons.arrays import Floats
from podium.core.links import tie_term
from podium.core.pair_pass import Pairs, pair_pass
from podium.numerics.compiled import njit

TOL = 1e-5  # the relative gradient of a refit to a resample; its error is a thousandth of what resamples vary
CHORD_ITEMS = 1_500  # with more items there is no quick refit, since A⁻¹ is a dense matrix
MAX_STEPS, LONGEST_STEP = 60, 2.0  # limits of a quick refit: how many steps, and how long in log-skill


class Fixed(NamedTuple):
    """What all replicates share; ``size`` is the size of the group of each side."""

    indptr: NDArray[np.int64]
    partner: NDArray[np.int32]
    rao_kupper: bool
    free_tie: bool
    free_order: bool
    prior: Floats
    group: NDArray[np.int32]
    size: Floats


class Refitter:
    """The quick refit of a problem without teams."""

    def __init__(self, problem: PairedProblem, x: Floats, inverse: Floats, tol: float) -> None:
        p, c = problem, problem.counts
        size = np.bincount(p.rank_group)[p.rank_group].astype(np.float64)
        free = (p.rao_kupper, p.free_tie, p.free_order)
        self.fixed = Fixed(c.indptr, c.partner, *free, np.asarray(p.prior), p.rank_group, size)
        self.x, self.inverse, self.tol = x, np.ascontiguousarray(inverse), tol

    def __call__(self, replicate: Replicate) -> Floats | None:
        """The estimate, or None if the iteration does not converge."""
        x = self.x.copy()
        return x if _refit(self.fixed, replicate, self.inverse, x, self.tol) else None


def quick_refit(problem: PairedProblem, x: Floats, tol: float = TOL) -> Callable[[Replicate], Floats | None]:
    """The quick refit; it returns None for a replicate that needs `careful_refit`."""
    if problem.teams is not None or problem.n_items > CHORD_ITEMS:
        return lambda replicate: None
    inverse = exact_covariance(problem, x)
    if problem.counts.design is None and problem.normal is None:
        return Refitter(problem, x, inverse, tol)
    return lambda replicate: _refit_with_effects(problem, x, inverse, replicate, tol)


def _refit_with_effects(
    problem: PairedProblem, x: Floats, inverse: Floats, replicate: Replicate, tol: float
) -> Floats | None:
    """The quick refit of a problem with covariates or a normal prior, by passes of the likelihood."""
    same = replace(problem, counts=problem.counts.with_sums(*replicate))
    scale = same.scale()
    if same.free_tie and not same.seen.ties:
        return None
    for _ in range(MAX_STEPS):
        gradient = same.slope(x).gradient
        worst = float(np.max(np.abs(gradient) / scale))
        if worst <= tol:
            return x
        step = inverse @ gradient
        length = LONGEST_STEP / max(float(np.abs(step).max()), LONGEST_STEP)
        x = x - length * step
        if not (worst < np.inf) or (same.rao_kupper and same.free_tie and x[same.n_items] <= 0):
            return None
    return None


def careful_refit(
    problem: PairedProblem, x: Floats, replicate: Replicate, tol: float = TOL
) -> tuple[Floats, bool, bool]:
    """The estimate by a full solver, whether it needed a prior, and whether it stopped early."""
    counts = problem.counts.with_sums(*replicate)
    free_tie = problem.free_tie and bool(counts.ties.any())
    one_sided = _is_one_sided(counts, free_tie, problem.free_order)
    if one_sided:
        games = counts.total if counts.total.any() else problem.counts.total
        counts = counts.with_sums(counts.total + 2 * WEAK * games / games.sum(), counts.ties, counts.margin)
    same = replace(problem, counts=counts, rao_kupper=problem.rao_kupper and free_tie, free_tie=free_tie)
    exists = _exists(same)
    if not exists:
        same = replace(same, prior=np.maximum(problem.prior, WEAK))
    keep = np.ones(len(x), dtype=bool)
    if problem.free_tie:
        keep[problem.n_items] = free_tie
    result = fit_paired(same, "auto", tol, 500, x[keep])
    if exists and runaway(same, result.solution) is not None:
        exists, same = False, replace(same, prior=np.maximum(problem.prior, WEAK))
        result = fit_paired(same, "auto", tol, 500, x[keep])
    if (unbounded := open_effects(same, result.solution)).any():
        exists, same = False, replace(same, ridge=np.where(unbounded, WEAK, 0.0))
        result = fit_paired(same, "auto", tol, 500, x[keep])
    solution = np.full(len(x), 0.0 if problem.rao_kupper else -np.inf)  # the tie parameter without ties
    solution[keep] = result.solution
    return solution, one_sided or not exists, not result.converged


def _is_one_sided(counts: PairCounts, free_tie: bool, free_order: bool) -> bool:
    """Whether nobody won or, with an order effect, one side never won; a tie may count as half a win."""
    half_ties = 0.0 if free_tie else float(counts.ties.sum())
    wins = (counts.left_wins.sum() + half_ties, counts.right_wins.sum() + half_ties)
    return bool((min(wins) if free_order else max(wins)) == 0)


def _exists(problem: PairedProblem) -> bool:
    """Whether the replicate has a finite estimate with the prior of the problem."""
    if problem.normal is not None or problem.prior.min() > 0:
        return True
    loose = problem.prior == 0
    group = connected_groups(problem.counts, problem.teams)
    strong = strong_classes(problem.counts, group, problem.teams)
    apart = {(int(a), int(b)) for a, b in zip(problem.rank_group[loose], strong[loose], strict=True)}
    if len(apart) > len(np.unique(problem.rank_group[loose])):
        return False
    free_order = problem.free_order and problem.counts.design is None
    return problem.teams is not None or rest_is_finite(
        problem.counts, free_tie=problem.free_tie, free_order=free_order
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _refit(fixed, replicate, inverse, x, tol):  # type: ignore[no-untyped-def]
    """Move x in place until every gradient entry is at most tol times its scale; False if that fails."""
    totals = _totals(fixed, replicate)
    if not _may_exist(fixed, replicate, totals):
        return False
    k = len(fixed.prior)
    state, gradient = np.empty((k, 3)), np.empty(len(x))
    for _ in range(MAX_STEPS):
        worst = _gradient(fixed, replicate, totals, x, state, gradient)
        if not worst < np.inf:
            return False
        if worst <= tol:
            return True
        step = inverse @ gradient
        longest = np.max(np.abs(step))
        if longest > LONGEST_STEP:
            step *= LONGEST_STEP / longest
        if fixed.rao_kupper and fixed.free_tie and x[k] - step[k] <= 0.0:
            return False
        x -= step
    return False


@njit(cache=True, nogil=True, error_model="numpy")
def _totals(fixed, replicate):  # type: ignore[no-untyped-def]
    """Scores and games of every side, the total score of the left sides, and the number of ties."""
    total, ties, margin = replicate
    k = len(fixed.prior)
    score, games = np.zeros(k), np.zeros(k)
    left = all_ties = 0.0
    for i in range(k):
        for e in range(fixed.indptr[i], fixed.indptr[i + 1]):
            j = fixed.partner[e]
            extra = ties[e] if fixed.rao_kupper else 0.0  # a tie counts as a win of both
            mine = 0.5 * (total[e] - margin[e] + extra)
            score[i] += mine
            score[j] += 0.5 * (total[e] + margin[e] + extra)
            games[i] += total[e]
            games[j] += total[e]
            left += mine
            all_ties += ties[e]
    return score, games, left, all_ties


@njit(cache=True, nogil=True, error_model="numpy")
def _may_exist(fixed, replicate, totals):  # type: ignore[no-untyped-def]
    """Whether every side won and lost, and every outcome with a parameter occurred."""
    score, games, _, all_ties = totals
    if fixed.free_tie and all_ties == 0.0:
        return False
    decided = (1.0 - ROUNDING) * (replicate.total.sum() - (all_ties if fixed.free_tie else 0.0))
    if decided == 0.0 or (fixed.free_order and abs(replicate.margin.sum()) >= decided):
        return False  # the left or the right side never won
    for i in range(len(score)):
        all_won = score[i] >= games[i] and not fixed.rao_kupper
        if fixed.prior[i] == 0.0 and (score[i] <= 0.0 or all_won):
            return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _gradient(fixed, replicate, totals, x, state, gradient):  # type: ignore[no-untyped-def]
    """Fill the gradient at x and return its largest entry, each relative to its scale."""
    total, ties, margin = replicate
    score, games, left, all_ties = totals
    prior, group, k = fixed.prior, fixed.group, len(score)
    p = np.empty(k)
    for i in range(k):  # unlike an assignment of arrays, it compiles quickly
        p[i] = np.exp(x[i])
        state[i, 0], state[i, 1], state[i, 2] = np.sqrt(p[i]), 0.0, 0.0
    pairs, empty = Pairs(fixed.indptr, fixed.partner, total, ties, margin), np.zeros((3, 0))
    bias = np.exp(x[-1] / 2.0) if fixed.free_order else 1.0
    tie = np.exp(x[k]) if fixed.free_tie else 1.0 * fixed.rao_kupper
    sums = pair_pass(pairs, state, tie, fixed.rao_kupper, bias, empty[0], empty, np.int64(0), k)
    group_sum = np.zeros(k)
    for i in range(k):
        group_sum[group[i]] += p[i]
    worst = 0.0
    for i in range(k):
        gradient[i] = state[i, 1] - score[i] + prior[i] * (fixed.size[i] * p[i] / group_sum[group[i]] - 1.0)
        if games[i] + prior[i] > 0.0:
            worst = max(worst, abs(gradient[i]) / (games[i] + prior[i]))
    if fixed.free_tie:
        gradient[k] = sums[1] - tie_term(x[k], fixed.rao_kupper)[1] * all_ties
        worst = max(worst, abs(gradient[k]) / all_ties)
    if fixed.free_order:
        gradient[-1] = sums[0] - left
        worst = max(worst, abs(gradient[-1]) / total.sum())
    return worst
