"""From comparisons to the posterior: choose the parameters, then smooth.

The settings, ``how``, are the model itself: its parameters, as users give them.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from podium.bradley_terry.determined import equal_on_both_sides
from podium.bradley_terry.dynamic.design import Design
from podium.bradley_terry.dynamic.games import Games
from podium.bradley_terry.dynamic.motion import Motion
from podium.bradley_terry.dynamic.parameters import SEARCHED, Search
from podium.bradley_terry.dynamic.posterior import Posterior
from podium.bradley_terry.dynamic.smoother import Problem, smooth
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError
from podium.comparisons.table import Comparisons
from podium.core.links import Link
from podium.numerics.result import SolverResult

MODELS = ("davidson", "rao-kupper")  # of ties
MOST_TIED = 1e8  # the parameter of ties if there are only ties
ONE_TIME = "all comparisons have the same time, so movement cannot be estimated"
FEW = 10  # comparisons for each parameter
LARGEST = 1e7  # standard deviation of a log-skill
STILL = "no movement of the skills was found: a drift of 0 is at least as likely"


@dataclass(frozen=True, eq=False)
class Fitted:
    """The posterior, the report of its solver, and how many parameters were estimated."""

    posterior: Posterior
    result: SolverResult
    n_free: int
    notes: tuple[str, ...]


def estimate(c: Comparisons, how: Any) -> Fitted:
    """Fit comparisons with times and outcomes."""
    c = _used(c, how.ties)
    design = Design.of(c, how.order_effect)
    when = design.when(c.time)
    games = design.games(c, when)
    given = _given(c, games, how)
    _check_size(games, given)
    latest = games
    if len(games) > SEARCHED:
        recent = when >= games.when[games.moment[-SEARCHED]]
        latest = design.games(c[recent], when[recent])
    search = Search(latest, design.n_effects, len(design.items), how.ties, given)
    values = search.best()
    motions = search.motion(values), *search.around(values)
    posterior, result = _smoothed(design, games, motions, search.link(values), c.time, how)
    return Fitted(posterior, result, len(search.free), _notes(games, design, search, values, how))


def _check_size(games: Games, given: dict[str, float]) -> None:
    """Refuse parameters whose skills are too large for floating point numbers."""
    span = float(np.ptp(games.when))
    for name, size in (("spread", 1.0), ("drift", span**0.5), ("order_drift", span**0.5)):
        if (value := given.get(name, 0.0)) * size > LARGEST:
            unit = "" if name == "spread" else ", or write the times in a larger unit"
            raise ValueError(
                f"{name}={value:g} lets log-skills reach {value * size:.2g}; make it smaller{unit}"
            )


def _notes(
    games: Games, design: Design, search: Search, values: dict[str, float], how: Any
) -> tuple[str, ...]:
    notes = equal_on_both_sides(design.covariates)
    chosen = [name for name in ("spread", "drift", "reversion") if getattr(how, name) == "auto"]
    if (mass := float(games.mass.sum())) < FEW * len(chosen):
        are = "comparison is" if mass == 1 else "comparisons are"
        notes.append(
            f"{mass:,.10g} {are} too few to estimate {', '.join(chosen)}; set them, for example spread=1"
        )
    if len(games.when) == 1:
        return (*notes, ONE_TIME)
    used = len(search.games)
    part = f"the parameters of the motion were chosen on the last {used:,} of {len(games):,} different games"
    without = values | {"drift": 0.0, "reversion": 0.0}
    still = "drift" in search.free and search.loss(without) <= search.loss(values)
    return (*notes, *[STILL] * still, *[part] * (bool(search.free) and used < len(games)))


def go_on(fitted: Fitted, c: Comparisons, how: Any) -> Fitted:
    """Smooth again with more games; the parameters stay as they are."""
    c, old = _used(c, how.ties), fitted.posterior
    later = old.design.games(c, old.design.when(c.time))
    design = old.design.with_new(c)
    motions = tuple(replace(one, n_items=len(design.items)) for one in (old.motion, *old.others))
    games = old.problem.games.then(later)
    times = np.append(old.times, np.asarray(c.time))
    posterior, result = _smoothed(design, games, motions, old.problem.link, times, how)
    return Fitted(posterior, result, fitted.n_free, fitted.notes)


def _used(c: Comparisons, ties: str) -> Comparisons:
    if c.time is None:
        raise InputError(
            "DynamicBradleyTerry needs the time of every comparison; give {@time} to say which it is"
        )
    if ties != "ignore":
        return c
    if not np.any(c.outcome):
        raise ValueError("there are only ties, so ties='ignore' leaves nothing; use ties='davidson'")
    return c[c.outcome != 0]


def _given(c: Comparisons, games: Games, how: Any) -> dict[str, float]:
    """The parameters that are not to be estimated."""
    asked = {name: getattr(how, name) for name in ("spread", "drift", "reversion", "order_drift")}
    given = {name: float(value) for name, value in asked.items() if value != "auto"}
    if how.ties not in MODELS or not (games.outcome == 0).any():
        given["tie"] = 0.0
    if not how.order_effect:
        given["order_drift"] = 0.0
    one_time = len(games.when) == 1
    if one_time:
        given = {"drift": 0.0, "reversion": 0.0, "order_drift": 0.0} | given
    if given.get("drift") == 0.0:
        given.setdefault("reversion", 0.0)
    still = given.get("drift") == given.get("reversion") == given.get("order_drift", 0.0) == 0.0
    if (still or one_time) and ("spread" not in given or "tie" not in given):
        return {"order_drift": 0.0} | _static(c, how, given)
    return given


def _static(c: Comparisons, how: Any, given: dict[str, float]) -> dict[str, float]:
    """Spread and tie of skills that stand still: those of BradleyTerry(prior="normal")."""
    from podium.bradley_terry.estimate import Settings as StaticSettings
    from podium.bradley_terry.estimate import estimate as estimate_static

    def static(c: Comparisons, order_effect: bool) -> Any:
        settings = StaticSettings(
            how.ties, "normal", order_effect, None, "model", "auto", how.tol, how.max_iter
        )
        return estimate_static(c, settings)[0]

    try:
        fit = static(c, how.order_effect)
    except ValueError:  # effects have no prior in the static model, so it may have no estimate
        fit = static(replace(c, covariates=None, covariate_names=()), order_effect=False)
    tie = min(fit.tie - (how.ties == "rao-kupper"), MOST_TIED)
    return {"spread": fit.prior_scale or 1e-3, "tie": tie if how.ties in MODELS else 0.0} | given


def _smoothed(
    design: Design, games: Games, motions: tuple[Motion, ...], link: Link, times: Any, how: Any
) -> tuple[Posterior, SolverResult]:
    problem = Problem.of(games, motions[0], link)
    result = smooth(problem, how.tol, how.max_iter)
    x: Floats = problem.chains.states(result.solution[:, None])[:, 0]
    return Posterior(design, motions[0], motions[1:], problem, np.unique(times), x), result
