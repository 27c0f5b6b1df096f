"""Table 2 of [PreferenceGame]: the exact game, its sampled versions and the SVM on five data sets.

    PODIUM_DATA=... python -m experiments.preference_game_table2 [--quick]

The paper uses one split of each data set. Here we draw several random splits of the same sizes. The
hyper-parameters are the paper's: the degree and C that it validated for the SVM, and the λ and s that it
found best on the test set. (It names none for LMPG-α; we use those of LMPG.) T = 500, except 50 on mnist-49
and w8a, whose sub-games have thousands of preferences. Precision, recall and F1 are means over the classes.

The paper does not say how features were scaled. We chose the scaling with which the SVM agrees with the
paper: one-hot columns (tic-tac-toe, breast-cancer, w8a) stay as they are, the images of mnist-49 have norm 1
(otherwise the SVM has .987, and the paper .9935), and the columns of segment are scaled to [0, 1] on the
training set.

The best of twenty pairs of λ and s on a test set is better than what one pair achieves on new data. We
therefore also search the small data sets as the paper did: *LMPG searched* is the best accuracy of its grid.

No w satisfies all preferences of w8a, because it has all-zero rows of both classes and other contradictory
rows. The game as printed thus has the value 0. With a ridge it can be played, and solved exactly; the authors
report that this did not end in a reasonable time. The ridge is 100 here. This is at the upper end of a range
(from 10) in which the accuracy of the exact game hardly changes.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import accuracy_score, precision_recall_fscore_support
from sklearn.preprocessing import MinMaxScaler, normalize
from sklearn.svm import SVC

from experiments.experiment import Cell, Experiment, Report
from experiments.game_grid import game_grid
from experiments.run import main
from podium import PreferenceGame

METHODS = ("LMPG*", "LMPG-α", "LMPG", "SVM")
SEARCHED = "LMPG searched"
SMALL = ("breast-cancer", "tic-tac-toe", "segment")
SEARCHES = 3
METRICS = ("accuracy", "precision", "recall", "F1")


class Setting(NamedTuple):
    """What the paper used for a data set, and its accuracy, precision, recall and F1 for each method."""

    folder: str
    n_train: int
    degree: int
    C: float
    feedback: float
    sample_size: float
    repetitions: int
    paper: dict[str, tuple[float, float, float, float]]
    ridge: float = 0.0
    games: int = 500


def printed(*rows: tuple[float, float, float, float]) -> dict[str, tuple[float, float, float, float]]:
    """Rows of the paper's table, in the order of the methods."""
    return dict(zip(METHODS, rows, strict=True))


SETTINGS = {
    "breast-cancer": Setting(
        "breast_cancer", 545, 2, 1.0, 0.1, 0.05, 20,
        printed(*2 * [(0.9635, 0.9625, 0.9585, 0.9605)], *2 * [(0.9708, 0.9685, 0.9685, 0.9685)]),
    ),
    "tic-tac-toe": Setting("tic_tac_toe", 766, 5, 10.0, 0.01, 0.2, 20, printed(*4 * [(1.0, 1.0, 1.0, 1.0)])),
    "mnist-49": Setting(
        "mnist", 11025, 4, 1e3, 0.01, 0.2, 3,
        printed(*2 * [4 * (0.9935,)], 4 * (0.9938,), 4 * (0.9935,)),
        games=50,
    ),
    "segment": Setting(
        "segment", 1848, 2, 10.0, 0.1, 0.15, 20,
        printed(
            (0.9524, 0.9561, 0.9569, 0.9560),
            (0.9545, 0.9600, 0.9586, 0.9587),
            (0.9654, 0.9692, 0.9682, 0.9684),
            (0.9632, 0.9670, 0.9670, 0.9665),
        ),
    ),
    "w8a": Setting(
        "w8a", 39799, 2, 10.0, 0.01, 0.2, 3,
        {"LMPG": (0.9853, 0.9340, 0.7947, 0.8502), "SVM": (0.9861, 0.9147, 0.8308, 0.8677)},
        ridge=100.0,
        games=50,
    ),
}  # fmt: skip


# ---------------------------------------------------------------------------------------- data


