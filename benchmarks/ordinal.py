"""OrdinalSVM compared with mord and skordinal: five classes, twenty features, increasing numbers of rows.

    python benchmarks/ordinal.py [--quick] [--rows 1000 10000 100000] [--svor-rows 1000] [--repeat 3]

podium stops by its own certificate, a relative duality gap of 1e-3. skordinal's SVOR solves the same problem,
eq. (4), in the dual. Its linear kernel is x·x' / p, so it gets √p x; its objective is podium's objective at
the w and the thresholds that it finds. `excess` is how far an objective is above podium's proven lower bound.
mord has other losses (logistic; absolute deviations for LAD), so only its time and predictions can be
compared. The last table uses a Gaussian kernel on 200 rows, a typical size for one fit in a grid search.

Every model is fitted to a small sample before the clock starts. The best of the repeats counts; a fit that
takes more than ten seconds is not repeated.
"""

import argparse
import os
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from podium import OrdinalSVM
from podium.metrics import swapped_pairs

CLASSES, FEATURES, TEST = 5, 20, 5_000
GAP = 1e-3
LONG = 10.0  # seconds after which a fit is not repeated


def make_classes(n: int, *, curved: bool = False, seed: int = 0) -> tuple[Any, Any]:
    """Normal features; the classes are quantiles of a linear or curved score with half as much noise."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n + TEST, FEATURES)), np.random.default_rng(9).normal(size=FEATURES)
    score = X @ w / np.linalg.norm(w)
    score = np.abs(score) if curved else score
    score += 0.5 * score.std() * rng.normal(size=n + TEST)
    return X, np.searchsorted(np.quantile(score, np.arange(1, CLASSES) / CLASSES), score)


def objective(X: Any, y: Any, w: Any, b: Any, constraints: str) -> float:
    """The objective of eq. (4), or with explicit constraints, for C = 1, threshold by threshold."""
    h, total = X @ w, 0.5 * w @ w
    for j, cut in enumerate(b):
        sign = np.where(y > j, 1, -1)
        near = np.ones(len(y), bool) if constraints == "implicit" else (y == j) | (y == j + 1)
        total += np.maximum(0, 1 - sign * (h - cut))[near].sum()
    return float(total)


class Podium:
    """OrdinalSVM, which also gives a lower bound on the optimum."""

    def __init__(self, constraints: Any, kernel: Any = "linear") -> None:
        self.name, self.constraints = f"podium, {constraints}", constraints
        self.model = OrdinalSVM(constraints, kernel=kernel, tol=GAP)

    def fit(self, X: Any, y: Any) -> None:
        self.model.fit(X, y)

    def solution(self) -> tuple[Any, Any] | None:
        return (self.model.coef_, self.model.thresholds_) if self.model.kernel == "linear" else None

    def rank(self, X: Any) -> Any:
        return self.model.projection(X)

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)


class Mord:
    """One of mord's models; they rank by x·coef_."""

    def __init__(self, kind: str) -> None:
        import mord

        self.name, self.constraints = f"mord, {kind}", "none"
        self.model = getattr(mord, kind)()

    def fit(self, X: Any, y: Any) -> None:
        self.model.fit(X, y)

    def solution(self) -> None:
        return None

    def rank(self, X: Any) -> Any:
        return X @ self.model.coef_

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)


class Skordinal:
    """skordinal's SVOR, written in C; features are scaled so that it solves the same problem as podium."""

    def __init__(self, constraints: str, kernel: str = "linear") -> None:
        from skordinal.classifiers import SVOR

        self.name, self.constraints = f"skordinal SVOR, {constraints}", constraints
        self.model = SVOR(C=1.0, kernel=kernel, tol=GAP, constraints=constraints)
        self.scale = np.sqrt(FEATURES) if kernel == "linear" else 1.0

    def fit(self, X: Any, y: Any) -> None:
        self.model.fit(self.scale * X, y)

    def solution(self) -> tuple[Any, Any] | None:
        if self.scale == 1.0:
            return None
        probe = np.eye(FEATURES)
        zero = self.model.predict_projection(np.zeros((1, FEATURES)))
        return self.model.predict_projection(self.scale * probe) - zero, self.model.thresholds_ - zero

    def rank(self, X: Any) -> Any:
        return self.model.predict_projection(self.scale * X)

    def predict(self, X: Any) -> Any:
        return self.model.predict(self.scale * X)


def competitors(kernel: str, peers: dict[str, bool], svor: bool) -> Iterator[Any]:
    for constraints in ("implicit", "explicit"):
        yield Podium(constraints, kernel)
    if kernel == "linear" and peers["mord"]:
        for kind in ("LogisticIT", "LogisticAT", "LogisticSE", "LAD"):
            yield Mord(kind)
    if svor and peers["skordinal"]:
        for constraints in ("implicit", "explicit"):
            yield Skordinal(constraints, kernel)


def seconds_of(model: Any, X: Any, y: Any, repeat: int) -> float:
    model.fit(X[:300], y[:300])
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        model.fit(X, y)
        best = min(best, time.perf_counter() - start)
        if best > LONG:
            break
    return best


def compare(n: int, kernel: str, peers: dict[str, bool], svor: bool, repeat: int) -> None:
    what = "linear" if kernel == "linear" else "Gaussian kernel"
    table = Table(title=f"{n:,} rows, {FEATURES} features, {CLASSES} classes, C = 1, {what}")
    for heading in ("model", "fit", "× podium", "objective", "excess", "test MAE", "swapped pairs"):
        table.add_column(heading, justify="left" if heading == "model" else "right")
    X, y = make_classes(n, curved=kernel != "linear")
    train, test = slice(0, n), slice(n, None)
    ours: dict[str, tuple[float, float]] = {}
    for model in competitors(kernel, peers, svor):
        seconds = seconds_of(model, X[train], y[train], repeat)
        if isinstance(model, Podium):
            ours[model.constraints] = seconds, model.model.result_.details["dual"]
        mine, bound = ours.get(model.constraints, ours["implicit"])
        found = model.solution()
        value = (
            None if found is None else objective(X[train], y[train], found[0], found[1], model.constraints)
        )
        table.add_row(
            model.name,
            f"{1000 * seconds:,.1f} ms",
            "" if isinstance(model, Podium) else f"{seconds / mine:,.0f}×",
            "" if value is None else f"{value:,.2f}",
            "" if value is None else f"{value / bound - 1:.1e}",
            f"{np.abs(model.predict(X[test]) - y[test]).mean():.3f}",
            f"{100 * swapped_pairs(y[test], model.rank(X[test])):.2f} %",
        )
    Console(width=130).print(table)


def available(name: str) -> bool:
    from importlib.util import find_spec

    if find_spec(name) is None:
        print(f"{name} is skipped; install it with: pip install {name}")
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="1,000 rows only")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument(
        "--svor-rows", type=int, default=1_000, help="run SVOR up to this many rows; 10,000 take many minutes"
    )
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # LAD's solver stops early
    print(f"load {os.getloadavg()[0]:.1f} at the start, {os.cpu_count()} cores")
    peers = {name: available(name) for name in ("mord", "skordinal")}
    for n in [1_000] if options.quick else options.rows:
        compare(n, "linear", peers, n <= options.svor_rows, options.repeat)
    compare(200, "rbf", peers, True, options.repeat)


if __name__ == "__main__":
    main()
