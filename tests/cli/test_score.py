"""podium score, and models that Python saved on the command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import podium as pod
from tests.cli.runs import CHESS, done, offers, sentence, write_offers


def write_items(folder: Path) -> Path:
    pd.DataFrame({"id": [7, 8, 9], "y": [0.5, 1.0, -1.0], "x": [0.0, 2.0, 1.0]}).to_csv(
        folder / "items.csv", index=False
    )
    return folder / "items.csv"


@pytest.mark.parametrize("calibrate", [[], ["--calibrate"]])
def test_single_items_are_scored_by_the_features_of_pairs(calibrate: list[str], tmp_path: Path) -> None:
    items, saved, out = write_items(tmp_path), tmp_path / "model.skops", tmp_path / "scores.csv"
    done("fit", write_offers(tmp_path), "--model", "svm-compare", *calibrate, "--save", saved)
    assert "scored 3 items" in done("score", saved, items, "--out", out)
    found = pd.read_csv(out)
    assert found.columns.tolist() == ["id", "score"]
    X = pd.read_csv(items)[["x", "y"]].to_numpy()
    np.testing.assert_allclose(found["score"], pod.load(saved).utility(X))
    assert done("score", saved, items).startswith("id,score 7,")
    assert "no column 'x'" in sentence("score", saved, CHESS)


def test_labelled_rows_are_scored_as_they_are_predicted(tmp_path: Path) -> None:
    file, saved = tmp_path / "rows.csv", tmp_path / "model.skops"
    X = np.random.default_rng(0).normal(size=(60, 2))
    grade = np.digitize(X[:, 0], [-0.5, 0.5])
    pd.DataFrame(X, columns=["a", "b"]).assign(grade=grade).to_csv(file, index=False)
    done("fit", file, "--model", "ordinal-svm", "--save", saved)
    done("score", saved, file, "--out", tmp_path / "scores.csv")
    found = pd.read_csv(tmp_path / "scores.csv")["score"]
    np.testing.assert_allclose(found, pod.load(saved).projection(X))
    done("fit", file, "--model", "preference-game", "--save", saved)
    assert "predicts classes and has no score" in sentence("score", saved, file)


def test_an_array_of_items_is_scored(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    votes, items, saved = tmp_path / "votes.csv", tmp_path / "items.npy", tmp_path / "model.skops"
    left = np.arange(39)
    winner = np.where(X[left, 0] > X[left + 1, 0], "left", "right")
    pd.DataFrame({"left": left, "right": left + 1, "winner": winner}).to_csv(votes, index=False)
    np.save(items, X)
    done("fit", votes, "--items", items, "--model", "svm-rank", "--save", saved)
    done("score", saved, items, "--out", tmp_path / "scores.csv")
    found = pd.read_csv(tmp_path / "scores.csv")
    assert found["id"].tolist() == list(range(40))
    np.testing.assert_allclose(found["score"], pod.load(saved).utility(X))
    said = sentence("fit", items, "--model", "ordinal-svm", "--save", saved)
    assert "no labels; read it as --items" in said


def test_named_items_have_a_board(tmp_path: Path) -> None:
    saved = tmp_path / "model.skops"
    done("fit", CHESS, "--model", "bradley-terry", "--save", saved)
    assert "'podium rank' shows them" in sentence("score", saved, CHESS)


# ------------------------------------------------------------------------------------ saved by Python


def test_a_pipeline_that_python_saved_reads_other_columns(tmp_path: Path) -> None:
    saved, file, out = tmp_path / "model.skops", tmp_path / "log.csv", tmp_path / "out.csv"
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
    grade = np.digitize(X["a"], [-0.5, 0.5])
    model = make_pipeline(StandardScaler(), pod.SwappedPairsSVM()).fit(X, grade)
    pod.save(model, saved)
    X.assign(Grade5=grade, Term=np.arange(60) // 10, note="text").to_csv(file, index=False)
    columns = ["--label", "Grade5", "--query", "Term"]
    done("evaluate", saved, file, *columns, "--metric", "ndcg@3", "--bootstrap", 10, "--out", out)
    found = pd.read_csv(out, index_col="score").loc["NDCG@3", "value"]
    assert found == pytest.approx(pod.metrics.ndcg(grade, model.predict(X), np.arange(60) // 10, k=3))
    done("predict", saved, file, "--query", "Term", "--out", out)
    np.testing.assert_allclose(pd.read_csv(out)["predicted"], model.predict(X))


def test_comparers_that_python_saved(tmp_path: Path) -> None:
    saved, out, items = tmp_path / "model.skops", tmp_path / "out.csv", write_items(tmp_path)
    file, (_, c) = write_offers(tmp_path), offers()
    model = pod.CalibratedComparer(pod.SVMCompare()).fit(c)
    pod.save(model, saved)
    done("predict", saved, file, "--out", out)
    np.testing.assert_allclose(pd.read_csv(out)["decision"], model.decision_function(c))
    done("score", saved, items, "--feature", "x", "--feature", "y", "--out", out)
    np.testing.assert_allclose(
        pd.read_csv(out)["score"], model.utility(pd.read_csv(items)[["x", "y"]].to_numpy())
    )


def test_models_of_names_that_python_saved(tmp_path: Path) -> None:
    saved, out, file = tmp_path / "model.skops", tmp_path / "out.csv", tmp_path / "games.csv"
    games = pod.datasets.load_chess_club()
    model = pod.BradleyTerry(order_effect=True).fit(games)
    pod.save(model, saved)
    pd.read_csv(CHESS).rename(columns={"white": "W1", "black": "B1"}).to_csv(file, index=False)
    done("predict", saved, file, "--left", "W1", "--right", "B1", "--out", out)
    np.testing.assert_allclose(pd.read_csv(out)["p_left"], model.predict_proba(games)[:, 0])
    ranker = pod.PlackettLuce().fit(pod.Rankings.from_lists([["a", "b"], ["b", "a"]]))
    pod.save(ranker, saved)
    assert "learns from rankings" in sentence("predict", saved, file)


def test_covariates_of_a_model_that_python_saved_are_found(tmp_path: Path) -> None:
    saved, out, file = tmp_path / "model.skops", tmp_path / "out.csv", tmp_path / "votes.csv"
    rng = np.random.default_rng(0)
    votes = pd.DataFrame(rng.choice(list("abc"), (60, 2)), columns=["model_a", "model_b"])
    votes = votes[votes["model_a"] != votes["model_b"]]
    votes = votes.assign(winner=rng.choice(["model_a", "model_b"], len(votes)))
    votes = votes.assign(length_a=rng.normal(size=len(votes)), length_b=rng.normal(size=len(votes)))
    votes.to_csv(file, index=False)
    c = pod.read_comparisons(votes, covariates=["length"])
    model = pod.BradleyTerry().fit(c)
    pod.save(model, saved)
    done("predict", saved, file, "--out", out)
    np.testing.assert_allclose(pd.read_csv(out)["p_left"], model.predict_proba(c)[:, 0])


@pytest.mark.parametrize("facts", [{"data": "items"}, {"data": ["items"]}, {"data": "items", "reading": 1}])
def test_facts_of_the_user_are_not_those_of_fit(facts: dict[str, Any], tmp_path: Path) -> None:
    pod.save(pod.Elo().fit(pod.datasets.load_chess_club()), tmp_path / "model.skops", facts)
    assert "predicted 910 rows" in done(
        "predict", tmp_path / "model.skops", CHESS, "--out", tmp_path / "o.csv"
    )
