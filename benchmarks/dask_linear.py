"""LinearCompare on Dask with two workers, compared with one machine and with NumPy on one core.

    python benchmarks/dask_linear.py [--case PATTERN] [--full]

Both fits use the logistic loss to a gap of 1e-12. The pairs are drawn from a table of items. One machine
stores each item once. A partition of Dask holds mostly different items, so it stores the differences of its
pairs instead: 8 GB in all for the case of ``--full``. The table lies in a file that the workers map into
memory.

A *pass* is one round: u travels to the workers, and value and gradient come back. NumPy's pass is X @ u and
X.T @ a on the differences of one partition, with one thread, times the number of partitions.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import podium as pod
from measuring.cases import Case, Clocked, Contestant
from measuring.turns import main

TOL = 1e-12
PASSES = 5


class Pairs:
    """Pairs of items, drawn partition by partition, with about a third of ties."""

    def __init__(self, folder: Path, n: int, p: int, partitions: int) -> None:
        self.p, self.partitions = p, partitions
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


def in_partitions(pairs: Pairs) -> Any:
    import dask.array as da
    from dask import delayed

    def side(which: int) -> Any:
        blocks = [delayed(pairs.features)(k, which) for k in range(pairs.partitions)]
        return da.concatenate([da.from_delayed(block, (pairs.size, pairs.p), float) for block in blocks])

    outcomes = [delayed(pairs.outcome)(k) for k in range(pairs.partitions)]
    y = da.concatenate([da.from_delayed(block, (pairs.size,), np.int8) for block in outcomes])
    return pod.PartitionedComparisons.from_features(side(0), side(1), y)


# ------------------------------------------------------------------------------------ contestants


def fit(c: Any) -> Any:
    return pod.LinearCompare("logistic", tol=TOL, random_state=0).fit(c)


def together(pairs: Pairs) -> pod.Comparisons:
    drawn = zip(*map(pairs.draw, range(pairs.partitions)), strict=True)
    left, right, outcome = (np.concatenate(column) for column in drawn)
    items = np.arange(pairs.n_items)
    c = pod.Comparisons.from_codes(items, left, right, outcome).with_features(np.array(pairs.items()))
    fit(c[:1000])  # compile first
    return c


@contextmanager
def two_workers() -> Iterator[None]:
    from dask.distributed import Client, LocalCluster

    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**local) as cluster, Client(cluster):
        yield


def on_dask(pairs: Pairs) -> Clocked:
    """Reading and fit, after the workers have started."""
    with two_workers():
        start = time.perf_counter()
        model = fit(in_partitions(pairs))
        return Clocked(time.perf_counter() - start, model)


def dask_pass(pairs: Pairs) -> Clocked:
    """The median round that sums over rows."""
    from podium.arrays.partitions.rounds import Partitions

    total, seconds = Partitions.total, []

    def timed(parts: Partitions, function: Any, *arguments: Any) -> Any:
        start = time.perf_counter()
        found = total(parts, function, *arguments)
        if function.__name__ == "sums_of_rows":
            seconds.append(time.perf_counter() - start)
        return found

    setattr(Partitions, "total", timed)  # noqa: B010  types do not allow it otherwise
    model = on_dask(pairs).result
    return Clocked(float(np.median(seconds)), model, f"median of {len(seconds)}")


def numpy_pass(pairs: Pairs) -> Clocked:
    X, seconds = pairs.features(0, 1) - pairs.features(0, 0), []
    with threadpool_limits(1):
        for _ in range(PASSES):
            start = time.perf_counter()
            X.T @ (X @ pairs.u)
            seconds.append(time.perf_counter() - start)
    return Clocked(pairs.partitions * min(seconds))


def gap(pairs: Pairs, model: Any) -> dict[str, float]:
    return {} if model is None else {"gap": float(model.result_.gap)}


CONTESTANTS = {
    "podium, Dask": Contestant(on_dask, patience=60),
    "podium, one machine": Contestant(fit, prepare=together, patience=60),
    "podium, one pass on Dask": Contestant(dask_pass, patience=60),
    "NumPy, one pass on one core": Contestant(numpy_pass, "numpy"),
}


def case(name: str, folder: str, *size: int) -> Case:
    return Case(name, partial(Pairs, Path(folder), *size), CONTESTANTS, None, gap, repeat=1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as small, tempfile.TemporaryDirectory() as large:
        main(
            [case("200,000 pairs, 10 features, 8 partitions", small, 200_000, 10, 8)],
            [case("20M pairs, 50 features, 80 partitions", large, 20_000_000, 50, 80)],
        )
