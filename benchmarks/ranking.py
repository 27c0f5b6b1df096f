"""SwappedPairsSVM compared with other libraries: seconds to a relative gap of 1e-3, and swapped test pairs.

    python benchmarks/ranking.py [--quick] [--rows 1000 10000 100000 1000000] [--budget 300] [--mslr]

- podium stops by its own certificate, the duality gap.
- dlib's svm_rank_trainer has the same objective: all pairs, with a ranking_pair for every label that has
  labels below it. The pairs are converted before the clock starts; this is impossible if every row has its
  own label. Its epsilon is tightened until it is within 1e-3 of the lower bound that podium proves in a
  longer run, to 1e-5.
- LinearSVC learns from five differences per item. The pairs are drawn before the clock starts, and their
  differences are formed while it runs. Its iterations are doubled until it is equally close to its own
  optimum, by a bound that LinearCompare proves.
- The other libraries have objectives of their own and stop by their own rules. XGBoost and LightGBM grow 100
  trees, on queries of 1,000 rows, because LightGBM requires short queries.

For dlib and LinearSVC only the shortest run that is good enough counts. They have no certificate, so a user
could not know which run that is.

Every run is a separate process. Imports and a small problem are done before the clock starts. If a run takes
less than two seconds, the best of three counts. The data are a linear utility with as much noise as signal.
--mslr ranks search results by query (data in PODIUM_DATA). RLScore does not install on current Pythons.

For OrdinalSVM, see benchmarks/ordinal.py.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from podium.metrics import swapped_pairs
from podium.ordered.swapped_pairs import SwappedPairsSVM

GAP, C = 1e-3, 1.0
LONG = 2.0  # seconds after which a run is not repeated
PIP = {"dlib": "dlib", "scikit-survival": "scikit-survival", "XGBoost": "xgboost", "LightGBM": "lightgbm"}
Fit = Callable[[Any, Any], Any]


def make_rows(n: int, d: int, levels: int, seed: int = 0) -> tuple[Any, Any]:
    """A linear utility with as much noise as signal, cut into levels of equal size, or uncut (0)."""
    rng = np.random.default_rng(seed)
    w = np.random.default_rng(99).normal(size=d) / np.sqrt(d)
    X = rng.normal(size=(n, d))
    y = X @ w + rng.normal(size=n)
    return X, np.searchsorted(np.quantile(y, np.arange(1, levels) / levels), y) if levels else y


def objective(X: Any, y: Any, w: Any) -> float:
    """The objective of SwappedPairsSVM, from the counts."""
    from podium.numerics.swapped.counts import OrderedItems

    items = OrderedItems.of(y)
    return float(0.5 * w @ w + 100 * C * items.violations(2 * X @ w, 1.0).loss / items.n_pairs)


# ------------------------------------------------------------------------------------ the libraries


class Run:
    """Seconds of the fit that counts, scores of the test rows, a note, and a bound on the objective."""

    def __init__(self, seconds: float, score: Any, note: str = "", bound: float = 0.0) -> None:
        self.seconds, self.score, self.note, self.bound = seconds, score, note, bound


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """The fitted model, and the seconds of the best of three runs; a long fit runs only once."""
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        found = fit()
        best = min(best, time.perf_counter() - start)
        if best > LONG:
            break
    return found, best


def podium(X: Any, y: Any, T: Any, bound: float) -> Run:
    model, seconds = timed(lambda: SwappedPairsSVM(C=C, tol=GAP, random_state=0).fit(X, y))
    result = model.result_
    assert abs(objective(X, y, model.coef_) - result.objective) <= 1e-6 * result.objective
    sharp = SwappedPairsSVM(C=C, tol=GAP / 100, random_state=0).fit(X, y)  # a tighter bound for the others
    return Run(seconds, model.predict(T), f"gap {result.gap:.0e}", sharp.result_.details["dual"])


def cutting_plane(X: Any, y: Any, T: Any, bound: float) -> Run:
    model, seconds = timed(lambda: SwappedPairsSVM(C=C, tol=GAP, solver="cutting-plane").fit(X, y))
    return Run(seconds, model.predict(T), f"gap {model.result_.gap:.0e}, {model.n_iter_} planes")


def dlib(X: Any, y: Any, T: Any, bound: float) -> Run:
    import dlib as peer

    rows = [peer.vector(row) for row in X.tolist()]
    queries = peer.ranking_pairs()
    for level in np.unique(y)[1:]:
        pair = peer.ranking_pair()
        for i in np.flatnonzero(y == level):
            pair.relevant.append(rows[i])
        for i in np.flatnonzero(y < level):
            pair.nonrelevant.append(rows[i])
        queries.append(pair)
    epsilon = 0.1
    while True:
        trainer = peer.svm_rank_trainer()
        trainer.c, trainer.epsilon, trainer.force_last_weight_to_1 = 400 * C, epsilon, False
        model, seconds = timed(lambda trainer=trainer: trainer.train(queries))  # type: ignore[misc]
        w = np.array(model.weights).ravel()[: X.shape[1]] / 2  # its margin is 1, w₉ = w₃ / 2
        value = objective(X, y, w)
        if value - bound <= GAP * value or epsilon < 1e-5:
            return Run(seconds, T @ w, f"gap {(value - bound) / value:.0e}, epsilon {epsilon:g}")
        epsilon /= 4


def linear_svc(X: Any, y: Any, T: Any, bound: float) -> Run:
    """Its lower bound is what LinearCompare proves on the same pairs."""
    from sklearn.svm import LinearSVC

    from podium import Comparisons
    from podium.comparers.linear_compare import LinearCompare

    c = Comparisons.from_labels(X, y, partners=5, random_state=0)
    cost = 400 * C / len(c)
    bound = LinearCompare(C=cost, tol=1e-4).fit(c).result_.details["dual"]
    D, label = X[c.right] - X[c.left], c.outcome
    rounds = 1
    while True:
        svc = LinearSVC(loss="hinge", C=cost, fit_intercept=False, tol=1e-12, max_iter=rounds, random_state=0)
        _, seconds = timed(lambda svc=svc: svc.fit(X[c.right] - X[c.left], label))  # type: ignore[misc]
        w = svc.coef_[0]
        value = 0.5 * w @ w + cost * np.maximum(0, 1 - label * (D @ w)).sum()
        if value - bound <= GAP * value or rounds >= 1024:
            return Run(seconds, T @ w, f"own gap {(value - bound) / value:.0e}, {rounds} rounds")
        rounds *= 2


def herbrich(X: Any, y: Any, T: Any, bound: float) -> Run:
    from podium.ordered.herbrich import HerbrichSVM

    fit = HerbrichSVM(5, C=400 * C / (5 * len(y)), tol=GAP, random_state=0).fit
    model, seconds = timed(lambda: fit(X, y))
    return Run(seconds, model.predict(T), f"own gap {model.result_.gap:.0e}")


def survival(X: Any, y: Any, T: Any, bound: float) -> Run:
    from sksurv.svm import FastSurvivalSVM

    times = np.array([(True, value) for value in y - y.min() + 1.0], dtype=[("event", bool), ("time", float)])
    peer = FastSurvivalSVM(
        alpha=1 / (400 * C), rank_ratio=1.0, optimizer="rbtree", max_iter=50, random_state=0
    )
    model, seconds = timed(lambda: peer.fit(X, times))
    return Run(seconds, -model.predict(T), f"squared hinge, {model.n_iter_} steps")


def xgboost(X: Any, y: Any, T: Any, bound: float) -> Run:
    from xgboost import XGBRanker

    peer = XGBRanker(objective="rank:pairwise", n_estimators=100, n_jobs=1, random_state=0)
    model, seconds = timed(lambda: peer.fit(X, y, qid=np.arange(len(y)) // 1000))
    return Run(seconds, model.predict(T), "100 trees")


def lightgbm(X: Any, y: Any, T: Any, bound: float) -> Run:
    from lightgbm import LGBMRanker

    peer = LGBMRanker(n_estimators=100, n_jobs=1, random_state=0, verbosity=-1)
    sizes = np.bincount(np.arange(len(y)) // 1000)
    model, seconds = timed(lambda: peer.fit(X, y, group=sizes))
    return Run(seconds, model.predict(T), "100 trees")


RUNS = {
    "podium": podium,
    "podium, cutting plane": cutting_plane,
    "dlib": dlib,
    "LinearSVC, 5 differences": linear_svc,
    "podium, HerbrichSVM": herbrich,
    "scikit-survival": survival,
    "XGBoost": xgboost,
    "LightGBM": lightgbm,
}
ONLY_LEVELS = {"dlib", "LightGBM", "XGBoost"}  # these cannot handle a distinct label for every row


# ------------------------------------------------------------------------------------ one process per run


def run_alone(who: str, n: int, d: int, levels: int, bound: float, budget: float) -> dict[str, Any]:
    command = [sys.executable, __file__, "--alone", json.dumps([who, n, d, levels, bound])]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=budget)
    except subprocess.TimeoutExpired:
        return {"note": f"more than {budget:g} s"}
    except subprocess.CalledProcessError:
        return {"note": "failed"}
    return dict(json.loads(done.stdout))


def alone(who: str, n: int, d: int, levels: int, bound: float) -> None:
    warnings.simplefilter("ignore")  # the others stop early on purpose
    test = make_rows(20_000, d, levels, seed=1)
    try:
        RUNS[who](*make_rows(1_000, d, levels), test[0], np.inf)
        run = RUNS[who](*make_rows(n, d, levels), test[0], bound)
    except ImportError as missing:
        print(json.dumps({"note": f"{missing}: pip install {PIP.get(who, who)}"}))
        return
    found = {"seconds": run.seconds, "swapped": 100 * swapped_pairs(test[1], run.score)}
    print(json.dumps({**found, "note": run.note, "bound": run.bound}))


def compare(n: int, d: int, levels: int, options: argparse.Namespace) -> None:
    what = f"{levels} labels" if levels else "a distinct label per row"
    table = Table(title=f"{n:,} rows, {d} features, {what}, C = {C:g}; load {os.getloadavg()[0]:.1f}")
    for heading in ("", "seconds", "× podium", "% swapped (test)", ""):
        table.add_column(heading, justify="right" if heading else "left")
    ours: dict[str, Any] = {}
    for who in RUNS:
        if (who in ONLY_LEVELS and not levels) or (options.only and who not in options.only):
            continue
        found = run_alone(who, n, d, levels, ours.get("bound", 0.0), options.budget)
        ours = ours or found
        if "seconds" in found:
            ratio = f"{found['seconds'] / ours['seconds']:.1f}×"
            cells = f"{found['seconds']:.3f}", ratio, f"{found['swapped']:.2f}"
        else:
            cells = "", "", ""
        table.add_row(who, *cells, found["note"])
    Console(width=130).print(table)


# ------------------------------------------------------------------------------------ search results


def ndcg(y: Any, score: Any, qid: Any, k: int = 10) -> float:
    """The mean over the queries that have a relevant result."""
    from sklearn.metrics import ndcg_score

    queries = [qid == q for q in np.unique(qid)]
    return float(
        np.mean([ndcg_score([2.0 ** y[q] - 1], [score[q]], k=k) for q in queries if y[q].max() > y[q].min()])
    )


def search_results() -> None:
    """MSLR-WEB30K: 43 queries to learn from, 43 others to rank."""
    import pandas as pd
    from sklearn.preprocessing import QuantileTransformer

    folder = Path(os.environ["PODIUM_DATA"]) / "mslr"
    parts = [pd.read_csv(folder / f"mslr_web30k_fold1_{part}5k.csv.gz") for part in ("train", "test")]
    (X, y, qid), (T, t, tid) = (
        (p.filter(regex="^f").to_numpy(float), p["y"].to_numpy(), p["qid"].to_numpy()) for p in parts
    )
    scaler = QuantileTransformer(n_quantiles=200, output_distribution="normal", random_state=0).fit(X)
    table = Table(title=f"MSLR: {len(y):,} results of {len(np.unique(qid))} queries, and as many to rank")
    for heading in ("", "seconds", "% swapped (test)", "NDCG@10 (test)"):
        table.add_column(heading, justify="right" if heading else "left")

    def linear(C: float) -> Any:
        model = SwappedPairsSVM(C=C).fit(scaler.transform(X), y, qid=qid)
        return lambda: model.predict(scaler.transform(T))

    def boosted(make: Callable[[], Any], **groups: Any) -> Any:
        model = make().fit(X, y, **groups)
        return lambda: model.predict(T)

    def trees_of_lightgbm() -> Any:
        from lightgbm import LGBMRanker

        return LGBMRanker(n_estimators=100, n_jobs=1, random_state=0, verbosity=-1)

    def trees_of_xgboost() -> Any:
        from xgboost import XGBRanker

        return XGBRanker(objective="rank:pairwise", n_estimators=100, n_jobs=1, random_state=0)

    sizes = np.diff(np.append(np.flatnonzero(np.diff(qid, prepend=-1)), len(qid)))
    runs: dict[str, Callable[[], Any]] = {
        "podium, C = 0.001": lambda: linear(0.001),
        "podium, C = 0.01": lambda: linear(0.01),
        "LightGBM lambdarank": lambda: boosted(trees_of_lightgbm, group=sizes),
        "XGBoost rank:pairwise": lambda: boosted(trees_of_xgboost, qid=qid),
    }
    warnings.simplefilter("ignore")
    for who, fit in runs.items():
        try:
            fit()
            predict, seconds = timed(fit)
        except ImportError as missing:
            table.add_row(who, "", "", f"{missing}")
            continue
        score = predict()
        swapped = 100 * swapped_pairs(t, score, tid)
        table.add_row(who, f"{seconds:.3f}", f"{swapped:.2f}", f"{ndcg(t, score, tid):.4f}")
    Console(width=130).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="1,000 and 10,000 rows only")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--budget", type=float, default=300, help="seconds after which a run is stopped")
    parser.add_argument("--only", nargs="+", help="run only these: " + ", ".join(RUNS))
    parser.add_argument("--mslr", action="store_true", help="search results only")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        return alone(*json.loads(options.alone))
    if not options.mslr:
        for n in [1_000, 10_000] if options.quick else options.rows:
            for levels in (5, 0):
                compare(n, 20, levels, options)
        if not options.quick and max(options.rows) >= 100_000:
            compare(100_000, 1_000, 5, options)
    if "PODIUM_DATA" in os.environ:
        search_results()
    return None


if __name__ == "__main__":
    main()
