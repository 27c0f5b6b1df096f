"""The Bradley–Terry model compared with other libraries, from raw arrays to scores, in one run.

    python benchmarks/bradley_terry.py [--quick]

Every run is a separate process that first solves a small problem. Compilation and imports therefore do not
count, and each run has its own peak memory. *gradient* is the largest gradient of an item's log-likelihood,
relative to its games, at the returned scores; the same few lines of NumPy compute it for every library.
``np.unique`` on the pairs shows what it costs just to count them. *With a leaderboard* adds the records and
the shared ranks to the intervals; for the ranks, every difference is tested.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

SIZES = ((100, 100_000), (1_000, 1_000_000), (10_000, 1_000_000), (10_000, 10_000_000), (100_000, 10_000_000))
TIED_SIZES = ((10_000, 1_000_000), (100_000, 10_000_000))
TIES = 1.1  # Davidson's ν; it makes three rows in ten ties
PATIENCE = 120  # seconds after which a run is stopped
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def make(k: int, n: int, nu: float = 0.0) -> tuple[Ints, Ints, Ints]:
    """Random games of items with normal log-skill, with ties if ν > 0; neighbours win and lose once each."""
    rng = np.random.default_rng(k + n)
    skill = rng.normal(size=k)
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    x = np.exp((skill[right] - skill[left]) / 2)
    place = rng.random(n) * (1 + nu * x + x**2)
    outcome = (place > 1).astype(np.int64) + (place > 1 + nu * x) - 1
    ring = np.arange(k)
    left[:k], right[:k], outcome[:k] = ring, (ring + 1) % k, 1
    left[k : 2 * k], right[k : 2 * k], outcome[k : 2 * k] = ring, (ring + 1) % k, -1
    return left, right, outcome


# ------------------------------------------------------------------------------------ contestants


def podium_fit(left: Ints, right: Ints, outcome: Ints, k: int) -> Floats:
    from podium import BradleyTerry, Comparisons

    return np.asarray(BradleyTerry().fit(Comparisons.from_arrays(left, right, outcome)).log_skill_)


def podium_intervals(left: Ints, right: Ints, outcome: Ints, k: int) -> Floats:
    from podium import BradleyTerry, Comparisons

    model = BradleyTerry().fit(Comparisons.from_arrays(left, right, outcome))
    assert np.isfinite(model.interval()).all()
    return np.asarray(model.log_skill_)


def podium_leaderboard(left: Ints, right: Ints, outcome: Ints, k: int) -> Floats:
    from podium import BradleyTerry, Comparisons

    model = BradleyTerry().fit(Comparisons.from_arrays(left, right, outcome))
    assert np.isfinite(model.leaderboard().low).all()
    return np.asarray(model.log_skill_)


def evalica_fit(left: Ints, right: Ints, outcome: Ints, k: int) -> Floats:
    import evalica

    winners = np.where(outcome < 0, evalica.Winner.X, evalica.Winner.Y).tolist()
    scores = evalica.bradley_terry(
        left.tolist(), right.tolist(), winners, tolerance=1e-9, limit=10_000
    ).scores
    return np.asarray(np.log(scores.reindex(np.arange(k)).to_numpy()))


def choix_fit(left: Ints, right: Ints, outcome: Ints, k: int) -> Floats:
    import choix

    wins = np.zeros((k, k))
    np.add.at(wins, (np.where(outcome < 0, left, right), np.where(outcome < 0, right, left)), 1)
    return np.asarray(choix.ilsr_pairwise_dense(wins, tol=1e-9, max_iter=1000))


def arena_rank_fit(left: Ints, right: Ints, outcome: Ints, k: int) -> Floats:
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    frame = pd.DataFrame({"a": left, "b": right, "winner": (outcome < 0).astype(float)})
    data = PairDataset.from_pandas(frame, ["a", "b"], "winner", outcome_map=float)
    ratings = np.asarray(BradleyTerry(n_competitors=len(data.competitors)).fit(data).params["ratings"])
    return ratings[np.argsort(np.asarray(data.competitors, dtype=np.int64))]


def sklearn_fit(left: Ints, right: Ints, outcome: Ints, k: int) -> Floats:
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    n = len(left)
    columns = np.column_stack([left, right]).ravel()
    design = csr_array((np.tile([-1.0, 1.0], n), columns, np.arange(0, 2 * n + 1, 2)), shape=(n, k))
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-9, max_iter=1000).fit(design, outcome)
    return np.asarray(model.coef_[0])


def count_pairs(left: Ints, right: Ints, outcome: Ints, k: int) -> Floats:
    np.unique(np.minimum(left, right) * k + np.maximum(left, right), return_counts=True)
    return np.full(k, np.nan)


CONTESTANTS: dict[str, Callable[[Ints, Ints, Ints, int], Floats]] = {
    "podium": podium_fit,
    "podium, with intervals": podium_intervals,
    "podium, with a leaderboard": podium_leaderboard,
    "np.unique": count_pairs,
    "evalica": evalica_fit,
    "choix": choix_fit,
    "arena-rank": arena_rank_fit,
    "scikit-learn": sklearn_fit,
}
# The largest number of items for libraries that store a dense matrix of pairs.
LIMITS = {"choix": 2_000, "evalica": 20_000}


def gradient(left: Ints, right: Ints, outcome: Ints, k: int, log_skill: Floats) -> float:
    chance = 1 / (1 + np.exp(log_skill[left] - log_skill[right]))
    rest = chance - (outcome > 0)
    total = np.bincount(right, rest, k) - np.bincount(left, rest, k)
    games = np.bincount(right, minlength=k) + np.bincount(left, minlength=k)
    return float(np.max(np.abs(total) / games))


# ------------------------------------------------------------------------------------ runs


def time_alone(contestant: str, k: int, n: int, nu: float) -> None:
    run = CONTESTANTS[contestant]
    if contestant == "arena-rank":
        import jax

        jax.config.update("jax_enable_x64", True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(*make(200, 20_000, nu), 200)
        if "podium" in contestant:  # for many items, other code computes the intervals; compile it too
            run(*make(4_000, 200_000, nu), 4_000)
        caught.clear()
        data = make(k, n, nu)
        start = time.perf_counter()
        log_skill = run(*data, k)
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    worst = gradient(*data, k, log_skill) if nu == 0 else np.nan
    print(json.dumps({"seconds": seconds, "peak": peak, "gradient": worst, "warnings": len(caught)}))


def run_alone(*arguments: object) -> dict[str, Any] | str:
    command = [sys.executable, __file__, *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"> {PATIENCE} s"
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["killed"]
        return "not installed" if "ModuleNotFoundError" in lines[-1] else f"failed: {lines[-1][:40]}"
    return dict(json.loads(done.stdout.splitlines()[-1]))


def compare_fits(console: Console, repeat: int, sizes: tuple[tuple[int, int], ...]) -> None:
    for k, n in sizes:
        table = Table(title=f"{k:,} items, {n:,} rows; best of {repeat}")
        for heading in ("", "seconds", "× podium", "gradient", "peak memory", "warnings"):
            table.add_column(heading, justify="right" if heading else "left")
        base = np.nan
        for name in CONTESTANTS:
            if k > LIMITS.get(name, k):
                table.add_row(name, "too many items")
                continue
            runs = [run_alone("--alone", name, k, n, 0) for _ in range(repeat if "podium" in name else 1)]
            done = [run for run in runs if isinstance(run, dict)]
            if not done:
                table.add_row(name, str(runs[0]))
                continue
            best = min(run["seconds"] for run in done)
            base = best if name == "podium" else base
            worst = "" if np.isnan(done[0]["gradient"]) else f"{done[0]['gradient']:.0e}"
            facts = [worst, f"{done[0]['peak']:.2f} GiB", str(done[0]["warnings"])]
            table.add_row(name, f"{best:.4f}", f"{best / base:.1f}", *facts)
        console.print(table)


def compare_ties(console: Console, repeat: int, sizes: tuple[tuple[int, int], ...]) -> None:
    table = Table(title=f"Ties with Davidson's model, best of {repeat}")
    for heading in ("items", "rows", "podium, seconds", "np.unique, seconds", "podium / np.unique"):
        table.add_column(heading, justify="right")
    for k, n in sizes:
        best = []
        for name in ("podium", "np.unique"):
            runs = [run_alone("--alone", name, k, n, TIES) for _ in range(repeat)]
            best.append(min((run["seconds"] for run in runs if isinstance(run, dict)), default=np.nan))
        table.add_row(f"{k:,}", f"{n:,}", *(f"{seconds:.4f}" for seconds in best), f"{best[0] / best[1]:.2f}")
    console.print(table)


def bootstrap_alone(contestant: str, replicates: int) -> None:
    left, right, outcome = make(100, 100_000)
    if contestant == "podium":
        from podium import BradleyTerry, Comparisons

        model = BradleyTerry().fit(Comparisons.from_arrays(left, right, outcome))
        model.bootstrap(10, random_state=0)
        start = time.perf_counter()
        model.bootstrap(replicates, random_state=0)
    else:
        import evalica

        winners = np.where(outcome < 0, evalica.Winner.X, evalica.Winner.Y).tolist()
        start = time.perf_counter()
        evalica.bootstrap(
            evalica.bradley_terry,
            left.tolist(),
            right.tolist(),
            winners,
            n_resamples=replicates,
            bootstrap_method="percentile",
            random_state=0,
        )
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds / replicates}))


def compare_bootstraps(console: Console) -> None:
    table = Table(title="Bootstrap, 100 items, 100,000 rows")
    for heading in ("", "replicates", "ms per replicate", "× podium"):
        table.add_column(heading, justify="right" if heading else "left")
    base = np.nan
    for name, replicates in (("podium", 1_000), ("evalica", 20)):
        run = run_alone("--bootstrap-alone", name, replicates)
        if isinstance(run, str):
            table.add_row(name, f"{replicates:,}", run)
            continue
        base = run["seconds"] if name == "podium" else base
        table.add_row(name, f"{replicates:,}", f"{1e3 * run['seconds']:.3f}", f"{run['seconds'] / base:.0f}")
    console.print(table)


def hard_graphs(console: Console) -> None:
    """Chains and ladders, on which first-order methods are very slow."""
    from podium import BradleyTerry, Comparisons

    rng = np.random.default_rng(0)
    rungs = np.arange(0, 10_000, 2)
    rails = np.arange(9_998)
    graphs = {
        "chain of 1,000": (np.arange(999), np.arange(1, 1_000)),
        "ladder of 10,000": (np.concatenate([rails, rungs]), np.concatenate([rails + 2, rungs + 1])),
    }
    table = Table(title="Badly connected items, ten games per pair")
    for heading in ("", "seconds", "gradient", "solver"):
        table.add_column(heading, justify="right" if heading == "seconds" else "left")
    for name, (left, right) in graphs.items():
        left, right = np.tile(left, 10), np.tile(right, 10)
        outcome = np.where(rng.random(len(left)) < 0.5, 1, -1)
        pairs = len(left) // 10
        outcome[:pairs], outcome[pairs : 2 * pairs] = 1, -1  # everyone wins and loses, so the estimate exists
        c = Comparisons.from_arrays(left, right, outcome)
        BradleyTerry().fit(c)
        start = time.perf_counter()
        model = BradleyTerry().fit(c)
        seconds = time.perf_counter() - start
        result = model.result_
        table.add_row(name, f"{seconds:.3f}", f"{result.gradient_norm:.0e}", result.solver)
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="only up to a million rows")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--alone", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--bootstrap-alone", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        name, k, n, nu = options.alone
        time_alone(name, int(k), int(n), float(nu))
    elif options.bootstrap_alone:
        bootstrap_alone(options.bootstrap_alone[0], int(options.bootstrap_alone[1]))
    else:
        console = Console()
        most = 10**6 if options.quick else 10**7
        compare_fits(console, options.repeat, tuple(size for size in SIZES if size[1] <= most))
        compare_ties(console, options.repeat, tuple(size for size in TIED_SIZES if size[1] <= most))
        compare_bootstraps(console)
        hard_graphs(console)


if __name__ == "__main__":
    main()
