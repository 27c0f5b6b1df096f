"""Covariates, neutral ground, errors and half-life on the command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import BradleyTerry, read_comparisons
from podium.options import number_or_text, prior_in
from tests.cli.runs import CHESS, done, podium, sentence


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    left = rng.integers(0, 4, 400)
    right = (left + rng.integers(1, 4, 400)) % 4
    table = pd.DataFrame({"model_a": left, "model_b": right}).map("model {}".format)
    words, bold = rng.integers(50, 600, (2, 400)), rng.integers(0, 4, (2, 400))
    d = 0.3 * (right - left) + 0.003 * (words[1] - words[0]) + 0.2 * (bold[1] - bold[0])
    table["winner"] = np.where(rng.logistic(size=400) < d, "model_b", "model_a")
    columns = {"length_a": words[0], "length_b": words[1], "bold_a": bold[0], "bold_b": bold[1]}
    table = table.assign(**columns, judge=rng.integers(0, 30, 400), year=rng.integers(2020, 2024, 400))
    table["shuffled"] = np.where(rng.random(400) < 0.3, "yes", "no")
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    table.to_csv(path, index=False)
    return path


CONTROL: dict[str, Any] = {"covariates": ["length", "bold"]}


@pytest.mark.parametrize(
    ("options", "reading", "parameters", "said"),
    [
        ("--control length,bold", CONTROL, {}, "at equal length and bold effect of length, per 100: "),
        (
            "--control length=length_b:length_a",
            {"covariates": {"length": ("length_b", "length_a")}},
            {},
            "effect of length, per 100: -",
        ),
        ("--control length,bold --covariance robust", CONTROL, {"covariance": "robust"}, "errors: robust"),
        (
            "--covariance cluster --group judge",
            {"group": "judge"},
            {"covariance": "cluster"},
            "standard errors: clustered by group (30 groups)",
        ),
        ("--half-life 2 --time year", {"time": "year"}, {"half_life": 2}, "weights halve every 2"),
        (
            "--order-effect --neutral shuffled",
            {"neutral": "shuffled"},
            {"order_effect": True},
            "on neutral ground",
        ),
    ],
)
def test_rank_saves_what_the_model_says(
    votes: Path, options: str, reading: Any, parameters: Any, said: str, tmp_path: Path
) -> None:
    out = tmp_path / "board.csv"
    assert said in done("rank", votes, *options.split(), "--out", out)
    model = BradleyTerry(**parameters).fit(read_comparisons(votes, **reading))
    board = model.leaderboard().to_frame()
    saved = pd.read_csv(out)
    assert saved.columns.tolist() == board.columns.tolist()
    for column in board.columns.drop("item"):
        np.testing.assert_allclose(saved[column], board[column], rtol=1e-9, atol=1e-9)


def test_a_saved_model_reads_its_covariates(votes: Path, tmp_path: Path) -> None:
    saved, out = tmp_path / "model.skops", tmp_path / "out.csv"
    done("fit", votes, "--model", "bradley-terry", "--control", "length, bold", "--save", saved)
    said = done("predict", saved, votes, "--out", out)
    assert "length_a and length_b (covariate length, right minus left)" in said
    c = read_comparisons(votes, **CONTROL)
    d = BradleyTerry().fit(c).decision_function(c)
    np.testing.assert_allclose(pd.read_csv(out)["decision"], d, atol=1e-6)
    assert "covariate bold" in done("evaluate", saved, votes, "--bootstrap", 10)
    pd.read_csv(votes).drop(columns="bold_b").to_csv(tmp_path / "less.csv", index=False)
    assert "give --control bold=LEFT:RIGHT" in sentence("predict", saved, tmp_path / "less.csv")
    said = sentence("predict", saved, votes, "--control", "bold")
    assert "the model was fitted with 'length', 'bold'" in said


def test_compare_learns_the_covariates(votes: Path) -> None:
    options = ["--model", "bradley-terry", "--bootstrap", 0, "--folds", 2]
    without, with_them = (done("compare", votes, *options, *more) for more in ([], ["--control", "length"]))
    assert "1 covariate" in with_them
    loss = [float(said.partition("bradley-terry ")[2].split()[0]) for said in (without, with_them)]
    assert loss[1] < loss[0] - 0.03


def test_the_report_explains_the_effects(votes: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done("rank", votes, "--control", "length,bold", "--covariance", "robust", "--report", page)
    assert "100 more of length multiplies the odds of winning by 1.3" in page.read_text()
    assert "Standard errors: robust." in page.read_text()


def test_the_prior_and_the_half_life_are_words_or_numbers() -> None:
    assert (prior_in("normal"), prior_in("0.5")) == ("normal", 0.5)
    assert (number_or_text("2y"), number_or_text("2")) == ("2y", 2.0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("rank --control lenth", "no column pair for covariate 'lenth'; give --control lenth=LEFT:RIGHT"),
        ("rank --control bold,bold", "--control takes different names, or NAME=LEFT:RIGHT, not 'bold,bold'"),
        ("rank --control length=", "--control takes different names"),
        ("rank --control length=x:", "--control takes different names"),
        ("rank --covariance cluster", "covariance='cluster' needs groups; give --group"),
        ("rank --covariance cluster --group shuffled", "--covariance 'cluster' needs at least 5 groups"),
        ("rank --judge-effects auto", "judge effects need to know who voted; give --group"),
        ("rank --judge-effects taste --group judge", "some of sharpness, ties, side"),
        ("rank --model elo --judge-effects auto", "--judge-effects is for --model bradley-terry"),
        ("rank --half-life 2y", "half_life needs times; give --time"),
        ("rank --half-life 2y --time year", "these times are numbers, so half_life must be a number above 0"),
        ("rank --neutral shuffled", "estimate it with --order-effect"),
        ("rank --neutral year --order-effect", "where true or false should be"),
        ("rank --model elo --control bold", "--control is for bradley-terry"),
        ("rank --model glicko --half-life 2y", "--half-life is for --model bradley-terry"),
        ("compare --model elo --control bold", "--control is for bradley-terry"),
        ("fit --model elo --neutral shuffled --save m.skops", "--neutral is for bradley-terry"),
    ],
)
def test_what_cannot_be_is_one_sentence(votes: Path, options: str, said: str) -> None:
    command, *rest = options.split()
    assert said in sentence(command, votes, *rest)


def test_a_model_without_covariates_takes_none(votes: Path, tmp_path: Path) -> None:
    saved = tmp_path / "model.skops"
    done("fit", votes, "--model", "bradley-terry", "--save", saved)
    assert "fitted without covariates" in sentence("predict", saved, votes, "--control", "bold")
    done("fit", CHESS, "--model", "elo", "--save", saved)
    assert "--neutral is for bradley-terry" in sentence("evaluate", saved, CHESS, "--neutral", "season")


def test_elo_takes_margins_and_neutral_ground(tmp_path: Path) -> None:
    rows = {"home": list("aab"), "away": list("bcc"), "winner": ["home", "tie", "away"], "neutral": [1, 0, 0]}
    games, new, saved = (tmp_path / name for name in ("games.csv", "new.csv", "elo.skops"))
    points = {"home_points": [9, 5, 3], "away_points": [2, 5, 4]}
    pd.DataFrame(rows | points).to_csv(games, index=False)
    options = ("--control", "points=home_points:away_points", "--neutral", "neutral", "--outcome", "winner")
    settings = ("--set", "margin=points", "--set", "advantage=50")
    assert "1 covariate" in done("rank", games, "--model", "elo", *options, *settings)
    done("fit", games, "--model", "elo", *options, *settings, "--save", saved)
    pd.DataFrame({"home": ["c"], "away": ["a"], "neutral": [1]}).to_csv(new, index=False)
    done("predict", saved, new)  # games to come have no points
    pd.DataFrame({"home": ["c"], "away": ["a"]}).to_csv(new, index=False)
    fixtures = podium("predict", saved, new)
    assert fixtures.exit_code == 0
    assert (
        "no column 'neutral' of neutral ground, so the left side is at home in every row" in fixtures.stderr
    )
    assert "no column 'other'" in sentence("predict", saved, new, "--neutral", "other")


def test_counts_have_an_option(tmp_path: Path) -> None:
    rows = pd.DataFrame({"left": list("ab"), "right": list("ba"), "winner": "left", "n": [3, 2]})
    rows.to_csv(tmp_path / "counts.csv", index=False)
    assert "n (count)" in done("rank", tmp_path / "counts.csv", "--count", "n")
    assert podium("rank", tmp_path / "counts.csv", "--count", "m").exit_code == 2
