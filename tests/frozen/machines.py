"""Cases of support vector machines on pairs with features."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.frozen import FrozenEstimator

import podium as pod
from tests.frozen import data
from tests.frozen.answers import Answer, Answers

TOL = 1e-8
NEW = data.pairs(12, seed=99)[0]
KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0},
    "rbf": {"kernel": "rbf"},
}


def machine(model: Any, X: Any, y: Any, new: Any = NEW, sample_weight: Any = None) -> Answers:
    """A machine whose optimum is unique up to its duality gap."""
    model = model.fit(X, y, sample_weight=sample_weight)
    answers = {
        "objective": Answer("gap", [model.result_.objective]),
        "decision": Answer("margin", model.decision_function(new)),
        "bias": Answer("margin", [model.bias_]),
        "fell back": Answer("exact", [bool(np.isnan(model.margin_))]),
        "prediction": Answer("exact", model.predict(new)),
    }
    if hasattr(model, "coef_"):
        answers["coef"] = Answer("margin", model.coef_)
    return answers


def compared(make: Callable[[], Any], **options: Any) -> Answers:
    return machine(make(), *data.pairs(**options))


def svm_compare() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for name, kernel in KERNELS.items():
        for C in (0.3, 10.0):
            yield f"{name}, C = {C}", partial(compared, partial(pod.SVMCompare, **kernel, C=C, tol=TOL))
    yield "callable kernel", partial(compared, partial(pod.SVMCompare, inner, C=3.0, tol=TOL))
    yield "precomputed", partial(precomputed, pod.SVMCompare("precomputed", C=3.0, tol=TOL))
    yield (
        "scaled, balanced",
        partial(compared, partial(pod.SVMCompare, scale=True, class_weight="balanced", C=2.0, tol=TOL)),
    )
    yield (
        "class weights",
        partial(compared, partial(pod.SVMCompare, class_weight={0: 3.0}, gamma=0.2, tol=TOL)),
    )
    yield "sample weights", partial(weighted, pod.SVMCompare("linear", tol=TOL))
    yield "no ties", partial(compared, partial(pod.SVMCompare, tol=TOL), tie_share=0.0)
    yield (
        "few ties: it falls back",
        partial(compared, partial(pod.SVMCompare, "linear", tol=TOL), tie_share=0.05),
    )
    yield "200 pairs", partial(compared, partial(pod.SVMCompare, C=100.0, gamma=0.5, tol=TOL), n=200)
    yield "shared items", partial(shared, pod.SVMCompare(C=5.0, tol=TOL))


def svm_rank() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for ties in ("ignore", "both"):
        for name, kernel in KERNELS.items():
            yield f"{name}, {ties}", partial(compared, partial(pod.SVMRank, **kernel, ties=ties, tol=TOL))
    yield "C = 100", partial(compared, partial(pod.SVMRank, C=100.0, tol=TOL))
    yield "hard margin", hard_margin
    yield "given threshold", partial(compared, partial(pod.SVMRank, "linear", threshold=0.4, tol=TOL))
    yield (
        "balanced, scaled",
        partial(compared, partial(pod.SVMRank, ties="both", class_weight="balanced", scale=True, tol=TOL)),
    )
    yield "sample weights", partial(weighted, pod.SVMRank("rbf", tol=TOL))
    yield "shared items", partial(shared, pod.SVMRank(C=5.0, tol=TOL))


def linear() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for loss in ("hinge", "logistic"):
        for C in (0.1, 10.0):
            yield (
                f"{loss}, C = {C}",
                partial(compared, partial(pod.LinearCompare, loss, C=C, tol=TOL, random_state=0)),
            )
        make = partial(pod.LinearCompare, loss, tol=TOL, random_state=0)
        yield f"{loss}, few ties", partial(compared, make, tie_share=0.05)
        yield (
            f"{loss}, scaled, balanced",
            partial(compared, partial(make, scale=True, class_weight="balanced"), n=150),
        )
        yield f"{loss}, sample weights", partial(weighted, make())
        yield f"{loss}, sparse", partial(sparse, make())
        yield (
            f"{loss}, 3,000 pairs",
            partial(compared, partial(pod.LinearCompare, loss, C=0.01, tol=TOL, random_state=0), n=3000),
        )


def programs() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for C in (0.05, 0.5):
        yield f"linear, C = {C}", partial(program, pod.SVMCompareLP(C=C))
    yield "l1", partial(program, pod.SVMCompareLP(C=0.1, l1=0.01))
    yield "rbf", partial(program, pod.SVMCompareLP("rbf", C=0.1))
    yield "scaled, balanced", partial(program, pod.SVMCompareLP(C=0.1, scale=True, class_weight="balanced"))
    yield "separable", separable


def online() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for step in ("sqrt", "inverse"):
        for ties in ("ignore", "both"):
            model = partial(pod.OnlineSVMRank, step=step, ties=ties, step_size=0.05, shuffle=False)
            yield f"{step}, {ties}", partial(streamed, model)
    yield (
        "last step",
        partial(streamed, partial(pod.OnlineSVMRank, average=False, step_size=0.1, shuffle=False)),
    )
    yield "automatic step", partial(streamed, partial(pod.OnlineSVMRank, shuffle=False))


def probabilities() -> Iterator[tuple[str, Callable[[], Answers]]]:
    yield "SVMCompare", partial(calibrated, pod.SVMCompare("linear", tol=TOL))
    yield "LinearCompare", partial(calibrated, pod.LinearCompare(tol=TOL, random_state=0))
    yield "frozen", frozen
    yield "forward", forward


def inner(a: Any, b: Any) -> Any:
    return (1.0 + a @ b.T) ** 2


def precomputed(model: Any) -> Answers:
    X, y = data.pairs()
    items = X.reshape(-1, X.shape[-1])
    left = np.arange(0, len(items), 2)
    table = pod.Comparisons.from_codes(np.arange(len(items)), left, left + 1, y, named=False)
    c = table.with_features(inner(items, items))
    model = model.fit(c)
    return {
        "objective": Answer("gap", [model.result_.objective]),
        "decision": Answer("margin", model.decision_function(c[:12])),
    }


def weighted(model: Any) -> Answers:
    return machine(model, *data.pairs(), sample_weight=data.extras(60)["weight"])


def shared(model: Any) -> Answers:
    """Pairs of few items, each in many pairs."""
    c = data.described(n=150, n_items=12)
    model = model.fit(c)
    return {
        "objective": Answer("gap", [model.result_.objective]),
        "decision": Answer("margin", model.decision_function(c[:12])),
    }


def sparse(model: Any) -> Answers:
    X, y = data.pairs(200, 8)
    X = np.where(np.abs(X) > 0.8, X, 0.0)
    c = pod.Comparisons.from_features(sp.csr_array(X[:, 0]), sp.csr_array(X[:, 1]), y)
    model = model.fit(c)
    return {
        "objective": Answer("gap", [model.result_.objective]),
        "coef": Answer("margin", model.coef_),
        "decision": Answer("margin", model.decision_function(c[:12])),
    }


def hard_margin() -> Answers:
    X = data.pairs(60)[0]
    y = np.sign((X[:, 1] - X[:, 0]) @ [1.0, 0.5, -0.3]).astype(int)
    model = pod.SVMRank("linear", C=np.inf, tol=TOL).fit(X, y)
    return {
        "objective": Answer("gap", [model.result_.objective]),
        "margin": Answer("margin", [model.margin_]),
        "coef": Answer("margin", model.coef_),
    }


def program(model: Any) -> Answers:
    """The optimum of a linear program is unique, its solution may not be."""
    model = model.fit(*data.pairs())
    return {
        "objective": Answer("program", [model.result_.objective]),
        "separable": Answer("exact", [bool(model.separable_)]),
    }


def separable() -> Answers:
    X = data.pairs(30)[0]
    d = (X[:, 1] - X[:, 0]) @ [1.0, 0.5, -0.3]
    model = pod.SVMCompareLP().fit(X, np.where(np.abs(d) < 0.5, 0, np.sign(d)).astype(int))
    return {
        "margin": Answer("program", [model.margin_, model.result_.objective]),
        "separable": Answer("exact", [bool(model.separable_)]),
    }


def streamed(make: Callable[[], Any]) -> Answers:
    X, y = data.pairs()
    model = make().fit(X, y)
    answers = {
        "coef": Answer("computed", model.coef_),
        "threshold": Answer("computed", [model.threshold_, model.step_size_]),
        "losses": Answer("computed", model.losses_),
    }
    stream = make()
    for rows in np.split(np.arange(60), 3):
        stream = stream.partial_fit(X[rows], y[rows])
    return answers | {"stream": Answer("computed", stream.coef_)}


def calibrated(model: Any) -> Answers:
    X, y = data.pairs(120)
    found = pod.CalibratedComparer(model, cv=4).fit(X, y)
    return {
        "held out": Answer("exact", [found.n_held_out_]),
        "link": Answer("margin", [found.slope_, found.tie_]),
        "probability": Answer("margin", found.predict_proba(NEW)),
    }


def frozen() -> Answers:
    X, y = data.pairs(200)
    model = pod.LinearCompare("logistic", tol=TOL, random_state=0).fit(X[:100], y[:100])
    found = pod.CalibratedComparer(FrozenEstimator(model)).fit(X[100:], y[100:])
    return {
        "link": Answer("margin", [found.slope_, found.tie_]),
        "probability": Answer("margin", found.predict_proba(NEW)),
    }


def forward() -> Answers:
    c = data.with_extras("time")
    found = pod.CalibratedComparer(pod.Elo()).fit(c)
    return {
        "link": Answer("estimate", [found.slope_, found.tie_]),
        "probability": Answer("estimate", found.predict_proba(c[:6])),
    }


def grid() -> Answers:
    sets = [
        pod.Comparisons.from_features(X[:, 0], X[:, 1], y)
        for X, y in (data.pairs(50, seed=s) for s in range(3))
    ]
    answers = {}
    for model in (pod.SVMCompare(tol=TOL), pod.SVMRank(tol=TOL)):
        found = pod.compare_grid(model, *sets, C=[0.1, 1.0, 10.0], gamma=[0.05, 0.5])
        answers[type(model).__name__] = Answer("exact", found.validation_error.round(6))
    return answers


CASES = {
    **{f"SVMCompare: {name}": case for name, case in svm_compare()},
    **{f"SVMRank: {name}": case for name, case in svm_rank()},
    **{f"LinearCompare: {name}": case for name, case in linear()},
    **{f"SVMCompareLP: {name}": case for name, case in programs()},
    **{f"OnlineSVMRank: {name}": case for name, case in online()},
    **{f"CalibratedComparer: {name}": case for name, case in probabilities()},
    "compare_grid": grid,
}
