"""SVMCompare compared with the naive way: Algorithm 1 of [SVMcompare], SVC on the explicit 2m × 2m kernel.

    python benchmarks/svm_compare.py [--quick | --full] [--sizes 200 5000] [--grid 400 2000] [--repeat 3]

The data are those of §4.1 (‖x‖₂², half ties). podium stops at a relative duality gap of 1e-3, and SVC at its
default tolerance. The two do not stop at the same distance from the optimum, so the gap of SVC's solution is
shown too. Every run is a separate process. Imports and one small problem are done before the clock starts,
and memory is the growth of the peak from there on. The best time of the repeats counts; runs of more than a
few seconds are not repeated. The naive grid computes its kernel once per width, not once per cell. If podium
is slower, the ratio is below 1. Each row is printed as soon as it is known.

The full benchmark takes less than eight minutes on two idle cores, ``--quick`` one or two. ``--full`` adds
the naive grid of 5,000 pairs, which takes minutes by itself.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

CELLS = [(1.0, 1 / 16), (1.0, 1.0), (1000.0, 1.0), (100.0, 8.0)]
FEW_ITEMS = 200
SMALL = 60
ENOUGH = 4.0  # seconds after which a run is not repeated


def data(n: int, few_items: bool, seed: int = 0) -> Any:
    """Pairs of distinct points, or many pairs of few points."""
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
    """K̃ = M'KM from the 2m × 2m matrix, and ỹ: Algorithm 1, with the rows of X_{-1} swapped as in eq. (8)."""
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
    """The relative duality gap at libsvm's solution; this takes one product with the support vectors."""
    u = np.asarray(K[:, svc.support_] @ svc.dual_coef_[0])
    square = float(svc.dual_coef_[0] @ u[svc.support_])
    primal = 0.5 * square + C * float(np.maximum(0, 1 - label * (u + svc.intercept_[0])).sum())
    return (primal - float(np.abs(svc.dual_coef_).sum()) + 0.5 * square) / primal


def podium(c: Any, C: float, gamma: float) -> float:
    from podium.comparers.svm_compare import SVMCompare

    return float(SVMCompare(C=C, gamma=gamma).fit(c).result_.gap or 0.0)


def podium_grid(c: Any, C: float, gamma: float) -> float:
    from podium.comparers.grid import compare_grid
    from podium.comparers.svm_compare import SVMCompare

    return compare_grid(SVMCompare(), c, data(len(c), False, seed=1)).gap


def naive_grid(c: Any, C: float, gamma: float) -> float:
    """Fit and validate all cells; r(x) is eq. (19), with one kernel to the validation set per width."""
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import SVC

    from podium.comparers.grid import PAPER_C, PAPER_GAMMA

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


def time_alone(who: str, n: int, few_items: bool, C: float, gamma: float, repeat: int) -> None:
    warnings.simplefilter("ignore")
    c = data(n, few_items)
    CONTESTANTS[who.split()[0]](data(SMALL, False), 1.0, 1.0)
    before = peak()
    seconds: list[float] = []
    while len(seconds) < repeat and sum(seconds) < ENOUGH:
        start = time.perf_counter()
        gap = CONTESTANTS[who](c, C, gamma)
        seconds.append(time.perf_counter() - start)
        if len(seconds) == 1:
            memory = peak() - before
    print(json.dumps({"seconds": min(seconds), "peak": memory, "gap": gap}))


def run_alone(who: str, n: int, few_items: bool, C: float, gamma: float, repeat: int) -> dict[str, float]:
    job = json.dumps([who, n, few_items, C, gamma, repeat])
    command = [sys.executable, __file__, "--alone", job]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


WIDTHS = (36, 10, 10, 10, 10, 13, 11, 15)
HEADINGS = ("problem", "podium", "memory", "naive", "memory", "times faster", "times less", "gap (naive)")


def show(cells: Sequence[str]) -> None:
    first, *others = zip(cells, WIDTHS, strict=True)
    print(first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others), flush=True)


def show_row(name: str, own: dict[str, float], peer: dict[str, float] | None, gaps: bool) -> None:
    cells = [name, f"{own['seconds']:.3f} s", f"{own['peak']:.0f} MiB"]
    if peer is None:
        cells += ["–"] * 4
    else:
        ratio = f"{peer['seconds'] / own['seconds']:.1f}"
        cells += [f"{peer['seconds']:.3f} s", f"{peer['peak']:.0f} MiB", ratio]
        cells += [f"{peer['peak'] / max(own['peak'], 1.0):.0f}"]
    show([*cells, f"{own['gap']:.0e} / {peer['gap']:.0e}" if gaps and peer else f"{own['gap']:.0e}"])


def compare(options: argparse.Namespace) -> None:
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    print(f"One fit; {os.cpu_count()} cores, load {load} at the start; best of {options.repeat}")
    show(HEADINGS)
    for few_items, sizes in ((False, options.sizes), (True, options.few)):
        for n in sizes:
            for C, gamma in CELLS:
                job = n, few_items, C, gamma, options.repeat
                own = run_alone("podium", *job)
                peer = run_alone("naive", *job) if n <= options.naive_limit else None
                what = f"n={n:,}{f', {FEW_ITEMS} items' if few_items else ''}, C={C:g}, γ={gamma:g}"
                show_row(what, own, peer, gaps=True)
    print("\nThe 10 × 10 grid with its validation")
    show(HEADINGS)
    for n in options.grid:
        job = n, False, 1.0, 1.0, options.repeat
        own = run_alone("podium grid", *job)
        peer = run_alone("naive grid", *job) if n <= options.naive_grid_limit else None
        show_row(f"n={n:,}", own, peer, gaps=False)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[200, 400, 1000, 2000, 5000, 10_000, 20_000])
    parser.add_argument("--few", type=int, nargs="*", default=[5000], help="pairs of 200 items")
    parser.add_argument("--grid", type=int, nargs="*", default=[400, 2000, 5000])
    parser.add_argument("--naive-limit", type=int, default=5000, help="run SVC up to this many pairs")
    parser.add_argument("--naive-grid-limit", type=int, default=2000, help="the same for its grid")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small problems only")
    parser.add_argument("--full", action="store_true", help="also run the naive grid of 5,000 pairs")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.quick:
        options.sizes, options.few, options.grid = [200, 1000, 2000], [5000], [400]
    if options.full:
        options.naive_grid_limit = 5000
    if options.alone:
        time_alone(*json.loads(options.alone))
    else:
        compare(options)


if __name__ == "__main__":
    main()
