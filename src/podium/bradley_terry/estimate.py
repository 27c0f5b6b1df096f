"""From comparisons to the frozen fit: count, check what can be estimated, solve, and say what was done."""

from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.clusters import clustered
from podium.bradley_terry.counts.counting import PairedInput, paired_input
from podium.bradley_terry.counts.pairs import PairCounts
from podium.bradley_terry.covariates import Covariates, design_of
from podium.bradley_terry.decay import decayed
from podium.bradley_terry.determined import hardly_bound, open_effects, without_dependent
from podium.bradley_terry.fit import SolverName, fit_paired
from podium.bradley_terry.fitted import PairedFit
from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.normal.features import NO_FEATURES, Features, features_of
from podium.bradley_terry.normal.fit import fit_normal, note_on_weak_bridge, open_features, rare_tie
from podium.bradley_terry.normal.pooled import Overall, PooledFit
from podium.bradley_terry.prior import check_no_runaway, endless, held, plan_paired, planned, with_weak_normal
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import few, listed
from podium.comparisons.table import Comparisons
from podium.core.marginal import NormalPrior
from podium.numerics.result import SolverResult
from podium.skill.known import known_of
from podium.skill.plan import NORMAL

MODELS = ("davidson", "rao-kupper")  # of ties
HELD = f"{NORMAL}, with pseudo-games if skills have no other prior, keeps all estimates"
TOO_WIDE = (
    "the comparisons hardly contradict each other, so the standard deviation of the normal prior is hardly "
    "known; it is {:.3g}"
)
SEVERAL, ONE = ("effects", "have", "they separate", "them"), ("effect", "has", "it separates", "it")
ONLY_TIES = "there are only ties, so all skills are equal and the tie parameter is infinite"


class Settings(NamedTuple):
    """The parameters of the model."""

    ties: str
    prior: float | Literal["auto", "normal"]
    order_effect: bool
    half_life: float | str | None
    covariance: str
    solver: SolverName
    tol: float
    max_iter: int
    fixed: Any = None
    judge_kind: Any = None
    judge_effects: Any = None


def fitted(c: Comparisons, how: Settings) -> tuple[PairedFit, SolverResult]:
    """The fit, with judge effects or kinds of judges if they are asked for."""
    if how.judge_kind is not None:
        from podium.bradley_terry.kinds.estimate import estimate_kinds

        return estimate_kinds(
            c, how, lambda: estimate(replace(c, features=None), how._replace(prior="normal"))[0]
        )
    fit, result = estimate(c, how)
    if how.judge_effects is None:
        return fit, result
    from podium.bradley_terry.judge_effects.estimate import judged

    return judged(fit, result, how, lambda: estimate(c, how._replace(prior="normal")))


def estimate(
    c: Comparisons, how: Settings, pooling_mean: Overall | None = None
) -> tuple[PairedFit, SolverResult]:
    """The fit and the report of the solver; ``fit.notes`` say what the comparisons do not determine.

    With ``prior="normal"``, the mean of the prior may come from the fit to all categories.
    """
    all_tied = not np.any(c.outcome)
    only_ties = all_tied and how.ties in MODELS
    unused = Covariates.of(c).unused() if only_ties and c.covariates is not None else None
    if only_ties:  # they say nothing about effects
        how = how._replace(order_effect=False)
        c = replace(c, covariates=None, covariate_names=(), grade=None)
    if all_tied and how.ties == "ignore":
        raise ValueError("there are only ties, so ties='ignore' leaves nothing; use ties='davidson'")
    c = c if how.ties in MODELS else replace(c, grade=None)
    counted = _count(c, decayed(c, how.half_life), how)
    data, counts = counted.data, counted.counts
    free_tie = how.ties in MODELS and counts.n_ties > 0 and not only_ties
    rao_kupper = how.ties == "rao-kupper" and (free_tie or c.grade is not None)
    observed = (counts, data.teams, rao_kupper, free_tie, how.order_effect)
    known, missing = known_of(how.fixed, data.items)
    problem = PairedProblem.without_prior(np.zeros(len(data.items), np.int32), *observed)
    problem = replace(problem, known=known)
    plan = plan_paired(how.prior, problem, data.items)
    if pooling_mean is not None:
        plan = plan._replace(group=pooling_mean.component_of(data.items))
    problem = planned(problem, plan)
    plan = plan._replace(notes=(*plan.notes, *missing))
    normal, features, uninformative = _normal_prior(c, data, how, pooling_mean)
    if normal is not None and not normal.features.shape[1]:  # then the skills do not take up every covariate
        problem = replace(problem, normal=normal)
    problem, covariates, left_out = without_dependent(problem, counted.covariates)
    problem, result, marginal, unbounded = _solve(replace(problem, normal=normal), covariates, features, how)
    check_no_runaway(problem, result.solution, data.items)
    kind = PairedFit if pooling_mean is None else partial(PooledFit, pooling_mean=pooling_mean)
    fit = kind(
        items=data.items,
        solution=result.solution,
        component=plan.group,
        ties=how.ties,
        tie=np.inf if only_ties else _tie(problem, result.solution, how),
        has_order_effect=how.order_effect,
        notes=(*plan.notes, *uninformative, *left_out, *unbounded, *_note_on_ties(only_ties, unused)),
        data=data,
        problem=problem,
        rows=counted.rows,
        covariates=covariates if unused is None else unused,
        features=features,
        marginal=marginal,
        covariance_kind=how.covariance,
        half_life=how.half_life,
        squares=counted.squares,
    )
    return clustered(fit) if how.covariance == "cluster" else fit, result


