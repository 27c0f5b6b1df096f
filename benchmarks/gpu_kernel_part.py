"""SVMCompare with a Gaussian kernel on a device, compared with the same model in NumPy.

    python benchmarks/gpu_kernel_part.py [--pairs 20000 50000 200000] [--rounds 100] [--library torch]

Both fits end at a relative duality gap of 1e-3. In NumPy large problems take very long; ``--rounds`` stops
them there after so many working sets. Then the ratio is a lower bound, and "at least" says so.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import podium as pod

Row = dict[str, Any]
FEATURES = 50
COSTS = (1.0, 100.0)
SMALL = 2_000  # pairs of the fit that loads and compiles what is needed


def pairs_of_new_items(n: int) -> tuple[pod.Comparisons, Any]:
    """Pairs of 2n distinct items and their features; the utility is half linear, half quadratic."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * n, FEATURES))
    half = FEATURES // 2
    utility = ((X[:, :half] ** 2).sum(axis=1) + X[:, half:].sum(axis=1)) / np.sqrt(FEATURES)
    codes = np.arange(2 * n, dtype=np.int32)
    d = utility[n:] - utility[:n] + rng.normal(scale=0.25, size=n)
    outcome = np.where(np.abs(d) <= 1, 0, np.sign(d)).astype(np.int8)
    return pod.Comparisons.from_codes(codes, codes[:n], codes[n:], outcome, named=False), X


def timed_fit(model: Any, c: pod.Comparisons) -> float:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit in NumPy may be stopped early
        model.fit(c)
    return time.perf_counter() - start


def kernel_machines(
    sizes: Sequence[int], there: Callable[[Any], Any], rounds: int | None = None, largest_here: int = 100_000
) -> Iterator[Row]:
    """One row per size and C; ``there`` moves a table of NumPy to the device.

    In NumPy a fit is stopped after ``rounds`` working sets, and left out beyond ``largest_here`` pairs.
    """
    c, X = pairs_of_new_items(SMALL)
    for table in (X, there(X)):
        timed_fit(pod.SVMCompare(), c.with_features(table))
    for n in sizes:
        c, X = pairs_of_new_items(n)
        on_device = c.with_features(there(X))
        for cost in COSTS:
            model = pod.SVMCompare(C=cost)
            seconds = timed_fit(model, on_device)
            row = {"model": "SVMCompare", "C": cost, "pairs": n, "features": FEATURES}
            row |= {"seconds": round(seconds, 2), "rounds": model.n_iter_, "gap": f"{model.result_.gap:.1e}"}
            row["certified"] = model.result_.converged
            if n <= largest_here:
                other = pod.SVMCompare(C=cost, max_iter=rounds or model.max_iter)
                here = timed_fit(other, c.with_features(X))
                row |= {"NumPy seconds": round(here, 1), "NumPy rounds": other.n_iter_}
                row["NumPy gap"] = f"{other.result_.gap:.1e}"
                least = "" if other.result_.converged else "at least "
                row["ratio"] = f"{least}{here / seconds:.1f}"
            yield row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[20_000, 50_000, 200_000])
    parser.add_argument("--rounds", type=int, help="working sets after which a fit in NumPy is stopped")
    parser.add_argument("--largest-here", type=int, default=100_000, help="pairs of the largest fit in NumPy")
    parser.add_argument("--library", choices=("torch", "cupy", "array_api_strict"), default="torch")
    options = parser.parse_args()
    if options.library == "torch":
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
        there: Callable[[Any], Any] = lambda X: torch.asarray(X, device=device)  # noqa: E731
    else:
        there = __import__(options.library).asarray
    for row in kernel_machines(options.pairs, there, options.rounds, options.largest_here):
        print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
