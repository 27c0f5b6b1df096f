"""Cases of models that follow time: DynamicBradleyTerry, Elo, Glicko and Glicko2."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import podium as pod
from tests.frozen import data
from tests.frozen.answers import Answer, Answers, of_frame

FIXED: dict[str, Any] = {"spread": 0.8, "drift": 0.3, "reversion": 0.2}
STREAM = slice(160, None)  # later games, which the models have not seen


def timed(*names: str, seed: int = 0, **options: Any) -> pod.Comparisons:
    return data.with_extras("time", *names, seed=seed, **options)


def timed_teams() -> pod.Comparisons:
    return data.doubles(time=data.extras()["time"])


def dynamic(c: Callable[[], pod.Comparisons], *, moves: bool = True, **options: Any) -> Answers:
    """Fit the first games, predict the later ones one by one, and update."""
    table = c()
    first, later = table[: STREAM.start], table[STREAM]
    model = pod.DynamicBradleyTerry(**options).fit(first)
    known = FIXED.keys() <= options.keys() and model.ties in ("half", "ignore")
    kind, objective = ("estimate", "objective") if known else ("coarse", "coarse objective")
    answers = {
        "log_skill": Answer(kind, model.log_skill_),
        "standard_error": Answer(kind, model.standard_error_),
        "moves": Answer(kind, [model.spread_, model.drift_, model.reversion_, model.order_drift_]),
        "effects": Answer(kind, [model.tie_, model.order_effect_, *model.covariate_effect_]),
        "log_likelihood": Answer(objective, [model.log_likelihood_]),
        "before": Answer(kind, model.before(later)[:8]),
        "probability": Answer(kind, model.predict_proba(later[:6])),
    }
    if moves:
        answers["history"] = Answer(kind, model.history(scale="log")[["score", "low", "high"]])
    answers["updated"] = Answer(kind, model.update(later).log_skill_)
    return answers


def dynamic_cases() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for ties in ("davidson", "rao-kupper", "half", "ignore"):
        yield f"{ties}, all auto", partial(dynamic, timed, ties=ties)
        yield f"{ties}, fixed", partial(dynamic, timed, ties=ties, **FIXED)
    yield "fixed, no reversion", partial(dynamic, timed, spread=1.0, drift=0.5, reversion=0.0, ties="ignore")
    yield "standing still", partial(dynamic, timed, drift=0.0)
    yield "order effect", partial(dynamic, timed, ties="half", order_effect=True, order_drift=0.0, **FIXED)
    yield (
        "moving order effect",
        partial(dynamic, timed, ties="ignore", order_effect=True, order_drift=0.1, **FIXED),
    )
    yield "order effect, all auto", partial(dynamic, partial(timed, "neutral"), order_effect=True)
    yield "covariates", partial(dynamic, partial(timed, "covariates"), ties="half", **FIXED)
    yield "weights and counts", partial(dynamic, partial(timed, "weight", "count"), ties="half", **FIXED)
    yield "dates", partial(dynamic, data.dated)
    yield "teams", partial(dynamic, timed_teams, **FIXED)
    yield "teams, half", partial(dynamic, timed_teams, ties="half", **FIXED)
    yield "40 items", partial(dynamic, partial(timed, n_items=40), ties="ignore", **FIXED)
    yield "views", dynamic_views


def dynamic_views() -> Answers:
    model = pod.DynamicBradleyTerry(ties="half", **FIXED).fit(timed(n=240))
    board = model.leaderboard().to_frame()
    middle = model.leaderboard(at=30.0, scale="log").to_frame()
    found = model.compare("i0001", "i0004")
    history = model.history(relative=True, scale="log")
    best = pod.highest_ever(model.history())
    return {
        **of_frame(
            board,
            rank="exact",
            rank_low="exact",
            rank_high="exact",
            item="exact",
            score="estimate",
            low="estimate",
            high="estimate",
        ),
        "middle": Answer("estimate", middle[["score", "low", "high"]]),
        "compare": Answer("estimate", [found.difference, found.low, found.high, found.p_value]),
        "relative history": Answer("estimate", history[["score", "low", "high"]]),
        "best ever": Answer("exact", best["item"]),
        "summary": Answer("estimate", [model.summary().estimate, model.summary().error]),
    }


# ------------------------------------------------------------------------------------------------ ratings


def rated(make: Callable[[], Any], c: Callable[[], pod.Comparisons]) -> Answers:
    table = c()
    first, later = table[: STREAM.start], table[STREAM]
    model = make().fit(first)
    answers = {
        "before": Answer("computed", model.before(later)[:10]),
        "probability": Answer("computed", model.predict_proba(later[:6])),
        "ratings before": Answer("computed", model.ratings_before(later)[:10]),  # it also updates
    }
    for name in ("rating_", "peak_", "deviation_", "volatility_", "games_", "wins_", "ties_", "losses_"):
        if hasattr(model, name):
            answers[name.rstrip("_")] = Answer("computed", getattr(model, name))
    board = model.leaderboard().to_frame()
    return answers | of_frame(
        board, rank="exact", item="exact", score="computed", low="computed", high="computed"
    )


def ratings() -> Iterator[tuple[str, Callable[[], Answers]]]:
    neutral = partial(timed, "neutral", "weight")
    margins = partial(timed, "covariates")
    yield "Elo", partial(rated, pod.Elo, data.table)
    yield "Elo, ties", partial(rated, partial(pod.Elo, k=32, tie=0.6, advantage=40.0), neutral)
    yield "Elo, FIDE", partial(rated, partial(pod.Elo, "fide", start=1500.0, scale=300.0), timed)
    yield "Elo, margin", partial(rated, partial(pod.Elo, margin="length"), margins)
    yield "Elo, seasons", partial(rated, partial(pod.Elo, regression=0.3, season="year"), data.dated)
    yield "Elo, months", partial(rated, partial(pod.Elo, period="month", tie=0.4), data.dated)
    yield (
        "Elo, pauses",
        partial(rated, partial(pod.Elo, regression=0.2, season=2.0, initial={"i0001": 1400.0}), timed),
    )
    yield "Elo, teams", partial(rated, partial(pod.Elo, k=24), data.doubles)
    yield "Glicko", partial(rated, pod.Glicko, timed)
    yield "Glicko, growth", partial(rated, partial(pod.Glicko, growth=30.0, period=7.0, tie=0.5), timed)
    yield (
        "Glicko, months",
        partial(rated, partial(pod.Glicko, growth=20.0, period="month", advantage=30.0), data.dated),
    )
    yield (
        "Glicko, game by game",
        partial(rated, partial(pod.Glicko, initial={"i0002": (1700.0, 80.0)}), data.table),
    )
    yield "Glicko2", partial(rated, pod.Glicko2, timed)
    yield "Glicko2, weeks", partial(rated, partial(pod.Glicko2, tau=1.0, period="week", tie=0.5), data.dated)
    yield "Glicko2, weights", partial(rated, partial(pod.Glicko2, volatility=0.1, advantage=50.0), neutral)
    yield "walking forward", walk
    yield "tuning forward", tune


def walk() -> Answers:
    answers = {}
    for model in (pod.Elo(tie=0.6), pod.BradleyTerry(prior=0.5)):
        found = pod.evaluation.walk_forward(model, timed(), n_bootstrap=20, refits=4)
        p = np.asarray(found.probability)
        answers[type(model).__name__] = Answer("probability", p[np.isfinite(p).all(axis=1)])
    return answers


def tune() -> Answers:
    found = pod.evaluation.tune_forward(pod.Elo(), timed())
    return {"loss": Answer("searched", [found.loss]), "chosen": Answer("exact", list(found.chosen))}


CASES = {
    **{f"DynamicBradleyTerry: {name}": case for name, case in dynamic_cases()},
    **{f"ratings: {name}": case for name, case in ratings()},
}
