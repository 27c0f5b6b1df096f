"""Which items are ranked together, and which of them need a prior to have a finite skill."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.counting import PairedInput
from podium.bradley_terry.counts.pairs import PairCounts
from podium.bradley_terry.existence import connected_groups, rest_is_finite, strong_classes
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import InputError, names_of
from podium.skill.existence import WEAK as WEAK
from podium.skill.existence import Plan, notes_on_groups, only_won_or_lost, outside_the_largest
from podium.skill.existence import warn as warn

# If a gap in log-skill is above FAR_APART, it is tested whether the gap grows without bound: this is so if
# widening it by FURTHER does not lower the likelihood.
FAR_APART, FURTHER = 6.0, 3.0


def plan_prior(
    prior: float | Literal["auto", "normal"],
    data: PairedInput,
    counts: PairCounts,
    free_tie: bool,
    free_order: bool,
) -> Plan:
    """Rank groups that never met separately; use a prior only if there is no finite estimate without one."""
    n_items = len(data.items)
    if free_order:
        check_order_effect(counts, free_tie)
    free_order = free_order and counts.design is None  # effects of a design are checked after the fit
    if prior == "normal":
        return Plan(np.zeros(n_items, np.int32), np.zeros(n_items), ())
    if prior != "auto" and prior > 0:
        return Plan(np.zeros(n_items, np.int32), np.full(n_items, float(prior)), ())
    group = connected_groups(counts, data.teams)
    notes = notes_on_groups(group)
    if data.teams is not None and prior == "auto":
        return Plan(group, np.full(n_items, WEAK), notes)
    weak, reason = _without_estimate(data, counts, group, free_tie, free_order)
    if reason and prior != "auto":
        raise ValueError(f"{reason}; use prior='auto' or a number above 0")
    if reason:
        notes = (*notes, f"{reason}; a prior of {WEAK} keeps them finite")
    return Plan(group, np.where(weak, WEAK, 0.0), notes)


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


def _without_estimate(
    data: PairedInput, counts: PairCounts, group: Codes, free_tie: bool, free_order: bool
) -> tuple[NDArray[np.bool_], str]:
    """The items of groups without a finite estimate, and a sentence that names the items at fault."""
    items = data.items
    strong = strong_classes(counts, group, data.teams)
    fault = outside_the_largest(strong, group)
    if fault.any():
        return np.isin(group, group[fault]), only_won_or_lost(items[fault])
    if data.teams is None and not rest_is_finite(counts, free_tie=free_tie, free_order=free_order):
        rest = " and ".join(["tie parameter"] * free_tie + ["order effect"] * free_order)
        return np.ones(len(items), np.bool_), (
            f"the skills have no unique finite maximum-likelihood estimate together with the {rest}"
        )
    return np.zeros(len(items), np.bool_), ""
