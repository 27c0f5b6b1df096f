"""LinearCompare compared with scikit-learn on the flipped differences (8): seconds to a relative gap of 1e-3.

    python benchmarks/linear_compare.py [--pairs 1000000] [--features 50] [--repeat 3]

podium stops by its own certificate, the duality gap. The scikit-learn models have no certificate, so each of
them is run with 1, 2, 4, ... up to 128 iterations. Only the time of the first run that ends within 1e-3 of
podium's proven lower bound counts. Their differences are formed before the clock starts; podium's time starts
with `Comparisons`. LinearSVC penalises the bias slightly; at this C the effect is far below the tolerance.
Every run is a separate process, so that its peak memory is its own; it includes the data. Imports and one
small problem are done before the clock starts. The best of the repeats counts.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from podium import Comparisons

GAP = 1e-3
DATA = {"two new items per pair": None, "20,000 items": 20_000}
PEERS = {"hinge": "LinearSVC", "logistic": "LogisticRegression"}
MOST_ITERATIONS = 128


def make_pairs(n: int, p: int, n_items: int | None) -> Comparisons:
    """Normal features, a linear utility with as much noise as signal, and about a third of ties."""
    rng = np.random.default_rng(0)
    k = 2 * n if n_items is None else n_items
    X, w = rng.normal(size=(k, p)), rng.normal(size=p) / np.sqrt(p)
    left = np.arange(n) if n_items is None else rng.integers(0, k, n)
    right = left + n if n_items is None else (left + rng.integers(1, k, n)) % k
    utility = X @ w
    d = utility[right] - utility[left] + rng.normal(size=n)
    outcome = np.where(np.abs(d) <= 0.8, 0, np.sign(d)).astype(np.int8)
    return Comparisons.from_codes(np.arange(k), left, right, outcome).with_features(X)


def objective(c: Comparisons, loss: str, u: Any, bias: float) -> float:
    """The objective of (15) with C = 1, computed pair by pair."""
    utility = c.features @ u
    d, y = utility[c.right] - utility[c.left], c.outcome
    assert y is not None
    margins = np.concatenate([bias + (d * y)[y != 0], -bias - d[y == 0], -bias + d[y == 0]])
    losses = np.maximum(0, 1 - margins) if loss == "hinge" else np.logaddexp(0, -margins)
    return float(0.5 * u @ u + losses.sum())


def flipped(c: Comparisons) -> tuple[Any, Any]:
    """The flipped differences (8), which a user of scikit-learn would have to build."""
    y = c.outcome
    assert y is not None
    D = c.features[c.right] - c.features[c.left]
    decisive = D[y != 0] * y[y != 0, None]
    X = np.concatenate([decisive, D[y == 0], -D[y == 0]])
    return X, np.repeat([1, -1], [len(decisive), len(X) - len(decisive)])


def run_podium(c: Comparisons, loss: Any, bound: float) -> dict[str, float]:
    from podium.comparers.linear_compare import LinearCompare

    LinearCompare(loss, tol=GAP).fit(make_pairs(1_000, c.features.shape[1], None))
    start = time.perf_counter()
    model = LinearCompare(loss, tol=GAP, random_state=0).fit(c)
    seconds = time.perf_counter() - start
    result = model.result_
    value = objective(c, loss, result.solution[:-1], result.solution[-1])
    assert result.converged
    assert abs(value - result.details["primal"]) <= 1e-9 * value
    return {"seconds": seconds, "value": value, "bound": result.details["dual"], "rounds": result.iterations}


def run_peer(c: Comparisons, loss: str, bound: float) -> dict[str, float]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    def make(rounds: int) -> Any:
        if loss == "hinge":
            return LinearSVC(loss="hinge", C=1.0, tol=1e-12, max_iter=rounds, random_state=0)
        return LogisticRegression(C=1.0, tol=1e-12, max_iter=rounds)

    warnings.simplefilter("ignore")  # it stops early on purpose
    make(1).fit(*flipped(make_pairs(1_000, c.features.shape[1], None)))
    X, y = flipped(c)
    rounds = 1
    while True:
        start = time.perf_counter()
        model = make(rounds).fit(X, y)
        seconds = time.perf_counter() - start
        value = objective(c, loss, model.coef_[0], float(model.intercept_[0]))
        if value - bound <= GAP * value or rounds >= MOST_ITERATIONS:
            return {"seconds": seconds, "value": value, "bound": bound, "rounds": rounds}
        rounds *= 2


def time_alone(who: str, loss: str, n: int, p: int, data: str, bound: float) -> None:
    run = run_podium if who == "podium" else run_peer
    found = run(make_pairs(n, p, DATA[data]), loss, bound)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({**found, "peak": peak}))


def run_alone(who: str, loss: str, options: argparse.Namespace, data: str, bound: float) -> dict[str, float]:
    job = json.dumps([who, loss, options.pairs, options.features, data, bound])
    command = [sys.executable, __file__, "--alone", job]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def compare(options: argparse.Namespace) -> None:
    load = os.getloadavg()[0]
    title = (
        f"{options.pairs:,} pairs, {options.features} features, C = 1, gap {GAP:g}; best of {options.repeat}"
    )
    table = Table(title=f"{title}; load {load:.1f} at the start")
    for heading in (
        "data",
        "loss",
        "podium",
        "steps",
        "peak",
        "scikit-learn",
        "time",
        "steps",
        "peak",
        "ratio",
    ):
        table.add_column(heading, justify="left" if heading in ("data", "loss", "scikit-learn") else "right")
    for data in DATA:
        for loss, peer in PEERS.items():
            ours = [run_alone("podium", loss, options, data, 0.0) for _ in range(options.repeat)]
            theirs = [run_alone(peer, loss, options, data, ours[0]["bound"]) for _ in range(options.repeat)]
            us, them = (min(runs, key=lambda run: run["seconds"]) for runs in (ours, theirs))
            reached = them["value"] - them["bound"] <= GAP * them["value"]
            cells = []
            for run in (us, them):
                cells += [f"{run['seconds']:.2f} s", f"{run['rounds']:.0f}", f"{run['peak']:.2f} GiB"]
            cells[3] += "" if reached else " (not reached)"
            ratio = f"{them['seconds'] / us['seconds']:.1f}×"
            table.add_row(data, loss, *cells[:3], peer, *cells[3:], ratio if reached else f"> {ratio}")
    Console(width=150).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="20,000 pairs, one run")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.quick:
        options.pairs, options.repeat = 20_000, 1
    if options.alone:
        time_alone(*json.loads(options.alone))
    else:
        compare(options)


if __name__ == "__main__":
    main()
