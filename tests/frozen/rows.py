"""Cases of rows with ordered labels or classes, the coupling of probabilities, and metrics."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import podium as pod
from experiments.zadrozny import couple_by_heuristic
from tests.frozen import data
from tests.frozen.answers import Answer, Answers
from tests.frozen.machines import KERNELS, TOL, inner

NEW = data.labelled(12, seed=98)[0]


def ordered(make: Callable[[], Any], *, qid: bool = False, weights: bool = False, **options: Any) -> Answers:
    X, y = data.labelled(**options)
    given: dict[str, Any] = {}
    if qid:
        given["qid"] = np.arange(len(y)) % 4
    if weights:
        given["sample_weight"] = data.extras(len(y))["weight"]
    model = make().fit(X, y, **given)
    answers = {"objective": Answer("gap", [model.result_.objective])}
    if hasattr(model, "thresholds_"):
        answers["projection"] = Answer("margin", model.projection(NEW))
        answers["thresholds"] = Answer("margin", model.thresholds_)
        answers["prediction"] = Answer("computed", model.predict(NEW))
    else:
        answers["decision"] = Answer("margin", model.decision_function(NEW))
    return answers


def swapped_pairs() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for name, kernel in KERNELS.items():
        make = partial(pod.SwappedPairsSVM, **kernel, C=0.3, tol=TOL, random_state=0)
        yield name, partial(ordered, make)
        yield f"{name}, targets", partial(ordered, make, labels=None)
    make = partial(pod.SwappedPairsSVM, tol=TOL, random_state=0)
    yield "two labels", partial(ordered, make, labels=2)
    yield "queries", partial(ordered, make, qid=True)
    yield "weights", partial(ordered, make, weights=True)
    yield "300 rows, 10 features", partial(swapped_many, make)
    yield (
        "cutting planes",
        partial(ordered, partial(pod.SwappedPairsSVM, C=0.1, solver="cutting-plane", tol=TOL)),
    )
    yield "sparse", partial(swapped_sparse, make)


def swapped_many(make: Callable[[], Any]) -> Answers:
    X, y = data.labelled(300, 10, labels=None)
    model = make().fit(X, y)
    return {"objective": Answer("gap", [model.result_.objective]), "coef": Answer("margin", model.coef_)}


def swapped_sparse(make: Callable[[], Any]) -> Answers:
    X, y = data.labelled(80, 6)
    model = make().fit(sp.csr_array(np.where(np.abs(X) > 0.7, X, 0.0)), y)
    return {"objective": Answer("gap", [model.result_.objective]), "coef": Answer("margin", model.coef_)}


def herbrich() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for name, kernel in KERNELS.items():
        make = partial(pod.HerbrichSVM, None, **kernel, C=0.1, tol=TOL, random_state=0)
        yield f"{name}, all partners", partial(ordered, make, n=30)
    yield (
        "queries, weights",
        partial(
            ordered,
            partial(pod.HerbrichSVM, None, C=0.1, tol=TOL, random_state=0),
            n=30,
            qid=True,
            weights=True,
        ),
    )


def ordinal() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for constraints in ("implicit", "explicit"):
        for name, kernel in KERNELS.items():
            make = partial(pod.OrdinalSVM, constraints, **kernel, tol=TOL)
            yield f"{constraints}, {name}", partial(ordered, make)
        make = partial(pod.OrdinalSVM, constraints, C=20.0, tol=TOL)
        yield f"{constraints}, C = 20, weights", partial(ordered, make, weights=True)
        yield (
            f"{constraints}, bins",
            partial(ordered, partial(pod.OrdinalSVM, constraints, bins=4, tol=TOL), labels=None),
        )
        yield (
            f"{constraints}, 400 rows",
            partial(ordered, partial(pod.OrdinalSVM, constraints, tol=TOL), n=400),
        )


# ------------------------------------------------------------------------------------------ games


def game(make: Callable[[], Any], *, k: int = 3, weights: bool = False, p: int = 2) -> Answers:
    X, y = data.classes(k=k, p=p)
    model = make().fit(X, y, sample_weight=data.extras(len(y))["weight"] if weights else None)
    new = data.classes(9, p, 97, k)[0]
    return {
        "value": Answer("gap", [model.value_]),
        "decision": Answer("margin", model.decision_function(new)),
        "prediction": Answer("exact", model.predict(new)),
    }


def games() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for name, kernel in KERNELS.items():
        for ridge in (0.1, 2.0):
            make = partial(pod.PreferenceGame, **kernel, ridge=ridge, tol=TOL)
            yield f"{name}, ridge {ridge}", partial(game, make)
    yield "callable kernel", partial(game, partial(pod.PreferenceGame, inner, tol=TOL))
    yield "weights", partial(game, partial(pod.PreferenceGame, tol=TOL), weights=True)
    yield "five classes", partial(game, partial(pod.PreferenceGame, "rbf", tol=TOL), k=5, p=3)
    yield "no ridge", hard_game
    yield "contradictions: the value is 0", worthless
    yield "preferences", preferences
    for combine in ("uniform", "optimal"):
        yield f"sub-games, {combine}", partial(sub_games, combine)


def hard_game() -> Answers:
    X = np.random.default_rng(3).normal(size=(12, 4))
    y = np.arange(12) % 3
    model = pod.PreferenceGame("rbf", gamma=0.5, ridge=0.0, tol=TOL).fit(X, y)
    return {
        "value": Answer("gap", [model.value_]),
        "decision": Answer("margin", model.decision_function(X[:6])),
    }


def worthless() -> Answers:
    X = [[1.0], [2.0], [3.0]]
    model = pod.PreferenceGame("linear", ridge=0.0).fit_preferences(
        X, [(0, "a", "b"), (1, "b", "a"), (2, "a", "c")]
    )
    return {"value": Answer("gap", [model.value_])}


def preferences() -> Answers:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(15, 3))
    utility = X @ rng.normal(size=(3, 4))
    drawn = rng.permuted(np.tile(np.arange(4), (60, 1)), axis=1)[:, :2].tolist()
    rows = [(k // 4, a, b) for k, (a, b) in enumerate(drawn) if utility[k // 4, a] > utility[k // 4, b]]
    model = pod.PreferenceGame("linear", ridge=0.5, tol=TOL).fit_preferences(X, rows)
    return {
        "value": Answer("gap", [model.value_]),
        "decision": Answer("margin", model.decision_function(X[:6])),
        "strategy": Answer("margin", model.strategy_),
    }


def sub_games(combine: Any) -> Answers:
    """The draws of sub-games may change; the value can not be below that of the exact game, nor far above."""
    X, y = data.classes()
    model = pod.PreferenceGame(
        solver="sampled", combine=combine, n_games=60, sample_size=0.3, random_state=0
    ).fit(X, y)
    return {"value": Answer("drawn", [model.value_]), "prediction": Answer("exact", model.predict(4 * X[:6]))}


# ---------------------------------------------------------------------- coupling, classifiers, metrics


def code(kind: str, k: int) -> Any:
    pairs = [(i, j) for i in range(k) for j in range(i)]
    if kind == "one-vs-rest":
        return 2 * np.eye(k, dtype=int) - 1
    if kind == "one-vs-one":
        rows = np.zeros((len(pairs), k), dtype=int)
        for row, (i, j) in zip(rows, pairs, strict=True):
            row[i], row[j] = 1, -1
        return rows
    choices = [-1, 1] if kind == "dense" else [-1, 0, 1]
    rows = np.random.default_rng(k).choice(choices, (40, k))
    return rows[(rows == 1).any(axis=1) & (rows == -1).any(axis=1)][:12]


def coupled(method: Any, kind: str, k: int, *, extreme: bool = False, **options: Any) -> Answers:
    matrix = code(kind, k)
    rng = np.random.default_rng(k)
    r = rng.uniform(0.05, 0.95, (6, len(matrix)))
    if extreme:
        r[:3] = np.where(r[:3] < 0.3, 0.0, np.where(r[:3] > 0.7, 1.0, r[:3]))
    return {"p": Answer("estimate", pod.couple(matrix, r, method=method, **options))}


def by_heuristic() -> Answers:
    r = np.random.default_rng(5).uniform(0.05, 0.95, (6, 5))
    return {"p": Answer("estimate", couple_by_heuristic(code("one-vs-rest", 5), r).solution)}


def counted() -> Answers:
    matrix = code("one-vs-one", 5)
    rng = np.random.default_rng(0)
    won, lost = rng.integers(0, 9, (2, 4, len(matrix))).astype(float)
    n = np.arange(1.0, 1.0 + len(matrix))
    return {
        "p": Answer("estimate", pod.couple(matrix, won, lost)),
        "weighted": Answer("estimate", pod.couple(matrix, won, lost, n=n)),
    }


def coupling() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for kind in ("one-vs-rest", "one-vs-one", "dense", "sparse"):
        for k in (3, 6):
            yield f"{kind}, {k} classes", partial(coupled, "generalized-bt", kind, k)
        yield f"{kind}, zeros and ones", partial(coupled, "generalized-bt", kind, 5, extreme=True)
        n = np.arange(1.0, 1.0 + len(code(kind, 5)))
        yield f"{kind}, weights", partial(coupled, "generalized-bt", kind, 5, n=n)
    for method in ("pairwise", "wu-lin-weng"):
        yield f"{method}", partial(coupled, method, "one-vs-one", 6)
        yield f"{method}, zeros and ones", partial(coupled, method, "one-vs-one", 5, extreme=True)
    yield "zadrozny", by_heuristic
    yield "counts", counted


def coded(**options: Any) -> Answers:
    X, y = data.classes(90, 3, k=5)
    binary = LogisticRegression(tol=1e-10, max_iter=1000)
    model = pod.CodedClassifier(binary, random_state=0, **options).fit(X, y)
    new = data.classes(10, 3, 96, 5)[0]
    return {
        "probability": Answer("margin", model.predict_proba(new)),
        "class": Answer("exact", model.predict(new)),
    }


def classifiers() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for name in ("one-vs-rest", "one-vs-one"):
        yield name, partial(coded, code=name)
    yield "dense", partial(coded, code=code("dense", 5))
    yield "sparse", partial(coded, code=code("sparse", 5))
    yield "wu-lin-weng", partial(coded, code="one-vs-one", method="wu-lin-weng")


def online_svc(**options: Any) -> Answers:
    X, y = data.classes(60, 3, k=options.pop("k", 3))
    weight = np.arange(60) % 3 + 1.0
    model = pod.OnlineSVC(shuffle=False, step_size=0.05, **options).fit(X, y, sample_weight=weight)
    return {
        "coef": Answer("computed", model.coef_),
        "intercept": Answer("computed", model.intercept_),
        "losses": Answer("computed", model.losses_),
    }


def online() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for weighting in ("slack", "replicas", "margin"):
        yield f"{weighting}", partial(online_svc, weighting=weighting)
        yield f"{weighting}, two classes", partial(online_svc, weighting=weighting, k=2, step="inverse")
    yield "last step, no constant", partial(online_svc, average=False, fit_intercept=False)


def metrics() -> Answers:
    rng = np.random.default_rng(8)
    y, d, w = rng.integers(-1, 2, 80), rng.normal(size=80).round(1), rng.uniform(0.5, 2, 80)
    p = rng.dirichlet([2, 1, 2], 80)
    labels, score, qid = rng.integers(0, 4, 80), rng.normal(size=80).round(1), np.arange(80) // 10
    m = pod.metrics
    fpr, tpr = m.comparison_roc_curve(y, d, w)[:2]
    bins = m.calibration_bins(y == 1, p[:, 2], 5, w)
    return {
        "auc": Answer("computed", [m.comparison_auc(y, d), m.comparison_auc(y, d, w), m.baseline_auc(y, w)]),
        "error": Answer("computed", [m.comparison_error(y, np.sign(d), w), m.log_loss(y, p, w)]),
        "roc": Answer("computed", [np.asarray(fpr, dtype=float), np.asarray(tpr, dtype=float)]),
        "bins": Answer("computed", [bins.predicted, bins.observed, bins.weight]),
        "ndcg": Answer(
            "computed", [m.ndcg(labels, score, qid), m.ndcg(labels, score, qid, 3, gain="linear")]
        ),
        "swapped": Answer(
            "computed", [m.swapped_pairs(labels, score, qid), m.swapped_pairs(labels, score, qid, w)]
        ),
        "alpha": Answer(
            "computed", [m.krippendorff_alpha(qid, labels, distance=x) for x in ("nominal", "interval")]
        ),
    }


def simulated() -> Answers:
    """What does not depend on random draws."""
    p = pod.datasets.make_class_probabilities(8, "a")
    return {"class probabilities": Answer("computed", p)}


CASES = {
    **{f"SwappedPairsSVM: {name}": case for name, case in swapped_pairs()},
    **{f"HerbrichSVM: {name}": case for name, case in herbrich()},
    **{f"OrdinalSVM: {name}": case for name, case in ordinal()},
    **{f"PreferenceGame: {name}": case for name, case in games()},
    **{f"couple: {name}": case for name, case in coupling()},
    **{f"CodedClassifier: {name}": case for name, case in classifiers()},
    **{f"OnlineSVC: {name}": case for name, case in online()},
    "metrics": metrics,
    "class probabilities": simulated,
}
