"""What is added to rankings so that everything has a finite estimate: skills, and the parameters of ties."""

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.rankings.ballots import Ballots
from podium.rankings.existence import connections, endless_sizes, ties_are_bounded
from podium.rankings.likelihood import RankingProblem
from podium.skill.plan import WEAK, Existence, Plan, bounded, plan_prior


def plan_rankings(prior: float | Literal["auto", "normal"], b: Ballots, items: NDArray[Any]) -> Plan:
    """The plan of a fit."""
    plan = plan_prior(prior, items, _existence(b))
    with_ridge = _with_ridge(plan, b)
    if prior == 0 and with_ridge is not plan:
        raise ValueError(f"{_endless(b)}; use prior='auto' or a number above 0")
    return with_ridge


def plan_again(problem: RankingProblem, items: NDArray[Any]) -> Plan:
    """The plan of a refit to the same rankings with other masses."""
    plan = Plan(problem.rank_group, problem.prior, problem.local, ridge=problem.ridge)
    if problem.normal is None:
        plan = bounded(plan, items, _existence(problem.ballots))
    return _with_ridge(plan, problem.ballots)


def _with_ridge(plan: Plan, b: Ballots) -> Plan:
    """The plan with a weak normal prior for the tie parameters that have no finite estimate anyway."""
    ridge = np.zeros(len(b.sizes) - 1) if plan.ridge is None else plan.ridge
    weak = _unbounded_ties(b) & (ridge < WEAK)
    if not weak.any():
        return plan
    note = f"{_endless(b)}; a normal prior (variance {1 / WEAK:g} of log δ) keeps it finite"
    return plan._replace(ridge=np.where(weak, WEAK, ridge), notes=(*plan.notes, note))


def _existence(b: Ballots) -> Existence:
    def open_rest() -> str:
        return "" if _unbounded_ties(b).any() or ties_are_bounded(b) else "tie parameter"

    return Existence(partial(connections, b), open_rest)


def _unbounded_ties(b: Ballots) -> NDArray[np.bool_]:
    """The tie sizes whose δ has no finite estimate even if the skills have a prior."""
    return np.asarray(endless_sizes(b) | (b.tally.winners[1:] == 0))


def _endless(b: Ballots) -> str:
    return (
        f"ties of {' and '.join(map(str, b.sizes[1:][_unbounded_ties(b)]))} occur whenever enough items "
        "remain, so their parameter has no finite maximum-likelihood estimate"
    )
