"""What a board hangs on: the fewest votes, judges or prompts without which two items change places.

Without vote t the estimate moves by -H⁻¹ s_t to first order, where H is the information and s_t the gradient
of the log-probability of the vote. So c'r, the lead of one item over another, falls by f_t = c'H⁻¹s_t; one
step of Newton's method gives f_t / (1 - w_t v_t), with the information w_t of the vote and the variance v_t
of its difference. Votes are removed in blocks of an eighth of what is still needed, the largest f first.
After each block the model is fitted again, and all f are computed again. Of single votes, or single groups,
the best of three is removed. The last fit is that of the whole model to the votes that are left. So the
result is an upper bound with a certificate: there may be fewer.

Equal votes have an equal f, so they are counted, which keeps large data small.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.bradley_terry.clusters import gradients
from podium.bradley_terry.counts.pairs import Replicate
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.errors.series import solved
from podium.bradley_terry.fitted import PairedFit
from podium.bradley_terry.left_out import TOL, row_variances
from podium.bradley_terry.refit import refitter
from podium.bradley_terry.resample import replicate_of_groups
from podium.comparisons.arrays import Floats, Index, row_arrays
from podium.comparisons.features import distinct_rows
from podium.comparisons.messages import InputError, listed
from podium.comparisons.table import Comparisons
from podium.core.groups import group_sums
from podium.core.links import information
from podium.leaderboard.board import ELO_UNIT
from podium.skill.board import EQUAL, is_hardly_known
from podium.skill.prediction import differences, positions
from podium.writing.label_text import label_text

if TYPE_CHECKING:
    import pandas as pd

Pair = tuple[int, int]
Closest = Callable[[Floats], tuple[float, int, int]]  # a lead, and which item has it over which
APART = {"group", "other_group", "time", "category", "count"}  # equal votes may differ in these


@dataclass(frozen=True, eq=False)
class Fragility:
    """Votes, or whole groups of votes, without which two items change places; fewer may be enough.

    Attributes
    ----------
    n : float
        How many votes, or groups, are removed; infinite if none were found.
    share : float
        The share of all votes that is removed.
    rows : array of int
        Their positions in the comparisons that were fitted, without those of ``sample_weight`` 0.
    counts : array of float
        How many votes of each of these rows are removed.
    groups : tuple
        The labels of the groups that are removed; empty if single votes are.
    pair : tuple
        The item that was ahead, and the item that is level or ahead without these votes.
    before, after : float
        The log-skill of the first minus that of the second, with all votes and without these.
    """

    n: float
    share: float
    rows: Index
    counts: Floats
    groups: tuple[Any, ...]
    pair: tuple[Any, Any]
    before: float
    after: float
    top: int | None
    noun: str
    out_of: float

    def __str__(self) -> str:
        ahead, behind = map(label_text, self.pair)
        what = {None: f"the order of {ahead} and {behind}", 1: "the leader"}
        change = what.get(self.top, f"the best {self.top}")
        if np.isinf(self.n):
            return f"No {self.noun}s were found, up to half of them, without which {change} would change."
        share, end = f"{100 * self.share:.2g} %", f"{behind} is level with {ahead} or ahead"
        if self.groups:
            share = f"{self.counts.sum():,.10g} votes, {share}"
        many = f"At most {self.n:,.10g} of {self.out_of:,.10g} {self.noun}s ({share})"
        verb, which = ("decides", "it") if self.n == 1 else ("decide", "them")
        return f"{many} {verb} {change}: without {which} {end}."


class Units:
    """What can be removed: votes, one by one, or whole groups of votes.

    ``rows`` are the distinct votes of each unit with their counts, ``kind`` says which of them a fitted row
    is, and ``size`` how much each unit has to give: its votes, or 1 for a group.
    """

    def __init__(self, fit: PairedFit, c: Comparisons, by: str) -> None:
        self.fit, self.c, self.codes, self.labels = fit, c, None, None
        if by != "votes":
            self.codes, self.labels = grouping(c, by)
        keys = [array for name, array in row_arrays(c).items() if name not in APART]
        keys += [] if self.codes is None else [self.codes]
        first, self.kind = distinct_rows(np.column_stack([np.asarray(key, np.float64) for key in keys]))
        self.rows: Comparisons = replace(c[first], count=np.bincount(self.kind, c.count).astype(np.float64))
        self.unit = np.arange(len(first)) if self.codes is None else self.codes[first]
        self.size = self.rows.count + 0.0 if self.labels is None else np.bincount(self.unit).clip(max=1.0)
        if fit.ties == "ignore" and self.labels is None:
            self.size[self.rows.outcome == 0] = 0.0
        every = replace(self.rows, group=self.unit.astype(np.int32), groups=np.arange(len(self.size)))
        self.results_of, _ = replicate_of_groups(fit, every)
        self.again = refitter(fit.problem, fit.solution, fit.items, TOL)

    def refit(self, left: Floats) -> tuple[Floats, Replicate]:
        """The estimate if so much of each unit is left, and the results that it comes from."""
        times = np.divide(left, self.size, out=np.zeros_like(left), where=self.size > 0)
        rest = self.results_of(times)
        return self.fit.problem.centred(self.again(rest).solution), rest

    def exactly(self, left: Floats, fit_to: Callable[[Comparisons], PairedFit]) -> Floats | None:
        """The skills by a fit of the whole model to what is left; nan for items that are left out.

        They are those of the largest component of items that are still connected; None without an estimate.
        """
        count = self.rows.count * (left / np.maximum(self.size, 1e-9))[self.unit]
        try:
            fit = fit_to(replace(self.rows, count=np.where(count > 0, count, 1.0))[count > 0])
        except ValueError:
            return None
        x = np.full(len(self.fit.items), np.nan)
        x[positions(self.fit.items, fit.items)] = np.where(fit.component == 0, fit.log_skill, np.nan)
        return x

    def falls(self, x: Floats, rest: Replicate | None, i: int, j: int, most: int = 500) -> Floats:
        """How much the lead of item i over j falls without one vote of each unit, or without the group.

        Leverage counts for votes if there are at most so many items that a dense inverse is quick.
        """
        fit, problem = self.fit, self.fit.problem
        x = np.where(np.isfinite(x), x, fit.solution)
        if rest is not None:
            problem = replace(problem, counts=problem.counts.with_sums(*rest))
        here, contrast = replace(fit, solution=x, tie=problem.tie(x, fit.ties)), np.zeros_like(x)
        contrast[[i, j]] = 1.0, -1.0
        dense = exact_covariance(problem, x) if len(fit.items) <= most else None
        move = solved(problem, x, contrast) if dense is None else dense @ contrast
        if self.labels is not None:
            return group_sums(gradients(here, self.rows, self.rows.mass) @ move, self.unit)
        found = gradients(here, self.rows, self.rows.weight) @ move
        if dense is not None:
            known = self.rows.weight * information(differences(here, self.rows), here.link)
            found /= np.maximum(1 - known * row_variances(here.difference_slopes(self.rows), dense), 0.05)
        return np.asarray(found)


def grouping(c: Comparisons, by: str) -> Any:
    """The codes and labels of a kind of groups; "group" is that of ``c.group``."""
    named = {"group": (c.group, c.groups), **c.groupings} if c.group is not None else {}
    if named and not c.group_names and c.columns is not None and c.columns.group is not None:
        named[c.columns.group] = named["group"]
    if by not in named:
        raise InputError(f"by={by!r} is none of 'votes' and the groups of the comparisons ({listed(named)})")
    return named[by]


def _step(left: Floats, falls: Floats, gap: float) -> tuple[float, Index]:
    """How many votes or groups are needed to first order, and the units by how much they help."""
    gain = np.where(left > 0, falls, 0.0)
    order = np.argsort(-gain, kind="stable")[: np.count_nonzero(gain > 0)]
    total, votes = np.cumsum(gain[order] * left[order]), np.cumsum(left[order])
    at = int(np.searchsorted(total, gap))
    if at == len(order):
        return float(votes[-1]) if at else np.inf, order
    return float(votes[at] - (total[at] - gap) / gain[order[at]]), order


def _without(left: Floats, order: Index, block: float) -> Floats:
    """What is left if a block is taken from the units in this order."""
    own, rest = left[order], left.copy()
    rest[order] -= np.clip(block - (np.cumsum(own) - own), 0.0, own)
    return rest


def _remove(units: Units, pair: Pair, closest: Closest, most: float, fit_to: Any) -> Any:
    """What is left, and who changed places by an exact fit; None if it takes more than ``most``."""
    left, x, rest = units.size, units.fit.solution, None
    while True:
        need, order = _step(left, units.falls(x, rest, *pair), x[pair[0]] - x[pair[1]])
        block = max(1.0, np.ceil(min(need, most) / 8))
        if not len(order) or units.size.sum() - left.sum() + min(block, left[order[0]]) > most:
            return None
        tries = [order[k:] for k in range(min(3, len(order)))] if block == 1 else [order]
        cuts = [_without(left, some, block) for some in tries]
        found = [(*units.refit(cut), cut) for cut in cuts]
        x, rest, left = min(found, key=lambda one: one[0][pair[0]] - one[0][pair[1]])
        if closest(x)[0] <= EQUAL:
            exact = units.exactly(left, fit_to)
            if exact is not None and closest(exact)[0] <= EQUAL:
                return left, closest(exact)


def fragility(fit: PairedFit, c: Comparisons, pair: Any, top: int | None, by: str, fit_to: Any) -> Fragility:
    """The fewest votes or groups that were found without which a pair, or the top k, change places."""
    if np.isinf(fit.tie):
        raise InputError("there are only ties, so nobody leads and nothing can change places")
    units, top = Units(fit, c, by), 1 if pair is None and top is None else top
    pairs, closest = _of_pair(fit, pair) if top is None else _of_top(fit, top)
    x, total = fit.solution, float(units.size.sum())
    best, most, (gap, i, j) = None, total / 2, closest(x)
    if gap <= EQUAL:
        best, pairs = (units.size, (gap, i, j)), []
    needs = [_step(units.size, units.falls(x, None, *one), x[one[0]] - x[one[1]])[0] for one in pairs]
    for at in np.argsort(needs, kind="stable")[:5]:  # by first order; the least is nearly always among them
        if found := _remove(units, pairs[at], closest, most, fit_to):
            best, most = found, float((units.size - found[0]).sum()) - 1
    left, (after, i, j) = best or (units.size, (gap, i, j))
    gone = units.size - left
    n, taken = float(gone.sum()) if best else np.inf, _taken(units, gone.copy())
    rows = np.flatnonzero(taken)
    groups = () if units.labels is None else tuple(units.labels[gone > 0].tolist())
    share, before, pair = float(taken.sum() / c.count.sum()), float(x[i] - x[j]), (fit.items[i], fit.items[j])
    n, noun = int(n) if n.is_integer() else n, "vote" if by == "votes" else by
    return Fragility(n, share, rows, taken[rows], groups, pair, before, float(after), top, noun, total)


def _taken(units: Units, gone: Floats) -> Floats:
    """How many votes of each row are removed; of equal rows the first."""
    if units.codes is not None:
        return np.where(gone[units.codes] > 0, units.c.count, 0.0)
    taken = np.zeros(len(units.c))
    for row in np.flatnonzero(gone[units.kind] > 0):
        taken[row] = min(gone[units.kind[row]], units.c.count[row])
        gone[units.kind[row]] -= taken[row]
    return taken


def influence(fit: PairedFit, c: Comparisons, by: str, scale: str) -> "pd.DataFrame":
    """How much every score changes, to first order, without each vote or group; the largest change first."""
    import pandas as pd
    from scipy.sparse import csr_array

    if not fit.is_exact or np.isinf(fit.tie):
        raise InputError("influence is for at most 3,000 items, and for comparisons that are not all ties")
    rows = gradients(fit, c, np.where((c.outcome == 0) & (fit.ties == "ignore"), 0.0, c.mass))
    labels, name = np.arange(len(c)), "row"
    if by != "votes":
        (codes, labels), name = grouping(c, by), by
        rows = csr_array((np.ones(len(c)), (codes, np.arange(len(c))))) @ rows
    elif len(c) * len(fit.items) > 10**8:
        raise InputError("so many votes would fill the memory; give by='group', or aggregate() them")
    moves = -np.asarray(rows @ exact_covariance(fit.problem, fit.solution))[:, : len(fit.items)]
    moves *= {"elo": ELO_UNIT, "log": 1.0}[scale]
    order = np.argsort(-np.abs(moves).max(axis=1), kind="stable")
    index = pd.Index(np.asarray(labels)[: len(moves)][order], name=name)
    return pd.DataFrame(moves[order], index=index, columns=fit.items)


def _of_pair(fit: PairedFit, pair: Any) -> tuple[list[Pair], Closest]:
    if not isinstance(pair, tuple | list) or len(pair) != 2 or pair[0] == pair[1]:
        raise InputError(f"pair must be two different items, such as ('a', 'b'), not {pair!r}")
    i, j = map(int, positions(fit.items, list(pair)))
    if fit.component[i] != 0 or fit.component[j] != 0:
        raise InputError(
            f"{pair[0]!r} and {pair[1]!r} are not both in the largest set of items that comparisons connect"
        )
    i, j = (i, j) if fit.log_skill[i] >= fit.log_skill[j] else (j, i)
    return [(i, j)], lambda x: (x[i] - x[j], i, j)


def _of_top(fit: PairedFit, top: int) -> tuple[list[Pair], Closest]:
    """The pairs of an item among the best and one behind that are closest, relative to their errors."""
    ranked = np.flatnonzero((fit.component == 0) & ~is_hardly_known(fit))
    ranked = ranked[np.argsort(-fit.log_skill[ranked], kind="stable")]
    if top not in range(1, len(ranked)):
        raise InputError(f"top must be a whole number from 1 to {len(ranked) - 1}, not {top}")
    (best, others), skill, error = np.split(ranked, [top]), fit.log_skill, fit.standard_error
    pairs = [(i, j) for i in best[-20:].tolist() for j in others[:20].tolist()]
    pairs.sort(key=lambda pair: (skill[pair[0]] - skill[pair[1]]) / max(np.hypot(*error[list(pair)]), EQUAL))

    def closest(x: Floats) -> tuple[float, int, int]:
        i, j = best[np.argmin(x[best])], others[np.argmax(np.nan_to_num(x[others], nan=-np.inf))]
        return float(x[i] - x[j]), int(i), int(j)

    return pairs[:20], closest
