"""From comparisons to what a paired-comparison solver takes: counts of pairs, and who is on which side."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.outcomes import parse_outcomes
from podium.comparisons.rows import row_weights
from podium.comparisons.table import Comparisons

if TYPE_CHECKING:
    from podium.bradley_terry.counts import PairCounts

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairedInput:
    """Items that appear, the counts of the sides that appear, and the members of each side (None: itself)."""

    items: NDArray[Any]
    counts: "PairCounts"
    teams: Any
    sides: NDArray[
        np.int32
    ]  # the number among ``counts`` of each side of the comparisons; -1 if it is not there


def paired_input(c: Comparisons, ordered: bool) -> PairedInput:
    """Count the pairs of comparisons with outcomes."""
    from podium.bradley_terry.counts import count_pairs

    left, right, teams = _sides(c)
    n_sides = c.n_items if teams is None else len(teams)
    assert c.outcome is not None
    counts = count_pairs(left, right, c.outcome, c.weight, n_sides, ordered=ordered)
    keep = counts.appears
    number = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
    counts = counts if keep.all() else counts.of_sides(keep)
    if teams is None:
        if c.teams is not None:
            number = number[c.teams.members]
        return PairedInput(c.items[keep], counts, None, number)
    members = teams.matrix(c.n_items)[keep]
    appears = np.bincount(members.indices, minlength=c.n_items) > 0
    return PairedInput(c.items[appears], counts, members[:, appears].tocsr(), number)


def _sides(c: Comparisons) -> tuple[NDArray[np.int32], NDArray[np.int32], Any]:
    """The two sides of each row; teams of one are items."""
    if c.teams is None or (c.teams.sizes > 1).any():
        return c.left, c.right, c.teams
    return c.teams.members[c.left], c.teams.members[c.right], None


def with_outcomes(
    c: Comparisons, y: Any = None, sample_weight: Any = None, purpose: str = "learn from"
) -> Comparisons:
    """The comparisons, with the outcomes of ``y`` and the weights times ``sample_weight``, if given.

    Rows of ``sample_weight`` 0 are left out.
    """
    if not isinstance(c, Comparisons):
        raise ValueError(
            f"comparisons are expected, not {type(c).__name__}; make them with podium.read_comparisons or "
            "podium.Comparisons.from_arrays"
        )
    if y is not None:
        outcome = parse_outcomes(y, "sign", name="y")
        if len(outcome) != len(c):
            raise ValueError(f"y has {len(outcome):,} outcomes for {len(c):,} comparisons")
        c = replace(c, outcome=outcome)
    if c.outcome is None:
        raise ValueError(f"these comparisons have no outcome to {purpose}; give it as y")
    if not len(c):
        raise ValueError(f"there are no comparisons to {purpose}")
    if sample_weight is not None:
        weight = row_weights(sample_weight, len(c))
        c = replace(c, weight=c.weight * weight)[weight > 0]
    return c
