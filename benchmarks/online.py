"""One pass of the online models compared with SGDClassifier and river, and the steps of [Lecture].

    python benchmarks/online.py [--case PATTERN] [--full]

Each model makes one pass over the comparisons, with the ranking SVM's objective ½‖w‖² + C Σ max(0, 1 - w·d),
C = 1. *gap* is how far above the optimum the pass ends, relative to it; `LinearCompare` proves the optimum to
1e-4. The other libraries learn from the differences of the two sides, which are formed before the clock
starts; `OnlineSVMRank` starts from Comparisons. river learns one example at a time, or a frame of 1,000 with
one step. The first way is timed on the first 10,000 comparisons and extrapolated to all. The last contestant
is the exact solver, to a gap of 1e-3.

The cases *steps* compare rules for the step size by the gap after several passes, not by time.
"""

import time
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np

from measuring.cases import Case, Clocked, Contestant
from measuring.turns import main

PAIRS, FEATURES = 1_000_000, 50
RIVER_ROWS, RIVER_BATCH = 10_000, 1_000
RATE = 10 / (2 * FEATURES)  # as ours: a/√t
RULES: dict[str, dict[str, Any]] = {
    "1/t": {"step": "inverse", "step_size": 1.0},
    "T/(λt)": {"step": "inverse"},
    "1/√t": {"step": "sqrt", "step_size": 1.0},
    "a/√t, a chosen (default)": {"step": "sqrt"},
}


class Problem:
    """Pairs of two new items each, compared by a linear utility with as much noise as signal; no ties."""

    def __init__(self, n: int, p: int = FEATURES, C: float = 1.0) -> None:
        from podium import Comparisons

        rng = np.random.default_rng(0)
        X, w = rng.normal(size=(2 * n, p)), rng.normal(size=p) / np.sqrt(p)
        utility = X @ w
        outcome = np.where(utility[n:] - utility[:n] + rng.normal(size=n) > 0, 1, -1).astype(np.int8)
        items = np.arange(2 * n)
        self.c = Comparisons.from_codes(items, items[:n], items[n:], outcome).with_features(X)
        self.D, self.y, self.C = X[n:] - X[:n], outcome, C

    @cached_property
    def optimum(self) -> float:
        from podium import LinearCompare

        return float(LinearCompare(C=self.C, tol=1e-4, random_state=0).fit(self.c).result_.objective)

    def objective(self, w: Any) -> float:
        return float(0.5 * w @ w + self.C * np.maximum(0, 1 - self.y * (self.D @ w)).sum())


def gap(problem: Problem, w: Any) -> dict[str, float]:
    return {"gap": problem.objective(w) / problem.optimum - 1}


# ------------------------------------------------------------------------------------ contestants


def rank_stream(problem: Problem) -> Any:
    from podium import OnlineSVMRank

    return OnlineSVMRank().partial_fit(problem.c).coef_


def rank_shuffled(problem: Problem, **options: Any) -> Any:
    from podium import OnlineSVMRank

    return OnlineSVMRank(problem.C, random_state=0, **{"epochs": 1, **options}).fit(problem.c).coef_


def classify_stream(problem: Problem) -> Any:
    from podium import OnlineSVC

    return OnlineSVC(fit_intercept=False).partial_fit(problem.D, problem.y, [-1, 1]).coef_[0]


def solve(problem: Problem) -> Any:
    from podium import LinearCompare

    return LinearCompare(random_state=0).fit(problem.c).coef_


def sgd(problem: Problem, **options: Any) -> Any:
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(alpha=1.0 / len(problem.y), fit_intercept=False, random_state=0, **options)
    return model.partial_fit(problem.D, problem.y, [-1, 1]).coef_[0]


def river_model(n: int) -> Any:
    from river import linear_model, optim

    steps = optim.SGD(optim.schedulers.InverseScaling(RATE, power=0.5))
    return linear_model.LogisticRegression(steps, loss=optim.losses.Hinge(), l2=1 / n, intercept_lr=0.0)


def river_weights(model: Any) -> Any:
    return np.array([model.weights[j] for j in range(FEATURES)])


def river_one_by_one(problem: Problem) -> Clocked:
    model, rows = river_model(len(problem.y)), slice(RIVER_ROWS)
    start = time.perf_counter()
    for x, y in zip(problem.D[rows], problem.y[rows], strict=True):
        model.learn_one(dict(enumerate(x)), bool(y > 0))
    share = min(RIVER_ROWS / len(problem.y), 1.0)
    seconds = (time.perf_counter() - start) / share
    return Clocked(seconds, river_weights(model), f"extrapolated from {RIVER_ROWS:,} comparisons")


def river_in_batches(problem: Problem) -> Any:
    import pandas as pd

    model = river_model(len(problem.y))
    for start in range(0, len(problem.y), RIVER_BATCH):
        rows = slice(start, start + RIVER_BATCH)
        model.learn_many(pd.DataFrame(problem.D[rows]), pd.Series(problem.y[rows] > 0))
    return river_weights(model)


def scikit_learn(**options: Any) -> Contestant:
    return Contestant(partial(sgd, **options), "scikit-learn")


CONTESTANTS = {
    "podium": Contestant(rank_stream),
    "podium, one shuffled epoch": Contestant(rank_shuffled),
    "podium, OnlineSVC on differences": Contestant(classify_stream),
    "SGDClassifier": scikit_learn(),
    "SGDClassifier, average": scikit_learn(average=True),
    "SGDClassifier, average, a/√t as ours": scikit_learn(
        average=True, learning_rate="invscaling", eta0=RATE, power_t=0.5
    ),
    "river, learn_one": Contestant(river_one_by_one, "river"),
    "river, learn_many(1,000)": Contestant(river_in_batches, "river"),
    "podium, LinearCompare": Contestant(solve),
}


def steps(n: int, p: int, *passes: int) -> Iterator[Case]:
    """The rules, for λ/T = 1/100, 1/1,000 and 1/10,000, with the last w and with the mean of all."""
    for share in (100, 1_000, 10_000):
        rules: dict[str, Callable[[Problem], Any]] = {
            f"podium, {rule}, {'average' if average else 'last'}, {epochs} passes": partial(
                rank_shuffled, average=average, epochs=epochs, **options
            )
            for rule, options in RULES.items()
            for average in (False, True)
            for epochs in passes
        }
        contestants = {who: Contestant(run) for who, run in rules.items()}
        problem, small = partial(Problem, n, p, share / n), partial(Problem, 100, p)
        yield Case(f"steps, λ/T = 1/{share:,}", problem, contestants, small, gap, repeat=1)


if __name__ == "__main__":
    one_pass = partial(Problem, PAIRS)
    main(
        [
            Case(
                "1M comparisons, 50 features",
                one_pass,
                CONTESTANTS,
                partial(Problem, 2_000),
                gap,
                "SGDClassifier",
            )
        ],
        list(steps(10_000, 10, 1, 2, 5, 10, 20)),
    )
