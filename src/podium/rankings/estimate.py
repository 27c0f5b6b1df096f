"""From rankings to the frozen fit: check what can be estimated, solve, and say what was done."""

from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.rankings import Rankings
from podium.core.marginal import NormalPrior
from podium.numerics.result import SolverResult
from podium.rankings.ballots import ballots_of, record_of
from podium.rankings.errors import ranking_scores
from podium.rankings.existence import plan_rankings
from podium.rankings.fit import fit_normal, fit_rankings
from podium.rankings.fitted import RankingFit
from podium.rankings.likelihood import RankingProblem
from podium.skill.fit import sizes_of_groups, sums_by_group
from podium.skill.known import known_of


class Settings(NamedTuple):
    """The parameters of the model."""

    ties: str
    prior: float | Literal["auto", "normal"]
    covariance: str
    tol: float
    max_iter: int
    fixed: Any = None


def estimate(r: Rankings, how: Settings) -> tuple[RankingFit, SolverResult]:
    """The fit and the report of the solver; ``fit.notes`` say what the rankings do not determine."""
    items, codes = r.items[r.appears], np.where(r.appears, np.cumsum(r.appears) - 1, -1).astype(np.int32)
    ballots = ballots_of(r, len(items), codes, ignore_ties=how.ties == "ignore")
    record = record_of(r, ballots)
    if not ballots.won.any():
        if record["ties"].any():
            raise ValueError("every choice ended in a tie, so ties='ignore' leaves nothing; use ties='auto'")
        raise ValueError("no ranking says that one item is better than another")
    sizes = group = None
    if how.covariance == "cluster":
        sizes, group = sizes_of_groups(r.group, r.mass, "rankings")
    known, missing = known_of(how.fixed, items)
    plan = plan_rankings(how.prior, ballots, items, known)
    problem = replace(RankingProblem.without_prior(plan.group, ballots).with_plan(plan), known=known)
    marginal = None
    if how.prior == "normal":
        normal = NormalPrior.of(np.zeros(len(items)))
        problem, result, marginal = fit_normal(replace(problem, normal=normal), how.tol, how.max_iter)
    else:
        result = fit_rankings(problem, how.tol, how.max_iter)
    fit = RankingFit(
        items=items,
        solution=result.solution,
        component=plan.group,
        ties=how.ties,
        tie=float(problem.delta(result.solution)[1]) if problem.n_ties else 0.0,
        has_order_effect=False,
        notes=(*plan.notes, *missing),
        rows=None,
        rankings=r,
        problem=problem,
        results=record,
        marginal=marginal,
        covariance_kind=how.covariance,
        group_sizes=sizes,
        scores=_scores(r, problem, result.solution, how.covariance, group),
    )
    return fit, result


def _scores(r: Rankings, problem: RankingProblem, x: Floats, covariance: str, group: Codes | None) -> Any:
    """The gradients of single rankings or of groups at the solution, for errors that need them."""
    if covariance == "model":
        return None
    if covariance == "robust":
        return ranking_scores(problem, x, np.sqrt(r.count) * r.weight)
    assert group is not None
    return sums_by_group(ranking_scores(problem, x, np.asarray(r.mass)), group)
