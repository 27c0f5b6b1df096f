"""From comparisons to paths: choose the parameters, then smooth."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from podium.bradley_terry.dynamic.design import Design
from podium.bradley_terry.dynamic.games import Games
from podium.bradley_terry.dynamic.motion import Motion
from podium.bradley_terry.dynamic.parameters import Search
from podium.bradley_terry.dynamic.paths import Paths
from podium.bradley_terry.dynamic.smoother import Link, Problem, smooth
from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.numerics.result import SolverResult

MODELS = ("davidson", "rao-kupper")  # of ties
ONE_TIME = "all comparisons have the same time, so nothing can be seen to move"
STILL = "no movement of the skills was found, so the drift is 0"


class Settings(NamedTuple):
    """The parameters of the model."""

    spread: Any
    drift: Any
    reversion: Any
    ties: str
    order_effect: bool
    order_drift: Any
    tol: float
    max_iter: int


class Fitted(NamedTuple):
    """The paths, their solver's report, and how well each game was predicted by those before it."""

    paths: Paths
    result: SolverResult
    one_step: float
    n_free: int
    notes: tuple[str, ...]


def estimate(c: Comparisons, how: Settings) -> Fitted:
    """Fit comparisons with times and outcomes."""
    c = _used(c, how.ties)
    assert c.time is not None
    design = Design.of(c, how.order_effect)
    games = design.games(c, design.when(c.time))
    search = Search(games, design.n_effects, len(design.items), how.ties, _given(c, games, how))
    values = search.best()
    paths, result = _smoothed(
        design, games, search.motion(values), search.link(values), np.unique(c.time), how
    )
    one_time, still = len(games.when) == 1, "drift" in search.free and values["drift"] == 0
    notes = (ONE_TIME,) if one_time else (STILL,) * still
    return Fitted(paths, result, -search.loss(values), len(search.free), notes)


def go_on(fitted: Fitted, c: Comparisons, how: Settings) -> Fitted:
    """Smooth again with more games; spread, drift and ties stay as they are."""
    from podium.bradley_terry.dynamic.filter import forward, one_step_loss

    c, old = _used(c, how.ties), fitted.paths
    assert c.time is not None
    later = old.design.games(c, old.design.when(c.time))
    design = old.design.with_new(c)
    motion = replace(old.motion, n_items=len(design.items))
    seen = forward(later, motion, old.problem.link, old.beliefs(motion.n_movers)).probability
    games = old.problem.games.then(later)
    times = np.unique(np.append(old.times, np.unique(c.time)))
    paths, result = _smoothed(design, games, motion, old.problem.link, times, how)
    one_step = fitted.one_step - one_step_loss(later, seen, half=how.ties == "half")
    return Fitted(paths, result, one_step, fitted.n_free, fitted.notes)


def _used(c: Comparisons, ties: str) -> Comparisons:
    if c.time is None:
        raise ValueError(
            "DynamicBradleyTerry needs the time of every comparison; give time= when you read or make them"
        )
    if ties != "ignore":
        return c
    assert c.outcome is not None
    if not c.outcome.any():
        raise ValueError("there are only ties, so ties='ignore' leaves nothing; use ties='davidson'")
    return c[c.outcome != 0]


def _given(c: Comparisons, games: Games, how: Settings) -> dict[str, float]:
    """The parameters that are not to be estimated."""
    asked = {name: getattr(how, name) for name in ("spread", "drift", "reversion", "order_drift")}
    given = {name: float(value) for name, value in asked.items() if value != "auto"}
    if how.ties not in MODELS or not (games.outcome == 0).any():
        given["tie"] = 0.0
    if not how.order_effect:
        given["order_drift"] = 0.0
    if len(games.when) == 1:
        given |= {"drift": given.get("drift", 0.0), "order_drift": given.get("order_drift", 0.0)}
    if given.get("drift") == 0.0:
        given["reversion"] = 0.0
        if given.get("order_drift", 0.0) == 0.0 and ("spread" not in given or "tie" not in given):
            return given | {"order_drift": 0.0} | _static(c, how, given)
    return given


def _static(c: Comparisons, how: Settings, given: dict[str, float]) -> dict[str, float]:
    """Spread and tie of skills that stand still: those of BradleyTerry(prior="normal")."""
    from podium.bradley_terry.estimate import Settings as StaticSettings
    from podium.bradley_terry.estimate import estimate as estimate_static

    settings = StaticSettings(
        how.ties, "normal", how.order_effect, None, "model", "auto", how.tol, how.max_iter
    )
    fit, _ = estimate_static(c, settings)
    tie = fit.tie - (how.ties == "rao-kupper")
    return {"spread": fit.prior_scale or 1e-3, "tie": tie if how.ties in MODELS else 0.0} | given


def _smoothed(
    design: Design, games: Games, motion: Motion, link: Link, times: Any, how: Settings
) -> tuple[Paths, SolverResult]:
    problem = Problem.of(games, motion, link)
    result = smooth(problem, how.tol, how.max_iter)
    x: Floats = problem.chains.states(result.solution[:, None])[:, 0]
    return Paths(design, motion, problem, times, x), result
