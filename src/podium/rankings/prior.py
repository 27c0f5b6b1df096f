"""Which items are ranked together, and what needs a prior to have a finite estimate."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.rankings.ballots import Ballots
from podium.rankings.existence import connections, endless_sizes, ties_are_bounded
from podium.skill.existence import WEAK, Plan, notes_on_groups, only_won_or_lost, outside_the_largest


def plan_prior(prior: float | Literal["auto", "normal"], b: Ballots, items: NDArray[Any]) -> Plan:
    """Rank groups that never met separately; use a prior only if there is no finite estimate without one."""
    together = np.zeros(b.n_items, np.int32)
    if prior == "normal":
        return Plan(together, np.zeros(b.n_items), ())
    if prior != "auto" and prior > 0:
        return Plan(together, np.full(b.n_items, float(prior)), ())
    group, strong = connections(b)
    notes = notes_on_groups(group)
    weak, reason = _without_estimate(b, group, strong, items)
    if reason and prior != "auto":
        raise ValueError(f"{reason}; use prior='auto' or a number above 0")
    if reason:
        notes = (*notes, f"{reason}; a prior of {WEAK} keeps them finite")
    return Plan(group, np.where(weak, WEAK, 0.0), notes)


def _without_estimate(
    b: Ballots, group: Codes, strong: Codes, items: NDArray[Any]
) -> tuple[NDArray[np.bool_], str]:
    """The items of groups without a finite estimate, and a sentence that names the items at fault."""
    fault = outside_the_largest(strong, group)
    if fault.any():
        return np.isin(group, group[fault]), only_won_or_lost(items[fault])
    if not endless_sizes(b).any() and not ties_are_bounded(b):
        return np.ones(b.n_items, np.bool_), (
            "the skills have no unique finite maximum-likelihood estimate together with the tie parameter"
        )
    return np.zeros(b.n_items, np.bool_), ""


def unbounded_ties(b: Ballots) -> NDArray[np.bool_]:
    """The tie sizes whose δ has no finite estimate even if the skills have a prior."""
    return np.asarray(endless_sizes(b) | (b.tally.winners[1:] == 0))


def plan_ties(prior: Any, b: Ballots) -> tuple[Floats | None, tuple[str, ...]]:
    """A weak normal prior for the tie parameters that have no finite estimate whatever the skills are."""
    unbounded = unbounded_ties(b)
    if not unbounded.any():
        return None, ()
    reason = (
        f"ties of {' and '.join(map(str, b.sizes[1:][unbounded]))} occur whenever enough items remain, so "
        "their parameter has no finite maximum-likelihood estimate"
    )
    if prior == 0:
        raise ValueError(f"{reason}; use prior='auto' or a number above 0")
    note = f"{reason}; a normal prior (variance {1 / WEAK:g} of log δ) keeps it finite"
    return np.where(unbounded, WEAK, 0.0), (note,)
