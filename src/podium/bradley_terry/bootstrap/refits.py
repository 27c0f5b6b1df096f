"""Refits of a model to resampled results: a quick one, and a careful one for what it leaves."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.prior import WEAK

if TYPE_CHECKING:
    from podium.bradley_terry.bootstrap.resample import Replicate
    from podium.bradley_terry.counts import PairCounts
    from podium.bradley_terry.likelihood import PairedProblem

Floats = NDArray[np.float64]

TOL = 1e-5  # of the relative gradient: a thousandth of what another resample changes
CHORD_ITEMS = 1_500  # up to here one dense inverse serves all replicates


def quick_refit(problem: "PairedProblem", x: Floats) -> "Callable[[Replicate], Floats | None]":
    """The quick refit where there is one; None from it asks for the careful one."""
    if problem.teams is not None or problem.n_items > CHORD_ITEMS:
        return lambda replicate: None
    from podium.bradley_terry.bootstrap.refit import Refitter
    from podium.bradley_terry.errors.covariance import exact_covariance

    return Refitter(problem, x, exact_covariance(problem, x), TOL)


def careful_refit(problem: "PairedProblem", x: Floats, replicate: "Replicate") -> tuple[Floats, bool, bool]:
    """Refit with a full solver; whether it took a prior, and whether it stopped early."""
    from podium.bradley_terry.fit import fit_paired

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
    result = fit_paired(same, "auto", TOL, 500, x[keep])
    solution = np.full(len(x), 0.0 if problem.rao_kupper else -np.inf)  # of a tie parameter without ties
    solution[keep] = result.solution
    return solution, one_sided or not exists, not result.converged


def _is_one_sided(counts: "PairCounts", free_tie: bool, free_order: bool) -> bool:
    """Whether nobody won or, if there is an order effect, one side never did; half a tie may be a win."""
    half_ties = 0.0 if free_tie else float(counts.ties.sum())
    wins = (counts.left_wins.sum() + half_ties, counts.right_wins.sum() + half_ties)
    return bool((min(wins) if free_order else max(wins)) == 0)


def _exists(problem: "PairedProblem") -> bool:
    """Whether the replicate has an estimate with the prior that the problem has."""
    from podium.bradley_terry.existence import connected_groups, rest_is_finite, strong_classes

    if problem.teams is not None or problem.prior.min() > 0:
        return True
    loose = problem.prior == 0
    group = connected_groups(problem.counts)
    strong = strong_classes(problem.counts, group)
    apart = {(int(a), int(b)) for a, b in zip(problem.rank_group[loose], strong[loose], strict=True)}
    if len(apart) > len(np.unique(problem.rank_group[loose])):
        return False
    return rest_is_finite(problem.counts, free_tie=problem.free_tie, free_order=problem.free_order)