@cache
def load(name: str) -> tuple[Any, Any]:
    """Features and classes."""
    folder = Path(os.environ["PODIUM_DATA"]) / SETTINGS[name].folder
    if name == "w8a":
        return tuple(load_svmlight_file(str(folder / "w8a.libsvm.gz"), n_features=300))
    if name == "mnist-49":
        digits = pd.concat([pd.read_csv(folder / f"mnist_{part}.csv.gz") for part in ("train", "test")])
        digits = digits[digits["y"].isin([4, 9])]
        return normalize(digits.iloc[:, :779].to_numpy(dtype=float)), digits["y"].to_numpy()
    (path,) = folder.glob("*.csv.gz")
    frame = pd.read_csv(path).dropna()
    X, y = frame.drop(columns="y"), frame["y"].to_numpy()
    if name == "breast-cancer":  # the authors' file lacks the first row
        values = X.to_numpy(dtype=int)[1:, :, None] == np.arange(1, 11)
        return values.reshape(len(values), -1).astype(float), y[1:]
    if name == "tic-tac-toe":
        return pd.get_dummies(X).to_numpy(dtype=float), y
    return X.to_numpy(dtype=float), y


def split(name: str, seed: int) -> tuple[Any, Any, Any, Any]:
    X, y = load(name)
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[: SETTINGS[name].n_train], order[SETTINGS[name].n_train :]
    if name == "segment":
        scaler = MinMaxScaler().fit(X[train])
        X = scaler.transform(X)
    return X[train], y[train], X[test], y[test]


# ---------------------------------------------------------------------------------------- the experiment


def model(name: str, method: str, seed: int) -> Any:
    setting = SETTINGS[name]
    if method == "SVM":
        return SVC(kernel="poly", degree=setting.degree, gamma=1.0, C=setting.C, cache_size=500)
    game = PreferenceGame(  # the paper's homogeneous polynomial and, except on w8a, its hard margin
        degree=setting.degree, gamma=1.0, coef0=0.0, ridge=setting.ridge, random_state=seed, tol=1e-3
    )
    if method == "LMPG*":
        return game
    game.set_params(solver="sampled", sample_size=setting.sample_size, feedback=setting.feedback)
    game.set_params(n_games=setting.games)
    return game.set_params(combine="optimal" if method == "LMPG-α" else "uniform")


def cells(quick: bool) -> list[Cell]:
    played = [
        {"data": name, "method": method, "seed": seed}
        for name, setting in SETTINGS.items()
        for seed in range(3 if quick else setting.repetitions)
        for method in METHODS
        if (name in SMALL or not quick) and not (name == "w8a" and method == "LMPG-α")
    ]
    searches = [(name, seed) for name in SMALL for seed in range(0 if quick else SEARCHES)]
    return played + [{"data": name, "method": SEARCHED, "seed": seed} for name, seed in searches]


def compute(data: str, method: str, seed: int) -> dict[str, float]:
    X, y, X_test, y_test = split(data, seed)
    if method == SEARCHED:
        grid = game_grid(model(data, "LMPG", seed), X, y, X_test, y_test, exact=False)
        return {"accuracy": float(grid.uniform_accuracy.max())}
    fitted = model(data, method, seed).fit(X, y)
    found = fitted.predict(X_test)
    rest = precision_recall_fscore_support(y_test, found, average="macro", zero_division=0.0)[:3]
    numbers = dict(zip(METRICS, (accuracy_score(y_test, found), *rest), strict=True))
    if method != "SVM":
        numbers |= {"value": fitted.value_, "gap": fitted.result_.gap, "support": len(fitted.support_)}
    return numbers


