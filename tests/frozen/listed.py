"""Cases of PlackettLuce: rankings and choices."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import podium as pod
from tests.frozen import data
from tests.frozen.answers import Answer, Answers, of_frame

SETS = [["r0", "r1"], ["r2", "r3", "r4"], ["r0", "r3", "r5", "r6"]]


def lists(**options: Any) -> pod.Rankings:
    return pod.Rankings.from_lists(data.rankings(**options))


def with_columns(*names: str, tied: float = 0.0, n: int = 60) -> pod.Rankings:
    columns = data.extras(n)
    return pod.Rankings.from_lists(data.rankings(n=n, tied=tied), **{k: columns[k] for k in names})


def partial_lists(tied: float = 0.0) -> pod.Rankings:
    """Rankings whose last entry is an unordered rest of two."""
    orders = [[*order[:-2], tuple(order[-2:])] for order in data.rankings(n=120) if len(order) > 3]
    return pod.Rankings.from_lists(orders, rest=True)


def choices() -> pod.Rankings:
    return pod.Rankings.from_choices(*data.choices())


def in_two_parts() -> pod.Rankings:
    other = [[f"x{item}" for item in order] for order in data.rankings(5, 40, 1)]
    return pod.Rankings.from_lists(data.rankings(6, 40) + other)


def with_a_champion() -> pod.Rankings:
    return pod.Rankings.from_lists([["champion", *order] for order in data.rankings(n=30)])


def scores() -> pod.Rankings:
    points = np.random.default_rng(5).integers(0, 12, (50, 6)).astype(float)
    points[np.random.default_rng(6).random(points.shape) < 0.2] = np.nan
    points = points[np.isfinite(points).sum(axis=1) > 1]
    return pod.Rankings.from_scores(points, higher_is_better=False)


def fit(r: Callable[[], pod.Rankings], sets: Any = SETS, *, errors: bool = True, **options: Any) -> Answers:
    rankings = r()
    model = pod.PlackettLuce(**options).fit(rankings)
    normal = options.get("prior") == "normal"
    kind, error = ("searched", "searched") if normal else ("estimate", "error")
    objective = "searched objective" if normal else "objective"
    answers = {
        "components": Answer("exact", np.bincount(model.components_)),
        "log_skill": Answer(kind, model.log_skill_),
        "tie": Answer(kind, list(model.tie_.values())),
        "tied": Answer("exact", list(model.tie_)),
        "log_likelihood": Answer(objective, [model.log_likelihood_, model.aic_, model.bic_]),
        "prior": Answer(kind, [model.prior_, model.prior_scale_]),
        "score": Answer(kind, model.score(rankings)),
    }
    if errors:
        answers["standard_error"] = Answer(error, model.standard_error_)
    if sets is not None:
        answers["probability"] = Answer(kind, np.concatenate(model.predict_proba(sets)))
    return answers


def options() -> Iterator[tuple[str, Callable[[], Answers]]]:
    tied = partial(lists, tied=0.3)
    yield "rankings", partial(fit, lists)
    yield "ties", partial(fit, tied)
    yield "ties ignored", partial(fit, tied, ties="ignore")
    both: dict[str, Callable[[], pod.Rankings]] = {"rankings": lists, "ties": tied}
    for name, r in both.items():
        yield f"{name}, prior 0.5", partial(fit, r, prior=0.5)
        yield f"{name}, prior 0", partial(fit, r, prior=0.0)
        yield f"{name}, normal", partial(fit, r, prior="normal")
    for covariance in ("model", "robust", "cluster"):
        for share in (0.0, 0.3):
            r = partial(with_columns, "weight", "count", "group", tied=share)
            name = f"weights and counts{', ties' * (share > 0)}, {covariance}"
            yield name, partial(fit, r, covariance=covariance)
    yield "unordered rest", partial(fit, partial_lists)
    yield "unordered rest, prior 1, robust", partial(fit, partial_lists, prior=1.0, covariance="robust")
    yield "choices", partial(fit, choices)
    yield "choices, normal", partial(fit, choices, prior="normal")
    yield "scores with ties", partial(fit, scores, sets=[[0, 1, 2], [3, 5]])
    yield "two parts", partial(fit, in_two_parts, sets=None)
    yield "two parts, prior 0.2", partial(fit, in_two_parts, sets=[["r0", "xr1"], ["r2", "xr3", "xr4"]])
    yield "champion", partial(fit, with_a_champion)
    yield "champion, normal", partial(fit, with_a_champion, prior="normal")
    yield "pairs only", partial(fit, partial(lists, longest=2, n=200))
    yield "pairs only, ties", partial(fit, partial(lists, longest=2, n=200, tied=0.3))
    yield "200 items", partial(fit, partial(lists, n_items=200, n=500, longest=6))
    yield "200 items, ties", partial(fit, partial(lists, n_items=200, n=500, longest=6, tied=0.2))
    yield "1,200 items", partial(fit, partial(lists, n_items=1200, n=2500, longest=6), errors=False)


def sample_weight() -> Answers:
    r = lists(tied=0.3)
    model = pod.PlackettLuce().fit(r, sample_weight=data.extras(60)["weight"])
    return {
        "log_skill": Answer("estimate", model.log_skill_),
        "error": Answer("error", model.standard_error_),
    }


def views() -> Answers:
    model = pod.PlackettLuce().fit(lists(tied=0.2, n=150))
    board = model.leaderboard().to_frame()
    found = model.compare("r0", "r3")
    anytime = model.compare("r0", "r3", anytime=True)
    summary = model.summary()
    pairs = model.next_pairs(5, explore=0.0, random_state=0)
    return {
        **of_frame(board, rank="exact", rank_low="exact", rank_high="exact", item="exact",
                   score="estimate", low="estimate", high="estimate",
                   games="computed", wins="computed", ties="computed", losses="computed"),
        "compare": Answer("estimate", [found.difference, found.low, found.high, found.p_value]),
        "anytime": Answer("estimate", [anytime.low, anytime.high, anytime.p_value]),
        "summary": Answer("estimate", [summary.estimate, summary.error, summary.z, summary.p]),
        "quasi": Answer("error", model.quasi_variances()[["quasi_error", "worst_error"]]),
        "tests": Answer("estimate", model.pairwise_tests()[["p_adjusted", "low", "high"]]),
        "win matrix": Answer("probability", model.win_matrix()),
        "gain": Answer("estimate", 1e3 * pairs["gain"]),
        "votes": Answer("exact", [model.votes_needed("r0", "r3")]),
        "predict": Answer("exact", model.predict(SETS)),
    }  # fmt: skip


def bootstrap(r: Callable[[], pod.Rankings], *, groups: bool = False, **options: Any) -> Answers:
    found = pod.PlackettLuce(**options).fit(r()).bootstrap(300, random_state=0, groups=groups)
    return {"error": Answer("drawn", found.standard_error)}


def questions() -> Iterator[tuple[str, Callable[[], Answers]]]:
    yield "sample weight", sample_weight
    yield "views", views
    yield "bootstrap", partial(bootstrap, lists)
    yield "bootstrap, ties", partial(bootstrap, partial(lists, tied=0.3))
    yield "bootstrap of groups", partial(bootstrap, partial(with_columns, "group"), groups=True)


CASES = {f"PlackettLuce: {name}": case for group in (options, questions) for name, case in group()}
