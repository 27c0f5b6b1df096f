"""From a plain fit to one with judge effects: the maximum, errors, and what is said of it."""

from collections.abc import Callable
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

NAMES = ("sharpness", "how often they call ties", "the side that they prefer")
TOO_LITTLE = "the comparisons alone say too little about some skills, so log-skills have a normal prior"


def check_judge_effects(effects: Any) -> None:
    """Raise an error if this is no choice of judge effects."""
    named = isinstance(effects, tuple | list) and effects and all(effect in EFFECTS for effect in effects)
    if effects == "auto" or named:
        return
    which = f"some of {', '.join(EFFECTS)}, such as ('sharpness', 'ties')"
    raise ValueError(f"judge_effects must be None, 'auto' or {which}, not {effects!r}")


def judged(
    plain: PairedFit, result: SolverResult, how: Any, normal: Callable[[], tuple[PairedFit, SolverResult]]
) -> tuple[PairedFit, SolverResult]:
    """The fit with judge effects, or the plain fit if none is left; ``normal`` fits with normal skills."""
    votes, auto, base = Votes.of(plain), how.judge_effects == "auto", plain
    active, notes = _possible(plain, votes, how.judge_effects)
    if not active.any():
        return replace(plain, notes=(*plain.notes, *notes)), result
    # With 30 and 70 comparisons per item, prior=0 took noise of skills for sharpness, and predicted worse.
    few, problem = plain.problem.games_per_item < 100, plain.problem
    if how.prior == "auto" and (few or problem.local.any() or problem.ridge is not None):
        base, notes = normal()[0], [*notes, TOO_LITTLE]
    found = _chosen(base, votes, active, auto, how.tol)
    if left_out := [NAMES[k] for k in np.flatnonzero(active & (found.sigma == 0))]:
        what = "these effects are" if len(left_out) > 1 else "this effect is"
        notes.append(f"the judges do not differ enough in {joined(left_out)}, so {what} left out")
    if not found.sigma.any():
        return replace(plain, notes=(*plain.notes, *notes)), result
    fit, smallest = _fitted(base, plain, votes, found)
    fit = replace(fit, notes=(*base.notes, *notes, *_doubts(fit, votes, smallest)))
    done, solver = found.report, "adaptive Gauss–Hermite"
    certificate = (done.history[-1], len(done.history) - 1, done.converged, solver)
    details = {"smallest_information": smallest, "log_marginal": float(found.integrals.log_marginal.sum())}
    objective = ConstantObjective(-found.criterion)
    return fit, SolverResult(fit.solution, objective, *certificate, details=details)


def _possible(plain: PairedFit, votes: Votes, effects: Any) -> tuple[NDArray[np.bool_], list[str]]:
    """Which of the three effects are asked for and can be estimated, and notes on the others."""
    if np.isinf(plain.tie):
        return np.zeros(3, np.bool_), ["there are only ties, so judge effects are left out"]
    asked = np.array([effects == "auto" or name in effects for name in EFFECTS])
    n, margin, ties = votes.seen[votes.home > 0].sum(axis=0)
    possible = np.array([True, plain.problem.free_tie, abs(margin) < n - ties])
    why = ("", "there are no ties to model", "the winner is always on the same side, or the ground neutral")
    lost = np.flatnonzero(asked & ~possible)
    return asked & possible, [f"{why[k]}, so the judge effect '{EFFECTS[k]}' is left out" for k in lost]


def _chosen(base: PairedFit, votes: Votes, active: NDArray[np.bool_], auto: bool, tol: float) -> Found:
    """The maximum with the effects that are kept. Under "auto" those that do not raise the criterion go."""
    problem, log_tie = base.problem, float(np.log(base.tie)) if base.tie > 0 else -np.inf

    def fit(active: NDArray[np.bool_], x: Floats, sigma: Floats, scale: float) -> Found:
        marginal = Marginal(votes, problem, log_tie, active, np.zeros((votes.n_judges, 3)), auto)
        if problem.normal is None:
            return marginal.climb(x, sigma, tol)
        return marginal.climb_normal(x, sigma, scale, tol)

    scale = np.inf if problem.normal is None else max(problem.normal.scale, 0.1)
    best = fit(active, base.solution, np.full(3, 0.5), scale)
    while auto and active.any():
        flat = active & (best.sigma <= 1.01 * LEAST)
        smaller = [active & (np.arange(3) != k) for k in np.flatnonzero(flat if flat.any() else active)]
        trials = [fit(without, best.x, best.sigma.clip(0.1), best.scale) for without in smaller]
        k = int(np.argmax([trial.criterion for trial in trials]))
        if trials[k].criterion < best.criterion and not flat.any():
            break
        best, active = trials[k], smaller[k]
    # The penalty is no part of the likelihood.
    return best._replace(criterion=best.criterion + auto * penalty_of(best.sigma))


def _fitted(base: PairedFit, plain: PairedFit, votes: Votes, found: Found) -> tuple[JudgedFit, float]:
    """The fit, with errors from Louis' information given the spreads, and its smallest eigenvalue."""
    problem, scale, n = base.problem, found.scale, len(votes.judge)
    marginal = Marginal(votes, problem, -np.inf, found.sigma > 0, np.zeros((0, 3)), False)
    information, squares = marginal.louis(found.x, found.integrals)
    errors, prior = marginal.inverse(information, scale), np.diag(marginal.precision(scale))
    if base.covariance_kind == "robust":
        errors = errors @ (squares + prior) @ errors
    if problem.normal is not None:
        problem = replace(problem, normal=replace(problem.normal, scale=scale, scale_error=0.0))
    known = {field.name: getattr(base, field.name) for field in fields(PairedFit)}
    known |= {"problem": problem, "solution": found.x, "marginal": found.criterion}
    known |= {"tie": problem.tie(found.x, base.ties) if problem.free_tie else base.tie, "plain": plain}
    known |= {"spread": found.sigma, "judge": votes.judge, "votes": votes.votes[:n]}
    known |= {"node": found.integrals.node[:n], "weight": found.integrals.weight[:n]}
    centre = problem.centred(np.eye(len(found.x)))
    free = len(np.unique(problem.rank_group)) if np.isinf(scale) else 0  # groups that move freely
    smallest = float(np.linalg.eigvalsh(information + prior)[free])
    return JudgedFit(**known, errors=centre @ errors @ centre.T), smallest


def _doubts(fit: JudgedFit, votes: Votes, smallest: float) -> list[str]:
    """What to say about estimates that mean little."""
    bounds = {
        "tie parameter": np.log(fit.tie) if fit.problem.free_tie else 0.0,
        "order effect": fit.order_effect,
    }
    large = [name for name, value in bounds.items() if abs(value) >= 8] or ["skills"] * (smallest <= 0)
    flat = [EFFECTS[k] for k in np.flatnonzero(fit.spread) if fit.spread[k] <= LEAST]
    wild = [EFFECTS[k] for k in np.flatnonzero(fit.spread) if fit.spread[k] >= MOST]
    told = {
        f"the judges hardly differ in {joined(flat)}; the spread is at its least, {LEAST}": flat,
        f"the spread of {joined(wild)} is at its most, {MOST:g}, so it means little": wild,
        f"there are only {votes.n_judges} judges, so their spreads are hardly known": votes.n_judges < 5,
        f"the votes hardly bound the {joined(large)} once judges differ; add votes": large,
    }
    return [note for note, holds in told.items() if holds]
