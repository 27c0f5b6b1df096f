"""podium compare, beside the same done by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from podium import BradleyTerry, SVMCompare, datasets, metrics, read_comparisons
from podium.evaluation import log_loss
from tests.cli.runs import CHESS, VOTES, done, offers, write_offers


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
    expected = log_loss(test.outcome, model.predict_proba(test), test.weight)
    assert table(out)["log loss"]["bradley-terry"] == pytest.approx(expected)


def test_calibrate_gives_all_a_log_loss(tmp_path: Path) -> None:
    options = ["--folds", 2, "--model", "elo", "--model", "bradley-terry"]
    assert "∞" in done("compare", CHESS, *options)
    done("compare", CHESS, *options, "--calibrate", "--out", tmp_path / "table.csv")
    assert np.isfinite(table(tmp_path / "table.csv")["log loss"]).all()


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
