"""From a plain fit to one with judge effects: the maximum, errors, and what is said of it."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.fitted import PairedFit
from podium.bradley_terry.judge_effects.fitted import EFFECTS, JudgedFit
from podium.bradley_terry.judge_effects.marginal import LEAST, MOST, Found, Marginal, penalty_of
from podium.bradley_terry.judge_effects.votes import Votes
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import joined
from podium.numerics.result import ConstantObjective, SolverResult

NO_ESTIMATE = (
    "the comparisons alone do not give every estimate a finite value, so log-skills have a normal prior"
)


def check_judge_effects(effects: Any) -> None:
    """Raise an error if this is no choice of judge effects."""
    named = isinstance(effects, tuple | list) and len(effects) > 0 and set(effects) <= set(EFFECTS)
    if effects is not None and effects != "auto" and not named:
        raise ValueError(
            f"judge_effects must be None, 'auto' or some of {', '.join(EFFECTS)}, "
            f"such as ('sharpness', 'ties'), not {effects!r}"
        )


def judged(
    plain: PairedFit, result: SolverResult, how: Any, normal: Callable[[], tuple[PairedFit, SolverResult]]
) -> tuple[PairedFit, SolverResult]:
    """The fit with judge effects, or the plain fit if none is left; ``normal`` fits with normal skills."""
    votes, auto = Votes.of(plain), how.judge_effects == "auto"
    active, notes = _possible(plain, votes, how.judge_effects)
    base, needed = plain, plain.problem.local.any() or plain.problem.ridge is not None
    if active.any() and needed and how.prior == "auto":
        base, notes = normal()[0], [*notes, NO_ESTIMATE]
    found, best = None, active
    if active.any():
        found, best = _chosen(base, votes, active, auto, how.tol)
    if left_out := [NAMES[k] for k in np.flatnonzero(active & ~best)]:
        what = "these effects are" if len(left_out) > 1 else "this effect is"
        notes.append(f"the judges do not differ enough in {joined(left_out)}, so {what} left out")
    if found is None or not best.any():
        return replace(plain, notes=(*plain.notes, *notes)), result
    fit = _fitted(base, plain, votes, found, (*_of_plain(base, plain), *notes))
    report = SolverResult(
        solution=fit.solution,
        objective_of=ConstantObjective(-found.criterion),
        gradient_norm=found.gradient,
        iterations=found.steps,
        converged=found.converged,
        solver="adaptive Gauss–Hermite",
        details={"smallest_information": fit.smallest_information, "log_marginal": found.log_marginal},
    )
    return fit, report


NAMES = ("sharpness", "how often they call ties", "the side that they prefer")


def _of_plain(base: PairedFit, plain: PairedFit) -> tuple[str, ...]:
    """The notes of a plain fit that stay true."""
    return plain.notes if base is plain else base.notes


def _possible(plain: PairedFit, votes: Votes, effects: Any) -> tuple[NDArray[np.bool_], list[str]]:
    """Which of the three effects are asked for and can be estimated, and notes on the others."""
    asked = np.array([effects == "auto" or name in effects for name in EFFECTS])
    sides = votes.home.any() and (votes.wins[votes.home > 0][:, [0, 2]] > 0).any(axis=0).all()
    possible = np.array([True, plain.problem.free_tie, bool(sides)])
    if np.isinf(plain.tie):
        return np.zeros(3, np.bool_), ["there are only ties, so judge effects are left out"]
    why = ("", "there are no ties to model", "the winner is always on the same side, or the ground neutral")
    lost = np.flatnonzero(asked & ~possible)
    return asked & possible, [f"{why[k]}, so the judge effect '{EFFECTS[k]}' is left out" for k in lost]


def _chosen(
    base: PairedFit, votes: Votes, active: NDArray[np.bool_], auto: bool, tol: float
) -> tuple[Found, NDArray[np.bool_]]:
    """The maximum with the effects that are kept. Under "auto" those that do not raise the criterion go."""
    problem, mode = base.problem, np.zeros((votes.n_judges, 3))
    log_tie = np.log(base.tie) if base.tie > 0 else -np.inf

    def fit(active: NDArray[np.bool_], x: Floats, sigma: Floats, scale: float) -> Found:
        marginal = Marginal(votes, problem, log_tie, active, mode.copy(), auto)
        sigma = np.where(active, sigma, 0.0)
        if problem.normal is None:
            return marginal.climb(x, sigma, tol)
        return marginal.climb_normal(x, sigma, scale, tol)

    scale = np.inf if problem.normal is None else max(problem.normal.scale, 0.1)
    best = fit(active, base.solution, np.full(3, 0.5), scale)
    while auto and active.any():
        flat = active & (best.sigma <= 1.01 * LEAST)
        trials = []
        for k in np.flatnonzero(flat if flat.any() else active):
            without = active & (np.arange(3) != k)
            trials.append((fit(without, best.x, best.sigma.clip(0.1), best.scale), without))
        trial, without = max(trials, key=lambda each: each[0].criterion)
        if trial.criterion < best.criterion and not flat.any():
            break
        best, active = trial, without
    if auto:  # the penalty is no part of the likelihood
        best = best._replace(criterion=best.criterion + penalty_of(best.sigma))
    return best, active


def _fitted(base: PairedFit, plain: PairedFit, votes: Votes, found: Found, notes: Sequence[str]) -> JudgedFit:
    """The frozen fit, with errors from Louis' information, in which the spreads count as known."""
    marginal = Marginal(votes, base.problem, -np.inf, found.sigma > 0, np.zeros((0, 3)), False)
    information, squares = marginal.louis(found.x, found.integrals)
    inverse = marginal.inverse(information, found.scale)
    if base.covariance_kind == "robust":
        squares[np.diag_indices(votes.n_items)] += found.scale**-2.0
        inverse = inverse @ squares @ inverse
    problem = base.problem
    centre = problem.centred(np.eye(len(found.x)))
    if problem.normal is not None:
        problem = replace(problem, normal=replace(problem.normal, scale=found.scale, scale_error=0.0))
    smallest = float(
        np.linalg.eigvalsh(information + np.diag(marginal.precision(found.scale)))[
            len(set(problem.rank_group)) if np.isinf(found.scale) else 0
        ]
    )
    known = {field.name: getattr(base, field.name) for field in fields(PairedFit)}
    tie = problem.tie(found.x, base.ties) if votes.free_tie else base.tie
    fit = JudgedFit(
        **known
        | {
            "problem": problem,
            "solution": found.x,
            "tie": tie,
            "marginal": found.criterion,
            "notes": tuple(notes),
        },
        plain=plain,
        spread=found.sigma,
        judge=votes.judge,
        votes=votes.votes[: len(votes.judge)],
        node=found.integrals.node[: len(votes.judge)],
        weight=found.integrals.weight[: len(votes.judge)],
        errors=centre @ inverse @ centre.T,
        smallest_information=smallest,
    )
    return replace(fit, notes=(*notes, *_doubts(fit, votes)))


def _doubts(fit: JudgedFit, votes: Votes) -> list[str]:
    """What to say about estimates that mean little."""
    found, effects = [], np.flatnonzero(fit.spread)
    flat = [EFFECTS[k] for k in effects if fit.spread[k] <= LEAST]
    wild = [EFFECTS[k] for k in effects if fit.spread[k] >= MOST]
    if flat:
        found.append(f"the judges hardly differ in {joined(flat)}; the spread is at its least, {LEAST}")
    if wild:
        found.append(f"the spread of {joined(wild)} is at its most, {MOST:g}, so it means little")
    if votes.n_judges < 5:
        found.append(f"there are only {votes.n_judges} judges, so their spreads are hardly known")
    log_tie = np.log(fit.tie) if votes.free_tie else 0.0
    bounds = {"tie parameter": log_tie, "order effect": fit.order_effect}
    large = [name for name, value in bounds.items() if abs(value) >= 8]
    if large or fit.smallest_information <= 0:
        what = joined(large) or "skills"
        found.append(
            f"the votes hardly bound the {what} once judges differ; add votes, or set prior to 'normal'"
        )
    return found
