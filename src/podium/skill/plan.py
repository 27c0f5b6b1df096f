"""What is added to comparisons so that everything has a finite estimate: one plan, for fits and for refits.

Skills have finite estimates if and only if losses lead from every item to every other (Ford 1957); other
parameters, such as that of ties, may need more. A fit and each refit of its bootstrap make their plan by the
same rules, so a resample without a finite estimate gets what a fit to it would get.

Where a group has no finite estimate, its items get a *local* prior (after Conner and Grant 2000): every row
gets a pseudo-game of weight μ Σ 1/d_i over its items, times its own count and weight, which each of its items
wins equally often. Here d_i is the sum of count times weight over the rows of item i. So each item has about
2μ pseudo-games, all against items that it met. They know neither ties nor effects, so they do not pull at
numbers that all data determine. The prior of eq. (7) of [GeneralizedBT] draws all items together instead. It
closes the gap between two large leagues that few games join, the more the larger they are, because one
newcomer is undefeated.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import names_of
from podium.skill.fit import ExistenceWarning

# μ of the local prior. A larger one predicts better, but closes more of the gap between leagues. With 0.5,
# online chess with two games per player was predicted worse than with eq. (7).
LOCAL = 0.75
WEAK = 0.1  # μ of eq. (7) for teams that need a prior, and the precision of weak normal priors
PSEUDO = f"about {2 * LOCAL:g} pseudo-games per item, only between items that met,"
NORMAL = f"a normal prior (variance {1 / WEAK:g} per standardised effect)"


class Plan(NamedTuple):
    """Where each item is ranked, what is added to the comparisons, and notes that give the reasons."""

    group: Codes  # the group in which each item is ranked
    prior: Floats  # the weight μ of each item in the prior of eq. (7)
    local: NDArray[np.bool_]  # whether each item has the local prior
    ridge: Floats | None = None  # ½ ridge b² is added for each tie parameter or effect b
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, group: Codes, prior: float = 0.0) -> "Plan":
        """The same prior of eq. (7) for all items, and nothing else."""
        return cls(group, np.full(len(group), prior), np.zeros(len(group), np.bool_))

    def with_local_prior(self, weak: NDArray[np.bool_], reason: str) -> "Plan":
        """The same plan with the local prior on more items."""
        return self._replace(
            local=self.local | weak, notes=(*self.notes, f"{reason}; {PSEUDO} keep them finite")
        )


class Existence(NamedTuple):
    """How a family finds out what has no finite estimate; both are asked only if needed.

    ``connections`` gives for each item its group of connected items and its strong class. ``open_rest`` names
    the other parameters if they have no finite estimate together with the skills.
    """

    connections: Callable[[], tuple[Codes, Codes]]
    open_rest: Callable[[], str]
    known: Sequence[int] = ()  # items whose skills are given


def plan_prior(prior: float | Literal["auto", "normal"], items: NDArray[Any], existence: Existence) -> Plan:
    """Rank groups that never met separately; use a prior only if there is no finite estimate without one."""
    together = np.zeros(len(items), np.int32)
    if prior == "normal":
        return Plan.of(together)
    if prior != "auto" and prior > 0:
        return Plan.of(together, float(prior))
    group, strong = existence.connections()
    plan = Plan.of(group)._replace(notes=notes_on_groups(group))
    weak, reason = _without_estimate(plan, items, strong, existence)
    if reason and prior != "auto":
        raise ValueError(f"{reason}; use prior='auto' or a number above 0")
    return plan.with_local_prior(weak, reason) if reason else plan


def bounded(plan: Plan, items: NDArray[Any], existence: Existence) -> Plan:
    """The plan of a refit to other results: what the plan of the fit has, and more if it is needed now."""
    if plan.prior.all() or plan.local.all():
        return plan
    weak, reason = _without_estimate(plan, items, existence.connections()[1], existence)
    return plan.with_local_prior(weak, reason) if reason else plan


def _without_estimate(
    plan: Plan, items: NDArray[Any], strong: Codes, existence: Existence
) -> tuple[NDArray[np.bool_], str]:
    """The items of groups without a finite estimate, and a sentence that names the items at fault."""
    group, loose = plan.group, (plan.prior == 0) & ~plan.local
    fault = outside_the_largest(strong, group, existence.known) & loose
    if fault.any():
        return np.isin(group, group[fault]) & loose, (
            f"the skills of {names_of(items[fault])} have no finite maximum-likelihood estimate, because "
            "they only won or only lost against the rest"
        )
    if rest := existence.open_rest():
        return loose, f"the skills have no unique finite maximum-likelihood estimate together with the {rest}"
    return np.zeros(len(items), np.bool_), ""


def outside_the_largest(strong: Codes, group: Codes, known: Sequence[int] = ()) -> NDArray[np.bool_]:
    """Items outside the largest strong class of their group; all items of a group without any cycle.

    A class with known skills counts as the largest.
    """
    if not strong.any():  # all items are one class
        return np.zeros(len(group), np.bool_)
    size = np.bincount(strong)[strong]
    size[np.isin(strong, strong[list(known)])] += len(strong)
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