def compared(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per data set and method: our mean, its standard error and the paper's number, per metric.

    The paper's number comes from one split. Its distance from our mean is therefore measured in the standard
    deviation of the difference between a single split and our mean.
    """
    rows = []
    for (name, method), part in frame.groupby(["data", "method"], sort=False):
        row = {"data": name, "method": method, "splits": len(part)}
        printed = SETTINGS[name].paper.get(method.split()[0], (np.nan,) * 4)
        for metric, theirs in zip(METRICS, printed, strict=True):
            mean, sd = part[metric].mean(), part[metric].std(ddof=1)
            error = sd / np.sqrt(len(part))
            row |= {metric: mean, f"{metric} s.e.": error, f"{metric} paper": theirs}
            row[f"{metric} off"] = abs(mean - theirs) / max(np.hypot(sd, error), 1e-12)
        rows.append(row)
    return pd.DataFrame(rows)


def report(frame: pd.DataFrame) -> Report:
    table = compared(frame)
    printed = table[table["method"].isin(METHODS)].dropna(subset=["accuracy paper"])
    off, lead = printed["accuracy off"], printed["accuracy"] - printed["accuracy paper"]
    sentences = [
        f"The paper has {len(printed)} accuracies, each from one split. {(off <= 2).sum()} of them are "
        "within two standard errors of our mean. (This is the standard error of the difference, if the "
        f"paper's split varies as ours do.) But ours are lower in {(lead < 0).sum()} of {len(printed)} "
        f"cases, by {-lead.mean():.4f} on average. The paper's splits may have been lucky, or its features "
        "prepared "
        "differently.",
        agreement(printed),
        *searched(table),
        settings(list(printed["data"].unique())),
        *exact_w8a(frame),
        "s.e. is the standard error of our mean over the splits.",
    ]
    shown = table[[column for column in table if not column.endswith("off")]]
    numbers = shown.select_dtypes("float").map(lambda value: "–" if np.isnan(value) else f"{value:.4f}")
    return Report(" ".join(sentences), shown.assign(**numbers))


def agreement(printed: pd.DataFrame) -> str:
    """The same counts for the other metrics, and the numbers that are too far off."""
    counts, far = [], []
    for metric in METRICS[1:]:
        lower = printed[metric] < printed[f"{metric} paper"]
        outside = printed[printed[f"{metric} off"] > 2]
        counts.append(f"{metric}: {len(printed) - len(outside)} within, {lower.sum()} lower")
        far += [
            f"{metric} of {row['method']} on {row['data']} "
            f"({row[metric]:.3f} against {row[f'{metric} paper']:.3f})"
            for _, row in outside.iterrows()
        ]
    outside_words = f" Outside: {', '.join(far)}." if far else ""
    return f"The same counts for the other metrics: {'; '.join(counts)}.{outside_words}"


def searched(table: pd.DataFrame) -> list[str]:
    rows = table[table["method"] == SEARCHED]
    if rows.empty:
        return []
    pairs = ", ".join(
        f"{row['accuracy']:.4f} on {row['data']} (paper {row['accuracy paper']:.4f})"
        for _, row in rows.iterrows()
    )
    return [f"The paper chose λ and s of LMPG by test accuracy. *{SEARCHED}* does the same: {pairs}."]


def settings(names: list[str]) -> str:
    """T and the ridge, if they differ from the paper's."""
    games = ", ".join(f"{SETTINGS[name].games} on {name}" for name in names if SETTINGS[name].games != 500)
    ridge = ", ".join(f"{SETTINGS[name].ridge:g} on {name}" for name in names if SETTINGS[name].ridge)
    return (
        f"T is 500 games, as in the paper{', except ' + games if games else ''}. The ridge is 0, as in the "
        f"paper{', except ' + ridge + ', where the game as printed has the value 0' if ridge else ''}."
    )


def exact_w8a(frame: pd.DataFrame) -> list[str]:
    exact = frame[(frame["data"] == "w8a") & (frame["method"] == "LMPG*")]
    if exact.empty:
        return []
    return [
        f"The exact game on w8a, which the authors could not finish, takes {exact['seconds'].mean():.0f} s "
        f"with that ridge and has an accuracy of {exact['accuracy'].mean():.4f}."
    ]


EXPERIMENT = Experiment(
    name="preference_game_table2",
    paper="Polato, Faggioli, Lauriola and Aiolli (2019): Playing the large margin preference game",
    title="Table 2: the exact and the sampled game compared with the SVM",
    cells=cells,
    compute=compute,
    report=report,
    needs=lambda cell: SETTINGS[cell["data"]].folder,
)

if __name__ == "__main__":
    main(EXPERIMENT)
