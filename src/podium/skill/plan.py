"""What is added to comparisons so that everything has a finite estimate: one plan, for fits and for refits.

Skills have finite estimates if and only if losses lead from every item to every other (Ford 1957); other
parameters, such as that of ties, may need more. A fit and each refit of its bootstrap make their plan by the
same rules, so a resample without a finite estimate gets what a fit to it would get.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import names_of
from podium.skill.fit import ExistenceWarning

WEAK = 0.1  # the prior for groups that need one: a tenth of a win for each item against all others together


class Plan(NamedTuple):
    """Where each item is ranked, what is added to the comparisons, and notes that give the reasons."""

    group: Codes  # the group in which each item is ranked
    prior: Floats  # the weight μ of each item in the prior of eq. (7)
    pseudo: Floats | None = None  # weights of pseudo-games, one for each pair; each side wins half of it
    ridge: Floats | None = None  # ½ ridge b² is added for each tie parameter or effect b
    notes: tuple[str, ...] = ()

    def with_weak_prior(self, weak: NDArray[np.bool_], reason: str) -> "Plan":
        """The same plan with a weak prior on some items."""
        note = f"{reason}; a prior of {WEAK} keeps them finite"
        return self._replace(prior=np.where(weak, WEAK, self.prior), notes=(*self.notes, note))


class Existence(NamedTuple):
    """How a family finds out what has no finite estimate; both are asked only if needed.

    ``connections`` gives for each item its group of connected items and its strong class. ``open_rest`` names
    the other parameters if they have no finite estimate together with the skills.
    """

    connections: Callable[[], tuple[Codes, Codes]]
    open_rest: Callable[[], str]


def plan_prior(prior: float | Literal["auto", "normal"], items: NDArray[Any], existence: Existence) -> Plan:
    """Rank groups that never met separately; use a prior only if there is no finite estimate without one."""
    together = Plan(np.zeros(len(items), np.int32), np.zeros(len(items)))
    if prior == "normal":
        return together
    if prior != "auto" and prior > 0:
        return together._replace(prior=np.full(len(items), float(prior)))
    group, strong = existence.connections()
    plan = together._replace(group=group, notes=notes_on_groups(group))
    weak, reason = _without_estimate(plan, items, strong, existence)
    if reason and prior != "auto":
        raise ValueError(f"{reason}; use prior='auto' or a number above 0")
    return plan.with_weak_prior(weak, reason) if reason else plan


def bounded(plan: Plan, items: NDArray[Any], existence: Existence) -> Plan:
    """The plan of a refit to other results: what the plan of the fit has, and more if it is needed now."""
    if plan.prior.all():
        return plan
    weak, reason = _without_estimate(plan, items, existence.connections()[1], existence)
    return plan.with_weak_prior(weak, reason) if reason else plan


def _without_estimate(
    plan: Plan, items: NDArray[Any], strong: Codes, existence: Existence
) -> tuple[NDArray[np.bool_], str]:
    """The items of groups without a finite estimate, and a sentence that names the items at fault."""
    group, loose = plan.group, plan.prior == 0
    fault = outside_the_largest(strong, group) & loose
    if fault.any():
        return np.isin(group, group[fault]) & loose, (
            f"the skills of {names_of(items[fault])} have no finite maximum-likelihood estimate, because "
            "they only won or only lost against the rest"
        )
    if rest := existence.open_rest():
        return loose, f"the skills have no unique finite maximum-likelihood estimate together with the {rest}"
    return np.zeros(len(items), np.bool_), ""


def outside_the_largest(strong: Codes, group: Codes) -> NDArray[np.bool_]:
    """Items outside the largest strong class of their group; all items of a group without any cycle."""
    if not strong.any():  # all items are one class
        return np.zeros(len(group), np.bool_)
    size = np.bincount(strong)[strong]
    largest = np.zeros(group.max() + 1, dtype=np.int64)
    np.maximum.at(largest, group, size)
    chosen = np.full(group.max() + 1, -1, dtype=np.int64)
    in_largest = np.flatnonzero(size == largest[group])[::-1]
    chosen[group[in_largest]] = strong[in_largest]
    alone = (largest == 1) & (np.bincount(group) > 1)
    return np.asarray((strong != chosen[group]) | alone[group])


def notes_on_groups(group: Codes) -> tuple[str, ...]:
    n_groups = int(group.max()) + 1
    if n_groups == 1:
        return ()
    return (
        f"the items form {n_groups:,} groups that were never compared with each other; each is ranked "
        "separately (set prior to a number above 0 to rank them together)",
    )


def warn(notes: Sequence[str]) -> None:
    for note in notes:
        warnings.warn(note, ExistenceWarning, stacklevel=3)
