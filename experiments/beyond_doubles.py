"""Beyond the papers: individual skill from the results of teams, ATP doubles predicted for the last year.

    PODIUM_DATA=... python -m experiments.beyond_doubles [--quick]

Every model learns from the matches before the last twelve months. It predicts the matches of these twelve
months in which all four players are known.

- *players*: the generalized Bradley–Terry model (eq. (4) and (7) of [GeneralizedBT]) gives every player a
  skill and adds up the skills of a team. With a half-life, older matches have less weight.
- *pairs as units*: every pair has one skill; pairs never seen have even odds.
- *Elo on teams*: the rating of a team is the mean of its players' ratings, either frozen at the cut or
  updated after every match. Elo forgets old matches by itself.
"""

from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.experiment import Cell, Experiment, Report
from experiments.run import main
from podium import BradleyTerry, Comparisons, Elo, datasets

PRIORS = (0.1, 0.3, 1.0, 3.0)
YEARS = (1, 2, 4)
STEPS = (20, 40)


def cells(quick: bool) -> list[Cell]:
    priors, years, steps = (PRIORS[2:3], YEARS[1:2], STEPS[:1]) if quick else (PRIORS, YEARS, STEPS)
    return [
        {"model": "even odds", "setting": 0.0},
        *({"model": "players, prior", "setting": prior} for prior in priors),
        *({"model": "players, prior 1, half-life in years", "setting": year} for year in years),
        *({"model": "pairs as units, prior", "setting": prior} for prior in priors),
        *({"model": f"Elo on teams, {how}, K", "setting": k} for how in ("frozen", "updated") for k in steps),
    ]


@cache
def split() -> tuple[Comparisons, Comparisons]:
    """The matches before the last twelve months, and the later ones between known players."""
    matches = datasets.fetch_tennis_doubles()
    day = np.asarray(matches.time).astype("datetime64[D]")
    recent = day > day.max() - np.timedelta64(365, "D")
    train, test = matches[~recent], matches[recent]
    assert test.teams is not None
    known = test.teams.matrix(test.n_items) @ ~train.appears == 0
    return train, test[known[test.left] & known[test.right]]


def recency(train: Comparisons, half_life: float) -> NDArray[np.float64]:
    """Weights that halve every ``half_life`` years before the cut, because skills change."""
    day = np.asarray(train.time).astype("datetime64[D]")
    years = (day.max() - day) / np.timedelta64(1, "D") / 365.25
    return np.asarray(0.5 ** (years / half_life))


def pairs_as_units(train: Comparisons, test: Comparisons, prior: float) -> NDArray[np.float64]:
    """The probability that the right side wins, if a pair counts as one item."""
    units = np.arange(len(train.teams or ()))
    fitted = BradleyTerry(prior=prior).fit(Comparisons.from_arrays(train.left, train.right, train.outcome))
    skill = np.zeros(len(units))
    skill[fitted.items_] = fitted.log_skill_
    return np.asarray(1 / (1 + np.exp(skill[test.left] - skill[test.right])))


def chance_of_right(model: str, setting: float) -> NDArray[np.float64]:
    train, test = split()
    if model == "even odds":
        return np.full(len(test), 0.5)
    if model.startswith("pairs"):
        return pairs_as_units(train, test, setting)
    if model == "players, prior":
        return np.asarray(BradleyTerry(prior=setting).fit(train).predict_proba(test)[:, 2])
    if model.startswith("players"):
        fitted = BradleyTerry(prior=1.0).fit(train, sample_weight=recency(train, setting))
        return np.asarray(fitted.predict_proba(test)[:, 2])
    elo = Elo(k=setting).fit(train)
    if "frozen" in model:
        return elo.predict_proba(test)[:, 2]
    before = elo.ratings_before(test)
    return np.asarray(1 / (1 + 10 ** ((before[:, 0] - before[:, 1]) / 400)))


def compute(model: str, setting: float) -> dict[str, float]:
    right = chance_of_right(model, setting)
    won = np.asarray(split()[1].outcome) == 1
    loss = -np.log(np.where(won, right, 1 - right))
    return {"loss": loss.mean(), "hits": np.mean((right > 0.5) == won), "matches": len(won)}


def report(frame: pd.DataFrame) -> Report:
    best = frame.loc[frame.groupby("model", sort=False)["loss"].idxmin()]
    sentence = (
        "The log loss of each model, with the setting that is best on these same matches: "
        + "; ".join(
            f"{row.model} {row.setting:g}: {row.loss:.3f}" if row.setting else f"{row.model}: {row.loss:.3f}"
            for row in best.itertuples()
        )
    )
    table = pd.DataFrame(
        {
            "model": frame["model"],
            "setting": frame["setting"].map("{:g}".format),
            "log loss": frame["loss"].map("{:.4f}".format),
            "correct": (100 * frame["hits"]).map("{:.1f} %".format),
        }
    )
    least = best.set_index("model")["loss"]
    verdict = "beats" if least["players, prior"] < least["pairs as units, prior"] else "does not beat"
    return Report(f"{sentence}. One skill per player {verdict} one skill per pair.", table)


EXPERIMENT = Experiment(
    name="beyond_doubles",
    paper="Beyond the papers",
    title="Doubles: individual skill from the results of teams",
    cells=cells,
    compute=compute,
    report=report,
    needs=lambda cell: "tennis_doubles",
)

if __name__ == "__main__":
    main(EXPERIMENT)
