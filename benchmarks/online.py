"""The online models compared with SGDClassifier and river, and the convergence of the steps of [Lecture].

    python benchmarks/online.py [--pairs 1000000] [--features 50] [--repeat 3] [--quick]

Each model makes one pass over the comparisons, with the ranking SVM's objective ½‖w‖² + C Σ max(0, 1 - w·d),
C = 1. The table shows the seconds, and how far above the optimum the pass ends; `LinearCompare` proves the
optimum to 1e-4. The other libraries learn from the differences of the two sides, which are formed before the
clock starts; `OnlineSVMRank` starts from Comparisons. river learns one example at a time, or a frame of 1,000
with one step. The first way is timed on the first 10,000 comparisons and extrapolated to all. Every model
solves a small problem before the clock starts, and the best of the repeats counts. The last row is the exact
solver.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from podium import Comparisons, LinearCompare, OnlineSVC, OnlineSVMRank

RIVER_ROWS, RIVER_BATCH = 10_000, 1_000
PASSES = (1, 2, 5, 10, 20)
Run = Callable[[Any], Any]  # takes a problem and returns the final weights


def make_pairs(n: int, p: int, noise: float = 1.0) -> Comparisons:
    """Pairs of two new items each, compared by a linear utility with as much noise as signal; no ties."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(2 * n, p)), rng.normal(size=p) / np.sqrt(p)
    utility = X @ w
    outcome = np.where(utility[n:] - utility[:n] + noise * rng.normal(size=n) > 0, 1, -1).astype(np.int8)
    return Comparisons.from_codes(np.arange(2 * n), np.arange(n), np.arange(n, 2 * n), outcome).with_features(
        X
    )


class Problem:
    """Comparisons, and their differences for the models that need them."""

    def __init__(self, n: int, p: int) -> None:
        self.c = make_pairs(n, p)
        self.D = self.c.features[n:] - self.c.features[:n]
        self.y: Any = self.c.outcome

    def objective(self, w: Any, C: float = 1.0) -> float:
        return float(0.5 * w @ w + C * np.maximum(0, 1 - self.y * (self.D @ w)).sum())


# ------------------------------------------------------------------------------------ one pass


def rank_stream(problem: Problem) -> Any:
    return OnlineSVMRank().partial_fit(problem.c).coef_


def rank_shuffled(problem: Problem) -> Any:
    return OnlineSVMRank(epochs=1, random_state=0).fit(problem.c).coef_


def classify_stream(problem: Problem) -> Any:
    return OnlineSVC(fit_intercept=False).partial_fit(problem.D, problem.y, [-1, 1]).coef_[0]


def solve(problem: Problem) -> Any:
    return LinearCompare(random_state=0).fit(problem.c).coef_


def sgd(**options: Any) -> Run:
    from sklearn.linear_model import SGDClassifier

    def run(problem: Problem) -> Any:
        alpha = 1.0 / len(problem.y)
        model = SGDClassifier(alpha=alpha, fit_intercept=False, random_state=0, **options)
        return model.partial_fit(problem.D, problem.y, [-1, 1]).coef_[0]

    return run


def river_peers(p: int) -> Iterator[tuple[str, Run, float]]:
    """Names, runs, and the largest number of comparisons that each run sees."""
    import pandas as pd
    from river import linear_model, optim

    def make(n: int) -> Any:
        return linear_model.LogisticRegression(
            optim.SGD(optim.schedulers.InverseScaling(10 / (2 * p), power=0.5)),
            loss=optim.losses.Hinge(),
            l2=1 / n,
            intercept_lr=0.0,
        )

    def weights(model: Any) -> Any:
        return np.array([model.weights[j] for j in range(p)])

    def one_by_one(problem: Problem) -> Any:
        model = make(len(problem.y))
        for x, y in zip(problem.D[:RIVER_ROWS], problem.y[:RIVER_ROWS], strict=True):
            model.learn_one(dict(enumerate(x)), bool(y > 0))
        return weights(model)

    def in_batches(problem: Problem) -> Any:
        model = make(len(problem.y))
        for start in range(0, len(problem.y), RIVER_BATCH):
            rows = slice(start, start + RIVER_BATCH)
            model.learn_many(pd.DataFrame(problem.D[rows]), pd.Series(problem.y[rows] > 0))
        return weights(model)

    yield "river, learn_one", one_by_one, RIVER_ROWS
    yield "river, learn_many(1,000)", in_batches, np.inf


