"""When rankings have a finite and unique maximum-likelihood estimate, and what is added if not.

Without ties it exists if and only if losses lead from every item to every other: an item loses to all that
were chosen while it remained. With ties there is also δ. Along a direction (u, t) of the log-skills and the
log δ_d the likelihood never falls if every choice of W from A satisfies

    mean of u over W + t_|W|  >=  mean of u over T + t_|T|    for all T ⊆ A of a size that occurs.

If only t = 0 is possible, all tied winners have the same u, so the condition is the one without ties, where a
tie is a loss both ways. A linear program decides whether t = 0; t is never negative, since a single item is a
T. Of all T of size d, the d items of A with the largest u matter, so constraints are added as needed.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.core.graph import Edges, classes, growing
from podium.numerics.compiled import njit
from podium.rankings.ballots import Ballots
from podium.rankings.likelihood import RankingProblem
from podium.skill.known import NOTHING, Known
from podium.skill.plan import WEAK, Existence, Plan, bounded, plan_prior

# With more choices the linear program would take too long: the estimate is then assumed to exist, and the
# certificate of the solver shows whether it does.
MOST_CHOICES = 20_000
MOST_ROUNDS = 200  # of the linear program
OPEN = 1e-6  # t above this is not 0


# ------------------------------------------------------------------------------------ the plan


def plan_rankings(prior: Any, b: Ballots, items: NDArray[Any], known: Known = NOTHING) -> Plan:
    """The plan of a fit."""
    plan = plan_prior(prior, items, _existence(b, known))
    with_ridge = _with_ridge(plan, b)
    if prior == 0 and with_ridge is not plan:
        raise ValueError(f"{_endless(b)}; use prior='auto' or a number above 0")
    return with_ridge


def plan_again(problem: RankingProblem, items: NDArray[Any]) -> Plan:
    """The plan of a refit to the same rankings with other masses."""
    plan, b = problem.plan, problem.ballots
    same = _existence(b, problem.known)
    return _with_ridge(plan if problem.normal is not None else bounded(plan, items, same), b)


def _with_ridge(plan: Plan, b: Ballots) -> Plan:
    """The plan with a weak normal prior for the tie parameters that have no finite estimate anyway."""
    ridge = np.zeros(len(b.sizes) - 1) if plan.ridge is None else plan.ridge
    weak = _unbounded_ties(b) & (ridge < WEAK)
    if not weak.any():
        return plan
    note = f"{_endless(b)}; a normal prior (variance {1 / WEAK:g} of log δ) keeps it finite"
    return plan._replace(ridge=np.where(weak, WEAK, ridge), notes=(*plan.notes, note))


def _existence(b: Ballots, known: Known) -> Existence:
    n = b.n_items
    b = replace(b, entries=known.nodes(n)[b.entries], n_items=n - len(known.at) + 1) if len(known.at) else b

    def open_rest() -> str:
        return "" if _unbounded_ties(b).any() or ties_are_bounded(b) else "tie parameter"

    return Existence(lambda: known.of_items(connections(b), n), open_rest, known.at.tolist())


def _unbounded_ties(b: Ballots) -> NDArray[np.bool_]:
    """The tie sizes whose δ has no finite estimate even if the skills have a prior."""
    return np.asarray(endless_sizes(b) | (b.tally.winners[1:] == 0))


def _endless(b: Ballots) -> str:
    return (
        f"ties of {' and '.join(map(str, b.sizes[1:][_unbounded_ties(b)]))} occur whenever enough items "
        "remain, so their parameter has no finite maximum-likelihood estimate"
    )


# ------------------------------------------------------------------------------------ what is asked


def connections(b: Ballots) -> tuple[Codes, Codes]:
    """For each item its group of connected items (0 is the largest), and its strong class."""
    return classes(_losses(b), b.n_items)


def endless_sizes(b: Ballots) -> NDArray[np.bool_]:
    """For each tie size, whether δ grows without bound even if the skills stay where they are.

    It does if ties of this size, or others that are endless too, occur whenever enough items remain.
    """
    endless, most = b.sizes > 1, b.tally.most
    while True:
        limit = most[~endless].max(initial=0)
        kept = endless & (b.sizes > limit)
        if kept.sum() == endless.sum():
            return endless[1:]
        endless = kept


def ties_are_bounded(b: Ballots) -> bool:
    """Whether t = 0 in every direction in which the likelihood never falls."""
    if not b.has_ties or _equals(b) >= b.sizes[-1]:
        return True
    if np.count_nonzero(b.won) > MOST_CHOICES:
        return True
    return _largest_tie_step(b) <= OPEN


# ------------------------------------------------------------------------------------ graphs


def _losses(b: Ballots, *, ties: bool = True) -> Iterator[Edges]:
    """Edges from losers to winners."""
    for rows in growing(b.indptr):
        yield _losers_and_winners(b.indptr, b.entries, b.won, b.mass, b.sizes, ties, rows)


@njit(cache=True, nogil=True)
def _losers_and_winners(indptr, entries, won, mass, sizes, ties, rows):  # type: ignore[no-untyped-def]
    """At most two pairs per entry of some rankings: all others follow from these.

    Tied winners form a ring, or are left out without ``ties``. Everyone else loses to the winner before.
    """
    most = 2 * (indptr[rows[1]] - indptr[rows[0]])
    loser, winner, n = np.empty(most, np.int32), np.empty(most, np.int32), 0
    for r in range(rows[0], rows[1]):
        best, tied = -1, 0
        for e in range(indptr[r], indptr[r + 1]):
            if mass[r] <= 0.0:
                break
            if best >= 0:
                loser[n], winner[n] = entries[e], best
                n += 1
            tied -= 1
            if won[e] and (ties or won[e] == 1):
                tied = sizes[won[e] - 1] - 1
                for f in range(e, e + tied + 1):
                    if tied > 0:
                        loser[n] = entries[f]
                        winner[n] = entries[f + 1] if f < e + tied else entries[e]
                        n += 1
            if tied == 0:  # the last of the winners
                best = entries[e]
    return loser[:n], winner[:n]


def _equals(b: Ballots) -> int:
    """The largest number of items, the winner included, that must have the winner's u in a choice.

    Sole winners force u_winner >= u_loser for any t, so u is equal within a strong class of their losses. If
    d items of a choice are equal to its sole winner, t_d is 0.
    """
    strong = classes(_losses(b, ties=False), b.n_items)[1]
    return int(_most_equals(b.indptr, b.entries, b.won, b.mass, strong, b.sizes[-1]))


@njit(cache=True, nogil=True)
def _most_equals(indptr, entries, won, mass, strong, enough):  # type: ignore[no-untyped-def]
    most = 0
    for r in range(len(indptr) - 1):
        for e in range(indptr[r], indptr[r + 1]):
            if won[e] == 1 and mass[r] > 0.0 and indptr[r + 1] - e > most:
                equals = 0
                for f in range(e, indptr[r + 1]):
                    equals += strong[entries[f]] == strong[entries[e]]
                most = max(most, equals)
                if most >= enough:
                    return most
    return most


# ------------------------------------------------------------------------------------ linear program


def _largest_tie_step(b: Ballots) -> float:
    """The largest sum of t, each at most 1, for which some u satisfies all constraints."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    k, n_ties = b.n_items, len(b.sizes) - 1
    bounds = [(-2.0 * k, 2.0 * k)] * k + [(0.0, 1.0)] * n_ties
    cost = np.append(np.zeros(k), -np.ones(n_ties))
    table = csr_array((0, k + n_ties))
    for _ in range(MOST_ROUNDS):
        solved = linprog(cost, A_ub=table, b_ub=np.zeros(table.shape[0]), bounds=bounds)
        if solved.status != 0 or -solved.fun <= OPEN:
            return 0.0
        broken = _broken(b, solved.x)
        if broken is None:
            return float(-solved.fun)
        table = vstack([table, broken], format="csr")
    return 0.0


