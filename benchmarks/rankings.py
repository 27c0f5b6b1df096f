"""Plackett–Luce compared with choix and with sorting, in one run.

    python benchmarks/rankings.py [--quick]

The rankings are simulated: each is of a random set of items, drawn by the model. A choice is the first of
such a ranking, with the others as its unordered rest. Every run is a separate process. It imports and
compiles what it needs, then loads the rankings, and is timed from this array to skills. choix reads lists,
which are made before its time starts.

*gradient* is the largest derivative of the log-likelihood by a log-skill, relative to the number of rankings
that the item is in; the same few lines of NumPy compute it for every library. The tolerance of choix is
tightened until the gradient is as small as podium's. If it never is, the run with the smallest gradient
counts. *difference* is the largest difference of a log-skill from podium's. *memory* is the peak during
the fit, in MiB, minus the memory in use after loading the rankings. ``--patience`` limits the seconds of a
run.

``ilsr_*`` is the fastest of choix: on 10,000 rankings of 100 items, ``mm_*`` takes several times as long to
a larger gradient, and ``opt_*`` more than half a minute. The last two rows sort the items of all rankings as
one array.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
ROUNDING = 1e-12  # smaller gradients count as equal
Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


class Size(NamedTuple):
    items: int
    rankings: int
    length: int
    choices: bool = False


SIZES = (Size(1_000, 100_000, 5), Size(10_000, 1_000_000, 10), Size(1_000, 1_000_000, 20, choices=True))
QUICK = (Size(100, 10_000, 5), Size(100, 10_000, 20, choices=True))
SMALL = 100, 5_000  # items and rankings of the problem that podium solves before the clock starts


def make(size: Size) -> Ints:
    """One ranking per row, best first; of a choice, only the first place means something."""
    rng = np.random.default_rng(size.items + size.rankings)
    skill = rng.normal(size=size.items)
    pool = rng.integers(0, size.items, (size.rankings, size.length), dtype=np.int32)
    while (twice := (np.diff(np.sort(pool), axis=1) == 0).any(axis=1)).any():
        pool[twice] = rng.integers(0, size.items, (twice.sum(), size.length), dtype=np.int32)
    key = skill[pool] + rng.gumbel(size=pool.shape)  # the order of such keys follows the model
    return np.take_along_axis(pool, np.argsort(-key), axis=1)


def gradient(orders: Ints, choices: bool, skill: Floats) -> float:
    stages = 1 if choices else orders.shape[1] - 1
    e = np.exp(skill)[orders]
    rates = 1 / e[:, ::-1].cumsum(axis=1)[:, ::-1]
    rates[:, stages:] = 0
    expected = e * rates.cumsum(axis=1)
    expected[:, :stages] -= 1
    k = len(skill)
    total = np.bincount(orders.ravel(), expected.ravel(), k)
    return float(np.max(np.abs(total) / np.bincount(orders.ravel(), minlength=k)))


# ------------------------------------------------------------------------------------ contestants


class Contestant(NamedTuple):
    """What happens before the clock starts, and from prepared data and a tolerance to log-skills after it."""

    prepare: Callable[[Ints, bool], Any]
    run: Callable[[Any, int, float | None], Floats]


def table_of(orders: Ints, choices: bool) -> Any:
    from podium import Rankings

    return Rankings.from_choices(orders[:, 0], orders) if choices else Rankings.from_lists(orders)


def podium_fit(rankings: Any, k: int, tol: float | None) -> Floats:
    from podium import PlackettLuce

    return np.asarray(PlackettLuce().fit(rankings).log_skill_)


def podium_whole(data: tuple[Ints, bool], k: int, tol: float | None) -> Floats:
    return podium_fit(table_of(*data), k, tol)


def podium_errors(data: tuple[Ints, bool], k: int, tol: float | None) -> Floats:
    from podium import PlackettLuce

    model = PlackettLuce().fit(table_of(*data))
    assert np.isfinite(model.standard_error_).all()
    return np.asarray(model.log_skill_)


def choix_lists(orders: Ints, choices: bool) -> Any:
    import choix  # noqa: F401

    lists = orders.tolist()
    return [(first, others) for first, *others in lists] if choices else lists


def choix_fit(data: Any, k: int, tol: float | None) -> Floats:
    import choix

    ilsr = choix.ilsr_top1 if isinstance(data[0], tuple) else choix.ilsr_rankings
    return np.asarray(ilsr(k, data, tol=tol, max_iter=10_000))


def sorted_by(sort: Callable[[Ints], Any]) -> Callable[[Any, int, float | None], Floats]:
    def run(entries: Ints, k: int, tol: float | None) -> Floats:
        sort(entries)
        return np.zeros(k)

    return run


def as_they_are(orders: Ints, choices: bool) -> tuple[Ints, bool]:
    return orders, choices


def one_array(orders: Ints, choices: bool) -> Ints:
    return orders.ravel()


CONTESTANTS = {
    "podium": Contestant(as_they_are, podium_whole),
    "podium, fit alone": Contestant(table_of, podium_fit),
    "podium, with errors": Contestant(as_they_are, podium_errors),
    "choix ilsr": Contestant(choix_lists, choix_fit),
    "np.sort": Contestant(one_array, sorted_by(np.sort)),
    "np.argsort": Contestant(one_array, sorted_by(np.argsort)),
}


# ------------------------------------------------------------------------------------ runs


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def time_alone(name: str, file: str, size: Size, tol: float | None) -> None:
    """Load the rankings from a file: making them here would raise the peak before the fit."""
    contestant = CONTESTANTS[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if "podium" in name:
            small = Size(SMALL[0], SMALL[1], size.length, size.choices)
            contestant.run(contestant.prepare(make(small), size.choices), small.items, tol)
            caught.clear()
        orders = np.load(file)
        data = contestant.prepare(orders, size.choices)
        before = peak()
        start = time.perf_counter()
        skill = contestant.run(data, size.items, tol)
        seconds = time.perf_counter() - start
    facts = {"seconds": seconds, "memory": peak() - before, "warnings": len(caught)}
    worst = gradient(orders, size.choices, skill)
    print(json.dumps({**facts, "gradient": worst, "solution": list(skill - skill.mean())}))


def run_alone(name: str, file: str, size: Size, tol: float | None, patience: int) -> dict[str, Any] | str:
    command = [sys.executable, __file__, "--alone", name, file, json.dumps(size), str(tol)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return f"> {patience} s"
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["killed"]
        return "not installed" if "ModuleNotFoundError" in lines[-1] else f"failed: {lines[-1][:40]}"
    return dict(json.loads(done.stdout.splitlines()[-1]))


def run_to(
    target: float, name: str, file: str, size: Size, repeat: int, patience: int
) -> tuple[float | None, dict[str, Any] | str]:
    """Tighten the tolerance of choix until the gradient is at most the target.

    podium keeps its default tolerance; of its runs and of sorting, the best of several counts.
    """
    if "choix" not in name:
        runs = []
        for _ in range(repeat):
            if isinstance(run := run_alone(name, file, size, None, patience), str):
                return None, run
            runs.append(run)
        return None, min(runs, key=lambda run: float(run["seconds"]))
    best: tuple[float | None, dict[str, Any] | str] = (None, "not run")
    for tol in TOLERANCES:
        run = run_alone(name, file, size, tol, patience)
        if isinstance(run, str):
            return (tol, run) if isinstance(best[1], str) else best
        if isinstance(best[1], str) or run["gradient"] < best[1]["gradient"]:
            best = tol, run
        if run["gradient"] <= target:
            break
    return best


def compare(console: Console, size: Size, repeat: int, patience: int) -> None:
    k, n, length, choices = size
    what = "choices" if choices else "rankings"
    orders = make(size)
    table = Table(
        title=f"{k:,} items, {n:,} {what} of {length} ({orders.nbytes / 2**20:.0f} MiB); best of {repeat}"
    )
    for heading in ("", "tolerance", "seconds", "× podium", "gradient", "difference", "memory", "warnings"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=not heading)
    base: dict[str, Any] = {"seconds": np.nan, "gradient": 0.0, "solution": np.nan}
    with tempfile.TemporaryDirectory() as folder:
        np.save(file := str(Path(folder) / "orders.npy"), orders)
        del orders
        for name in CONTESTANTS:
            tol, run = run_to(max(base["gradient"], ROUNDING), name, file, size, repeat, patience)
            tightness = "" if tol is None else f"{tol:.0e}"
            if isinstance(run, str):
                table.add_row(name, tightness, run)
                continue
            base = run if name == "podium" else base
            difference = np.abs(np.subtract(run["solution"], base["solution"])).max()
            times = f"{run['seconds']:.3f}", f"{run['seconds'] / base['seconds']:.2f}"
            checks = ("", "") if "sort" in name else (f"{run['gradient']:.0e}", f"{difference:.0e}")
            table.add_row(name, tightness, *times, *checks, f"{run['memory']:.0f}", str(run["warnings"]))
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small problems only")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--patience", type=int, default=300, help="seconds after which a run is stopped")
    parser.add_argument("--alone", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        name, file, size, tol = options.alone
        time_alone(name, file, Size(*json.loads(size)), None if tol == "None" else float(tol))
        return
    console = Console(width=100)
    for size in QUICK if options.quick else SIZES:
        compare(console, size, options.repeat, options.patience)


if __name__ == "__main__":
    main()
