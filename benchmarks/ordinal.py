"""OrdinalSVM compared with mord and skordinal: five classes, twenty features.

    python benchmarks/ordinal.py [--case PATTERN] [--full]

podium stops by its own certificate, a relative duality gap of 1e-3. skordinal's SVOR solves the same problem,
eq. (4), in the dual. Its linear kernel is x·x' / p, so it gets √p x. *gap* is how far the objective at the
weights and thresholds that a library finds is above a bound that podium proves to 1e-5. mord has other losses
(logistic; absolute deviations for LAD), so only its time and predictions can be compared. *error* is the
share of swapped pairs on test data. A Gaussian kernel on 200 rows is a typical size for one fit in a grid
search.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from measuring.cases import Case, Contestant
from measuring.turns import main

CLASSES, FEATURES, TEST = 5, 20, 5_000
GAP, BOUND = 1e-3, 1e-5
MORD = {"IT": "LogisticIT", "AT": "LogisticAT", "SE": "LogisticSE", "LAD": "LAD"}


class Rows(NamedTuple):
    """Training rows, test rows, and the kernel."""

    X: Any
    y: Any
    T: Any
    t: Any
    kernel: Any


class Fitted(NamedTuple):
    """Scores of the test rows; weights and thresholds if they are those of eq. (4), and the constraints."""

    score: Any
    weights: Any = None
    thresholds: Any = None
    constraints: Any = ""


def make_rows(n: int, kernel: str = "linear") -> Rows:
    """Normal features; the classes are quantiles of a linear or curved score with half as much noise."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(n + TEST, FEATURES)), np.random.default_rng(9).normal(size=FEATURES)
    score = X @ w / np.linalg.norm(w)
    score = score if kernel == "linear" else np.abs(score)
    score += 0.5 * score.std() * rng.normal(size=n + TEST)
    y = np.searchsorted(np.quantile(score, np.arange(1, CLASSES) / CLASSES), score)
    return Rows(X[:n], y[:n], X[n:], y[n:], kernel)


def objective(rows: Rows, found: Fitted) -> float:
    """The objective of eq. (4), or with explicit constraints, for C = 1, threshold by threshold."""
    h, total = rows.X @ found.weights, 0.5 * found.weights @ found.weights
    for j, cut in enumerate(found.thresholds):
        sign = np.where(rows.y > j, 1, -1)
        near = (rows.y == j) | (rows.y == j + 1) | (found.constraints == "implicit")
        total += np.maximum(0, 1 - sign * (h - cut))[near].sum()
    return float(total)


def reached(rows: Rows, found: Fitted) -> dict[str, float]:
    from podium import OrdinalSVM
    from podium.metrics import swapped_pairs

    facts = {"error": float(swapped_pairs(rows.t, found.score))}
    if found.weights is None:
        return facts
    sharp = OrdinalSVM(found.constraints, kernel="linear", tol=BOUND).fit(rows.X, rows.y).result_
    value = objective(rows, found)
    return facts | {"gap": (value - sharp.details["dual"]) / value}


# ------------------------------------------------------------------------------------ contestants


def podium(constraints: Any, rows: Rows) -> Any:
    from podium import OrdinalSVM

    return OrdinalSVM(constraints, kernel=rows.kernel, tol=GAP).fit(rows.X, rows.y)


def mord(kind: str, rows: Rows) -> Any:
    import mord

    return getattr(mord, kind)().fit(rows.X, rows.y)


def skordinal(constraints: Any, rows: Rows) -> Any:
    from skordinal.classifiers import SVOR

    return SVOR(C=1.0, kernel=rows.kernel, tol=GAP, constraints=constraints).fit(rows.X, rows.y)


def scaled(rows: Rows) -> Rows:
    """Features on which SVOR solves the same problem as podium."""
    if rows.kernel != "linear":
        return rows
    return rows._replace(X=np.sqrt(FEATURES) * rows.X, T=np.sqrt(FEATURES) * rows.T)


def facts(rows: Rows, model: Any) -> dict[str, float]:
    """What was reached, for a model of any of the three libraries."""
    library = type(model).__module__.split(".")[0]
    if library == "mord":
        return reached(rows, Fitted(rows.T @ model.coef_))
    if library == "podium":
        score, linear = model.projection(rows.T), rows.kernel == "linear"
        solution = (model.coef_, model.thresholds_, model.constraints) if linear else ()
        return reached(rows, Fitted(score, *solution))
    score = model.predict_projection(scaled(rows).T)
    if rows.kernel != "linear":
        return reached(rows, Fitted(score))
    zero = model.predict_projection(np.zeros((1, FEATURES)))
    weights = model.predict_projection(np.sqrt(FEATURES) * np.eye(FEATURES)) - zero
    return reached(rows, Fitted(score, weights, model.thresholds_ - zero, model.constraints))


PODIUM = {
    "podium": Contestant(partial(podium, "implicit")),
    "podium, explicit": Contestant(partial(podium, "explicit")),
}
SVOR = {
    "SVOR": Contestant(partial(skordinal, "implicit"), "skordinal", scaled),
    "SVOR, explicit": Contestant(partial(skordinal, "explicit"), "skordinal", scaled),
}
PEERS = {f"mord {name}": Contestant(partial(mord, kind), "mord") for name, kind in MORD.items()}


def case(name: str, n: int, contestants: dict[str, Contestant], kernel: str = "linear") -> Case:
    reference = "SVOR" if kernel != "linear" else "mord AT"
    rows, small = partial(make_rows, n, kernel), partial(make_rows, 100, kernel)
    return Case(name, rows, contestants, small, facts, reference)


if __name__ == "__main__":
    main(
        [
            case("1,000 rows", 1_000, PODIUM | PEERS | SVOR),
            case("10,000 rows", 10_000, PODIUM | PEERS),
            case("200 rows, Gaussian kernel", 200, PODIUM | SVOR, "rbf"),
        ],
        [case("100,000 rows", 100_000, PODIUM | PEERS)],
    )
