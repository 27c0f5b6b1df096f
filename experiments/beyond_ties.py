"""Beyond the papers: predict wins, draws and losses in football and ice hockey, and votes on language models.

    PODIUM_DATA=... python -m experiments.beyond_ties [--quick]

Matches are split by time: the models learn from everything before a cut and are tested on the block after it.
Votes have no time, so they are split by voter or question. Only rows between items seen in training are used
for testing. Elo and Glicko predict a score, not a draw. Their ratings before each match are therefore a
feature of a linear comparer with the logistic loss, and Davidson's link turns its decisions into three
probabilities. The models with 16 features use those that [SVMcompare] §4.3 names for chess.
"""

from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from experiments.chess_features import FEATURES, features_before
from experiments.experiment import Cell, Experiment, Report
from experiments.run import main
from podium import BradleyTerry, CalibratedComparer, Comparisons, LinearCompare, SVMCompare, datasets
from podium.metrics import comparison_error

FOLDS = 4
HALF_LIFE = 3.0  # years after which a football match has half its weight
MANY = 3_000  # the model with a kernel learns from this many of the latest matches
LINEAR = CalibratedComparer(LinearCompare(loss="logistic"))
KERNEL = CalibratedComparer(SVMCompare(kernel="rbf", C=1.0, gamma=0.02))
BY_FEATURES = {
    "Elo": (LINEAR, ["elo", "first move"]),
    "Glicko": (LINEAR, ["glicko", "first move"]),
    "linear, 16 features": (LINEAR, list(FEATURES)),
    "SVMcompare, 16 features": (KERNEL, list(FEATURES)),
}
BY_ITEMS: dict[str, Literal["davidson", "rao-kupper"]] = {"Davidson": "davidson", "Rao–Kupper": "rao-kupper"}
MODELS = ("base rates", *BY_ITEMS, *BY_FEATURES)
DATA = {
    "football": "football",
    "ice hockey": "bt_classic",
    "LLM votes, crowd": "llm_votes",
    "LLM votes, human": "llm_votes",
}


def cells(quick: bool) -> list[Cell]:
    folds = 1 if quick else FOLDS
    return [{"data": d, "fold": k, "model": m} for d in DATA for k in range(folds) for m in MODELS]


def games_of(data: str) -> Comparisons:
    """The rows in the order of time; votes in random order, because theirs is unknown."""
    if data == "football":
        games = datasets.fetch_football()
        games = games[np.asarray(games.time).astype("datetime64[Y]") >= np.datetime64("2006")]
    elif data == "ice hockey":
        games = datasets.fetch_classic("icehockey")
    else:
        votes = datasets.fetch_llm_votes("llmfao" if data.endswith("crowd") else "vicuna")
        return votes[np.random.default_rng(0).permutation(len(votes))]
    return games[np.argsort(np.asarray(games.time), kind="stable")]


def split(games: Comparisons, fold: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Training and test rows; for matches, each fold tests on one of the last tenths of all rows."""
    rows = np.arange(len(games))
    if games.time is None:
        group = np.unique(np.asarray(games.group), return_inverse=True)[1]
        held_out = group % FOLDS == fold
        train, test = rows[~held_out], rows[held_out]
    else:
        cut = int(len(games) * (1 - (FOLDS - fold) / 10))
        train, test = rows[:cut], rows[cut : cut + len(games) // 10]
    seen = games[train].appears
    return train, test[seen[games.left[test]] & seen[games.right[test]]]


def recency(train: Comparisons) -> NDArray[np.float64]:
    """Weights that halve every ``HALF_LIFE`` years before the last match, because national teams change."""
    if train.time is None:
        return np.ones(len(train))
    day = np.asarray(train.time).astype("datetime64[D]")
    return np.asarray(0.5 ** ((day.max() - day) / np.timedelta64(1, "D") / 365.25 / HALF_LIFE))


def compute(data: str, fold: int, model: str) -> dict[str, float]:
    games = games_of(data)
    train, test = split(games, fold)
    outcome = np.asarray(games.outcome)
    if model == "base rates":
        share = np.bincount(outcome[train] + 1, minlength=3) / len(train)
        probability = np.tile(share, (len(test), 1))
    elif model in BY_ITEMS:
        fitted = BradleyTerry(ties=BY_ITEMS[model], order_effect=True, prior=0.5)
        fitted.fit(games[train], sample_weight=recency(games[train]))
        probability = fitted.predict_proba(games[test])
    else:
        probability = probability_by_features(model, games, train, test)
    predicted = probability.argmax(axis=1) - 1
    loss = -np.log(probability[np.arange(len(test)), outcome[test] + 1])
    return {"loss": loss.mean(), "error": comparison_error(outcome[test], predicted), "rows": len(test)}


def probability_by_features(
    model: str, games: Comparisons, train: NDArray[Any], test: NDArray[Any]
) -> NDArray[np.float64]:
    comparer, names = BY_FEATURES[model]
    columns = [FEATURES.index(name) for name in names]
    # Training rows come first, so that their features know nothing about the test rows.
    left, right = (X[:, columns] for X in features_before(games[np.concatenate([train, test])]))
    if comparer is KERNEL:
        train = train[-MANY:]
    learn = slice(-len(test) - len(train), -len(test))
    scaler = StandardScaler().fit(np.vstack([left[learn], right[learn]]))
    pairs = np.stack([scaler.transform(left), scaler.transform(right)], axis=1)
    fitted = comparer.fit(pairs[learn], np.asarray(games.outcome)[train])
    return np.asarray(fitted.predict_proba(pairs[-len(test) :]))


def report(frame: pd.DataFrame) -> Report:
    by = frame.groupby(["data", "model"], sort=False)
    table = by[["loss", "error"]].mean().reset_index()
    best = table.loc[table.groupby("data", sort=False)["loss"].idxmin()]
    sentence = "The smallest log loss: " + "; ".join(
        f"{row.data} by {row.model} ({row.loss:.3f})" for row in best.itertuples()
    )
    words = pd.DataFrame(
        {
            "data": table["data"],
            "model": table["model"],
            "log loss": table["loss"].map("{:.4f}".format),
            "three-way accuracy": (100 * (1 - table["error"])).map("{:.1f} %".format),
        }
    )
    return Report(f"{sentence}.", words)


EXPERIMENT = Experiment(
    name="beyond_ties",
    paper="Beyond the papers",
    title="Draws in football and ice hockey, votes on language models",
    cells=cells,
    compute=compute,
    report=report,
    needs=lambda cell: DATA[cell["data"]],
)

if __name__ == "__main__":
    main(EXPERIMENT)
