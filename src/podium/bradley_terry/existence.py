"""When a paired-comparison model has a finite and unique maximum-likelihood estimate.

For skills alone it exists if and only if wins lead from every item to every other (Ford 1957); a tie is an
edge both ways. The tie parameter and the order effect are further directions in which the likelihood may rise
without end. Along (u, t, g) = (skills, tie parameter, order effect), with s = u_left + g - u_right, it never
falls if

    s >= t where left won,    -s >= t where right won,    t >= |s| where they tied.

If 0 is the only solution, there is an estimate. A cycle of wins rules out t > 0; a cycle of right wins and a
cycle of left wins also rule out g. Without such cycles a linear program decides. With covariates there is one
g for each effect, and s = u_left - u_right - e·g.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.pairs import ROUNDING, PairCounts
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Codes
from podium.numerics.compiled import njit
from podium.skill.existence import largest_first

# The search for wins that lead from every item to every other sweeps over the pairs at most this often; then
# scipy's strong components decide. With strong components alone, a fit of 1,000 to 10,000 items and a million
# games takes 2.2 to 2.6 times as long.
MAX_SWEEPS = 40
# The search for a cycle looks at this many pairs first. Without this, a fit of 10,000 items with an order
# effect takes 1.4 times as long.
FEW_PAIRS = 2**18
# With more pairs the linear program would take too long: the estimate is then assumed to exist, and the
# certificate of the solver shows whether it does.
LINEAR_PROGRAM_PAIRS = 200_000


def connected_groups(counts: PairCounts, teams: Any = None) -> Codes:
    """The group of connected items that each item belongs to; group 0 is the largest."""
    root = np.arange(counts.n_sides, dtype=np.int32)
    _unite(counts.indptr, counts.partner, counts.total, root)
    return largest_first(root if teams is None else _through_members(root, teams))


def _through_members(root: Codes, teams: Any) -> Codes:
    """Join the items of each side, and those of all sides that have the same root."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    table = coo_array(teams)
    n = len(root)
    start = np.concatenate([table.row, np.arange(n)])
    end = np.concatenate([table.col + n, root])
    size = n + table.shape[1]
    edges = coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(size, size))
    return np.asarray(connected_components(edges, directed=False)[1][n:], dtype=np.int32)


@njit(cache=True, nogil=True)
def _unite(indptr, partner, total, root):  # type: ignore[no-untyped-def]
    """Union and find: afterwards all sides of a group have the same root."""
    apart = len(root) - 1
    for i in range(len(root)):
        if apart == 0:
            break
        for e in range(indptr[i], indptr[i + 1]):
            a, b = root[i], root[partner[e]]
            if a == b or total[e] <= 0.0:
                continue
            while root[a] != a:
                root[a] = root[root[a]]
                a = root[a]
            while root[b] != b:
                root[b] = root[root[b]]
                b = root[b]
            if a != b:
                root[max(a, b)] = min(a, b)
                apart -= 1
    for i in range(len(root)):
        root[i] = root[root[i]]  # roots with a smaller index are final already


def strong_classes(counts: PairCounts, group: Codes, teams: Any = None) -> Codes:
    """For each item, the class of items that wins lead to and back from; ``group`` if each is one class.

    A lost game leads from every member of the losing side to every member of the winning side. If no game
    leads out of a class, all its skills can grow together without end: if it loses a game, the winning side
    belongs to the class and grows as well.
    """
    if teams is None and _all_within_reach(counts, group):
        return group
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    tied = counts.ties > 0
    graph = _graph(counts, tied | (counts.left_wins > 0), tied | (counts.right_wins > 0), counts.n_sides)
    if teams is not None:  # from members to the sides that lost, to those that won, to their members
        graph = block_array([[None, teams.T, None], [None, None, graph.T], [teams, None, None]])
    return np.asarray(connected_components(graph, connection="strong")[1][: len(group)], dtype=np.int32)


