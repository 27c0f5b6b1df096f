"""Which items are ranked together, and which of them need a prior to have a finite skill."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts import PairCounts, PairedInput
from podium.bradley_terry.existence import connected_groups, rest_is_finite, strong_classes
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import names_of
from podium.skill.fit import ExistenceWarning

# If a gap in log-skill is above FAR_APART, it is tested whether the gap grows without bound: this is so if
# widening it by FURTHER does not lower the likelihood.
FAR_APART, FURTHER = 6.0, 3.0
WEAK = 0.1  # the prior for groups that need one: a tenth of a win for each item against all others together


class Plan(NamedTuple):
    """The group in which each item is ranked, the prior μ of each item, and notes that give the reasons."""

    group: Codes
    prior: Floats
    notes: tuple[str, ...]


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
    notes = _notes_on_groups(group)
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
        raise ValueError(
            "every comparison is on neutral ground, so the order effect has no estimate; use "
            "order_effect=False"
        )
    half_ties = 0.0 if free_tie else counts.ties[home].sum()
    has_neutral = counts.design is not None and not np.all(counts.design[:, -1])
    off_neutral = " except on neutral ground" * has_neutral
    for side, wins in (("left", counts.left_wins), ("right", counts.right_wins)):
        if wins[home].sum() + half_ties == 0:
            raise ValueError(
                f"the {side} side never won{off_neutral}, so the order effect has no finite estimate; use "
                "order_effect=False"
            )


def warn(notes: Sequence[str]) -> None:
    for note in notes:
        warnings.warn(note, ExistenceWarning, stacklevel=3)


def _notes_on_groups(group: Codes) -> tuple[str, ...]:
    n_groups = int(group.max()) + 1
    if n_groups == 1:
        return ()
    return (
        f"the items form {n_groups:,} groups that were never compared with each other; each is ranked "
        "separately (set prior to a number above 0 to rank them together)",
    )


def _without_estimate(
    data: PairedInput, counts: PairCounts, group: Codes, free_tie: bool, free_order: bool
) -> tuple[NDArray[np.bool_], str]:
    """The items of groups without a finite estimate, and a sentence that names the items at fault."""
    items = data.items
    strong = strong_classes(counts, group, data.teams)
    fault = _outside_the_largest(strong, group)
    if fault.any():
        weak = np.isin(group, group[fault])
        return weak, (
            f"the skills of {names_of(items[fault])} have no finite maximum-likelihood estimate, because "
            "they only won or only lost against the rest"
        )
    if data.teams is None and not rest_is_finite(counts, free_tie=free_tie, free_order=free_order):
        rest = " and ".join(["tie parameter"] * free_tie + ["order effect"] * free_order)
        return np.ones(len(items), np.bool_), (
            f"the skills have no unique finite maximum-likelihood estimate together with the {rest}"
        )
    return np.zeros(len(items), np.bool_), ""


def _outside_the_largest(strong: Codes, group: Codes) -> NDArray[np.bool_]:
    """Items outside the largest strong class of their group; all items of a group without any cycle."""
    size = np.bincount(strong)[strong]
    largest = np.zeros(group.max() + 1, dtype=np.int64)
    np.maximum.at(largest, group, size)
    chosen = np.full(group.max() + 1, -1, dtype=np.int64)
    in_largest = np.flatnonzero(size == largest[group])[::-1]
    chosen[group[in_largest]] = strong[in_largest]
    alone = (largest == 1) & (np.bincount(group) > 1)
    return np.asarray((strong != chosen[group]) | alone[group])
