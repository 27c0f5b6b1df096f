"""The MM algorithm of [GeneralizedBT]: multiply each skill in turn by its actual over its expected score.

Let W_T be the score of side T and E_T the score that the model expects. One step of Algorithms 1 and 2 of
[GeneralizedBT], with the prior μ of eq. (7) on a group C of items, is

    p_s ← p_s · (Σ_{T ∋ s} W_T / q_T + μ / p_s) / (Σ_{T ∋ s} E_T / q_T + μ |C| / Σ_C p).

Without ties this is eq. (3) for items and eq. (5) for teams. With ties it minorizes and maximizes as Hunter
(2004) does for Rao and Kupper; for Davidson, √(q q') is bounded by a weighted arithmetic mean. The tie
parameter and the order effect are updated once per sweep. Every step lowers the objective, but on badly
connected data the steps are tiny, so this is not the default.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.core.links import derivatives, seen_score
from podium.numerics.compiled import njit
from podium.numerics.descent import Derivatives, Descent


def minorize_maximize(problem: PairedProblem, x: Floats, tol: float, max_iter: int) -> Descent:
    """Sweep over the items until every entry of the gradient is at most ``tol`` times its scale."""
    meetings = _meetings(problem)
    memberships = _memberships(problem)
    prior, scale = np.asarray(problem.prior), problem.scale()
    history: list[float] = []
    while True:
        here = problem.derivatives(x)
        history.append(float(np.max(np.abs(here.gradient) / scale, initial=0.0)))
        if history[-1] <= tol or len(history) > max_iter:
            return Descent(x, history, history[-1] <= tol)
        x = _update_rest(problem, problem.centred(x), here)
        parts = problem.parts(x)
        p = np.exp(parts.theta)
        lead = np.exp(parts.effects[-1]) if problem.free_order else 1.0
        q = p.copy() if problem.teams is None else problem.teams @ p
        _sweep(p, q, memberships, meetings, lead, parts.link, prior, problem.rank_group)
        x[: problem.n_items] = np.log(p)


def _update_rest(problem: PairedProblem, x: Floats, here: Derivatives) -> Floats:
    """Multiply the tie parameter and the order effect by observed over expected (log κ: a Newton step)."""
    k, observed = problem.n_items, problem.observed
    if problem.free_order:
        x[-1] += np.log(observed.left / (observed.left + here.gradient[-1]))
    if problem.free_tie and problem.rao_kupper:
        x[k] = max(x[k] - here.gradient[k] / here.curvature[k], x[k] / 2)
    elif problem.free_tie:
        x[k] += np.log(observed.ties / (observed.ties + here.gradient[k]))
    return x


def _meetings(problem: PairedProblem) -> tuple[NDArray[Any], ...]:
    """For each side, its pairs: the opponent, the counts, whether this side was on the left, pseudo-games."""
    c = problem.counts
    held = np.zeros_like(c.total) if problem.pseudo is None else problem.pseudo.counts.total
    side = np.concatenate([c.first, c.partner])
    other = np.concatenate([c.partner, c.first])
    order = np.argsort(side, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(side, minlength=c.n_sides))])
    margin = np.concatenate([c.margin, -c.margin])  # losses minus wins
    on_left = np.repeat([True, False], len(c.partner))
    columns = (other, np.tile(c.total, 2), np.tile(c.ties, 2), margin, on_left, np.tile(held, 2))
    return start, *(np.ascontiguousarray(column[order]) for column in columns)


def _memberships(problem: PairedProblem) -> tuple[NDArray[Any], NDArray[Any]]:
    """For each item, the sides that it is a member of."""
    if problem.teams is None:
        every = np.arange(problem.n_items + 1, dtype=np.int32)
        return every, every[:-1]
    sides = problem.teams.T.tocsr()
    return sides.indptr, sides.indices


@njit(cache=True, nogil=True, error_model="numpy")
def _sweep(p, q, memberships, meetings, bias, link, prior, rank_group):  # type: ignore[no-untyped-def]
    """One update of every skill, in place."""
    side_start, sides = memberships
    start, other, total, ties, margin, on_left, held = meetings
    tie, rao_kupper = link
    group_sum = np.zeros(rank_group.max() + 1)
    group_size = np.zeros(len(group_sum))
    for s in range(len(p)):
        group_sum[rank_group[s]] += p[s]
        group_size[rank_group[s]] += 1.0
    for s in range(len(p)):
        group = rank_group[s]
        won = prior[s] / p[s]
        due = prior[s] * group_size[group] / group_sum[group]
        for at in range(side_start[s], side_start[s + 1]):
            side = sides[at]
            for e in range(start[side], start[side + 1]):
                mine = q[side] * bias if on_left[e] else q[side]
                theirs = q[other[e]] if on_left[e] else q[other[e]] * bias
                n, tied, behind = total[e], ties[e], margin[e]
                won += seen_score(n, tied, behind, rao_kupper) / q[side]
                due += derivatives(np.sqrt(theirs / mine), n, tied, behind, tie, rao_kupper)[0] / q[side]
                won += 0.5 * held[e] / q[side]
                due += held[e] / (q[side] + q[other[e]])
        change = p[s] * (won / due - 1.0)
        p[s] += change
        group_sum[group] += change
        for at in range(side_start[s], side_start[s + 1]):
            q[sides[at]] += change
