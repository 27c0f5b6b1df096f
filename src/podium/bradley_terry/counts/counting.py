"""Turn rows of comparisons into one count per pair that met.

Rows are grouped by the first side of the pair, and then equal partners are merged: two passes over the
rows and no sort. A row is packed into one integer, 4 * partner + outcome + 1, where the outcome is -1, 0 or
1: the first side won, a tie, the partner won.

With covariates, rows are merged only if their covariates are equal too. If these hardly repeat, every row
stays a pair of its own.
"""

from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.pairs import PairCounts, Replicate
from podium.comparisons.arrays import Codes, Floats, Index, frozen
from podium.comparisons.features import distinct_rows
from podium.comparisons.table import Comparisons
from podium.core.pair_pass import Pairs
from podium.numerics.compiled import njit
from podium.numerics.threads import in_threads, row_ranges

SAMPLE = 1_000  # rows of a design that show whether rows repeat
MOST_PARTNERS = 2**20  # slots for partners in all kinds of comparisons (8 MB); more rows may have more slots


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
    n_partners = n_sides
    weight = weight[:1] if weight.strides == (0,) else weight  # equal weights are one number
    if kinds is not None:  # the same partner in another kind of comparison counts as another partner
        right, n_partners = right + np.int32(n_sides) * kinds.kind, n_sides * len(kinds.rows)
    # Numba compiles a function again for every layout, and for arrays that can be written to.
    left, right, outcome, weight = (
        frozen(np.ascontiguousarray(column)) for column in (left, right, outcome, weight)
    )
    start, packed, weights = _partition(left, right, outcome, weight, n_sides, ordered)
    # There may be as many pairs as rows; memory that is never written to costs nothing.
    columns: Any = (packed, *(np.empty(len(packed)) for _ in range(3)))
    indptr = _sum_pairs(start, weights, *columns, n_partners)
    pairs, design = Pairs(indptr, *(column[: indptr[-1]] for column in columns)), None
    if kinds is not None:
        which, partner = np.divmod(pairs.partner, np.int32(n_sides))
        pairs, design = pairs._replace(partner=partner), kinds.rows[which]
    return PairCounts.of_pairs(pairs, ordered, design)


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
    from scipy.sparse import csr_array

    row = np.arange(len(left))
    by_side = csr_array((np.ones(len(left), np.int8), (left, row)), shape=(n_sides, len(left)))
    order = by_side.indices  # without a sort
    total, outcome = weight[order], outcome[order]
    pairs = Pairs(
        by_side.indptr.astype(np.int64), right[order], total, total * (outcome == 0), total * outcome
    )
    return PairCounts.of_pairs(pairs, True, np.take(design, order, axis=0))


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
    if c.grade is not None:
        counts = counts.with_sums(*_by_grade(counts, left, right, c.grade, weight, design))
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


def pairs_of_rows(
    counts: PairCounts, left: Codes, right: Codes, design: Floats | None
) -> tuple[Index, NDArray[np.int8]]:
    """The pair of every row, and -1 if the left side of the row is the second of the pair; otherwise 1."""
    turned = np.zeros(len(left), np.bool_) if counts.ordered else right < left
    left, right = np.where(turned, right, left), np.where(turned, left, right)
    pairs, rows = (
        np.column_stack(columns if effects is None else [*columns, effects]).astype(np.float64)
        for columns, effects in (([counts.first, counts.partner], counts.design), ([left, right], design))
    )
    first, kind = distinct_rows(np.concatenate([pairs, rows]))
    return first[kind[len(pairs) :]], np.where(turned, -1, 1).astype(np.int8)


def _by_grade(
    counts: PairCounts, left: Codes, right: Codes, grade: NDArray[np.int8], weight: Floats, design: Any
) -> Replicate:
    """The results of all pairs by grade."""
    pair, turn = pairs_of_rows(counts, left, right, design)
    most, n = int(np.abs(grade).max()), len(counts.partner)
    place = (turn * grade.astype(np.int64) + most) * n + pair
    cells: Floats = np.bincount(place, weight, n * (2 * most + 1)).astype(np.float64)
    return Replicate.of_grades(cells.reshape(-1, n))


