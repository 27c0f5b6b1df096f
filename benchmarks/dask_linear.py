"""LinearCompare on Dask with two workers, compared with one machine and with NumPy on one core.

    python benchmarks/dask_linear.py [--pairs 20000000] [--features 50] [--partitions 80] [--quick]

Both fits use the logistic loss to a gap of 1e-12, so that their coefficients can be compared. The pairs are
drawn from a table of items. One machine stores each item once. A partition of Dask holds mostly different
items, so it stores the differences of its pairs instead: 8 GB in all. The table lies in a file that the
workers map into memory.

A *pass* is one round: u travels to the workers, and value and gradient come back. NumPy's pass is X @ u and
X.T @ a on the differences of one partition, with one thread, times the number of partitions.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import podium as pod
from podium.comparisons.partitions.rounds import Partitions

TOL = 1e-12
PASSES = 5


class Pairs:
    """Pairs of items, drawn partition by partition, with about a third of ties."""

    def __init__(self, folder: Path, n: int, p: int, partitions: int) -> None:
        rng = np.random.default_rng(0)
        self.file, self.size, self.n_items = folder / "items.npy", n // partitions, max(n // 10, 1_000)
        X, self.u = rng.normal(size=(self.n_items, p)), rng.normal(size=p) / np.sqrt(p)
        self.utility = folder / "utility.npy"
        np.save(self.file, X)
        np.save(self.utility, X @ self.u)

    def draw(self, k: int) -> tuple[Any, Any, Any]:
        """Both sides, as rows of the table, and the outcomes of partition k."""
        rng, utility = np.random.default_rng([1, k]), np.load(self.utility)
        left = rng.integers(self.n_items, size=self.size)
        right = (left + rng.integers(1, self.n_items, size=self.size)) % self.n_items
        d = utility[right] - utility[left] + rng.normal(size=self.size)
        return left, right, np.where(np.abs(d) <= 0.8, 0, np.sign(d)).astype(np.int8)

    def items(self) -> Any:
        return np.load(self.file, mmap_mode="r")

    def features(self, k: int, side: int) -> Any:
        return self.items()[self.draw(k)[side]]

    def outcome(self, k: int) -> Any:
        return self.draw(k)[2]


def one_machine(pairs: Pairs, partitions: int) -> tuple[Any, float]:
    left, right, outcome = (np.concatenate(x) for x in zip(*map(pairs.draw, range(partitions)), strict=True))
    items = np.arange(pairs.n_items)
    c = pod.Comparisons.from_codes(items, left, right, outcome).with_features(np.array(pairs.items()))
    start = time.perf_counter()
    model = pod.LinearCompare("logistic", tol=TOL, random_state=0).fit(c)
    return model, time.perf_counter() - start


def in_partitions(pairs: Pairs, p: int, partitions: int) -> Any:
    import dask.array as da
    from dask import delayed

    def side(which: int) -> Any:
        blocks = [delayed(pairs.features)(k, which) for k in range(partitions)]
        return da.concatenate([da.from_delayed(block, (pairs.size, p), float) for block in blocks])

    outcomes = [delayed(pairs.outcome)(k) for k in range(partitions)]
    y = da.concatenate([da.from_delayed(block, (pairs.size,), np.int8) for block in outcomes])
    return pod.PartitionedComparisons.from_features(side(0), side(1), y)


class Clock:
    """The seconds of every round of `Partitions.total`, by the name of its function."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.total = Partitions.total
        Partitions.total = self  # type: ignore[method-assign,assignment]

    def __get__(self, parts: Partitions, _: Any) -> Any:
        return lambda function, *arguments: self.timed(parts, function, *arguments)

    def timed(self, parts: Partitions, function: Any, *arguments: Any) -> Any:
        start = time.perf_counter()
        found = self.total(parts, function, *arguments)
        self.seconds.setdefault(function.__name__, []).append(time.perf_counter() - start)
        return found


def numpy_pass(pairs: Pairs, partitions: int) -> float:
    """Seconds of X @ u and X.T @ a for all partitions, with one thread: the best of a few."""
    X, seconds = pairs.features(0, 1) - pairs.features(0, 0), []
    with threadpool_limits(1):
        for _ in range(PASSES):
            start = time.perf_counter()
            X.T @ (X @ pairs.u)
            seconds.append(time.perf_counter() - start)
    return partitions * min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20_000_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--partitions", type=int, default=80)
    parser.add_argument("--quick", action="store_true", help="200,000 pairs with 10 features in 8 partitions")
    given = parser.parse_args()
    n, p, partitions = (200_000, 10, 8) if given.quick else (given.pairs, given.features, given.partitions)
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        print('Dask is not installed; run pip install "podium-learn[dask]"')
        return
    with tempfile.TemporaryDirectory() as folder:
        pairs = Pairs(Path(folder), n, p, partitions)
        alone, seconds = one_machine(pairs, partitions)
        numpy_seconds, clock = numpy_pass(pairs, partitions), Clock()
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
            Client(cluster),
        ):
            start = time.perf_counter()
            model = pod.LinearCompare("logistic", tol=TOL, random_state=0).fit(
                in_partitions(pairs, p, partitions)
            )
            dask_seconds = time.perf_counter() - start
    table = Table(
        title=f"{partitions * pairs.size:,} pairs × {p} features, {partitions} partitions, two workers"
    )
    for column in ("", "seconds"):
        table.add_column(column)
    passes = clock.seconds["sums_of_rows"]
    table.add_row("Dask: reading and fit", f"{dask_seconds:.1f}")
    table.add_row(f"Dask: median of {len(passes)} passes", f"{np.median(passes):.2f}")
    table.add_row("NumPy: one pass on one core", f"{numpy_seconds:.2f}")
    table.add_row("one machine: fit on items that are stored once", f"{seconds:.1f}")
    console = Console()
    console.print(table)
    difference = float(np.abs(model.coef_ - alone.coef_).max())
    console.print(f"largest difference of a coefficient {difference:.1e}, gap {model.result_.gap:.1e}")


if __name__ == "__main__":
    main()
