"""The exact game compared with a hard-margin SVC (C = 1e6), and with a dense quadratic program if it fits.

    PODIUM_DATA=... python benchmarks/preference_game.py [--case PATTERN] [--full]

The data sets are those of [PreferenceGame] in their training sizes: all of w8a, with a ridge; and, without a
ridge, w8a cleaned (without all-zero and contradictory rows), mnist-49 and segment. podium stops at a relative
gap of 1e-3 of the value of the game. With two classes the game is a hard-margin SVM without bias. SVC has a
bias, and it divides the seven classes of segment into pairs. It is what a user would try first, but not the
same problem. With a ridge SVC gets C = 1 / ridge, with the plain hinge loss. The dense quadratic program is
scipy's active set method for nonnegative least squares, on a root of the full |P| × |P| matrix K. *Label
ranking* has 10,000 preferences between six labels of random points, with a narrow Gaussian kernel.
"""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from measuring.cases import Case, Contestant
from measuring.turns import main

TOL = 1e-3
DENSE_SAMPLE = 300  # instances of segment on which the dense program is run


class Problem(NamedTuple):
    """Features, classes or a table of preferences, the ridge, and the parameters of the kernel."""

    X: Any
    y: Any
    ridge: float
    kernel: dict[str, Any]


def problem(name: str, rows: int, degree: int, ridge: float) -> Problem:
    """A training set of this many rows, and a polynomial kernel."""
    import pandas as pd

    folder = Path(os.environ["PODIUM_DATA"])
    if name.startswith("w8a"):
        from sklearn.datasets import load_svmlight_file

        X, y = load_svmlight_file(str(folder / "w8a" / "w8a.libsvm.gz"), n_features=300)
    elif name == "mnist-49":
        parts = [pd.read_csv(folder / "mnist" / f"mnist_{part}.csv.gz") for part in ("train", "test")]
        digits = pd.concat(parts)
        digits = digits[digits["y"].isin([4, 9])]
        X, y = digits.iloc[:, :779].to_numpy() / 255.0, digits["y"].to_numpy()
    else:
        frame = pd.read_csv(folder / "segment" / "segment.csv.gz")
        X, y = frame.drop(columns="y").to_numpy(dtype=float), frame["y"].to_numpy()
        X = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-12)
    chosen = np.random.default_rng(0).permutation(len(y))[:rows]
    X, y = X[chosen], y[chosen]
    if name == "w8a, cleaned":
        X, y = cleaned(X, y)
    return Problem(X, y, ridge, {"kernel": "poly", "degree": degree, "gamma": 1.0, "coef0": 0.0})


def label_ranking(n: int, gamma: float) -> Problem:
    """Each point ranks six labels by a noisy linear score; neighbours in its order are a preference."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    score = X @ rng.normal(size=(5, 6)) + 0.3 * rng.normal(size=(n, 6))
    order = np.argsort(-score, axis=1)
    table = np.column_stack([np.repeat(np.arange(n), 5), order[:, :-1].ravel(), order[:, 1:].ravel()])
    return Problem(X, table, 0.0, {"kernel": "rbf", "gamma": gamma})


def cleaned(X: Any, y: Any) -> tuple[Any, Any]:
    """The data without all-zero rows and rows that appear with both classes."""
    key = [row.tobytes() for row in np.packbits(X.toarray().astype(bool), axis=1)]
    of_row: dict[bytes, set[float]] = {row: set() for row in key}
    for row, label in zip(key, y, strict=True):
        of_row[row].add(label)
    keep = np.array([len(of_row[row]) == 1 and any(row) for row in key])
    return X[keep], y[keep]


def small() -> Problem:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    kernel = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 0.0}
    return Problem(X, np.argmax(X @ rng.normal(size=(4, 3)), axis=1), 0.1, kernel)


def gap(problem: Problem, found: float | None) -> dict[str, float]:
    return {} if found is None else {"gap": found}


# ------------------------------------------------------------------------------------ contestants


def podium(problem: Problem) -> float:
    from podium import PreferenceGame

    game = PreferenceGame(**problem.kernel, ridge=problem.ridge, tol=TOL)
    learn = game.fit if problem.y.ndim == 1 else game.fit_preferences
    return float(learn(problem.X, problem.y).result_.gap or 0.0)


def compiled(problem: Problem) -> Problem:
    from podium.game.min_norm import min_norm_point

    min_norm_point(np.eye(3), np.zeros(3), tol=1e-3, max_iter=9)
    return problem


def svc(problem: Problem) -> None:
    from sklearn.svm import SVC

    C = 1.0 / problem.ridge if problem.ridge else 1e6
    SVC(**problem.kernel, C=C, cache_size=500).fit(problem.X, problem.y)


def dense(problem: Problem) -> float:
    """The point of least norm by nonnegative least squares: min ‖L'u‖² + (Σu - 1)², p = u / Σu."""
    from scipy.optimize import nnls

    from podium.game.preferences import Preferences

    p = Preferences.from_classes(problem.y, np.ones(len(problem.y)))
    sign = np.zeros((len(p), len(p.labels)))
    sign[np.arange(len(p)), p.better] = 1.0
    sign[np.arange(len(p)), p.worse] = -1.0
    gram = np.asarray(problem.X @ problem.X.T) ** problem.kernel["degree"]
    K = gram[np.ix_(p.instance, p.instance)] * (sign @ sign.T)
    root, vectors = np.linalg.eigh(K / float(np.diagonal(K).max()))
    L = vectors[:, root > 1e-14] * np.sqrt(root[root > 1e-14])
    u, _ = nnls(np.vstack([L.T, np.ones(len(K))]), np.append(np.zeros(L.shape[1]), 1.0), maxiter=10**6)
    f = K @ (u / u.sum())
    return float(1 - (max(f.min(), 0) / (f @ u / u.sum())) ** 2)


PODIUM = {"podium": Contestant(podium, prepare=compiled, patience=30)}
BOTH = PODIUM | {"SVC": Contestant(svc, "scikit-learn")}
ALL = BOTH | {"dense QP": Contestant(dense, "scipy")}


TRAINING: dict[str, tuple[str, int, int, float]] = {  # the data set, rows, degree of the kernel, ridge
    "segment, part: 1,800 preferences": ("segment", DENSE_SAMPLE, 2, 0.0),
    "segment: 11,088 preferences": ("segment", 1_848, 2, 0.0),
    "mnist-49: 11,025 preferences": ("mnist-49", 11_025, 4, 0.0),
    "w8a, cleaned: 35,553 preferences": ("w8a, cleaned", 39_799, 2, 0.0),
    "w8a, ridge 1: 39,799 preferences": ("w8a", 39_799, 2, 1.0),
}


def cases() -> Iterator[Case]:
    for name, data in TRAINING.items():
        yield Case(name, partial(problem, *data), ALL if "part" in name else BOTH, small, gap, "SVC")
    yield from label_rankings(5.0)


def label_rankings(*gammas: float) -> Iterator[Case]:
    for gamma in gammas:
        ranking, few = partial(label_ranking, 2_000, gamma), partial(label_ranking, 30, gamma)
        yield Case(f"label ranking: 10,000 preferences, γ = {gamma:g}", ranking, PODIUM, few, gap)


if __name__ == "__main__":
    main(list(cases()), list(label_rankings(0.5)))