def _all_within_reach(counts: PairCounts, group: Codes) -> bool:
    """Whether wins lead from the first item of each group to all its others, and back."""
    below = np.zeros(counts.n_sides, dtype=np.bool_)
    above = np.zeros(counts.n_sides, dtype=np.bool_)
    _, first = np.unique(group, return_index=True)
    below[first] = above[first] = True
    missing, before = 2 * (counts.n_sides - len(first)), -1
    for _ in range(MAX_SWEEPS):
        if missing in (0, before):
            break
        before = missing
        missing = _spread(counts.indptr, counts.partner, counts.total, counts.margin, below, above, missing)
    return missing == 0


@njit(cache=True, nogil=True)
def _spread(indptr, partner, total, margin, below, above, missing):  # type: ignore[no-untyped-def]
    """Sweep up and down once: a side that lost to one below is below, a side that beat one above is above."""
    n = len(indptr) - 1
    for k in range(2 * n):
        i = k if k < n else 2 * n - 1 - k
        if missing == 0:
            return 0
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            if below[i] and below[j] and above[i] and above[j]:
                continue
            decided = total[e] * (1.0 - ROUNDING)  # all games went one way if the margin is this large
            if decided > margin[e]:  # the first side scored
                if below[i] and not below[j]:
                    below[j] = True
                    missing -= 1
                if above[j] and not above[i]:
                    above[i] = True
                    missing -= 1
            if decided > -margin[e]:
                if below[j] and not below[i]:
                    below[i] = True
                    missing -= 1
                if above[i] and not above[j]:
                    above[j] = True
                    missing -= 1
    return missing


def rest_is_finite(counts: PairCounts, *, free_tie: bool, free_order: bool) -> bool:
    """Whether the tie parameter and the order effect are finite too, given that the skills alone are."""
    if not (free_tie or free_order):
        return True
    if not free_order and _beat_each_other(counts.total, counts.ties, counts.margin):
        return True
    left_won, right_won = counts.left_wins > 0, counts.right_wins > 0
    tied = counts.ties > 0
    never = np.zeros_like(tied)
    if not free_tie:  # a tie is half a win of each side
        left_won, right_won, tied = left_won | tied, right_won | tied, never
    if free_order:
        cycles = _has_cycle(counts, never, right_won) and _has_cycle(counts, left_won, never)
    else:
        cycles = _has_cycle(counts, left_won, right_won)
    if cycles or len(counts.partner) > LINEAR_PROGRAM_PAIRS:
        return True
    return _only_zero(counts, left_won, right_won, tied, free_tie, free_order)


@njit(cache=True, nogil=True)
def _beat_each_other(total, ties, margin):  # type: ignore[no-untyped-def]
    """Whether both sides of some pair won: the shortest cycle, and almost always present."""
    for e in range(len(total)):
        if (total[e] - ties[e]) * (1.0 - ROUNDING) - abs(margin[e]) > ROUNDING * total[e]:
            return True
    return False


def _has_cycle(counts: PairCounts, left_won: NDArray[np.bool_], right_won: NDArray[np.bool_]) -> bool:
    """Whether some items beat each other in a cycle; a part of the items is searched first."""
    from scipy.sparse.csgraph import connected_components

    part = int(np.searchsorted(counts.indptr, FEW_PAIRS, side="right")) - 1
    for n in sorted({max(part, 1), counts.n_sides}):
        graph = _graph(counts, left_won, right_won, min(n, counts.n_sides))
        if connected_components(graph, connection="strong")[0] < graph.shape[0]:
            return True
    return False


def _graph(counts: PairCounts, left_won: NDArray[np.bool_], right_won: NDArray[np.bool_], n: int) -> Any:
    """A graph with an edge from winner to loser, among the first n sides."""
    from scipy.sparse import coo_array

    end = int(counts.indptr[n])
    first, second = counts.first[:end], counts.partner[:end]
    left, right = left_won[:end] & (second < n), right_won[:end] & (second < n)
    winner = np.concatenate([first[left], second[right]])
    loser = np.concatenate([second[left], first[right]])
    return coo_array((np.ones(len(winner), dtype=np.int8), (winner, loser)), shape=(n, n)).tocsr()


