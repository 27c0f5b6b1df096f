"""SVMCompare beside the naive way: Algorithm 1 of [SVMcompare] with SVC on the explicit 2m × 2m kernel.

    python benchmarks/svm_compare.py [--sizes 200 5000] [--naive-limit 5000] [--grid 400 2000] [--repeat 3]

The data are those of §4.1 (‖x‖₂², half ties). podium stops at a relative duality gap of 1e-3, SVC at its
default tolerance; the gap of its solution is shown too, for the two do not stop at the same distance from
the optimum. Every run is a process of its own; imports are done and one small problem is solved before the
clock starts, and memory is the growth of the peak from there on. The best time and the largest memory of the
repeats count. The naive grid computes its kernel once a width, not once a cell. Where podium is slower the
ratio is below 1.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

CELLS = [(1.0, 1 / 16), (1.0, 1.0), (1000.0, 1.0), (100.0, 8.0)]
FEW_ITEMS = 200
SMALL = 60


def data(n: int, few_items: bool, seed: int = 0) -> Any:
    """Pairs of points that are all different, or of few."""
    from podium import Comparisons
    from podium.datasets import make_norm_comparisons

    if not few_items:
        return make_norm_comparisons(n, random_state=seed)
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(FEW_ITEMS, 2))
    left = rng.integers(0, FEW_ITEMS, n)
    right = (left + rng.integers(1, FEW_ITEMS, n)) % FEW_ITEMS
    r = (X**2).sum(axis=1)
    d = r[right] - r[left] + rng.normal(scale=0.25, size=n)
    return Comparisons.from_arrays(
        left, right, np.where(np.abs(d) <= 4, 0, np.sign(d)).astype(np.int8)
    ).with_features(X[np.unique(np.concatenate([left, right]))])


# ---------------------------------------------------------------------------------------- contestants


def flipped_kernel(c: Any, gamma: float) -> tuple[Any, Any]:
    """K̃ = M'KM from the 2m × 2m matrix, and ỹ: Algorithm 1, its rows of X_{-1} swapped as in eq. (8)."""
    from sklearn.metrics.pairwise import rbf_kernel

    X, y = c.features, c.outcome
    tail, head = np.where(y == -1, c.right, c.left), np.where(y == -1, c.left, c.right)
    tie = y == 0
    tail, head = np.concatenate([tail, head[tie]]), np.concatenate([head, tail[tie]])
    label = np.concatenate([np.where(tie, -1, 1), -np.ones(int(tie.sum()))])
    m = len(label)
    K = rbf_kernel(np.vstack([X[tail], X[head]]), gamma=gamma)
    return K[m:, m:] - K[m:, :m] - K[:m, m:] + K[:m, :m], label


def naive(c: Any, C: float, gamma: float) -> float:
    from sklearn.svm import SVC

    K, label = flipped_kernel(c, gamma)
    svc = SVC(kernel="precomputed", C=C).fit(K, label)
    return naive_gap(svc, K, label, C)


def naive_gap(svc: Any, K: Any, label: Any, C: float) -> float:
    """The relative duality gap at libsvm's solution; it costs a product with the support, hardly any time."""
    u = np.asarray(K[:, svc.support_] @ svc.dual_coef_[0])
    square = float(svc.dual_coef_[0] @ u[svc.support_])
    primal = 0.5 * square + C * float(np.maximum(0, 1 - label * (u + svc.intercept_[0])).sum())
    return (primal - float(np.abs(svc.dual_coef_).sum()) + 0.5 * square) / primal


def podium(c: Any, C: float, gamma: float) -> float:
    from podium.models.svm_compare import SVMCompare

    return float(SVMCompare(C=C, gamma=gamma).fit(c).result_.gap or 0.0)


def podium_grid(c: Any, C: float, gamma: float) -> float:
    from podium.models.compare_grid import compare_grid
    from podium.models.svm_compare import SVMCompare

    return compare_grid(SVMCompare(), c, data(len(c), False, seed=1)).gap


