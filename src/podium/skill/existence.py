"""Which items have no finite skill without a prior, and the words for it; shared by the models of skill."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import names_of
from podium.skill.fit import ExistenceWarning

WEAK = 0.1  # the prior for groups that need one: a tenth of a win for each item against all others together


class Plan(NamedTuple):
    """The group in which each item is ranked, the prior μ of each item, and notes that give the reasons."""

    group: Codes
    prior: Floats
    notes: tuple[str, ...]


def largest_first(label: NDArray[Any]) -> Codes:
    """Number the groups of items; group 0 is the largest."""
    _, label, size = np.unique(label, return_inverse=True, return_counts=True)
    number = np.empty(len(size), dtype=np.int32)
    number[np.argsort(-size, kind="stable")] = np.arange(len(size), dtype=np.int32)
    return number[label]


def outside_the_largest(strong: Codes, group: Codes) -> NDArray[np.bool_]:
    """Items outside the largest strong class of their group; all items of a group without any cycle."""
    size = np.bincount(strong)[strong]
    largest = np.zeros(group.max() + 1, dtype=np.int64)
    np.maximum.at(largest, group, size)
    chosen = np.full(group.max() + 1, -1, dtype=np.int64)
    in_largest = np.flatnonzero(size == largest[group])[::-1]
    chosen[group[in_largest]] = strong[in_largest]
    alone = (largest == 1) & (np.bincount(group) > 1)
    return np.asarray((strong != chosen[group]) | alone[group])


def only_won_or_lost(items: NDArray[Any]) -> str:
    """Why these items have no finite skill."""
    return (
        f"the skills of {names_of(items)} have no finite maximum-likelihood estimate, because "
        "they only won or only lost against the rest"
    )


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