def _sides(c: Comparisons) -> tuple[NDArray[np.int32], NDArray[np.int32], Any]:
    """The two sides of each row, and the teams; teams of one member become items."""
    if c.teams is None or (c.teams.sizes > 1).any():
        return c.left, c.right, c.teams
    return c.teams.members[c.left], c.teams.members[c.right], None


def _partition(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    outcome: NDArray[np.int8],
    weight: Floats,
    n_sides: int,
    ordered: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats]:
    """Rows in the order of their left side or, unless ``ordered``, of their smaller side; packed.

    Also the weights of the rows, unless there is only one.
    """
    parts = row_ranges(len(left))
    n_rows = list(in_threads(lambda part: _rows_by_side(left, right, n_sides, ordered, *part), parts))
    start = np.zeros(n_sides + 1, np.int64)
    np.cumsum(np.sum(n_rows, axis=0), out=start[1:])
    places = list(accumulate(n_rows[:-1], initial=start[:-1].copy()))  # earlier parts come first
    packed = np.empty(start[-1], np.int32)  # enough for 500 million sides
    weights = np.empty(0 if len(weight) == 1 else len(packed))
    columns = (left, right, outcome, weight, ordered, packed, weights)
    list(in_threads(lambda p: _place(*columns, places[p], *parts[p]), range(len(parts))))
    return start, packed, weight if len(weight) == 1 else frozen(weights)


@njit(cache=True, nogil=True)
def _rows_by_side(left, right, n_sides, ordered, start, end):  # type: ignore[no-untyped-def]
    """How many of the rows each side has."""
    n_rows = np.zeros(n_sides, np.int64)
    for i in range(start, end):
        n_rows[left[i] if ordered else min(left[i], right[i])] += 1
    return n_rows


@njit(cache=True, nogil=True)
def _place(left, right, outcome, weight, ordered, packed, weights, place, start, end):  # type: ignore[no-untyped-def]
    """Write some rows to the places of their sides, without a branch that depends on the data."""
    for i in range(start, end):
        a, b, sign = left[i], right[i], np.int32(outcome[i])
        if not ordered:
            a, b = min(a, b), max(a, b)
            sign = sign if a == left[i] else -sign
        at = place[a]
        place[a] = at + 1
        packed[at] = (b << 2) + sign + 1
        if len(weight) > 1:
            weights[at] = weight[i]


@njit(cache=True, nogil=True)
def _sum_pairs(start, weights, packed, total, ties, margin, n_partners):  # type: ignore[no-untyped-def]
    """Fill the sums of each pair; a single weight is that of every row.

    ``packed`` is overwritten by the partners, always behind the reading.

    There is no branch that depends on the data: a partner is always written to the next place, which moves
    on only if the partner is new.
    """
    n_sides, step = len(start) - 1, 1 if len(weights) == len(packed) else 0
    indptr = np.zeros(n_sides + 1, np.int64)
    sums = np.zeros((n_partners, 4))  # left wins, ties, right wins of side a and a partner; 1 if they met
    n_pairs = 0
    for a in range(n_sides):
        for at in range(start[a], start[a + 1]):
            b, outcome = packed[at] >> 2, packed[at] & 3
            sums[b, outcome] += weights[at * step]
            packed[n_pairs] = b
            n_pairs += sums[b, 3] == 0.0
            sums[b, 3] = 1.0
        for e in range(indptr[a], n_pairs):
            b = packed[e]
            total[e] = sums[b, 0] + sums[b, 1] + sums[b, 2]
            ties[e] = sums[b, 1]
            margin[e] = sums[b, 2] - sums[b, 0]
            sums[b] = 0.0
        indptr[a + 1] = n_pairs
    return indptr