def contenders(p: int) -> Iterator[tuple[str, Run, float]]:
    """Names, runs, and the largest number of comparisons that each run sees."""
    yield "OnlineSVMRank.partial_fit", rank_stream, np.inf
    yield "OnlineSVMRank.fit, one shuffled epoch", rank_shuffled, np.inf
    yield "OnlineSVC.partial_fit on differences", classify_stream, np.inf
    yield "SGDClassifier.partial_fit", sgd(), np.inf
    yield "SGDClassifier.partial_fit, average", sgd(average=True), np.inf
    rate = {"learning_rate": "invscaling", "eta0": 10 / (2 * p), "power_t": 0.5}
    yield "SGDClassifier.partial_fit, average, a/√t as ours", sgd(average=True, **rate), np.inf
    try:
        yield from river_peers(p)
    except ImportError:
        print("river is skipped; install it with: python -m pip install river")
    yield "LinearCompare.fit to a gap of 1e-3", solve, np.inf


def one_pass(options: argparse.Namespace) -> Table:
    problem, small = Problem(options.pairs, options.features), Problem(2_000, options.features)
    best = LinearCompare(tol=1e-4, random_state=0).fit(problem.c).result_.objective
    load = os.getloadavg()[0]
    title = (
        f"one pass over {options.pairs:,} comparisons, {options.features} features; best of {options.repeat}"
    )
    table = Table("", "seconds", "× first row", "objective / optimum", title=f"{title}; load {load:.1f}")
    first = None
    for name, run, rows in contenders(options.features):
        run(small)
        seconds = []
        for _ in range(options.repeat):
            start = time.perf_counter()
            w = run(problem)
            seconds.append(time.perf_counter() - start)
        extrapolated = rows < options.pairs
        total = min(seconds) * (options.pairs / rows if extrapolated else 1.0)
        first = first or total
        ratio = problem.objective(w) / best
        note = f" after {rows:,.0f}" if extrapolated else ""
        table.add_row(
            name, f"{'≈ ' * extrapolated}{total:.3f}", f"{total / first:.1f}×", f"{ratio:.4f}{note}"
        )
    return table


# ------------------------------------------------------------------------------------ step sizes

RULES: dict[str, dict[str, Any]] = {
    "1/t": {"step": "inverse", "step_size": 1.0},
    "T/(λt)": {"step": "inverse"},
    "1/√t": {"step": "sqrt", "step_size": 1.0},
    "a/√t, a chosen (default)": {"step": "sqrt"},
}


def convergence(n: int, p: int, share: float, seed: int = 0) -> list[dict[str, Any]]:
    """The ratio objective / optimum after several passes, for λ/T = ``share``; one row per rule and w."""
    problem, C = Problem(n, p), 1.0 / (share * n)
    best = LinearCompare(C=C, tol=1e-6).fit(problem.c).result_.objective
    rows = []
    for rule, parameters in RULES.items():
        for average in (False, True):
            row: dict[str, Any] = {"λ/T": share, "steps": rule, "average": average}
            for epochs in PASSES:
                model = OnlineSVMRank(C, average=average, epochs=epochs, random_state=seed, **parameters)
                row[f"{epochs}"] = problem.objective(model.fit(problem.c).coef_, C) / best
            rows.append(row)
    return rows


def step_sizes(n: int, p: int) -> Table:
    table = Table(title=f"objective / optimum by number of passes; {n:,} comparisons, {p} features")
    for heading in ("λ/T", "α_t", "w", *(f"{epochs}" for epochs in PASSES)):
        table.add_column(heading)
    for share in (1e-2, 1e-3, 1e-4):
        for row in convergence(n, p, share):
            cells = [f"{row[str(epochs)]:.3f}" for epochs in PASSES]
            table.add_row(f"{share:g}", row["steps"], "average" if row["average"] else "last", *cells)
        table.add_section()
    return table


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="100,000 comparisons, one run")
    options = parser.parse_args()
    if options.quick:
        options.pairs, options.repeat = min(options.pairs, 100_000), 1
    console = Console(width=120)
    console.print(one_pass(options))
    console.print(step_sizes(2_000 if options.quick else 10_000, 10))


if __name__ == "__main__":
    main()
