"""podium compare gives the same as computing it by hand."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold

from podium import BradleyTerry, Elo, Glicko, SVMCompare, datasets, metrics, read_comparisons
from podium.cli.options.registry import MODELS
from podium.cli.output.standings import Standings
from podium.evaluation import tune_forward
from tests.cli.runs import CHESS, VOTES, done, file_for, offers, podium, sentence, write_offers


def table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, index_col="model")


def test_folds(tmp_path: Path) -> None:
    out = tmp_path / "table.csv"
    said = done("compare", write_offers(tmp_path), "--folds", 3, "--set", "svm-compare.C=10", "--out", out)
    found = table(out)
    assert found.index.tolist() == ["svm-compare", "svm-rank", "linear-compare"]
    c = offers()[1]
    parts = list(KFold(3, shuffle=True, random_state=0).split(np.zeros(len(c))))
    models = [(SVMCompare(C=10).fit(c[train]), c[test]) for train, test in parts]
    assert found["error"]["svm-compare"] == pytest.approx(np.mean([1 - m.score(test) for m, test in models]))
    aucs = [metrics.comparison_auc(np.asarray(t.outcome), m.decision_function(t)) for m, t in models]
    assert found["AUC"]["svm-compare"] == pytest.approx(np.mean(aucs))
    assert (found["seconds"] > 0).all()
    assert "3 folds" in said


def test_the_scores_of_most_models_come_first() -> None:
    scores = (["error", "NDCG@10"], ["swapped pairs", "NDCG@10"], ["swapped pairs", "NDCG@10"])
    models: Any = {str(k): SimpleNamespace(scores=dict.fromkeys(found)) for k, found in enumerate(scores)}
    assert Standings(models, {}, {}, (), 0.95).names == ["NDCG@10", "swapped pairs", "error"]


def test_a_solver_that_stops_early_says_in_which_fold(tmp_path: Path) -> None:
    models = ["--model", "linear-compare", "--model", "svm-rank"]
    early = ["--set", "linear-compare.max_iter=1", "--set", "linear-compare.tol=1e-9"]
    result = podium("compare", write_offers(tmp_path), "--folds", 2, *models, *early)
    [line] = [line for line in result.stderr.splitlines() if "stopped after" in line]
    assert line.startswith("podium: fold 1: LinearCompare: the solver ")
    assert "; so did " in line


def test_differences_are_paired(tmp_path: Path) -> None:
    """By hand: the test rows are drawn once for both models."""
    out, models = tmp_path / "table.csv", ["bradley-terry", "glicko"]
    chosen = [word for name in models for word in ("--model", name)]
    options = [*chosen, "--time", "season", "--bootstrap", 50, "--seed", 3, "--level", 0.9, "--out", out]
    said = done("compare", CHESS, *options)
    assert "behind the best" in said
    assert (
        "90 % intervals; those of the differences hold jointly, so one that excludes 0 is more than" in said
    )
    c = read_comparisons(CHESS, time="season")
    assert c.time is not None
    train, test = c[c.time < 2024], c[c.time >= 2024]
    wrong = [model.fit(train).predict(test) != test.outcome for model in (BradleyTerry(), Glicko())]
    rng = np.random.default_rng(3)
    gap, n = wrong[1].astype(float) - wrong[0], len(test)
    draws = np.array([gap[rng.integers(n, size=n - 1)].mean() for _ in range(50)])
    half = np.quantile(np.abs(draws - draws.mean()), 0.9, method="weibull")
    found = table(out).loc["glicko"]
    assert found["error behind"] == pytest.approx(gap.mean())
    ends = found[["error behind low", "error behind high"]]
    np.testing.assert_allclose(ends.astype(float), [gap.mean() - half, gap.mean() + half], atol=1e-12)
    assert table(out).loc["bradley-terry", "error behind"] == 0


def test_evaluate_and_compare_agree(tmp_path: Path) -> None:
    """On one held-out part, the two commands give the same scores and intervals."""
    games = pd.read_csv(CHESS)
    early, late = games[games["season"] < 2024], games[games["season"] >= 2024]
    early.to_csv(tmp_path / "early.csv", index=False)
    late.to_csv(tmp_path / "late.csv", index=False)
    saved = tmp_path / "model.skops"
    done("fit", tmp_path / "early.csv", "--model", "bradley-terry", "--save", saved)
    done("evaluate", saved, tmp_path / "late.csv", "--out", tmp_path / "scores.csv")
    done("compare", CHESS, "--time", "season", "--model", "bradley-terry", "--out", tmp_path / "table.csv")
    scores, found = pd.read_csv(tmp_path / "scores.csv", index_col="score"), table(tmp_path / "table.csv")
    for name in ("log loss", "error", "AUC"):
        columns = [name, f"{name} low", f"{name} high"]
        np.testing.assert_allclose(
            found.loc["bradley-terry", columns].astype(float),
            scores.loc[name, ["value", "low", "high"]].astype(float),
        )


def test_without_a_bootstrap_there_are_no_differences_to_judge() -> None:
    said = done("compare", CHESS, "--folds", 2, "--bootstrap", 0, "--model", "elo", "--model", "glicko")
    assert "behind the best" in said
    assert "more than chance" not in said


def test_models_that_share_no_score_have_no_best(tmp_path: Path) -> None:
    file, how = file_for(MODELS["ordinal-svm"], tmp_path)
    said = done("compare", file, *how, "--folds", 2, "--model", "ordinal-svm", "--model", "swapped-pairs-svm")
    assert "swapped pairs" in said
    assert "behind" not in said


def test_the_largest_ndcg_is_the_best(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    grade = np.digitize(X[:, 0] + 0.4 * rng.normal(size=120), [-0.5, 0.5])
    file, out = tmp_path / "rows.csv", tmp_path / "table.csv"
    rows = pd.DataFrame(X, columns=list("abc")).assign(qid=np.arange(120) // 10, grade=grade)
    rows.to_csv(file, index=False)
    models = ["--model", "swapped-pairs-svm", "--model", "ordinal-svm:C=0.00001"]
    done("compare", file, *models, "--folds", 3, "--metric", "ndcg@3", "--bootstrap", 10, "--out", out)
    found = table(out)
    good, bad = (found.loc[model] for model in ("swapped-pairs-svm", "ordinal-svm:C=0.00001"))
    assert 0.5 < bad["NDCG@3"] < good["NDCG@3"] <= 1
    assert good["NDCG@3 behind"] == 0
    assert bad["NDCG@3 behind"] == pytest.approx(good["NDCG@3"] - bad["NDCG@3"])
    assert "NDCG@3" in done("compare", file, *models, "--folds", 3, "--metric", "ndcg@3", "--bootstrap", 0)
    assert "--metric ndcg@3 is for labelled rows" in sentence(
        "compare", CHESS, "--metric", "ndcg@3", "--model", "elo"
    )


def test_one_model_with_two_settings(tmp_path: Path) -> None:
    """Each model uses --set; settings in its own name take precedence."""
    out, names = tmp_path / "table.csv", ["svm-compare:C=1", "svm-compare:C=100,gamma=0.5"]
    models = [word for name in names for word in ("--model", name)]
    file = write_offers(tmp_path)
    done("compare", file, "--folds", 3, *models, "--set", "gamma=2", "--bootstrap", 0, "--out", out)
    c = offers()[1]
    parts = list(KFold(3, shuffle=True, random_state=0).split(np.zeros(len(c))))
    for name, model in zip(names, (SVMCompare(C=1, gamma=2), SVMCompare(C=100, gamma=0.5)), strict=True):
        errors = [1 - model.fit(c[train]).score(c[test]) for train, test in parts]
        assert table(out)["error"][name] == pytest.approx(np.mean(errors))
    assert "svm-compare has no parameter 'D'" in sentence("compare", file, "--model", "svm-compare:D=1")
    assert "--set takes NAME=VALUE" in sentence("compare", file, "--model", "svm-compare:")


def test_later_rows(tmp_path: Path) -> None:
    out = tmp_path / "table.csv"
    said = done(
        "compare", CHESS, "--time", "season", "--test-share", 0.2, "--out", out, "--model", "bradley-terry"
    )
    c = read_comparisons(CHESS, time="season")
    assert c.time is not None
    train, test = c[c.time < 2025], c[c.time >= 2025]
    assert f"tested on the {len(test)} rows from 2025 on" in said
    model = BradleyTerry().fit(train)
    assert test.outcome is not None
    expected = log_loss(test.outcome, model.predict_proba(test), labels=[-1, 0, 1])
    assert table(out)["log loss"]["bradley-terry"] == pytest.approx(expected)


def test_calibrate_gives_all_a_log_loss(tmp_path: Path) -> None:
    options = ["--folds", 2, "--model", "elo", "--model", "bradley-terry"]
    said = done("compare", CHESS, *options)
    assert "∞" in said
    assert "log loss of elo is infinite: ties have probability 0; --calibrate gives them one" in said
    done("compare", CHESS, *options, "--calibrate", "--out", tmp_path / "table.csv")
    assert np.isfinite(table(tmp_path / "table.csv")["log loss"]).all()


def test_evaluate_says_why_a_log_loss_is_infinite(tmp_path: Path) -> None:
    done("fit", CHESS, "--model", "elo", "--save", tmp_path / "elo.skops")
    said = done("evaluate", tmp_path / "elo.skops", CHESS, "--bootstrap", 10)
    reason = "log loss of Elo is infinite: ties have probability 0; podium fit --calibrate gives them one"
    assert reason in said
    games = pd.read_csv(CHESS)
    games[games["result"] != "1/2-1/2"].to_csv(tmp_path / "decisive.csv", index=False)
    assert "infinite" not in done("evaluate", tmp_path / "elo.skops", tmp_path / "decisive.csv")


def test_groups_stay_together() -> None:
    assert "2 folds of groups" in done("compare", VOTES, "--group", "judge", "--folds", 2, "--model", "elo")


def test_items_that_were_not_learned_from_are_left_out(tmp_path: Path) -> None:
    games = pd.read_csv(CHESS)
    games.loc[len(games)] = [2030, "Ada", "Newcomer", "1-0"]
    games.to_csv(tmp_path / "games.csv", index=False)
    said = done("compare", tmp_path / "games.csv", "--folds", 2, "--model", "bradley-terry")
    assert "1 of them left out of the tests" in said


def test_a_model_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    models = ["--model", "svm-compare-lp", "--model", "linear-compare"]
    said = done("compare", write_offers(tmp_path), "--folds", 2, *models)
    assert "svm-compare-lp – – –" in said
    assert "give a finite C to allow slack" in said


def test_names_and_features_together(tmp_path: Path) -> None:
    c = datasets.load_chess_club()
    rng = np.random.default_rng(0)
    names = c.items.tolist()
    players = pd.DataFrame({"player": names, "age": rng.normal(size=len(names))})
    players.to_csv(tmp_path / "players.csv", index=False)
    said = done("compare", CHESS, "--items", tmp_path / "players.csv", "--folds", 2)
    assert all(name in said for name in ("bradley-terry", "elo", "svm-compare", "linear-compare"))


def test_moving_skills_are_compared_if_there_are_times(tmp_path: Path) -> None:
    out = tmp_path / "table.csv"
    done("compare", CHESS, "--folds", 2, "--bootstrap", 0, "--out", out)
    assert table(out).index.tolist() == ["bradley-terry", "elo", "glicko"]
    done("compare", CHESS, "--time", "season", "--bootstrap", 0, "--out", out)
    assert table(out).index.tolist() == ["bradley-terry", "dynamic-bradley-terry", "elo", "glicko"]


def test_rolling(tmp_path: Path) -> None:
    """By hand: every season is predicted by a model of those before it; Elo follows the rows."""
    out = tmp_path / "table.csv"
    options = ["--model", "bradley-terry", "--model", "elo", "--bootstrap", 0, "--out", out]
    said = done("compare", CHESS, "--time", "season", "--rolling", "--folds", 4, *options)
    assert "tested on 728 rows from 2022 on, in 4 blocks of time" in said
    assert "elo also learned from each row of a block once it was predicted" in said
    c = read_comparisons(CHESS, time="season")
    season, found = np.asarray(c.time), table(out)
    later = c[season >= 2022]
    hits, model = [], BradleyTerry()
    for year in (2022, 2023, 2024, 2025):
        block = c[season == year]
        hits.append(model.fit(c[season < year]).predict(block) == block.outcome)
    assert found["accuracy"]["bradley-terry"] == pytest.approx(np.concatenate(hits).mean())
    probability = Elo().fit(c[season < 2022]).before(later)
    happened = np.asarray(later.outcome)[:, None] == [-1, 0, 1]
    assert found["Brier"]["elo"] == pytest.approx(((probability - happened) ** 2).sum(axis=1).mean() / 2)
    assert np.isinf(found["log loss"]["elo"])
    assert np.isfinite(found["score loss"]["elo"])


def test_rolling_shows_the_score_loss_if_a_log_loss_is_infinite() -> None:
    options = ["--time", "season", "--rolling", "--model", "bradley-terry", "--model"]
    assert "score loss Brier accuracy seconds" in done("compare", CHESS, *options, "elo")
    said = done("compare", CHESS, *options, "elo:tie=0.8")
    assert "log loss Brier accuracy seconds" in said
    assert "95 % intervals; those of the differences hold jointly" in said


def test_rolling_takes_strangers_for_average(tmp_path: Path) -> None:
    games = pd.read_csv(CHESS)
    first = games["season"] == 2021
    games.loc[first, ["white", "black"]] += " (youth)"
    games.to_csv(tmp_path / "games.csv", index=False)
    said = done(
        "compare", tmp_path / "games.csv", "--time", "season", "--rolling", "--model", "bradley-terry"
    )
    assert "182 rows have an item that was not learned from, which counts as average" in said
    assert "all rows have the same time" in sentence(
        "compare", CHESS, "--time", "season", "--where", "season = 2021", "--rolling"
    )


def test_rolling_finds_the_column_of_time(tmp_path: Path) -> None:
    assert "season (time)" in done("compare", CHESS, "--rolling", "--model", "elo", "--bootstrap", 0)
    timeless = tmp_path / "games.csv"
    pd.read_csv(CHESS).drop(columns="season").to_csv(timeless, index=False)
    assert "name their time with --time" in sentence("compare", timeless, "--rolling")


def test_rolling_tunes_before_each_block(tmp_path: Path) -> None:
    """Elo's k is chosen on the rows before each block, and Bradley–Terry has nothing to tune."""
    games = pd.read_csv(CHESS).assign(day=lambda frame: np.arange(len(frame)))
    games.to_csv(tmp_path / "games.csv", index=False)
    out = tmp_path / "table.csv"
    how = [
        "--time",
        "day",
        "--rolling",
        "--folds",
        2,
        "--tune",
        "--set",
        "elo.advantage=50",
        "--bootstrap",
        0,
    ]
    models = ["--model", "elo", "--model", "bradley-terry"]
    done("compare", tmp_path / "games.csv", *how, *models, "--out", out)
    c = read_comparisons(tmp_path / "games.csv", time="day")
    p = []
    for first, end in ((303, 606), (606, 910)):
        best = tune_forward(Elo(advantage=50), c[:first])
        assert set(best.chosen) == {"k", "tie"}
        p.append(best.model.fit(c[:first]).before(c[first:end]))
    expected = log_loss(c[303:].outcome, np.concatenate(p), labels=[-1, 0, 1])
    assert table(out)["log loss"]["elo"] == pytest.approx(expected)