def _only_zero(
    counts: PairCounts,
    left_won: NDArray[np.bool_],
    right_won: NDArray[np.bool_],
    tied: NDArray[np.bool_],
    free_tie: bool,
    free_order: bool,
) -> bool:
    """Whether t = g = 0 in every solution of the inequalities at the head of this file."""
    from scipy.sparse import csr_array

    effects = csr_array(np.ones((len(counts.partner), int(free_order))))
    return not _open_directions(counts, (left_won, tied, right_won), effects, free_tie, np.inf).any()


def separating_effects(problem: PairedProblem) -> NDArray[np.bool_]:
    """For each effect of the design, whether it is unbounded; True if that would take too long to find out.

    If some effects are unbounded even without the others, only these are marked. With a prior, skills are
    bounded.
    """
    from scipy.sparse import csr_array

    counts = problem.counts
    assert counts.design is not None
    if len(counts.partner) > LINEAR_PROGRAM_PAIRS or problem.teams is not None:
        return np.ones(problem.n_effects, np.bool_)
    tied, free = counts.ties > 0, problem.free_tie
    won = [counts.left_wins > 0, tied & free, counts.right_wins > 0]
    if not free:  # a tie is half a win of each side
        won[0], won[2] = won[0] | tied, won[2] | tied
    bounded = problem.normal is not None or problem.prior.min() > 0
    columns, farthest = csr_array(-counts.design), 0.0 if bounded else np.inf

    def unbounded(effects: Any) -> NDArray[np.bool_]:
        found = _open_directions(counts, (won[0], won[1], won[2]), effects, free, farthest)
        return found[int(free) :] | found[: int(free)].any()

    alone = np.array([unbounded(columns[:, [c]])[0] for c in range(problem.n_effects)])
    return alone if alone.any() or problem.n_effects == 1 else unbounded(columns)


def _open_directions(
    counts: PairCounts,
    outcomes: tuple[NDArray[np.bool_], ...],
    effects: Any,
    free_tie: bool,
    farthest: float,
) -> NDArray[np.bool_]:
    """Whether t (if it is free) and each g can differ from 0 while the likelihood of no pair falls.

    ``outcomes`` says for each pair whether left ever won, tied and right won. Skills move at most
    ``farthest``.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, hstack, vstack

    n, n_pairs, n_effects = counts.n_sides, len(counts.partner), effects.shape[1]
    pairs, ones = np.arange(n_pairs), np.ones(n_pairs)
    places = (np.tile(pairs, 2), np.concatenate([counts.first, counts.partner]))
    ahead = coo_array((np.concatenate([ones, -ones]), places), shape=(n_pairs, n)).tocsr()
    tie = coo_array((ones, (pairs, np.zeros(n_pairs, int))), shape=(n_pairs, 1)).tocsr()

    def rows(chosen: NDArray[np.bool_], sign: float, of_tie: float) -> Any:
        """The rows of sign·s + of_tie·t >= 0, negated because the solver takes <=."""
        return -hstack([sign * ahead, of_tie * tie, sign * effects], format="csr")[chosen]

    left_won, tied, right_won = outcomes
    table = vstack([rows(left_won, 1, -1), rows(right_won, -1, -1), rows(tied, 1, 1), rows(tied, -1, 1)])
    steps = abs(effects).sum(axis=1).max() if n_effects else 0.0  # how far effects can move a pair apart
    reach = min(farthest, n * (1 + steps))
    bounds = [(-reach, reach)] * n + [(-1, 1) if free_tie else (0, 0)] + [(-1, 1)] * n_effects
    found = []
    for column in range(n + (not free_tie), n + 1 + n_effects):
        best = 0.0
        for sign in (-1.0, 1.0) if column > n else (-1.0,):
            cost = np.zeros(n + 1 + n_effects)
            cost[column] = sign
            solved = linprog(cost, A_ub=table, b_ub=np.zeros(table.shape[0]), bounds=bounds)
            best = min(best, solved.fun if solved.status == 0 else 0.0)
        found.append(best < -1e-9)
    return np.array(found, dtype=np.bool_)
