"""SwappedPairsSVM compared with other libraries: seconds to a relative gap of 1e-3, and swapped test pairs.

    PODIUM_DATA=... python benchmarks/ranking.py [--case PATTERN] [--full]

- podium stops by its own certificate, the duality gap.
- dlib's svm_rank_trainer has the same objective: all pairs, with a ranking_pair for every label that has
  labels below it. The pairs are converted before the clock starts; this is impossible if every row has its
  own label. Its epsilon is tightened until it is within 1e-3 of the lower bound that podium proves to 1e-5.
- LinearSVC learns from five differences per item. The pairs are drawn before the clock starts, and their
  differences are formed while it runs. Its iterations are doubled until it is equally close to its own
  optimum, by a bound that LinearCompare proves; *gap* is its own.
- The other libraries have objectives of their own and stop by their own rules. XGBoost and LightGBM grow 100
  trees, on queries of 1,000 rows, because LightGBM requires short queries.

For dlib and LinearSVC only the shortest run that is good enough counts. They have no certificate, so a user
could not know which run that is. *error* is the share of swapped pairs on test data. The data are a linear
utility with as much noise as signal, but *MSLR* has search results: 43 queries to learn from, 43 others to
rank. RLScore does not install on current Pythons. For OrdinalSVM, see benchmarks/ordinal.py.
"""

import os
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from measuring.cases import Case, Contestant
from measuring.turns import main

GAP, BOUND, C = 1e-3, 1e-5, 1.0
PARTNERS = 5
EPSILONS = tuple(0.1 / 4**k for k in range(7))
ROUNDS = tuple(2**k for k in range(11))


class Rows:
    """Training and test rows: a linear utility, cut into levels of equal size, or uncut (0)."""

    def __init__(self, n: int, d: int = 20, levels: int = 5) -> None:
        self.levels = levels
        (self.X, self.y), (self.T, self.t) = draw(n, d, levels, 0), draw(20_000, d, levels, 1)

    @cached_property
    def bound(self) -> float:
        """A lower bound on the objective of SwappedPairsSVM."""
        from podium import SwappedPairsSVM

        result = SwappedPairsSVM(C=C, tol=BOUND, random_state=0).fit(self.X, self.y).result_
        return float(result.details["dual"])

    def objective(self, w: Any) -> float:
        from podium.numerics.swapped.counts import OrderedItems

        items = OrderedItems.of(self.y)
        return float(0.5 * w @ w + 100 * C * items.violations(2 * self.X @ w, 1.0).loss / items.n_pairs)

    @cached_property
    def pairs(self) -> Any:
        """Five partners per row, for LinearSVC."""
        from podium import Comparisons

        return Comparisons.from_labels(self.X, self.y, partners=PARTNERS, random_state=0)

    @property
    def cost(self) -> float:
        return 400 * C / len(self.pairs)

    @cached_property
    def bound_on_pairs(self) -> float:
        from podium import LinearCompare

        return float(LinearCompare(C=self.cost, tol=1e-4).fit(self.pairs).result_.details["dual"])

    def objective_on_pairs(self, w: Any) -> float:
        margins = self.pairs.outcome * ((self.X @ w)[self.pairs.right] - (self.X @ w)[self.pairs.left])
        return float(0.5 * w @ w + self.cost * np.maximum(0, 1 - margins).sum())