def _broken(b: Ballots, x: Floats) -> Any:
    """The constraints that x violates most in each choice and for each size, as rows of coefficients."""
    from scipy.sparse import csr_array

    rows: list[Any] = []
    columns: list[Any] = []
    values: list[Any] = []
    t = np.append(0.0, x[b.n_items :])
    for at in np.flatnonzero(b.won):
        end = b.indptr[np.searchsorted(b.indptr, at, side="right")]
        own, remain = b.won[at] - 1, b.entries[at:end]
        winners, best = remain[: b.sizes[own]], remain[np.argsort(-x[remain], kind="stable")]
        for s, d in enumerate(b.sizes[b.sizes <= len(remain)]):
            if x[best[:d]].mean() + t[s] <= x[winners].mean() + t[own] + OPEN / 10:
                continue
            ends = [b.n_items + size - 1 for size in (s, own)]  # the columns of t; t_1 = 0 has none
            kept = np.concatenate([np.ones(d + len(winners)), [s > 0, own > 0]]).astype(bool)
            shares: list[Any] = [np.full(d, 1 / d), np.full(len(winners), -1 / len(winners)), [1.0, -1.0]]
            columns.append(np.concatenate([best[:d], winners, ends])[kept])
            values.append(np.concatenate(shares)[kept])
            rows.append(np.full(kept.sum(), len(rows)))
    if not rows:
        return None
    places = (np.concatenate(rows), np.concatenate(columns).astype(np.int64))
    return csr_array((np.concatenate(values), places), shape=(len(rows), len(x)))
