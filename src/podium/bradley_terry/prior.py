"""Which items are ranked together, and what is added so that all parameters have finite estimates."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.counts.pairs import ROUNDING
from podium.bradley_terry.existence import connections, rest_is_finite
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError, names_of
from podium.skill.plan import WEAK, Existence, Plan, bounded, notes_on_groups, plan_prior

# If a gap in log-skill is above FAR_APART, it is tested whether the gap grows without bound: this is so if
# widening it by FURTHER does not lower the likelihood.
FAR_APART, FURTHER = 6.0, 3.0


def plan_paired(
    prior: float | Literal["auto", "normal"], problem: PairedProblem, items: NDArray[Any]
) -> Plan:
    """The plan of a fit."""
    if problem.free_order and not problem.counts.total[problem.at_home].any():
        raise InputError(
            "every comparison is on neutral ground, so the order effect has no estimate; "
            "{@use order_effect=False}"
        )
    _, reason = endless(problem)
    if reason and prior == 0:
        raise InputError(f"{reason}; {{@use order_effect=False}}")
    if problem.teams is not None and prior == "auto":
        group, _ = connections(problem.counts, problem.teams)
        return Plan.of(group, WEAK)._replace(notes=notes_on_groups(group))
    return plan_prior(prior, items, _existence(problem))


def plan_again(problem: PairedProblem, items: NDArray[Any]) -> Plan:
    """The plan of a refit to other results of the same pairs."""
    weak, reason = endless(problem)
    problem = held(problem, weak)
    plan = problem.plan._replace(notes=(reason,) * bool(reason))
    return plan if problem.normal is not None else bounded(plan, items, _existence(problem))


def planned(problem: PairedProblem, plan: Plan) -> PairedProblem:
    """The problem with what the plan adds."""
    if problem.teams is not None:  # a member cannot be told apart by games that the whole team plays
        plan = plan._replace(prior=np.where(plan.local, WEAK, plan.prior), local=np.zeros_like(plan.local))
    return problem.with_plan(plan)


def with_weak_normal(problem: PairedProblem, weak: NDArray[np.bool_]) -> PairedProblem:
    """The problem with a weak normal prior on some of the parameters after the skills."""
    if not weak.any():
        return problem
    return replace(problem, ridge=np.where(weak, WEAK, 0.0 if problem.ridge is None else problem.ridge))


def held(problem: PairedProblem, weak: NDArray[np.bool_]) -> PairedProblem:
    """The same, and the local prior on skills without a prior: the results hardly bound these either."""
    if not weak.any() or problem.normal is not None or problem.teams is not None:
        return with_weak_normal(problem, weak)
    return replace(with_weak_normal(problem, weak), local=problem.local | (problem.prior == 0))


def _existence(problem: PairedProblem) -> Existence:
    counts, teams, bounded, known = problem.merged, problem.teams, endless(problem)[0], problem.known
    free_tie = problem.n_link > 0 and not (problem.free_tie and bounded[0])
    # Effects of a design are checked after the fit.
    free_order = problem.free_order and counts.design is None and not bounded[-1]

    def open_rest() -> str:
        own: Any = {"free_order": free_order, "graded": problem.graded}
        if teams is not None or rest_is_finite(counts, free_tie=free_tie, **own):
            return ""
        link = "tie parameter" if problem.graded is None else "parameters of the grades"
        return " and ".join([link] * free_tie + ["order effect"] * free_order)

    return Existence(
        lambda: known.of_items(connections(counts, teams), problem.n_items), open_rest, known.at.tolist()
    )


def endless(problem: PairedProblem) -> tuple[NDArray[np.bool_], str]:
    """Which parameters after the skills have no finite estimate whatever the skills are, and why.

    It is the tie parameter if nobody ever won, and the order effect if one side never won. A tie counts as
    half a win unless ties are modelled.
    """
    counts, free_tie = problem.counts, problem.free_tie
    found, reasons = np.zeros(problem.size - problem.n_items, np.bool_), []
    if free_tie and counts.n_games - counts.n_ties <= ROUNDING * counts.n_games:
        found[0] = True
        reasons.append("nobody ever won, so the tie parameter has no finite estimate")
    if problem.free_order:
        home = problem.at_home
        half_ties = 0.0 if free_tie else counts.ties[home].sum()
        wins = (("left", counts.left_wins), ("right", counts.right_wins))
        never = [side for side, of_pairs in wins if of_pairs[home].sum() + half_ties == 0]
        found[-1] = bool(never)
        off_neutral = " except on neutral ground" * (not home.all())
        reasons += [
            f"the {side} side never won{off_neutral}, so the order effect has no finite estimate"
            for side in never
        ]
    return found, " and ".join(reasons)


def check_no_runaway(problem: PairedProblem, x: Floats, items: NDArray[Any]) -> None:
    """Raise an error if the skills grow without bound; with teams, only the solution can show this."""
    if (away := runaway(problem, x)) is not None:
        raise ValueError(
            f"the skills of {names_of(items[away])} have no finite maximum-likelihood estimate: the "
            "likelihood rises as they move away from the rest; use prior='auto' or a number above 0"
        )


def runaway(problem: PairedProblem, x: Floats) -> NDArray[np.bool_] | None:
    """The items whose distance from the rest of their group grows without bound, or None.

    The likelihood of teams is not concave, so no condition on the games can decide this in advance.
    """
    if problem.teams is None or problem.prior.max() > 0:
        return None
    value, theta = problem.objective(x), x[: problem.n_items]
    for group in range(int(problem.rank_group.max()) + 1):
        members = np.flatnonzero(problem.rank_group == group)
        order = members[np.argsort(theta[members])]
        for place in np.flatnonzero(np.diff(theta[order]) > FAR_APART) + 1:
            further = x.copy()
            further[order[place:]] += FURTHER
            if problem.objective(further) <= value * (1 + 1e-9):  # up to rounding
                fewer = order[place:] if 2 * place > len(order) else order[:place]
                return np.isin(np.arange(problem.n_items), fewer)
    return None
