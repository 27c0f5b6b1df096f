"""Which items are ranked together, and which of them need a prior to have a finite skill."""

from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.counting import PairedInput
from podium.bradley_terry.counts.pairs import ROUNDING, PairCounts
from podium.bradley_terry.existence import connections, rest_is_finite
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError, names_of
from podium.skill.plan import WEAK, Existence, Plan, bounded, notes_on_groups, plan_prior

# If a gap in log-skill is above FAR_APART, it is tested whether the gap grows without bound: this is so if
# widening it by FURTHER does not lower the likelihood.
FAR_APART, FURTHER = 6.0, 3.0


def plan_paired(
    prior: float | Literal["auto", "normal"],
    data: PairedInput,
    counts: PairCounts,
    free_tie: bool,
    free_order: bool,
) -> Plan:
    """The plan of a fit."""
    if free_order:
        check_order_effect(counts, free_tie)
    if data.teams is not None and prior == "auto":
        group, _ = connections(counts, data.teams)
        return Plan(group, np.full(len(data.items), WEAK), notes=notes_on_groups(group))
    return plan_prior(prior, data.items, _existence(counts, data.teams, free_tie, free_order))


def plan_again(problem: PairedProblem, items: NDArray[Any]) -> Plan:
    """The plan of a refit to other results of the same pairs.

    If nobody won, or one side never won and there is an order effect, a fit is refused. A refit gets a tenth
    of a win for each side, spread over all games.
    """
    p, counts = problem, problem.counts
    plan = Plan(p.rank_group, np.asarray(p.prior), ridge=p.ridge)
    if _is_one_sided(counts, p.free_tie, p.free_order):
        games = counts.total if counts.total.any() else np.ones_like(counts.total)
        note = "one side never won; each gets a tenth of a win"
        plan = plan._replace(pseudo=2 * WEAK * games / games.sum(), notes=(note,))
        counts = with_pseudo_games(counts, plan.pseudo)
    if p.normal is not None:
        return plan
    return bounded(plan, items, _existence(counts, p.teams, p.free_tie, p.free_order))


def planned(problem: PairedProblem, plan: Plan) -> PairedProblem:
    """The problem with what the plan adds."""
    counts = with_pseudo_games(problem.counts, plan.pseudo)
    return replace(problem, counts=counts, rank_group=plan.group, prior=plan.prior, ridge=plan.ridge)


def with_pseudo_games(counts: PairCounts, pseudo: Floats | None) -> PairCounts:
    """The counts with more games, of which each side won half."""
    return counts if pseudo is None else counts.with_sums(counts.total + pseudo, counts.ties, counts.margin)


def _existence(counts: PairCounts, teams: Any, free_tie: bool, free_order: bool) -> Existence:
    free_order = free_order and counts.design is None  # effects of a design are checked after the fit

    def open_rest() -> str:
        if teams is not None or rest_is_finite(counts, free_tie=free_tie, free_order=free_order):
            return ""
        return " and ".join(["tie parameter"] * free_tie + ["order effect"] * free_order)

    return Existence(partial(connections, counts, teams), open_rest)


def check_no_runaway(problem: PairedProblem, x: Floats, items: NDArray[Any]) -> None:
    """Raise an error if the skills grow without bound; with teams, only the solution can show this."""
    if (away := runaway(problem, x)) is not None:
        raise ValueError(
            f"the skills of {names_of(items[away])} have no finite maximum-likelihood estimate: the "
            "likelihood rises as they move away from the rest; use prior='auto' or a number above 0"
        )


def runaway(problem: PairedProblem, x: Floats) -> NDArray[np.bool_] | None:
    """The items whose distance from the rest of their group grows without bound, or None.

    The likelihood of teams is not concave, so no condition on the games can decide this in advance.
    """
    if problem.teams is None or problem.prior.max() > 0:
        return None
    value, theta = problem.objective(x), x[: problem.n_items]
    for group in range(int(problem.rank_group.max()) + 1):
        members = np.flatnonzero(problem.rank_group == group)
        order = members[np.argsort(theta[members])]
        for place in np.flatnonzero(np.diff(theta[order]) > FAR_APART) + 1:
            further = x.copy()
            further[order[place:]] += FURTHER
            if problem.objective(further) <= value * (1 + 1e-9):  # up to rounding
                fewer = order[place:] if 2 * place > len(order) else order[:place]
                return np.isin(np.arange(problem.n_items), fewer)
    return None


def check_order_effect(counts: PairCounts, free_tie: bool) -> None:
    """Raise an error unless both sides won somewhere; a tie counts as half a win unless ties are modelled."""
    home = slice(None) if counts.design is None else counts.design[:, -1] != 0
    if not counts.total[home].any():
        raise InputError(
            "every comparison is on neutral ground, so the order effect has no estimate; "
            "{@use order_effect=False}"
        )
    half_ties = 0.0 if free_tie else counts.ties[home].sum()
    has_neutral = counts.design is not None and not np.all(counts.design[:, -1])
    off_neutral = " except on neutral ground" * has_neutral
    for side, wins in (("left", counts.left_wins), ("right", counts.right_wins)):
        if wins[home].sum() + half_ties == 0:
            raise InputError(
                f"the {side} side never won{off_neutral}, so the order effect has no finite estimate; "
                "{@use order_effect=False}"
            )


def _is_one_sided(counts: PairCounts, free_tie: bool, free_order: bool) -> bool:
    """Whether nobody won or, with an order effect, one side never won; a tie may count as half a win."""
    decided = counts.n_games - (counts.n_ties if free_tie else 0.0)
    lead = abs(float(counts.margin.sum())) if free_order else 0.0
    return decided - lead <= ROUNDING * counts.n_games
