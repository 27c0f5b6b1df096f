"""The exact game compared with a hard-margin SVC (C = 1e6), and with a dense quadratic program if it fits.

    PODIUM_DATA=... python benchmarks/preference_game.py [--quick] [--repeat 3] [--peer-limit 300]

The data sets are those of [PreferenceGame] in their training sizes: all of w8a, with a ridge; and, without a
ridge, w8a cleaned (without all-zero and contradictory rows), mnist-49 and segment. podium stops at a relative
gap of 1e-3 of the value of the game. With two classes the game is a hard-margin SVM without bias. SVC has a
bias, and it divides the seven classes of segment into pairs. It is what a user would try first, but not the
same problem. With a ridge SVC gets C = 1 / ridge, with the plain hinge loss. The dense quadratic program is
scipy's active set method for nonnegative least squares, on a root of the full |P| × |P| matrix K.

Every run is a separate process. Imports and a small problem are done before the clock starts, and memory is
the growth of the peak from there on. The best time and the largest memory of the repeats count. A run of
another library that takes longer than --peer-limit seconds is stopped.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

PROBLEMS = {  # rows, degree, ridge
    "segment": (1848, 2, 0.0),
    "mnist-49": (11025, 4, 0.0),
    "w8a, cleaned": (39799, 2, 0.0),
    "w8a": (39799, 2, 1.0),
}
QUICK = ("segment",)
DENSE_LIMIT = 2500  # preferences; memory grows with the square of their number, time with the cube
DENSE_SAMPLE = 300  # instances of segment in the small problem


# ---------------------------------------------------------------------------------------- data


def data(problem: str) -> tuple[Any, Any]:
    """Features and classes of a training set."""
    import pandas as pd

    folder = Path(os.environ["PODIUM_DATA"])
    if problem.startswith("w8a"):
        from sklearn.datasets import load_svmlight_file

        X, y = load_svmlight_file(str(folder / "w8a" / "w8a.libsvm.gz"), n_features=300)
    elif problem == "mnist-49":
        parts = [pd.read_csv(folder / "mnist" / f"mnist_{part}.csv.gz") for part in ("train", "test")]
        digits = pd.concat(parts)
        digits = digits[digits["y"].isin([4, 9])]
        X, y = digits.iloc[:, :779].to_numpy() / 255.0, digits["y"].to_numpy()
    else:
        frame = pd.read_csv(folder / "segment" / "segment.csv.gz")
        X, y = frame.drop(columns="y").to_numpy(dtype=float), frame["y"].to_numpy()
        X = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-12)
    rows = np.random.default_rng(0).permutation(len(y))[: size_of(problem)]
    X, y = X[rows], y[rows]
    return cleaned(X, y) if problem == "w8a, cleaned" else (X, y)


def size_of(problem: str) -> int:
    return DENSE_SAMPLE if problem == "segment, part" else PROBLEMS[problem][0]


def degree_and_ridge(problem: str) -> tuple[int, float]:
    return PROBLEMS[problem.removesuffix(", part")][1:]


def cleaned(X: Any, y: Any) -> tuple[Any, Any]:
    """The data without all-zero rows and rows that appear with both classes."""
    key = [row.tobytes() for row in np.packbits(X.toarray().astype(bool), axis=1)]
    of_row: dict[bytes, set[float]] = {row: set() for row in key}
    for row, label in zip(key, y, strict=True):
        of_row[row].add(label)
    keep = np.array([len(of_row[row]) == 1 and any(row) for row in key])
    return X[keep], y[keep]


# ---------------------------------------------------------------------------------------- contestants


def podium(X: Any, y: Any, degree: int, ridge: float, tol: float) -> dict[str, float]:
    from podium import PreferenceGame

    model = PreferenceGame(degree=degree, gamma=1.0, coef0=0.0, ridge=ridge, tol=tol).fit(X, y)
    return {
        "preferences": len(model.strategy_),
        "support": len(model.support_),
        "value": model.value_,
        "gap": model.result_.gap or 0.0,
        "training error": 1.0 - model.score(X, y),
    }


def svc(X: Any, y: Any, degree: int, ridge: float, tol: float) -> dict[str, float]:
    from sklearn.svm import SVC

    C = 1.0 / ridge if ridge else 1e6
    model = SVC(kernel="poly", degree=degree, gamma=1.0, C=C, cache_size=500).fit(X, y)
    return {"support": len(model.support_), "training error": 1.0 - model.score(X, y)}


def dense(X: Any, y: Any, degree: int, ridge: float, tol: float) -> dict[str, float]:
    """The point of least norm by nonnegative least squares: min ‖L'u‖² + (Σu - 1)², p = u / Σu."""
    from scipy.optimize import nnls

    from podium.game.preferences import Preferences

    p = Preferences.from_classes(y, np.ones(len(y)))
    sign = np.zeros((len(p), len(p.labels)))
    sign[np.arange(len(p)), p.better] = 1.0
    sign[np.arange(len(p)), p.worse] = -1.0
    gram = np.asarray(X @ X.T) ** degree
    K = gram[np.ix_(p.instance, p.instance)] * (sign @ sign.T)
    scale = float(np.diagonal(K).max())
    root, vectors = np.linalg.eigh(K / scale)
    L = vectors[:, root > 1e-14] * np.sqrt(root[root > 1e-14])
    u, _ = nnls(np.vstack([L.T, np.ones(len(K))]), np.append(np.zeros(L.shape[1]), 1.0), maxiter=10**6)
    strategy = u / u.sum()
    f = K @ strategy
    value = float(strategy @ f)
    return {"value": value, "support": float(np.count_nonzero(u)), "gap": 1 - (max(f.min(), 0) / value) ** 2}


