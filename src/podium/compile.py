"""Compile every model now, not at its first use: ``python -m podium.compile``.

Each family makes small fits in a process. What they compile goes to numba's cache, and later processes
load it. A function whose code is already in the cache is not compiled again.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp

import podium as pod

TIES: Any = ("davidson", "rao-kupper", "half", "ignore")
KERNELS: Any = ("linear", "rbf")
LOSSES: Any = ("hinge", "logistic")


def _games(n_items: int = 5, n: int = 60, **columns: Any) -> Any:
    """Random games, with ties."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, n_items, n)
    right = (left + rng.integers(1, n_items, n)) % n_items
    return pod.Comparisons.from_arrays(left, right, rng.integers(-1, 2, n), **columns)


def _columns() -> dict[str, Any]:
    row = np.arange(60)
    return {"weight": 1.0 + row % 2, "group": row % 7, "category": row % 3, "neutral": row % 5 == 0}


def _teams(**columns: Any) -> Any:
    teams = [(k % 7, (k + 1) % 7) for k in range(60)], [((k + 2) % 7, (k + 4) % 7) for k in range(60)]
    return pod.Comparisons.from_arrays(*teams, [1 - k % 3 for k in range(60)], **columns)


def _labelled() -> tuple[Any, Any]:
    """Forty rows with three features and three classes."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    return X, np.digitize(X[:, 0], [-0.5, 0.5])


def bradley_terry() -> None:
    plain, full = _games(), _games(**_columns())
    length = full.with_covariates({"length": [float(k % 4) for k in range(60)]})
    for ties in TIES:
        for c, order_effect in product((plain, full, length, _teams()), (False, True)):
            pod.BradleyTerry(ties, order_effect=order_effect).fit(c).leaderboard()
        for solver in ("lbfgs", "newton"):
            pod.BradleyTerry(ties, solver=solver).fit(plain)
    for ties in TIES[::2]:
        pod.BradleyTerry(ties).fit(_games(300, 9000)).leaderboard()
        pod.BradleyTerry(ties, solver="mm").fit(plain)
        pod.BradleyTerry(ties, solver="mm").fit(_teams())


def errors_of_bradley_terry() -> None:
    """Other priors and errors, and what is asked of a fitted model."""
    full = _games(**_columns())
    for ties in TIES:
        model = pod.BradleyTerry(ties, covariance="cluster", order_effect=True).fit(full)
        model.bootstrap(5, random_state=0)
        model.judges()
        pod.BradleyTerry(ties, prior="normal").fit(full).leaderboard()
        pod.BradleyTerry(ties).fit(_games()).bootstrap(5, random_state=0)
    pod.BradleyTerry(judge_effects=("ties",)).fit(_games(group=_columns()["group"])).predict_proba(_games())
    model.bootstrap(5, random_state=0, groups=True)
    model.leaderboard(by="category")
    model.intransitivity()
    model.next_pairs(3)
    pod.BradleyTerry(covariance="robust").fit(_teams()).bootstrap(5, random_state=0)
    pod.BradleyTerry().fit(full).leaderboard(anytime=True)


def dynamic() -> None:
    when = [float(k // 4) for k in range(60)]
    for ties in TIES:
        model = pod.DynamicBradleyTerry(ties=ties, order_effect=True).fit(_games(time=when))
        model.leaderboard()
    model.history()
    pod.DynamicBradleyTerry(drift=0.1).fit(_teams(time=when)).before(_teams(time=[20.0] * 60))


def rankings() -> None:
    items = [[k % 5, (k + 2) % 5, (k + 3) % 5] for k in range(30)]
    pod.PlackettLuce().fit(pod.Rankings.from_choices([three[k % 3] for k, three in enumerate(items)], items))

    plain = [[k % 5, (k + 1 + k % 2) % 5, (k + 3 + k % 2) % 5] for k in range(30)]
    tied = [[a, (b, c)] if k % 3 else [a, b, c] for k, (a, b, c) in enumerate(plain)]
    group = [k % 6 for k in range(30)]
    for lists, rest in ((plain, None), (tied, None), (tied, [k % 3 > 0 for k in range(30)])):
        r = pod.Rankings.from_lists(lists, group=group, rest=rest)
        pod.PlackettLuce(prior="normal").fit(r)
        pod.PlackettLuce(ties="ignore").fit(r)
        model = pod.PlackettLuce(covariance="cluster").fit(r)
        model.leaderboard()
        model.bootstrap(5, random_state=0)


def ratings() -> None:
    for make in (pod.Elo, pod.Glicko, pod.Glicko2):
        for c in (_games(), _games(time=[float(k // 10) for k in range(60)], weight=_columns()["weight"])):
            make().fit(c).predict_proba(c)
    pod.Elo("fide").fit(_teams())


def _pairs(sparse: bool = False) -> Any:
    """Twenty pairs with three features, some of them ties."""
    X, _ = _labelled()
    y = np.sign(np.round(X[20:, 0] - X[:20, 0])).astype(int)
    form = sp.csr_array if sparse else np.asarray
    return pod.Comparisons.from_features(form(X[:20]), form(X[20:]), y)


def kernels() -> None:
    c = _pairs()
    for kernel in KERNELS:
        pod.SVMCompare(kernel, C=10.0).fit(c).predict(c)
        for C in (1.0, 1000.0):
            pod.SVMRank(kernel, C=C).fit(c)
            pod.SVMRank(kernel, C=C, ties="both").fit(c)


def ordered() -> None:
    X, y = _labelled()
    for kernel, rows in zip((*KERNELS, "linear"), (X, X, sp.csr_array(X)), strict=True):
        for target in (y, X[:, 1]):
            pod.SwappedPairsSVM(kernel).fit(rows, target)
        pod.SwappedPairsSVM(kernel).fit(rows, y, qid=[k % 4 for k in range(40)])
        pod.OrdinalSVM(kernel=kernel).fit(rows, y)
        pod.OrdinalSVM("explicit", kernel=kernel).fit(rows, y)
    pod.SwappedPairsSVM(solver="cutting-plane").fit(X, y)
    pod.HerbrichSVM().fit(X, y)
    for loss, c in product(LOSSES, (_pairs(), _pairs(sparse=True))):
        pod.LinearCompare(loss).fit(c)


def classes() -> None:
    X, y = _labelled()
    pod.OnlineSVC().fit(X, y)
    for c in (_pairs(), _pairs(sparse=True)):
        pod.OnlineSVMRank().fit(c)
        pod.OnlineSVMRank().partial_fit(c)
    pod.PreferenceGame().fit(X, y)
    pod.PreferenceGame("rbf", ridge=0.0).fit(X, y)
    pod.PreferenceGame(solver="sampled", combine="optimal", n_games=4).fit(X, y)
    k = 4
    pairs = np.array([np.eye(k, dtype=int)[i] - np.eye(k, dtype=int)[j] for i in range(k) for j in range(i)])
    for code in (2 * np.eye(k, dtype=int) - 1, pairs, np.vstack([pairs, [[1, 1, -1, 0]]])):
        pod.couple(code, np.full((3, len(code)), 0.4))
    pod.couple(pairs, np.full((3, len(pairs)), 0.4), method="wu-lin-weng")


# Two processes that need the same function at the same time both compile it, so models that share code are in
# one family, and related families are far apart. The slowest come first, so that processes end together.
FAMILIES: dict[str, Callable[[], None]] = {
    "classes, games, online machines": classes,
    "linear machines, ordered labels": ordered,
    "DynamicBradleyTerry": dynamic,
    "PlackettLuce": rankings,
    "BradleyTerry": bradley_terry,
    "Elo and Glicko": ratings,
    "errors and bootstraps": errors_of_bradley_terry,
    "machines with kernels": kernels,
}


def compile_family(name: str) -> tuple[str, float, int]:
    """Compile a family; also returns the seconds, and how many functions were not in the cache."""
    from numba.core import event

    begun, recorder = time.perf_counter(), event.RecordingListener()
    with warnings.catch_warnings(), event.install_listener("numba:compile", recorder):
        warnings.simplefilter("ignore")  # such small data are hard to fit
        FAMILIES[name]()
    ends = [found for _, found in recorder.buffer if found.is_end]
    return name, time.perf_counter() - begun, len(ends)


def main(arguments: list[str] | None = None) -> None:
    """Compile all families, and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m podium.compile", description=__doc__)
    parser.add_argument("--jobs", type=int, default=-1, help="processes; -1, the default, is one per core")
    given = parser.parse_args(arguments)
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=given.jobs, return_as="generator_unordered", batch_size=1)
    for name, seconds, functions in parallel(delayed(compile_family)(name) for name in FAMILIES):
        what = f"{functions} functions compiled" if functions else "compiled before"
        print(f"{name:32}{seconds:6.1f} s   {what}", flush=True)


if __name__ == "__main__":
    main()
