"""Turn rows of comparisons into one count per pair that met: all that a paired-comparison model needs.

Rows are partitioned by the first side of the pair, and within it each partner gets a slot: two passes over
the rows and no sort. With covariates, rows are merged only if their covariates are equal too. If these hardly
repeat, every row stays a pair of its own.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, frozen
from podium.comparisons.features import distinct_rows
from podium.comparisons.table import Comparisons
from podium.numerics.compiled import njit

SAMPLE = 1_000  # rows of a design that show whether rows repeat
MOST_PARTNERS = 2**20  # slots for partners in all kinds of comparisons (8 MB); more rows may have more slots
ROUNDING = 1e-12  # a smaller share of the games is not a win but a rounding error of the sums


@dataclass(frozen=True)
class PairCounts:
    """Distinct pairs in compressed rows: side i met ``partner[indptr[i]:indptr[i + 1]]``.

    For each pair: the number of games (``total``), the number of ``ties``, and the wins of the partner minus
    the wins of side i (``margin``). For each side: its ``games`` and its ``score``, where a win counts 1 and
    a tie ½. If ``ordered``, side i was on the left; otherwise i is the smaller number of the two.

    With a ``design`` (see `covariates`), games of the same two sides are one pair only if their rows of the
    design are equal too; the rows belong to the right side minus the left, so such pairs are ordered.
    """

    indptr: NDArray[np.int64]
    partner: NDArray[np.int32]
    total: Floats
    ties: Floats
    margin: Floats
    score: Floats
    games: Floats
    ordered: bool
    design: Floats | None = None

    @property
    def n_sides(self) -> int:
        return len(self.indptr) - 1

    @property
    def first(self) -> NDArray[np.int32]:
        """The first side of every pair, aligned with ``partner``."""
        return np.repeat(np.arange(self.n_sides, dtype=np.int32), np.diff(self.indptr))

    @property
    def appears(self) -> NDArray[np.bool_]:
        """For each side, whether it has any games."""
        met = self.games > 0
        if not met.all():  # games of weight 0 count too
            met |= np.diff(self.indptr) > 0
            met[self.partner] = True
        return met

    @property
    def left_wins(self) -> Floats:
        """How often the first side of each pair won."""
        return self._whole(self.total - self.ties - self.margin)

    @property
    def right_wins(self) -> Floats:
        """How often the partner won."""
        return self._whole(self.total - self.ties + self.margin)

    def _whole(self, twice: Floats) -> Floats:
        return np.where(twice > ROUNDING * self.total, twice / 2, 0.0)

    def by_side(self, values: Floats) -> Floats:
        """For each side, the sum of ``values`` over its pairs."""
        return np.asarray(_sum_by_side(self.indptr, self.partner, values, 1.0))

    def net_by_side(self, values: Floats) -> Floats:
        """Like `by_side`, but subtracted from the first side of a pair and added to its partner."""
        return np.asarray(_sum_by_side(self.indptr, self.partner, values, -1.0))

    def of_sides(self, keep: NDArray[np.bool_]) -> "PairCounts":
        """The same counts with only the sides in ``keep``, renumbered; the others must have no games."""
        number = np.cumsum(keep, dtype=np.int32) - np.int32(1)
        indptr = np.concatenate([self.indptr[:-1][keep], self.indptr[-1:]])
        score, games = self.score[keep], self.games[keep]
        return replace(self, indptr=indptr, partner=number[self.partner], score=score, games=games)

    def of_pairs(self, chosen: NDArray[np.int64]) -> "PairCounts":
        """Some of the pairs, by their positions in order; all sides stay."""
        indptr = np.searchsorted(chosen, self.indptr)
        columns = (self.total[chosen], self.ties[chosen], self.margin[chosen])
        partner, design = self.partner[chosen], None if self.design is None else self.design[chosen]
        return replace(self, indptr=indptr, partner=partner, design=design).with_sums(*columns)

    def without_ties(self) -> "PairCounts":
        """The same counts without the ties."""
        return self.with_sums(self.total - self.ties, np.zeros_like(self.ties), self.margin)

    def with_sums(self, total: Floats, ties: Floats, margin: Floats) -> "PairCounts":
        """The same pairs with other results."""
        score, games = _scores(self.indptr, self.partner, total, margin)
        return replace(self, total=total, ties=ties, margin=margin, score=score, games=games)


class Kinds(NamedTuple):
    """The distinct rows of a design, and which of them each comparison has."""

    rows: Floats
    kind: NDArray[np.int32]


def count_pairs(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    outcome: NDArray[np.int8],
    weight: Floats,
    n_sides: int,
    *,
    ordered: bool,
    kinds: Kinds | None = None,
) -> PairCounts:
    """Count the results of each pair, and of each kind of comparison if there are several."""
    n, n_partners = len(left), n_sides
    step = 0 if weight.strides == (0,) else 1  # equal weights are one number
    weight = weight[:1] if step == 0 else weight
    if kinds is not None:  # the same partner in another kind of comparison counts as another partner
        right, n_partners = right + np.int32(n_sides) * kinds.kind, n_sides * len(kinds.rows)
    # Numba compiles a function again for every layout, and for arrays that can be written to.
    left, right, outcome, weight = (
        frozen(np.ascontiguousarray(column)) for column in (left, right, outcome, weight)
    )
    start, packed, weights = _partition(left, right, outcome, weight, step, n_sides, ordered)
    # There may be as many pairs as rows; memory that is never written to costs nothing.
    total, ties, margin = np.empty(n), np.zeros(n), np.empty(n)
    indptr = _merge(start, packed, weights, weight, step, total, ties, margin, n_partners)
    n_pairs = int(indptr[-1])
    partner, total, ties, margin = packed[:n_pairs], total[:n_pairs], ties[:n_pairs], margin[:n_pairs]
    design = None
    if kinds is not None:
        which, partner = np.divmod(partner, np.int32(n_sides))
        design = kinds.rows[which]
    score, games = _scores(indptr, partner, total, margin)
    return PairCounts(indptr, partner, total, ties, margin, score, games, ordered, design)


def count_by_design(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    outcome: NDArray[np.int8],
    weight: Floats,
    n_sides: int,
    design: Floats,
) -> PairCounts:
    """Count pairs of comparisons with a design; if its rows hardly repeat, no comparisons are merged."""
    kinds = _repeated(design, max(len(left), MOST_PARTNERS) // n_sides)
    if kinds is not None:
        return count_pairs(left, right, outcome, weight, n_sides, ordered=True, kinds=kinds)
    indptr, order = _order_by_side(left, n_sides)
    partner, total, ties, margin = _one_by_one(order, right, outcome, weight)
    score, games = _scores(indptr, partner, total, margin)
    design = np.take(design, order, axis=0)
    return PairCounts(indptr, partner, total, ties, margin, score, games, True, design)


def _repeated(design: Floats, most: int) -> Kinds | None:
    """The kinds of rows, or None if a sample shows that most rows differ or there are too many kinds."""
    sample = design[:: max(len(design) // SAMPLE, 1)]
    if len(distinct_rows(sample)[0]) > max(len(sample) / 2, 2):
        return None
    first, kind = distinct_rows(design)
    return Kinds(design[first], kind.astype(np.int32)) if len(first) <= max(most, 2) else None


@dataclass(frozen=True)
class PairedInput:
    """The items and sides that appear, their counts, and the members of each side (None: the item itself)."""

    items: NDArray[Any]
    counts: PairCounts
    teams: Any
    sides: NDArray[np.int32]  # the number of each side in ``counts``; -1 if it does not appear


def paired_input(
    c: Comparisons, ordered: bool, design: Floats | None = None, weight: Floats | None = None
) -> PairedInput:
    """Count the pairs of comparisons that have outcomes; ``weight`` is by default the mass of each row."""
    left, right, teams = _sides(c)
    n_sides = c.n_items if teams is None else len(teams)
    assert c.outcome is not None
    weight = c.mass if weight is None else weight
    if design is None:
        counts = count_pairs(left, right, c.outcome, weight, n_sides, ordered=ordered)
    else:
        counts = count_by_design(left, right, c.outcome, weight, n_sides, design)
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
    """The two sides of each row, and the teams; teams of one member become items."""
    if c.teams is None or (c.teams.sizes > 1).any():
        return c.left, c.right, c.teams
    return c.teams.members[c.left], c.teams.members[c.right], None


@njit(cache=True, nogil=True)
def _partition(left, right, outcome, weight, step, n_sides, ordered):  # type: ignore[no-untyped-def]
    """Rows ordered by their first side, packed as 4 * partner + outcome + 1, and their weights."""
    n = len(left)
    start = np.zeros(n_sides + 1, np.int64)
    for i in range(n):
        start[(left[i] if ordered else min(left[i], right[i])) + 1] += 1
    for s in range(n_sides):
        start[s + 1] += start[s]
    place = start[:-1].copy()
    packed = np.empty(n, np.int32)  # enough for 500 million sides
    weights = np.empty(n * step)
    for i in range(n):
        a, b, sign = left[i], right[i], outcome[i]
        if not ordered and b < a:
            a, b, sign = b, a, -sign
        at = place[a]
        place[a] = at + 1
        packed[at] = (b << 2) + sign + 1
        if step:
            weights[at] = weight[i]
    return start, packed, weights


@njit(cache=True, nogil=True)
def _order_by_side(left, n_sides):  # type: ignore[no-untyped-def]
    """Where the rows of each side start if rows are ordered by their left side, and that order."""
    start = np.zeros(n_sides + 1, np.int64)
    for side in left:
        start[side + 1] += 1
    for s in range(n_sides):
        start[s + 1] += start[s]
    place, order = start[:-1].copy(), np.empty(len(left), np.int32)
    for i in range(len(left)):
        order[place[left[i]]] = i
        place[left[i]] += 1
    return start, order


@njit(cache=True, nogil=True)
def _one_by_one(order, right, outcome, weight):  # type: ignore[no-untyped-def]
    """Partner, total, ties and margin of rows in the given order, each a pair of its own."""
    n = len(order)
    partner, total, ties, margin = np.empty(n, np.int32), np.empty(n), np.empty(n), np.empty(n)
    for at in range(n):
        i = order[at]
        partner[at] = right[i]
        total[at] = weight[i]
        ties[at] = weight[i] if outcome[i] == 0 else 0.0
        margin[at] = outcome[i] * weight[i]
    return partner, total, ties, margin


@njit(cache=True, nogil=True)
def _merge(start, packed, weights, weight, step, total, ties, margin, n_partners):  # type: ignore[no-untyped-def]
    """Fill the sums of each pair; ``packed`` is overwritten by the partners, always behind the reading."""
    n_sides = len(start) - 1
    indptr = np.zeros(n_sides + 1, np.int64)
    slot_of = np.full(n_partners, -1, np.int64)
    n_pairs = 0
    for a in range(n_sides):
        first_slot = n_pairs
        for at in range(start[a], start[a + 1]):
            code = packed[at]
            b = code >> 2
            sign = (code & 3) - 1
            w = weights[at] if step else weight[0]
            slot = slot_of[b]
            if slot < first_slot:  # the first game of this pair
                slot_of[b] = n_pairs
                packed[n_pairs] = b
                total[n_pairs] = w
                margin[n_pairs] = sign * w
                if sign == 0:
                    ties[n_pairs] = w
                n_pairs += 1
            else:
                total[slot] += w
                margin[slot] += sign * w
                if sign == 0:
                    ties[slot] += w
        indptr[a + 1] = n_pairs
    return indptr


@njit(cache=True, nogil=True)
def _scores(indptr, partner, total, margin):  # type: ignore[no-untyped-def]
    """The score of each side, where a tie counts ½, and its games."""
    both = np.zeros((len(indptr) - 1, 2))
    for i in range(len(both)):
        lost = games = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            scored = 0.5 * (total[e] + margin[e])
            both[j, 0] += scored
            both[j, 1] += total[e]
            lost += scored
            games += total[e]
        both[i, 0] += games - lost
        both[i, 1] += games
    return both[:, 0].copy(), both[:, 1].copy()


@njit(cache=True, nogil=True)
def _sum_by_side(indptr, partner, values, sign):  # type: ignore[no-untyped-def]
    """For each side, the sum over its pairs; those in which it is first are multiplied by ``sign``."""
    out = np.zeros(len(indptr) - 1)
    for i in range(len(out)):
        own = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            own += values[e]
            out[partner[e]] += values[e]
        out[i] += sign * own
    return out
