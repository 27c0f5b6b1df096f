"""Cases of BradleyTerry: every option, hard graphs, and what is asked of a fitted model."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import podium as pod
from tests.frozen import data
from tests.frozen.answers import Answer, Answers, of_frame, under

TIES = ("davidson", "rao-kupper", "half", "ignore")


def fitted(model: Any, new: pod.Comparisons, *, errors: bool = True) -> Answers:
    """Everything that a fit of BradleyTerry says about the items and about some games."""
    kind, error, objective, probability = ("estimate", "error", "objective", "probability")
    if model.prior == "normal":
        kind = error = probability = "searched"
        objective = "searched objective"
    answers = {
        "items": Answer("exact", model.items_ if len(model.items_) <= 60 else [len(model.items_)]),
        "components": Answer("exact", np.bincount(model.components_)),
        "log_skill": Answer(kind, model.log_skill_),
        "log_likelihood": Answer(objective, [model.log_likelihood_, model.aic_, model.bic_]),
        "effects": Answer(kind, [model.tie_, model.order_effect_, *model.covariate_effect_]),
        "prior": Answer(kind, [model.prior_, model.prior_scale_, *model.feature_effect_]),
        "decision": Answer(kind, model.decision_function(new)),
        "probability": Answer(probability, model.predict_proba(new)),
    }
    if _is_decided(answers["probability"].value):
        answers["score"] = Answer("probability" if kind == "estimate" else kind, model.score(new))
    if errors:
        answers |= {
            "standard_error": Answer(error, model.standard_error_),
            "effect_error": Answer(error, [*model.covariate_error_, *model.feature_error_]),
        }
    return answers


def _is_decided(probability: Any) -> bool:
    """Whether rounding cannot change the predicted outcomes, and with them the score."""
    lesser, larger = np.sort(probability, axis=1)[:, -2:].T
    return bool((larger - lesser > 1e-6).all())


def fit(c: Callable[[], pod.Comparisons], *, errors: bool = True, rows: int = 6, **options: Any) -> Answers:
    table = c()
    return fitted(pod.BradleyTerry(**options).fit(table), table[:rows], errors=errors)


def options() -> Iterator[tuple[str, Callable[[], Answers]]]:
    normal = data.described
    for ties in TIES:
        yield f"{ties}", partial(fit, data.table, ties=ties)
        yield f"{ties}, order effect", partial(fit, data.table, ties=ties, order_effect=True)
        yield f"{ties}, prior 0.5", partial(fit, data.table, ties=ties, prior=0.5)
        yield f"{ties}, prior 0", partial(fit, data.table, ties=ties, prior=0.0)
        yield f"{ties}, normal", partial(fit, data.table, ties=ties, prior="normal", order_effect=True)
        yield f"{ties}, normal, features", partial(fit, normal, ties=ties, prior="normal")
        neutral = partial(data.with_extras, "neutral")
        yield f"{ties}, neutral", partial(fit, neutral, ties=ties, order_effect=True)
        covariates = partial(data.with_extras, "covariates", "neutral")
        yield f"{ties}, covariates", partial(fit, covariates, ties=ties, order_effect=True)
        weights = partial(data.with_extras, "weight", "count", "group")
        for covariance in ("model", "robust", "cluster"):
            name = f"{ties}, weights and counts, {covariance}"
            yield name, partial(fit, weights, ties=ties, covariance=covariance)
        yield f"{ties}, teams", partial(fit, data.doubles, ties=ties)
        yield f"{ties}, champion", partial(fit, data.with_a_champion, ties=ties)


def more_options() -> Iterator[tuple[str, Callable[[], Answers]]]:
    everything = partial(data.with_extras, "covariates", "neutral", "weight", "count", "group")
    for covariance in ("model", "robust", "cluster"):
        yield (
            f"everything, {covariance}",
            partial(fit, everything, order_effect=True, covariance=covariance, prior=0.2),
        )
    yield "covariates, normal", partial(fit, partial(data.with_extras, "covariates"), prior="normal")
    yield "half life in the unit of time", partial(fit, partial(data.with_extras, "time"), half_life=20.0)
    yield "half life of dates", partial(fit, data.dated, half_life="6mo", order_effect=True)
    yield "half life, robust", partial(fit, data.dated, half_life="1y", covariance="robust")
    yield "teams, order effect", partial(fit, data.doubles, order_effect=True, covariance="robust")
    yield "teams, prior 2", partial(fit, data.doubles, ties="half", prior=2.0)
    grouped = partial(data.doubles, group=np.arange(240) % 9)
    yield "teams, cluster", partial(fit, grouped, covariance="cluster")
    yield "sample weight", sample_weight
    yield "without ties in the data", partial(fit, partial(data.table, tie=0.0), order_effect=True)
    yield "almost only ties", partial(fit, partial(data.table, tie=50.0), prior=0.1)
    yield "two items", partial(fit, partial(data.table, n_items=2, n=40))
    yield "expected outcomes", expected_outcomes


def graphs() -> Iterator[tuple[str, Callable[[], Answers]]]:
    parts = data.in_two_parts
    yield "two parts", partial(fit, parts)
    yield "two parts, prior 0.3", partial(fit, parts, prior=0.3)
    yield "two parts, normal", partial(fit, parts, prior="normal")
    yield "two parts, order effect", partial(fit, parts, order_effect=True, covariance="robust")
    yield "champion with ties", partial(fit, partial(data.with_a_champion, ties=True), order_effect=True)
    yield "champion, normal", partial(fit, data.with_a_champion, prior="normal")
    for name, edges in {
        "chain of 40": data.chain(40),
        "chain of 400": data.chain(400),
        "ladder of 60": data.ladder(30),
        "ring of 300": data.ring(300),
        "grid of 20 x 20": data.grid(20),
    }.items():
        c = partial(data.graph, edges)
        yield name, partial(fit, c)
        yield f"{name}, weak prior", partial(fit, c, prior=1e-3, order_effect=True)
    yield "chain of 40, Rao-Kupper", partial(fit, partial(data.graph, data.chain(40)), ties="rao-kupper")
    yield "chain of 40, normal", partial(fit, partial(data.graph, data.chain(40)), prior="normal")
    yield "random games, 300 items", partial(fit, partial(data.sparse, 300, 500))
    yield "random games, 300 items, weak prior", partial(fit, partial(data.sparse, 300, 400), prior=1e-2)
    yield "random games, 1,500 items", partial(fit, partial(data.sparse, 1500, 3000), errors=False)
    yield "dense games, 1,200 items", partial(fit, partial(data.sparse, 1200, 30_000), errors=False)
    yield "dense games, 150 items", partial(fit, partial(data.sparse, 150, 4000), order_effect=True)


def solvers() -> Iterator[tuple[str, Callable[[], Answers]]]:
    """All solvers find the same optimum."""
    for solver in ("lbfgs", "newton", "mm"):
        yield f"solver {solver}", partial(fit, data.table, solver=solver, max_iter=10_000)
        yield f"solver {solver}, half", partial(fit, data.table, solver=solver, ties="half", max_iter=10_000)
        name = f"solver {solver}, order effect, prior 0.5"
        yield name, partial(fit, data.table, solver=solver, order_effect=True, prior=0.5, max_iter=10_000)
    for solver in ("lbfgs", "newton"):
        yield f"solver {solver}, Rao-Kupper", partial(fit, data.table, solver=solver, ties="rao-kupper")
        covariates = partial(data.with_extras, "covariates")
        yield f"solver {solver}, covariates", partial(fit, covariates, solver=solver)
        yield f"solver {solver}, grid", partial(fit, partial(data.graph, data.grid(8)), solver=solver)
    yield "solver mm, teams", partial(fit, data.doubles, solver="mm", max_iter=10_000)


def sample_weight() -> Answers:
    c = data.table()
    model = pod.BradleyTerry(covariance="robust").fit(c, sample_weight=data.extras()["weight"])
    return fitted(model, c[:6])


def expected_outcomes() -> Answers:
    """Outcomes that are probabilities: each row counts as both outcomes, by their probability."""
    c = data.table()
    p = np.random.default_rng(3).uniform(0.05, 0.95, len(c))
    soft = pod.Comparisons.from_arrays(c.items[c.left], c.items[c.right], p, outcome_format="probability")
    return fitted(pod.BradleyTerry(covariance="robust").fit(soft), soft[:6])


# ---------------------------------------------------------------------- what is asked of a fitted model


def asked() -> pod.BradleyTerry:
    c = data.with_extras("group", "category", n=400)
    return pod.BradleyTerry(order_effect=True).fit(c)


BOARD = {
    "rank": "exact", "rank_low": "exact", "rank_high": "exact",
    "item": "exact", "score": "estimate", "low": "estimate", "high": "estimate",
    "games": "computed", "wins": "computed", "ties": "computed", "losses": "computed",
}  # fmt: skip


def boards() -> Answers:
    model, answers = asked(), Answers()
    views: dict[str, dict[str, Any]] = {
        "elo": {},
        "log": {"scale": "log", "level": 0.8, "ranks": "pairwise"},
        "skill": {"scale": "skill"},
        "anchored": {"anchor": ("i0002", 1000.0), "min_games": 95.0},
        "anytime": {"anytime": True},
        "anytime, pairwise": {"anytime": True, "ranks": "pairwise"},
    }
    for name, options in views.items():
        answers |= under(name, of_frame(model.leaderboard(**options).to_frame(), **BOARD))
    return answers


def boards_of_categories() -> Answers:
    model = asked()
    searched = {k: "searched" if kind == "estimate" else kind for k, kind in BOARD.items()}
    pooled = model.leaderboard(by="category").to_frame()
    alone = model.leaderboard(by="category", pooled=False).to_frame()
    return {
        **under("pooled", of_frame(pooled, **searched, unpooled="estimate")),
        **under("alone", of_frame(alone, **BOARD)),
    }


def differences(**options: Any) -> Answers:
    model = pod.BradleyTerry(**options).fit(data.with_extras("group", n=400))
    answers = {"interval": Answer("estimate", model.interval(0.9))}
    enough = model.fit_.degrees >= 19  # anytime intervals need 20 groups, if errors are clustered
    for anytime in (False, True)[: 1 + enough]:
        found = model.compare("i0001", "i0004", 0.9, anytime=anytime)
        numbers = [found.difference, found.standard_error, found.low, found.high, found.p_value]
        answers[f"compare, {anytime=}"] = Answer("estimate", numbers)
    return answers


def goodness() -> Answers:
    answers = {}
    for ties in ("davidson", "rao-kupper", "ignore"):
        found = pod.BradleyTerry(ties).fit(data.table(n=400)).goodness_of_fit()
        answers[ties] = Answer(
            "estimate", [found.chi_squared, found.deviance, found.p_value, found.smallest_expected]
        )
        answers[f"{ties}, degrees of freedom"] = Answer("exact", [found.degrees_of_freedom])
    return answers


def judges(**options: Any) -> Answers:
    frame = pod.BradleyTerry(**options).fit(data.with_extras("group", n=400)).judges()
    exact = {name: "exact" for name in ("judge", "with_prior", "flagged", "reason") if name in frame}
    numbers = {
        name: "estimate"
        for name in frame
        if name not in exact and np.issubdtype(frame[name].dtype, np.number)
    }
    return of_frame(frame, **exact, **numbers)


def planning() -> Answers:
    model = asked()
    top = model.votes_needed(top=3)
    answers = {
        "votes": Answer(
            "exact", [model.votes_needed("i0001", "i0004"), model.votes_needed("i0000", "i0003")]
        ),
        "top": Answer("exact", top["votes"]),
    }
    for goal in ("ranking", "best", "top-3", ("i0001", "i0004")):
        pairs = model.next_pairs(6, goal, explore=0.0, random_state=0)
        either = np.sort(pairs[["left", "right"]].to_numpy(dtype=str), axis=1)
        answers[f"pairs for {goal}"] = Answer("exact", either)
        answers[f"gain for {goal}"] = Answer("estimate", 1e3 * pairs["gain"])
    return answers


def tests() -> Answers:
    model = asked()
    quasi = model.quasi_variances()
    summary = model.summary(quasi=True)
    answers = {
        "win matrix": Answer("probability", model.win_matrix()),
        "covariance": Answer("error", model.covariance_),
        "quasi": Answer("error", quasi[["estimate", "error", "quasi_error", "worst_error"]]),
        "summary": Answer("estimate", [summary.estimate, summary.error, summary.z, summary.p]),
        "summary, quasi": Answer("error", summary.quasi_error),
        "triangles": Answer("exact", [model.intransitivity().n_cycles, model.intransitivity().n_triangles]),
    }
    for adjust in ("holm", "bonferroni", "none"):
        frame = model.pairwise_tests(adjust=adjust)
        numbers = frame[["difference", "error", "p", "p_adjusted", "low", "high"]]
        answers[f"tests, {adjust}"] = Answer("estimate", numbers)
    return answers


def ratio() -> Answers:
    c = data.with_extras("covariates")
    smaller = pod.BradleyTerry().fit(data.table())
    larger = pod.BradleyTerry(order_effect=True).fit(data.table())
    found = pod.likelihood_ratio(smaller, larger)
    more = pod.likelihood_ratio(
        pod.BradleyTerry().fit(c.with_covariates({"length": np.asarray(c.covariates)[:, 0]})),
        pod.BradleyTerry().fit(c),
    )
    return {
        "statistic": Answer("objective", [found.statistic, more.statistic]),
        "df": Answer("exact", [found.df, more.df]),
        "p": Answer("probability", [found.p_value, more.p_value]),
    }


def newcomers() -> Answers:
    """A normal prior predicts items that it has not seen, from their features."""
    c = data.described()
    model = pod.BradleyTerry(prior="normal").fit(c)
    new = pod.Comparisons.from_arrays(["new", "i0001"], ["i0002", "newer"])
    new = new.with_features(np.linspace(-1.0, 1.0, 8).reshape(4, 2), ["age", "size"])
    return {
        "given": Answer("searched", model.predict_proba(new)),
        "average": Answer("searched", model.predict_proba(new, unseen="average")),
    }


def bootstrap(c: Callable[[], pod.Comparisons], *, groups: bool = False, **options: Any) -> Answers:
    found = pod.BradleyTerry(**options).fit(c()).bootstrap(300, random_state=0, groups=groups)
    effects = [x.std() for x in (found.tie, found.order_effect) if np.isfinite(x).all()]
    width = np.diff(found.interval(0.8), axis=1)
    return {
        "error": Answer("drawn", found.standard_error),
        "effects": Answer("drawn", effects),
        "width": Answer("drawn", width),
    }


def questions() -> Iterator[tuple[str, Callable[[], Answers]]]:
    yield "boards", boards
    yield "boards of categories", boards_of_categories
    for covariance in ("model", "robust", "cluster"):
        yield f"differences, {covariance}", partial(differences, covariance=covariance)
    yield "differences, prior", partial(differences, prior=0.5)
    yield "goodness of fit", goodness
    for ties in TIES:
        yield f"judges, {ties}", partial(judges, ties=ties, order_effect=True)
    yield "judges, prior", partial(judges, prior=0.5)
    yield "planning", planning
    yield "tests", tests
    yield "likelihood ratio", ratio
    yield "newcomers", newcomers
    yield "bootstrap", partial(bootstrap, data.table, order_effect=True)
    yield "bootstrap, half", partial(bootstrap, data.table, ties="half")
    yield "bootstrap, Rao-Kupper", partial(bootstrap, data.table, ties="rao-kupper", prior=0.5)
    yield "bootstrap of groups", partial(bootstrap, partial(data.with_extras, "group"), groups=True)
    yield "bootstrap of teams", partial(bootstrap, data.doubles)
    yield "bootstrap, normal", partial(bootstrap, data.table, prior="normal")


CASES = {
    f"BradleyTerry: {name}": case
    for group in (options, more_options, graphs, solvers, questions)
    for name, case in group()
}
