"""Coupling binary probabilities compared with scipy, and CodedClassifier compared with scikit-learn.

    PODIUM_DATA=... python benchmarks/coupling.py [--case PATTERN] [--full]

*couple*: 10,000 rows of binary probabilities for 26 classes and each of the four codes. They come from case
(c) of §6.1 of [GeneralizedBT], and from random class probabilities. scipy solves 40 of the rows one by one,
with L-BFGS-B in log p and exact gradients, and its time is multiplied up to all rows. Its tolerance is tight
enough to bring its largest gradient close to podium's.

*Classifiers*: a data set of Table 1 of [GeneralizedBT], 800 training rows and 1,000 test rows. All use
support vector machines with a Gaussian kernel, C = 8. *error* is the share of wrong predictions on the test
rows. CodedClassifier calibrates its probabilities by cross-validation; OneVsOneClassifier does so only if its
estimator does.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from measuring.cases import Case, Clocked, Contestant
from measuring.turns import main

CODES = ("one-vs-one", "one-vs-rest", "dense", "sparse")
QUICK = CODES[:2]  # the others take long on random rows
CLASSES, ROWS, SAMPLE = 26, 10_000, 40
TRAIN, TEST, C = 800, 1_000, 8.0


class Coded(NamedTuple):
    """A code, and binary probabilities with one row per instance."""

    code: Any
    r: Any


def coded(name: Any, kind: str, n: int) -> Coded:
    from podium.classes.codes import make_code
    from podium.datasets import make_coded_probabilities

    code = make_code(name, CLASSES, random_state=0)
    if kind == "random rows":
        return Coded(code, random_rows(code, n, np.random.default_rng(1)))
    return Coded(code, make_coded_probabilities(code, "c", n, random_state=0)[0])


def random_rows(code: Any, n: int, rng: Any) -> Any:
    """Noisy binary probabilities; the class probabilities are Dirichlet draws dominated by few classes."""
    p = rng.dirichlet(np.full(code.shape[1], 0.2), n) + 1e-6
    plus, minus = p @ (code > 0).T, p @ (code < 0).T
    return np.clip(plus / (plus + minus) * (1 + 0.1 * rng.normal(size=plus.shape)), 1e-7, 1 - 1e-7)


def gradient(data: Coded, p: Any) -> dict[str, float]:
    from podium.classes.coupling.likelihood import gradient_in_log_p

    r = data.r[: len(p)]
    return {"gradient": float(np.abs(gradient_in_log_p(data.code, r, 1 - r, p)).max())}


def podium(data: Coded) -> Any:
    from podium import couple

    return couple(data.code, data.r)


def scipy(data: Coded) -> Clocked:
    plus, minus = (data.code > 0).astype(float), (data.code < 0).astype(float)
    start = time.perf_counter()
    p = np.array([one_row_by_scipy(plus, minus, row) for row in data.r[:SAMPLE]])
    seconds = (time.perf_counter() - start) * len(data.r) / len(p)
    return Clocked(seconds, p, f"extrapolated from {len(p)} rows")


def one_row_by_scipy(plus: Any, minus: Any, r: Any) -> Any:
    """Solve eq. (4) for one row in log p. The mean of log p is arbitrary and needs no constraint."""
    from scipy.optimize import minimize

    both = plus + minus
    other = 1 - r

    def value_and_gradient(theta: Any) -> tuple[float, Any]:
        p = np.exp(theta - theta.max())
        q_plus, q_minus = plus @ p, minus @ p
        q = q_plus + q_minus
        value = np.log(q).sum() - r @ np.log(q_plus) - other @ np.log(q_minus)
        return value, p * ((1 / q) @ both - (r / q_plus) @ plus - (other / q_minus) @ minus)

    options = {"maxiter": 5000, "maxfun": 20_000, "ftol": 1e-16, "gtol": 1e-9}
    found = minimize(
        value_and_gradient, np.zeros(plus.shape[1]), jac=True, method="L-BFGS-B",
        bounds=[(-60, 60)] * plus.shape[1], options=options,
    )  # fmt: skip
    p = np.exp(found.x - found.x.max())
    return p / p.sum()


# ------------------------------------------------------------------------------------ classifiers


class Split(NamedTuple):
    """Training and test rows, scaled to [-1, 1]."""

    X: Any
    y: Any
    T: Any
    t: Any


def split(name: str, n_train: int) -> Split:
    import pandas as pd
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import minmax_scale

    folder = Path(os.environ["PODIUM_DATA"]) / name
    files = [f"{name}_train", f"{name}_test"] if name == "usps" else [name]
    table = pd.concat([pd.read_csv(folder / f"{file}.csv.gz") for file in files])
    X, y = minmax_scale(table.drop(columns="y").to_numpy(dtype=float), (-1, 1)), table["y"].to_numpy()
    X, T, y, t = train_test_split(X, y, train_size=n_train, test_size=TEST, stratify=y, random_state=0)
    return Split(X, y, T, t)


def svm() -> Any:
    from sklearn.svm import SVC

    return SVC(C=C)


def calibrated() -> Any:
    from sklearn.calibration import CalibratedClassifierCV

    return CalibratedClassifierCV(svm(), method="sigmoid", cv=5, ensemble=False)


def coded_classifier(**options: Any) -> Any:
    from podium import CodedClassifier

    return CodedClassifier(svm(), random_state=0, **options)


def multiclass(name: str, make: Callable[[], Any], **options: Any) -> Any:
    import sklearn.multiclass

    return getattr(sklearn.multiclass, name)(make(), **options)


def fit_and_predict(make: Callable[[], Any], data: Split) -> Any:
    return make().fit(data.X, data.y).predict(data.T)


def wrong(data: Split, predicted: Any) -> dict[str, float]:
    return {"error": float(np.mean(predicted != data.t))}


def scikit_learn(make: Callable[[], Any]) -> Contestant:
    return Contestant(partial(fit_and_predict, make), "scikit-learn")


COUPLE = {"podium": Contestant(podium), "scipy": Contestant(scipy, "scipy")}
CLASSIFIERS = {
    "podium" if name == "one-vs-one" else f"podium, {name}": Contestant(
        partial(fit_and_predict, partial(coded_classifier, code=name))
    )
    for name in CODES
} | {
    "OneVsOneClassifier": scikit_learn(partial(multiclass, "OneVsOneClassifier", svm)),
    "OneVsOneClassifier, calibrated": scikit_learn(partial(multiclass, "OneVsOneClassifier", calibrated)),
    "OneVsRestClassifier, calibrated": scikit_learn(partial(multiclass, "OneVsRestClassifier", calibrated)),
    "OutputCodeClassifier": scikit_learn(
        partial(multiclass, "OutputCodeClassifier", svm, code_size=1.5, random_state=0)
    ),
    "CalibratedClassifierCV": scikit_learn(calibrated),
}


def cases() -> Iterator[Case]:
    for code in CODES:
        for kind in ("case (c)", "random rows") if code in QUICK else ("case (c)",):
            data, small = partial(coded, code, kind, ROWS), partial(coded, code, kind, 2)
            yield Case(f"couple, {code}, {kind}", data, COUPLE, small, gradient, "scipy")


def classifiers(*sets: str) -> Iterator[Case]:
    for name in sets:
        data, small = partial(split, name, TRAIN), partial(split, name, 300)
        yield Case(f"classifiers, {name}", data, CLASSIFIERS, small, wrong, "OneVsOneClassifier")


if __name__ == "__main__":
    main([*cases(), *classifiers("segment")], list(classifiers("letter", "dna", "satimage", "usps")))