def _tie(problem: PairedProblem, x: Floats, how: Settings) -> float:
    """The tie parameter; with a normal prior a tie stays possible even if there was none."""
    if how.prior == "normal" and how.ties == "davidson" and not problem.free_tie and not problem.n_link:
        return rare_tie(problem, x)
    return problem.tie(x, how.ties)


def _note_on_ties(only_ties: bool, unused: Covariates | None) -> tuple[str, ...]:
    """What follows if there are only ties, for skills and for covariates."""
    effects = "" if unused is None else f"; they say nothing about the effects of {listed(unused.names)}"
    return (ONLY_TIES + effects,) * only_ties


class Counted(NamedTuple):
    """Comparisons with their final weights, and their counts.

    ``data`` has the counts that a leaderboard shows: with all ties, and not weighted by age. ``squares`` adds
    up n w² instead of n w; it is None unless robust errors need it.
    """

    rows: Comparisons
    covariates: Covariates
    data: PairedInput
    counts: PairCounts
    squares: PairCounts | None


def _count(c: Comparisons, rows: Comparisons, how: Settings) -> Counted:
    covariates = Covariates.of(rows)
    design = design_of(rows, covariates, how.order_effect)

    def count(weight: Floats) -> PairCounts:
        counts = paired_input(c, how.order_effect, design, weight).counts
        return counts.without_ties() if how.ties == "ignore" else counts

    data = paired_input(c, how.order_effect, design)
    counts = data.counts.without_ties() if how.ties == "ignore" else data.counts
    if rows is not c:
        counts = count(rows.mass)
    weighted = how.covariance == "robust" and bool((rows.weight != 1).any())
    squares = count(rows.mass * rows.weight) if weighted else None
    return Counted(rows, covariates, data, counts, squares)


def _normal_prior(
    c: Comparisons, data: PairedInput, how: Settings, pooling_mean: Overall | None
) -> tuple[NormalPrior | None, Features, tuple[str, ...]]:
    """The normal prior, whose scale is still to be estimated, and notes on features that are left out."""
    if how.prior != "normal":
        return None, NO_FEATURES, ()
    if pooling_mean is not None:
        return NormalPrior.of(pooling_mean.mean_of(data.items), power=1.0), NO_FEATURES, ()
    features, columns, notes = features_of(c, data.items)
    return NormalPrior.of(np.zeros(len(data.items)), columns), features, notes


def _solve(
    problem: PairedProblem, covariates: Covariates, features: Features, how: Settings
) -> tuple[PairedProblem, SolverResult, float | None, tuple[str, ...]]:
    """Solve; unless ``prior=0``, parameters that are not bounded, or hardly, get a weak normal prior."""
    weak, reason = endless(problem)
    notes = [f"{reason}; {HELD} finite"] if reason else []
    problem, result, marginal = _fit(held(problem, weak), how)
    separating = _separating(problem, result.solution) & ~weak
    named = (*features.used_names, *covariates.used_names)
    names = np.array([*["tie parameter"] * problem.n_link, *named, *["order effect"] * how.order_effect])
    if separating.any():
        effect, have, they, them = SEVERAL if separating.sum() > 1 else ONE
        reason = (
            f"the {effect} of {listed(names[separating])} {have} no finite maximum-likelihood estimate, "
            f"because {they} the outcomes"
        )
        if how.prior == 0:
            raise ValueError(f"{reason}; leave {them} out, or use prior='auto'")
        notes.append(f"{reason}; {NORMAL} keeps {them} finite")
        problem, result, marginal = _fit(with_weak_normal(problem, separating), how)
    vague = hardly_bound(problem, result.solution) & (how.prior != 0)
    if vague.any():
        notes.append(f"the comparisons hardly bound the {few(names[vague].tolist())}; {HELD} usable")
        problem, result, marginal = _fit(held(problem, vague), how)
    if problem.normal is not None and problem.normal.hardly_known:
        notes.append(TOO_WIDE.format(problem.normal.scale))
    if (
        problem.normal is not None
        and problem.teams is None
        and (bridge := note_on_weak_bridge(problem, result.solution))
    ):
        notes.append(bridge)
    return problem, result, marginal, tuple(notes)


def _separating(problem: PairedProblem, x: Floats) -> NDArray[np.bool_]:
    """Which parameters after the skills have no finite estimate, because they separate the outcomes."""
    found = open_features(problem, x)
    wide = problem.normal is not None and problem.normal.hardly_known
    return found if wide else found | open_effects(problem, x)


def _fit(problem: PairedProblem, how: Settings) -> tuple[PairedProblem, SolverResult, float | None]:
    """The problem (a normal prior now has its scale), its solution, and the marginal log-likelihood."""
    if problem.normal is not None:
        return fit_normal(problem, how.solver, how.tol, how.max_iter)
    return problem, fit_paired(problem, how.solver, how.tol, how.max_iter), None