def draw(n: int, d: int, levels: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    w = np.random.default_rng(99).normal(size=d) / np.sqrt(d)
    X = rng.normal(size=(n, d))
    y = X @ w + rng.normal(size=n)
    return X, np.searchsorted(np.quantile(y, np.arange(1, levels) / levels), y) if levels else y


class Fitted(NamedTuple):
    """A model that predicts scores, or weights; and the objective whose gap is known, if any."""

    model: Any = None
    weights: Any = None
    objective: str = ""


def reached(rows: Rows, found: Fitted) -> dict[str, float]:
    from podium.metrics import swapped_pairs

    score = found.model.predict(rows.T) if found.model is not None else rows.T @ found.weights
    facts = {"error": float(swapped_pairs(rows.t, score))}
    if found.objective == "pairs":
        value = rows.objective_on_pairs(found.weights)
        facts["gap"] = (value - rows.bound_on_pairs) / value
    elif found.objective:
        value = rows.objective(found.weights)
        facts["gap"] = (value - rows.bound) / value
    return facts


# ------------------------------------------------------------------------------------ contestants


def podium(rows: Rows, **options: Any) -> Fitted:
    from podium import SwappedPairsSVM

    model = SwappedPairsSVM(C=C, tol=GAP, random_state=0, **options).fit(rows.X, rows.y)
    return Fitted(model, model.coef_, "swapped")


def herbrich(rows: Rows) -> Fitted:
    from podium import HerbrichSVM

    cost = 400 * C / (PARTNERS * len(rows.y))
    return Fitted(HerbrichSVM(PARTNERS, C=cost, tol=GAP, random_state=0).fit(rows.X, rows.y))


def queries_of(rows: Rows) -> Any:
    import dlib

    vectors = [dlib.vector(row) for row in rows.X.tolist()]
    queries = dlib.ranking_pairs()
    for level in np.unique(rows.y)[1:]:
        pair = dlib.ranking_pair()
        for i in np.flatnonzero(rows.y == level):
            pair.relevant.append(vectors[i])
        for i in np.flatnonzero(rows.y < level):
            pair.nonrelevant.append(vectors[i])
        queries.append(pair)
    return queries, rows.X.shape[1]


def dlib(prepared: Any, epsilon: float) -> Fitted:
    import dlib

    queries, d = prepared
    trainer = dlib.svm_rank_trainer()
    trainer.c, trainer.epsilon, trainer.force_last_weight_to_1 = 400 * C, epsilon, False
    w = np.array(trainer.train(queries).weights).ravel()[:d] / 2  # its margin is 1, w₉ = w₃ / 2
    return Fitted(weights=w, objective="swapped")


def with_pairs(rows: Rows) -> Rows:
    assert rows.pairs is not None
    return rows


def linear_svc(rows: Rows, rounds: int) -> Fitted:
    from sklearn.svm import LinearSVC

    c = rows.pairs
    svc = LinearSVC(
        loss="hinge", C=rows.cost, fit_intercept=False, tol=1e-12, max_iter=rounds, random_state=0
    )
    svc.fit(rows.X[c.right] - rows.X[c.left], c.outcome)
    return Fitted(weights=svc.coef_[0], objective="pairs")


class Negative(NamedTuple):
    """A model whose predictions fall as the labels rise."""

    model: Any

    def predict(self, X: Any) -> Any:
        return -self.model.predict(X)


def survival(rows: Rows) -> Fitted:
    from sksurv.svm import FastSurvivalSVM

    fields = [("event", bool), ("time", float)]
    times = np.array([(True, value) for value in rows.y - rows.y.min() + 1.0], dtype=fields)
    options = {"rank_ratio": 1.0, "optimizer": "rbtree", "max_iter": 50, "random_state": 0}
    return Fitted(Negative(FastSurvivalSVM(alpha=1 / (400 * C), **options).fit(rows.X, times)))


def xgboost(rows: Rows) -> Fitted:
    from xgboost import XGBRanker

    trees = XGBRanker(objective="rank:pairwise", n_estimators=100, n_jobs=1, random_state=0)
    return Fitted(trees.fit(rows.X, rows.y, qid=queries(rows)))


def lightgbm(rows: Rows) -> Fitted:
    from lightgbm import LGBMRanker

    trees = LGBMRanker(n_estimators=100, n_jobs=1, random_state=0, verbosity=-1)
    return Fitted(trees.fit(rows.X, rows.y, group=np.bincount(queries(rows))))


def queries(rows: Any) -> Any:
    """Queries of 1,000 rows, or those of the data, numbered in the order of the rows."""
    if isinstance(rows, Rows):
        return np.arange(len(rows.y)) // 1000
    return np.cumsum(np.diff(rows.qid, prepend=rows.qid[0]) != 0)


# ------------------------------------------------------------------------------------ search results


class Search(NamedTuple):
    """Training and test rows of MSLR-WEB30K, and their queries."""

    X: Any
    y: Any
    qid: Any
    T: Any
    t: Any
    tid: Any


def search_results() -> Search:
    import pandas as pd

    folder = Path(os.environ["PODIUM_DATA"]) / "mslr"
    parts = [pd.read_csv(folder / f"mslr_web30k_fold1_{part}5k.csv.gz") for part in ("train", "test")]
    columns = [(p.filter(regex="^f").to_numpy(float), p["y"].to_numpy(), p["qid"].to_numpy()) for p in parts]
    return Search(*columns[0], *columns[1])


def scaled_podium(data: Search) -> Any:
    """Scaling the features counts."""
    from sklearn.preprocessing import QuantileTransformer

    from podium import SwappedPairsSVM

    scaler = QuantileTransformer(n_quantiles=200, output_distribution="normal", random_state=0).fit(data.X)
    model = SwappedPairsSVM(C=0.01).fit(scaler.transform(data.X), data.y, qid=data.qid)
    return Fitted(weights=None, model=Scaled(scaler, model))


class Scaled(NamedTuple):
    """A model on transformed features."""

    scaler: Any
    model: Any

    def predict(self, X: Any) -> Any:
        return self.model.predict(self.scaler.transform(X))


def swapped(data: Search, found: Fitted) -> dict[str, float]:
    from podium.metrics import swapped_pairs

    return {"error": float(swapped_pairs(data.t, found.model.predict(data.T), data.tid))}


# ------------------------------------------------------------------------------------ cases


PODIUM = {"podium": Contestant(podium), "podium, HerbrichSVM": Contestant(herbrich)}
SVC = {"LinearSVC": Contestant(linear_svc, "scikit-learn", with_pairs, ROUNDS)}
TREES = {"XGBoost": Contestant(xgboost, "xgboost"), "LightGBM": Contestant(lightgbm, "lightgbm")}
DLIB = {"dlib": Contestant(dlib, "dlib", queries_of, EPSILONS)}
SURVIVAL = {"scikit-survival": Contestant(survival, "scikit-survival")}
CUTTING = {"podium, cutting plane": Contestant(partial(podium, solver="cutting-plane"))}
MSLR = {"podium": Contestant(scaled_podium)} | TREES


def case(name: str, contestants: dict[str, Contestant], n: int, d: int = 20, levels: int = 5) -> Case:
    small = partial(Rows, min(n, 1_000), min(d, 20), levels)
    return Case(name, partial(Rows, n, d, levels), contestants, small, reached, "LinearSVC", GAP)


def cases() -> Iterator[Case]:
    """Distinct labels rule out libraries that need levels."""
    distinct = PODIUM | SVC | SURVIVAL
    for n, name in ((1_000, "1,000 rows"), (100_000, "100,000 rows")):
        yield case(f"{name}, 5 labels", distinct | DLIB | TREES, n)
        yield case(f"{name}, distinct labels", distinct, n, levels=0)
    yield case("1M rows, 5 labels", PODIUM | SVC, 1_000_000)
    yield case("1M rows, distinct labels", PODIUM | SVC, 1_000_000, levels=0)
    yield case("1,000 rows of 1,000 features, 5 labels", PODIUM | SVC, 1_000, 1_000)
    yield Case("MSLR, 5,000 results", search_results, MSLR, search_results, swapped, "LightGBM")


def long_cases() -> Iterator[Case]:
    yield case("1M rows, 5 labels, all", PODIUM | CUTTING | SVC | SURVIVAL | DLIB | TREES, 1_000_000)
    yield case("100,000 rows of 1,000 features", PODIUM | SVC | SURVIVAL, 100_000, 1_000)


if __name__ == "__main__":
    main(list(cases()), list(long_cases()))
