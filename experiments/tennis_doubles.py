"""Individual skill from the results of teams: ATP doubles of 2000–2020, predicted for the last year.

    PODIUM_DATA=... python experiments/tennis_doubles.py

Every model learns from the matches before the last twelve months and predicts those of them in which all four
players are known. The generalized Bradley–Terry model (eq. (4) and (7) of [GeneralizedBT]) gives every player
a skill and adds them up; *pairs as units* gives one to every pair, and even odds to pairs never seen; Elo
rates a team by the mean of its players, once frozen at the cut and once updated after every match. Elo
forgets by itself; the likelihood does when older matches weigh less.
"""

import warnings

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from podium import BradleyTerry, Comparisons, Elo, datasets

PRIORS = (0.1, 0.3, 1.0, 3.0)


def log_loss(outcome: NDArray[np.int8], right: NDArray[np.float64]) -> float:
    return float(-np.log(np.where(outcome == 1, right, 1 - right)).mean())


def split() -> tuple[Comparisons, Comparisons]:
    """Matches up to the last twelve months, and those after them between known players."""
    matches = datasets.fetch_tennis_doubles()
    day = np.asarray(matches.time).astype("datetime64[D]")
    recent = day > day.max() - np.timedelta64(365, "D")
    train, test = matches[~recent], matches[recent]
    assert test.teams is not None
    known = test.teams.matrix(test.n_items) @ ~train.appears == 0
    return train, test[known[test.left] & known[test.right]]


def recency(train: Comparisons, half_life: float) -> NDArray[np.float64]:
    """Weights that halve with every so many years before the cut: skill is not forever."""
    day = np.asarray(train.time).astype("datetime64[D]")
    years = (day.max() - day) / np.timedelta64(1, "D") / 365.25
    return np.asarray(0.5 ** (years / half_life))


def pairs_as_units(train: Comparisons, test: Comparisons, prior: float) -> NDArray[np.float64]:
    """Chances of the right side when a pair is one item."""
    units = np.arange(len(train.teams or ()))
    fitted = BradleyTerry(prior=prior).fit(Comparisons.from_arrays(train.left, train.right, train.outcome))
    skill = np.zeros(len(units))
    skill[fitted.items_] = fitted.log_skill_
    return np.asarray(1 / (1 + np.exp(skill[test.left] - skill[test.right])))


def main() -> None:
    train, test = split()
    outcome = np.asarray(test.outcome)
    table = Table(title=f"{len(train):,} matches to learn from, {len(test):,} to predict")
    for heading in ("model", "log loss", "right"):
        table.add_column(heading, justify="left" if heading == "model" else "right")

    def add(name: str, right: NDArray[np.float64]) -> None:
        hits = float(np.mean((right > 0.5) == (outcome == 1)))
        table.add_row(name, f"{log_loss(outcome, right):.4f}", f"{100 * hits:.1f} %")

    add("even odds", np.full(len(test), 0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for prior in PRIORS:
            model = BradleyTerry(prior=prior).fit(train)
            add(f"players (generalized Bradley–Terry), prior {prior:g}", model.predict_proba(test)[:, 2])
        for years in (1, 2, 4):
            model = BradleyTerry(prior=1.0).fit(train, sample_weight=recency(train, years))
            add(f"players, prior 1, half-life {years} years", model.predict_proba(test)[:, 2])
        for prior in PRIORS:
            add(f"pairs as units, prior {prior:g}", pairs_as_units(train, test, prior))
    for k in (20, 40):
        elo = Elo(k=k).fit(train)
        add(f"Elo on teams, K = {k}, frozen", elo.predict_proba(test)[:, 2])
        before = elo.before(test)
        add(f"Elo on teams, K = {k}, updated", 1 / (1 + 10 ** ((before[:, 0] - before[:, 1]) / 400)))
    Console().print(table)


if __name__ == "__main__":
    main()