CONTESTANTS = {"podium": podium, "SVC": svc, "dense": dense}


# ---------------------------------------------------------------------------------------- runs


def peak() -> float:
    """In MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def warm_up(who: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    CONTESTANTS[who](X, np.argmax(X @ rng.normal(size=(4, 3)), axis=1), 2, 0.1, 1e-3)
    if who == "podium":
        from podium.game.min_norm import min_norm_point

        min_norm_point(np.eye(3), np.zeros(3), tol=1e-3, max_iter=9, zero=0.0)


def time_alone(who: str, problem: str, tol: float) -> None:
    warnings.simplefilter("ignore")
    X, y = data(problem)
    warm_up(who)
    before, start = peak(), time.perf_counter()
    found = CONTESTANTS[who](X, y, *degree_and_ridge(problem), tol)
    print(json.dumps({"seconds": time.perf_counter() - start, "peak": peak() - before, **found}))


def run_alone(who: str, problem: str, options: argparse.Namespace) -> dict[str, float] | None:
    """The best of several runs; None if the other library takes too long."""
    command = [sys.executable, __file__, "--alone", who, problem, "--tol", str(options.tol)]
    runs = []
    for _ in range(options.repeat):
        try:
            limit = None if who == "podium" else options.peer_limit
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        runs.append(json.loads(done.stdout))
    best = min(runs, key=lambda run: run["seconds"])
    return {**best, "peak": max(run["peak"] for run in runs)}


def row(table: Table, problem: str, who: str, run: dict[str, float] | None, own: dict[str, float]) -> None:
    if run is None:
        table.add_row(problem, who, "stopped", *["–"] * 6)
        return
    ratio = "" if run is own else f"{run['seconds'] / own['seconds']:.1f}"

    def shown(name: str, form: str) -> str:
        return format(run[name], form) if name in run else "–"

    table.add_row(
        problem, who, f"{run['seconds']:.2f} s", ratio, f"{run['peak']:.0f} MiB",
        shown("support", ",.0f"), shown("value", ".4g"), shown("gap", ".0e"), shown("training error", ".4f"),
    )  # fmt: skip


def compare(options: argparse.Namespace) -> None:
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    title = f"The exact game; {os.cpu_count()} cores, load {load} at the start; best of {options.repeat}"
    table = Table(title=title)
    for heading in (
        "problem",
        "library",
        "time",
        "× podium",
        "memory",
        "support",
        "value",
        "gap",
        "training error",
    ):
        table.add_column(heading, justify="left" if heading in ("problem", "library") else "right")
    for problem in ("segment, part", *(QUICK if options.quick else PROBLEMS)):
        own = run_alone("podium", problem, options)
        assert own is not None
        ridge = degree_and_ridge(problem)[1]
        name = f"{problem}{f', ridge {ridge:g}' if ridge else ''}: {own['preferences']:,.0f} preferences"
        row(table, name, "podium", own, own)
        row(table, "", "SVC", run_alone("SVC", problem, options), own)
        if own["preferences"] <= DENSE_LIMIT:
            row(table, "", "dense QP", run_alone("dense", problem, options), own)
    Console(width=150).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the small data sets only, one run")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--peer-limit", type=float, default=300.0, help="seconds for other libraries")
    parser.add_argument("--alone", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not os.environ.get("PODIUM_DATA"):
        parser.error("set PODIUM_DATA to the folder with the data sets")
    if options.quick:
        options.repeat = 1
    if options.alone:
        who, problem = options.alone
        time_alone(who, problem, options.tol)
    else:
        compare(options)


if __name__ == "__main__":
    main()
