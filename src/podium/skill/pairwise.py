"""Tests of all differences between some items, adjusted for their number."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, Index
from podium.comparisons.messages import quoted
from podium.skill.certainty import chance_below, check_level, quantile
from podium.skill.fit import SkillFit
from podium.skill.joint import Joint
from podium.skill.prediction import positions

if TYPE_CHECKING:
    import pandas as pd

ADJUSTMENTS = ("holm", "bonferroni", "max", "none")
MOST_PAIRS = 100_000  # rows of a table: all pairs of 447 items
# If the items are too many for a covariance, up to this many pairs get exact errors; one may take 2 s.
SOLVED = 10
# "max" draws the errors of all items DRAWS times, or less often if that would take more than about
# MOST_DIFFERENCES operations. With 100,000 draws a p-value of 0.05 is accurate to 0.0014 (two standard
# errors), and 10 items take 0.2 s. ROWS draws are worked on at a time.
DRAWS, MOST_DIFFERENCES, ROWS = 100_000, 10**9, 1_000


def pairwise_tests(fit: SkillFit, items: Any, adjust: Any, level: float) -> "pd.DataFrame":
    """One row per pair of items of the same component."""
    import pandas as pd

    if adjust not in ADJUSTMENTS:
        raise ValueError(f"adjust must be one of {', '.join(map(repr, ADJUSTMENTS))}, not {adjust!r}")
    check_level(level)
    chosen = _chosen(fit, items)
    first, second = _pairs(fit, chosen)
    joint = fit.joint.of(chosen)
    between = np.sqrt([joint.variances_to(i) for i in range(len(chosen))])
    error, theta = between[first, second], fit.log_skill[chosen]
    if not fit.is_exact and len(first) <= SOLVED:
        pairs = zip(chosen[first], chosen[second], strict=True)
        error = np.sqrt([fit.variance_of_difference(a, b) for a, b in pairs])
    gap = theta[first] - theta[second]
    z = gap / np.maximum(error, 1e-9)
    p = 2 * chance_below(-np.abs(z), fit.degrees)
    largest = None
    if adjust == "max" and np.isinf(fit.degrees):
        largest = _largest_by_chance(joint, between, first, second)
    width = _limit(level, len(gap), adjust, largest, fit.degrees) * error
    labels = fit.items[chosen]
    columns = {
        "a": pd.Series(labels[first]).array,
        "b": pd.Series(labels[second]).array,
        **{"difference": gap, "error": error, "z": z, "p": p, "p_adjusted": _adjusted(p, z, adjust, largest)},
        **{"low": gap - width, "high": gap + width},
    }
    return pd.DataFrame(columns)


def _chosen(fit: SkillFit, items: Any) -> Index:
    """The positions of the named items, or of all."""
    if items is None:
        return np.arange(len(fit.items))
    if isinstance(items, str):
        raise ValueError(f"items must be a list of items, not the text {items!r}")
    chosen = positions(fit.items, list(items))
    distinct, count = np.unique(chosen, return_counts=True)
    if (count > 1).any():
        raise ValueError(
            f"{quoted(fit.items[distinct[count > 1][0]])} is named twice in items=; name it once"
        )
    for place in chosen[1:]:
        if fit.component[place] != fit.component[chosen[0]]:
            a, b = (quoted(fit.items[each]) for each in (chosen[0], place))
            raise ValueError(
                f"{a} and {b} are in groups that were never compared; set prior to a number above 0"
            )
    return chosen


def _pairs(fit: SkillFit, chosen: Index) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Both sides of all pairs of one component, as positions in ``chosen``."""
    component = fit.component[chosen]
    sizes = np.bincount(component).astype(np.int64)
    n_pairs = int((sizes * (sizes - 1) // 2).sum())
    if n_pairs > MOST_PAIRS:
        raise ValueError(
            f"{len(chosen):,} items have {n_pairs:,} pairs, and a table has at most {MOST_PAIRS:,}; name the "
            "items to compare in items="
        )
    if not n_pairs:
        raise ValueError("there is no pair to test; name at least two items of one group in items=")
    members = [np.flatnonzero(component == group) for group in range(len(sizes))]
    corners = [np.triu_indices(len(each), 1) for each in members]
    first, second = (
        np.concatenate([each[corner[side]] for each, corner in zip(members, corners, strict=True)])
        for side in (0, 1)
    )
    return first, second


def _adjusted(p: Floats, z: Floats, adjust: str, largest: Floats | None) -> Floats:
    """The p-values, adjusted for the number of tests."""
    m = len(p)
    if adjust == "none":
        return p
    if adjust == "bonferroni":
        return np.minimum(m * p, 1.0)
    if adjust == "max":
        sidak = -np.expm1(m * np.log1p(-np.minimum(p, 1 - 1e-16)))  # an upper bound, for p that draws miss
        if largest is None:
            return np.asarray(sidak)
        above = len(largest) - np.searchsorted(largest, np.abs(z))
        return np.asarray(np.minimum(np.maximum((above + 1) / (len(largest) + 1), p), sidak))
    return holm(p)


def holm(p: Floats) -> Floats:
    """P-values adjusted for the number of tests [Holm 1979].

    >>> holm(np.array([0.02, 0.5, 0.01]))
    array([0.04, 0.5 , 0.03])
    """
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order]), 1.0)
    return adjusted


def _limit(level: float, m: int, adjust: str, largest: Floats | None, degrees: float) -> float:
    """Half the width of the intervals in standard errors; Holm's method has Bonferroni's intervals.

    The largest |t| of clustered errors has Šidák's bound: draws need the correlations of the errors, which
    few groups do not tell. In simulations with 5 to 30 groups, draws were wrong in 7 to 99 % instead of 5 %.
    """
    if largest is not None:
        return float(np.quantile(largest, level))
    if adjust == "max":
        return quantile(level, degrees, m)
    return quantile(level if adjust == "none" else 1 - (1 - level) / m, degrees)


def _largest_by_chance(
    joint: Joint, between: Floats, first: NDArray[np.intp], second: NDArray[np.intp]
) -> Floats:
    """The largest |z| of all pairs if all items were equal, in random draws with a fixed seed; sorted."""
    n_draws = int(np.clip(MOST_DIFFERENCES // len(first), ROWS, DRAWS))
    errors = joint.draws(n_draws, np.random.default_rng(0)).T
    starts = np.flatnonzero(np.diff(first, prepend=-1))  # the pairs of one item follow each other
    largest = np.zeros(n_draws)
    for begin, end in zip(starts, [*starts[1:], len(first)], strict=True):
        others = second[begin:end]
        for rows in range(0, n_draws, ROWS):
            part = slice(rows, rows + ROWS)
            z = np.abs(errors[others, part] - errors[first[begin], part]).T / between[first[begin], others]
            largest[part] = np.maximum(largest[part], z.max(axis=1))
    return np.sort(largest)
