"""When a paired-comparison model has a finite and unique maximum-likelihood estimate.

For skills alone it exists if and only if wins lead from every item to every other (Ford 1957); a tie is an
edge both ways. The tie parameter and the order effect are further directions in which the likelihood may rise
without end. Along (u, t, g) = (skills, tie parameter, order effect), with s = u_left + g - u_right, it never
falls if

    s >= t where left won,    -s >= t where right won,    t >= |s| where they tied.

With grades there is one t for each parameter, and `core.links` has the rows. A win by less than the largest
grade bounds s both ways, as a tie does. If all wins by each grade contain a cycle, t is 0.

If 0 is the only solution, there is an estimate. A cycle of wins rules out t > 0; a cycle of right wins and a
cycle of left wins also rule out g. Without such cycles a linear program decides. With covariates there is one
g for each effect, and s = u_left - u_right - e·g.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.pairs import ROUNDING, PairCounts
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Codes
from podium.core.graph import Edges, classes, growing, has_cycle, joined, largest_first
from podium.numerics.compiled import njit

# With more pairs the linear program would take too long: the estimate is then assumed to exist, and the
# certificate of the solver shows whether it does.
LINEAR_PROGRAM_PAIRS = 200_000


def connections(counts: PairCounts, teams: Any = None) -> tuple[Codes, Codes]:
    """For each item its group of connected items (0 is the largest), and its strong class.

    A lost game leads from every member of the losing side to every member of the winning side. If no game
    leads out of a class, all its skills can grow together without end: if it loses a game, the winning side
    belongs to the class and grows as well.
    """
    if teams is None:
        return classes(_losses(counts.edges), counts.n_sides)
    n_sides, n_items = teams.shape
    (loser, winner), members = joined(list(_losses(counts.edges))), teams.tocoo()
    lost, won = n_items + np.arange(n_sides), n_items + n_sides + np.arange(n_sides)
    # From members to the side that lost, to the side that won, to its members.
    tail = np.concatenate([members.col, lost[loser], won[members.row]])
    head = np.concatenate([lost[members.row], won[winner], members.col])
    group, strong = classes([(tail, head)], n_items + 2 * n_sides)
    return largest_first(group[:n_items]), strong[:n_items]


def _losses(
    counts: PairCounts, *, left: bool = True, right: bool = True, ties: bool = True
) -> Iterator[Edges]:
    """Edges from losers to winners, of games that the left or the right side won; a tie is a win of both."""
    columns = (counts.indptr, counts.partner, counts.total, counts.ties, counts.margin)
    for rows in growing(counts.indptr):
        yield _losers_and_winners(*columns, left, right, ties, rows)


@njit(cache=True, nogil=True)
def _losers_and_winners(indptr, partner, total, ties, margin, left, right, tied, rows):  # type: ignore[no-untyped-def]
    """In NumPy, a bootstrap with ties takes 1.35 times as long."""
    most = 2 * (indptr[rows[1]] - indptr[rows[0]]) + 1
    loser, winner, n = np.empty(most, np.int32), np.empty(most, np.int32), 0
    for i in range(rows[0], rows[1]):
        for e in range(indptr[i], indptr[i + 1]):
            decided, least = total[e] - ties[e], ROUNDING * total[e]
            both = tied & (ties[e] > 0.0)
            loser[n], winner[n] = partner[e], i  # written in any case, since outcomes are hard to predict
            n += left & (both | (decided - margin[e] > least))
            loser[n], winner[n] = i, partner[e]
            n += right & (both | (decided + margin[e] > least))
    return loser[:n], winner[:n]


def rest_is_finite(counts: PairCounts, *, free_tie: bool, free_order: bool, graded: Any = None) -> bool:
    """Whether the tie parameter and the order effect are finite too, given that the skills alone are.

    With ``graded``, a `GradedLink`, ``free_tie`` stands for all its parameters.
    """
    if not (free_tie or free_order):
        return True
    sides = [(True, False), (False, True)] if free_order else [(True, True)]
    levels = [0.0] if graded is None else graded.levels[graded.levels > 0]
    alone = [counts if graded is None else counts.of_wins_by(level) for level in levels]

    def cycle(wins: PairCounts, left: bool, right: bool) -> bool:  # with half a win for each side of a tie
        return has_cycle(_losses(wins, left=left, right=right, ties=not free_tie), counts.n_sides)

    too_many = len(counts.partner) > LINEAR_PROGRAM_PAIRS
    if too_many or all(cycle(wins, *won) for wins in alone for won in sides):
        return True
    from scipy.sparse import csr_array

    effects = csr_array(np.ones((len(counts.partner), int(free_order))))
    return not _open_directions(counts, effects, free_tie, np.inf, graded).any()


def separating_effects(problem: PairedProblem) -> NDArray[np.bool_]:
    """For each effect of the design, whether it is unbounded; True if that would take too long to find out.

    If some effects are unbounded even without the others, only these are marked. With a prior, skills are
    bounded.
    """
    from scipy.sparse import csr_array

    counts = problem.merged
    assert counts.design is not None
    if len(counts.partner) > LINEAR_PROGRAM_PAIRS or problem.teams is not None:
        return np.ones(problem.n_effects, np.bool_)
    bounded = problem.normal is not None or problem.prior.min() > 0 or problem.local.all()
    free = problem.n_link > 0
    columns, farthest = csr_array(-counts.design), 0.0 if bounded else np.inf

    def unbounded(effects: Any) -> NDArray[np.bool_]:
        found = _open_directions(counts, effects, free, farthest, problem.graded)
        first = len(found) - effects.shape[1]
        return found[first:] | found[:first].any()

    alone = np.array([unbounded(columns[:, [c]])[0] for c in range(problem.n_effects)])
    return alone if alone.any() or problem.n_effects == 1 else unbounded(columns)


def _open_directions(
    counts: PairCounts, effects: Any, free_tie: bool, farthest: float, graded: Any
) -> NDArray[np.bool_]:
    """Whether t (if it is free) and each g can differ from 0 while the likelihood of no pair falls.

    Skills move at most ``farthest``.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, csr_array, hstack, vstack

    n, n_pairs, n_effects = counts.n_sides, len(counts.partner), effects.shape[1]
    pairs, ones = np.arange(n_pairs), np.ones(n_pairs)
    places = (np.tile(pairs, 2), np.concatenate([counts.first, counts.partner]))
    ahead = coo_array((np.concatenate([ones, -ones]), places), shape=(n_pairs, n)).tocsr()

    def rows(chosen: NDArray[np.bool_], sign: float, of_tie: Any) -> Any:
        """The rows of sign·s + of_tie·t >= 0, negated because the solver takes <=."""
        of_tie = csr_array(np.broadcast_to(of_tie, (int(chosen.sum()), m)))
        return -hstack([sign * ahead[chosen], of_tie, sign * effects[chosen]], format="csr")

    left_won, tied, right_won = counts.left_wins > 0, counts.ties > 0, counts.right_wins > 0
    if not free_tie:  # a tie is half a win of each side
        left_won, right_won, tied = left_won | tied, right_won | tied, np.zeros_like(tied)
    m, conditions = 1, [(left_won, 1.0, -1.0), (right_won, -1.0, -1.0), (tied, 1.0, 1.0), (tied, -1.0, 1.0)]
    if graded is not None:
        m, seen = len(graded.parameters), counts.outcomes[graded.rows_in(len(counts.outcomes))] > 0
        conditions = [(seen[k], -d, t) for k in range(len(seen)) for d, *t in graded.never_falls(k)]
    table = vstack([rows(*each) for each in conditions])
    steps = abs(effects).sum(axis=1).max() if n_effects else 0.0  # how far effects can move a pair apart
    reach = min(farthest, n * (1 + steps) * (1 if graded is None else 4))
    bounds = [(-reach, reach)] * n + [(-1, 1) if free_tie else (0, 0)] * m + [(-1, 1)] * n_effects
    found = []
    for column in range(n + m * (not free_tie), n + m + n_effects):
        best = 0.0
        for sign in (-1.0, 1.0) if column > n or graded is not None else (-1.0,):
            cost = np.zeros(n + m + n_effects)
            cost[column] = sign
            solved = linprog(cost, A_ub=table, b_ub=np.zeros(table.shape[0]), bounds=bounds)
            best = min(best, solved.fun if solved.status == 0 else 0.0)
        found.append(best < -1e-9)
    return np.array(found, dtype=np.bool_)
