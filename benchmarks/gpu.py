"""LinearCompare on a GPU, on embeddings.

    python benchmarks/gpu.py [--quick] [--save FILE]

It needs torch. With --quick the problems are small. Without a GPU they are small and run on the processor.
Times are those of `fit`, after a first fit that loads and compiles what is needed. The features are on the
device already; the rows of the comparisons are in NumPy.
"""

import argparse
import csv
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import podium as pod
from podium.comparers.primal import problem

Row = dict[str, Any]
TOL = 1e-3
LINEAR = ((1_000_000, 1_024, 1_000_000), (2_000_000, 4_096, 4_000_000))  # items, features, pairs


class Passes:
    """Counts the bytes of the features that products with them read."""

    def __init__(self) -> None:
        self.bytes = 0
        for place, name in enumerate(("items_times", "times_items")):
            setattr(problem, name, self._counted(getattr(problem, name), place))

    def _counted(self, product: Callable[..., Any], place: int) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            X = arguments[place]
            self.bytes += X.shape[0] * X.shape[1] * X.dtype.itemsize
            return product(*arguments)

        return counted


def seconds_of(torch: Any, device: str, work: Callable[[], Any], repeats: int = 3) -> float:
    """The median of a few runs, after one to warm up."""

    def timed() -> float:
        start = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start

    timed()
    return statistics.median(timed() for _ in range(repeats))


def bandwidth(torch: Any, device: str, numbers: int) -> float:
    """Bytes per second of a copy on the device, read and written."""
    X = torch.randn(numbers, device=device)
    return 2 * 4 * numbers / seconds_of(torch, device, lambda: X.clone(), 10)


def embeddings(torch: Any, device: str, items: int, features: int, pairs: int) -> pod.Comparisons:
    """Random vectors on the device, and pairs of them with about a quarter of ties."""
    torch.manual_seed(0)
    X = torch.randn(items, features, device=device)
    u = torch.randn(features, device=device) / features**0.5
    utility = (X @ u).cpu().numpy()
    rng = np.random.default_rng(0)
    left = rng.integers(items, size=pairs)
    right = (left + rng.integers(1, items, size=pairs)) % items
    d = utility[right] - utility[left] + rng.normal(size=pairs)
    outcome = np.where(np.abs(d) <= 0.5, 0, np.sign(d)).astype(np.int8)
    return pod.Comparisons.from_codes(np.arange(items), left, right, outcome).with_features(X)


def linear(torch: Any, device: str, sizes: tuple[tuple[int, int, int], ...], copied: float) -> Iterator[Row]:
    """LinearCompare: seconds, and the bytes of features read per second beside those of a copy."""
    passes = Passes()
    for items, features, pairs in sizes:
        c = embeddings(torch, device, items, features, pairs)
        for loss in ("hinge", "logistic"):
            model = pod.LinearCompare(loss, tol=TOL, random_state=0)
            seconds = seconds_of(torch, device, partial(model.fit, c))
            passes.bytes = 0
            model.fit(c)
            yield {
                "model": f"LinearCompare, {loss}",
                "items": items,
                "features": features,
                "pairs": pairs,
                "seconds": round(seconds, 3),
                "gap": f"{model.result_.gap:.1e}",
                "steps": model.n_iter_,
                "passes": round(passes.bytes / (4 * items * features), 1),
                "TB/s": round(passes.bytes / seconds / 1e12, 2),
                "of a copy": f"{passes.bytes / seconds / copied:.0%}",
            }
        del c, model


def show(rows: Iterable[Row], about: Row, file: Path | None) -> None:
    """Print every row as it comes; then write all to the file, if one is given."""
    found = []
    for row in rows:
        print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)
        found.append(about | row)
    if file is not None:
        names = list(dict.fromkeys(name for row in found for name in row))
        with file.open("w", newline="") as out:
            writer = csv.DictWriter(out, names)
            writer.writeheader()
            writer.writerows(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small problems")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the table to this CSV file")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("torch is not installed; run pip install torch")
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    small = options.quick or device == "cpu"
    copied = bandwidth(torch, device, 10_000_000 if small else 1 << 31)
    name = torch.cuda.get_device_name() if device == "cuda" else "the processor"
    print(f"{name}, torch {torch.__version__}; a copy moves {copied / 1e12:.2f} TB/s")
    about = {"date": f"{date.today()}", "device": name, "torch": torch.__version__}
    rows = linear(torch, device, ((5_000, 32, 20_000),) if small else LINEAR, copied)
    show(rows, about, options.save)


if __name__ == "__main__":
    main()