def naive_grid(c: Any, C: float, gamma: float) -> float:
    """Fit and validate all cells; r(x) by eq. (19), one kernel to the validation set a width."""
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import SVC

    from podium.models.compare_grid import PAPER_C, PAPER_GAMMA

    validation = data(len(c), False, seed=1)
    y, tie = c.outcome, c.outcome == 0
    tail, head = np.where(y == -1, c.right, c.left), np.where(y == -1, c.left, c.right)
    tail, head = np.concatenate([tail, head[tie]]), np.concatenate([head, tail[tie]])
    best = np.inf
    for width in PAPER_GAMMA:
        K, label = flipped_kernel(c, width)
        to_train = rbf_kernel(validation.features, c.features, gamma=width)
        for cost in PAPER_C:
            svc = SVC(kernel="precomputed", C=cost).fit(K, label)
            item = np.zeros(len(c.features))
            np.add.at(item, head[svc.support_], svc.dual_coef_[0])
            np.add.at(item, tail[svc.support_], -svc.dual_coef_[0])
            r = to_train @ item / -svc.intercept_[0]
            d = r[validation.right] - r[validation.left]
            best = min(best, float(np.mean(np.where(np.abs(d) <= 1, 0, np.sign(d)) != validation.outcome)))
    return best


CONTESTANTS: dict[str, Callable[[Any, float, float], float]] = {
    "podium": podium,
    "naive": naive,
    "podium grid": podium_grid,
    "naive grid": naive_grid,
}


# ---------------------------------------------------------------------------------------- runs


def peak() -> float:
    """In MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def time_alone(who: str, n: int, few_items: bool, C: float, gamma: float) -> None:
    warnings.simplefilter("ignore")
    c = data(n, few_items)
    CONTESTANTS[who.split()[0]](data(SMALL, False), 1.0, 1.0)
    before, start = peak(), time.perf_counter()
    gap = CONTESTANTS[who](c, C, gamma)
    print(json.dumps({"seconds": time.perf_counter() - start, "peak": peak() - before, "gap": gap}))


def run_alone(who: str, n: int, few_items: bool, C: float, gamma: float, repeat: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--alone", who, str(n), str(int(few_items)), str(C), str(gamma)]
    runs = []
    for _ in range(repeat):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    best = {"seconds": min(run["seconds"] for run in runs), "peak": max(run["peak"] for run in runs)}
    return {**best, "gap": runs[0]["gap"]}


def row(table: Table, name: str, own: dict[str, float], peer: dict[str, float] | None, gaps: bool) -> None:
    cells = [name, f"{own['seconds']:.3f} s", f"{own['peak']:.0f} MiB"]
    if peer is None:
        cells += ["–"] * 4
    else:
        ratio = f"{peer['seconds'] / own['seconds']:.1f}"
        cells += [f"{peer['seconds']:.3f} s", f"{peer['peak']:.0f} MiB", ratio]
        cells += [f"{peer['peak'] / max(own['peak'], 1.0):.0f}"]
    cells.append(f"{own['gap']:.0e} / {peer['gap']:.0e}" if gaps and peer else f"{own['gap']:.0e}")
    table.add_row(*cells)


def headed(title: str) -> Table:
    table = Table(title=title)
    for heading in (
        "problem",
        "podium",
        "memory",
        "naive",
        "memory",
        "times faster",
        "times less",
        "gap (naive)",
    ):
        table.add_column(heading, justify="left" if heading == "problem" else "right")
    return table


def compare(options: argparse.Namespace) -> None:
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    table = headed(f"One fit; {os.cpu_count()} cores, load {load} at the start; best of {options.repeat}")
    for few_items, sizes in ((False, options.sizes), (True, options.few)):
        for n in sizes:
            for C, gamma in CELLS:
                known = n <= options.naive_limit
                own = run_alone("podium", n, few_items, C, gamma, options.repeat)
                peer = run_alone("naive", n, few_items, C, gamma, options.repeat) if known else None
                what = f"n={n:,}{f', {FEW_ITEMS} items' if few_items else ''}, C={C:g}, γ={gamma:g}"
                row(table, what, own, peer, gaps=True)
    if table.row_count:
        Console(width=130).print(table)
    table = headed(f"The 10 × 10 grid with its validation; best of {options.grid_repeat}")
    for n in options.grid:
        own = run_alone("podium grid", n, False, 1.0, 1.0, options.grid_repeat)
        peer = run_alone("naive grid", n, False, 1.0, 1.0, options.grid_repeat)
        row(table, f"n={n:,}", own, peer, gaps=False)
    Console(width=130).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[200, 400, 1000, 2000, 5000, 10_000, 20_000])
    parser.add_argument("--few", type=int, nargs="*", default=[5000], help="pairs of 200 items")
    parser.add_argument("--naive-limit", type=int, default=5000)
    parser.add_argument("--grid", type=int, nargs="*", default=[400, 2000, 5000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--grid-repeat", type=int, default=1)
    parser.add_argument("--alone", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        who, n, few_items, C, gamma = options.alone
        time_alone(who, int(n), few_items == "1", float(C), float(gamma))
    else:
        compare(options)


if __name__ == "__main__":
    main()
