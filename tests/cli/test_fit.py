"""podium fit; the saved file predicts what the model predicts."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from podium import SVMCompare, SwappedPairsSVM, load
from podium.cli.options.recipe import Making, Recipe, tune
from podium.cli.options.registry import FITTED, MODELS, Data, Model, fit_to, score_on
from podium.cli.options.splits import split
from podium.comparers.svm_compare import REVERSED
from podium.metrics import ndcg, swapped_pairs
from podium.reading.features import read_rows
from podium.saving.files import about
from tests.cli.runs import (
    CHESS,
    DOUBLES,
    SETTINGS,
    VOTES,
    done,
    file_for,
    offers,
    podium,
    sentence,
    write_offers,
)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", FITTED)
def test_every_model_is_fitted_saved_and_predicts(name: str, tmp_path: Path) -> None:
    model = MODELS[name]
    file, how = file_for(model, tmp_path)
    saved, out = tmp_path / "model.skops", tmp_path / "out.csv"
    done("fit", file, "--model", model.name, "--save", saved, *how, *SETTINGS.get(model.name, []))
    assert about(saved)["model"] == model.name
    said = done("predict", saved, file, "--out", out)
    assert f"{len(pd.read_csv(file)):,} rows" in said
    assert pd.read_csv(out)["predicted"].notna().all()
    assert done("evaluate", saved, file, "--bootstrap", 10).count("0.") > 1


def test_features_to_predictions_in_two_commands(tmp_path: Path) -> None:
    file, saved, out = write_offers(tmp_path), tmp_path / "model.skops", tmp_path / "predictions.csv"
    options = ["--set", "C=10", "--set", "gamma=0.5"]
    assert "fitted svm-compare to 80 comparisons" in done(
        "fit", file, "--model", "svm-compare", "--save", saved, *options
    )
    new, c = offers(40, seed=1)
    new.drop(columns="outcome").to_csv(tmp_path / "new.csv", index=False)
    done("predict", saved, tmp_path / "new.csv", "--out", out)
    model = SVMCompare(C=10, gamma=0.5).fit(offers()[1])
    predicted = pd.read_csv(out)
    np.testing.assert_allclose(predicted["decision"], model.decision_function(c), rtol=1e-9)
    words = np.array(["left", "tie", "right"])[model.predict(c) + 1]
    assert predicted["predicted"].tolist() == words.tolist()


def test_features_in_another_order_of_columns(tmp_path: Path) -> None:
    file, saved = write_offers(tmp_path), tmp_path / "model.skops"
    done("fit", file, "--model", "svm-compare", "--save", saved)
    frame = pd.read_csv(file)
    frame[frame.columns[::-1]].to_csv(tmp_path / "reversed.csv", index=False)
    for name in (file.stem, "reversed"):
        done("predict", saved, tmp_path / f"{name}.csv", "--out", tmp_path / f"{name}.parquet")
    one, other = (pd.read_parquet(tmp_path / f"{name}.parquet") for name in (file.stem, "reversed"))
    pd.testing.assert_frame_equal(one, other)


def test_a_table_of_items(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    dishes = pd.DataFrame({"name": list("abcdefgh"), "salt": rng.normal(size=8), "heat": rng.normal(size=8)})
    dishes.to_csv(tmp_path / "dishes.csv", index=False)
    pairs = pd.DataFrame([(a, b) for a in "abcdefgh" for b in "abcdefgh" if a < b], columns=["left", "right"])
    taste = dishes.set_index("name")["salt"]
    better = taste[pairs["right"]].to_numpy() > taste[pairs["left"]].to_numpy()
    pairs.assign(outcome=np.where(better, "right", "left")).to_csv(tmp_path / "votes.csv", index=False)
    saved, out = tmp_path / "model.skops", tmp_path / "out.json"
    items = ["--items", tmp_path / "dishes.csv"]
    done(
        "fit",
        tmp_path / "votes.csv",
        "--model",
        "linear-compare",
        *items,
        "--feature",
        "salt",
        "--save",
        saved,
    )
    assert about(saved)["features"] == ["salt"]
    assert "fitted with a table of items" in sentence("predict", saved, tmp_path / "votes.csv", "--out", out)
    done("predict", saved, tmp_path / "votes.csv", *items, "--out", out)
    predicted = pd.read_json(out)
    assert predicted["left"].tolist() == pairs["left"].tolist()
    assert predicted["predicted"].tolist() == np.where(better, "right", "left").tolist()


def test_how_the_file_was_read_is_remembered(tmp_path: Path) -> None:
    saved, out = tmp_path / "model.skops", tmp_path / "out.csv"
    reading = ["--left", "model_a", "--right", "model_b", "--outcome", "winner", "--group", "judge"]
    done("fit", VOTES, "--model", "bradley-terry", *reading, "--save", saved)
    assert about(saved)["reading"]["left"] == ["model_a"]
    pairs = pd.read_csv(VOTES)[["model_b", "model_a"]].assign(model_c="x", model_d="y")
    pairs.to_csv(tmp_path / "new.csv", index=False)
    done("predict", saved, tmp_path / "new.csv", "--out", out)
    assert pd.read_csv(out)["left"].tolist() == pairs["model_a"].tolist()


def test_teams(tmp_path: Path) -> None:
    saved, out = tmp_path / "model.skops", tmp_path / "out.csv"
    done("fit", DOUBLES, "--model", "bradley-terry", "--team-separator", "/", "--save", saved)
    done("predict", saved, DOUBLES, "--out", out)
    assert " + " in pd.read_csv(out)["left"][0]


@pytest.mark.parametrize(("model", "tuned"), [("svm-compare", "C and gamma"), ("linear-compare", "C")])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_tune_says_what_it_chose(model: str, tuned: str, tmp_path: Path) -> None:
    file, saved = write_offers(tmp_path, n=60), tmp_path / "model.skops"
    said = done("fit", file, "--model", model, "--tune", "--save", saved)
    assert f"values of {tuned} on 20 held-out comparisons; chose C=" in said
    chosen = float(said.split("chose C=")[1].split(",")[0])
    assert chosen == pytest.approx(load(saved).C, rel=1e-3)


def test_tune_warns_once(tmp_path: Path) -> None:
    """Each of the values of C has few ties, and is fitted with β = 0."""
    rng = np.random.default_rng(0)
    sides = rng.normal(size=(300, 2))
    d = sides[:, 1] - sides[:, 0] + rng.normal(size=300)
    words = np.array(["left", "tie", "right"])[np.where(np.abs(d) < 0.1, 0, np.sign(d)).astype(int) + 1]
    file, saved = tmp_path / "offers.csv", tmp_path / "model.skops"
    pd.DataFrame(sides, columns=["left_x", "right_x"]).assign(outcome=words).to_csv(file, index=False)
    result = podium("fit", file, "--model", "linear-compare", "--tune", "--save", saved)
    assert result.exit_code == 0, result.output
    assert [line for line in result.stderr.splitlines() if "podium:" in line] == [f"podium: {REVERSED}"]


def test_solvers_that_stop_early_are_counted_in_one_line(tmp_path: Path) -> None:
    """Ten values of C are tried, and then the chosen one is fitted to all rows."""
    file = write_graded(tmp_path / "graded.csv")
    columns = ["--set", "max_iter=1", "--set", "tol=1e-9", "--tune"]
    result = podium("fit", file, "--model", "swapped-pairs-svm", *columns, "--save", tmp_path / "model.skops")
    [line] = [line for line in result.stderr.splitlines() if "podium:" in line]
    assert line.startswith("podium: C=0.001: SwappedPairsSVM: the solver 'newton' stopped after 1 iterations")
    assert line.endswith("; scale the features, or raise max_iter; so did 10 other fits")


def write_graded(path: Path) -> Path:
    """Rows in queries; grades increase with a, and their scale differs between queries."""
    rng = np.random.default_rng(0)
    X, query = rng.normal(size=(120, 3)), np.repeat(np.arange(12), 10)
    grade = np.digitize(X[:, 0] + 0.4 * rng.normal(size=120), [-0.5, 0.5]) + 3 * (query % 2)
    pd.DataFrame(X, columns=list("abc")).assign(qid=query, grade=grade).to_csv(path, index=False)
    return path


def test_options_of_comparisons_are_refused_with_rows(tmp_path: Path) -> None:
    file = write_graded(tmp_path / "graded.csv")
    said = sentence("fit", file, "--model", "ordinal-svm", "--weight", "a", "--save", tmp_path / "m.skops")
    assert "--weight is for comparisons" in said


def test_rows_are_predicted_without_their_query(tmp_path: Path) -> None:
    file, saved, out = (tmp_path / name for name in ("graded.csv", "model.skops", "scores.csv"))
    table = pd.read_csv(write_graded(file)).rename(columns={"qid": "person"})
    table.to_csv(file, index=False)
    done("fit", file, "--model", "swapped-pairs-svm", "--query", "person", "--save", saved)
    table[["a", "b", "c"]].to_csv(file, index=False)
    assert "predicted 120 rows" in done("predict", saved, file, "--out", out)
    assert pd.read_csv(out).columns.tolist() == ["predicted"]


def test_predictions_of_rows_can_be_joined(tmp_path: Path) -> None:
    file, saved, out = (tmp_path / name for name in ("graded.csv", "model.skops", "scores.csv"))
    table = pd.read_csv(write_graded(file))
    done("fit", file, "--model", "swapped-pairs-svm", "--save", saved)
    table = table.assign(qid="q" + table["qid"].astype(str), page=[f"page {k}" for k in range(120)])
    table.to_csv(file, index=False)
    done("predict", saved, file, "--where", "a > 0", "--out", out)
    found = pd.read_csv(out)
    assert found.columns.tolist() == ["qid", "grade", "page", "predicted"]
    rows = table.loc[table["a"] > 0, ["qid", "grade", "page"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(found[["qid", "grade", "page"]], rows, check_dtype=False)


@pytest.mark.parametrize(
    ("model", "tuned"),
    [
        ("elo", "k, advantage, tie"),
        ("glicko", "advantage, tie, growth"),
        ("glicko2", "advantage, tie, volatility"),
    ],
)
def test_tune_one_step_ahead(model: str, tuned: str, tmp_path: Path) -> None:
    """Parameters that --set gives are not tuned, even if they have their default values."""
    saved = tmp_path / "model.skops"
    options = [] if model == "elo" else ["--set", "deviation=350"]
    said = done("fit", CHESS, "--time", "season", "--model", model, *options, "--tune", "--save", saved)
    assert f"settings of {tuned} one step ahead on 728 comparisons; chose " in said
    assert "log loss " in said
    assert load(saved).tie == pytest.approx(0.8, abs=0.1)


@pytest.mark.parametrize(
    ("model", "options", "tuned", "wrong"),
    [
        ("swapped-pairs-svm", [], "10 values of C", "of their pairs swapped"),
        ("swapped-pairs-svm", ["--set", "kernel=rbf"], "20 values of C and gamma", "of their pairs swapped"),
        ("herbrich-svm", [], "10 values of C", "of their pairs swapped"),
        ("ordinal-svm", [], "10 values of C", "of them wrong"),
        ("online-svc", [], "10 values of C", "of them wrong"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_tune_labelled_rows(
    model: str, options: list[str], tuned: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.comparers.grid.PAPER_GAMMA", [0.1, 1.0])
    file, saved = write_graded(tmp_path / "graded.csv"), tmp_path / "model.skops"
    said = done("fit", file, "--model", model, *options, "--tune", "--save", saved)
    assert f"tried {tuned} on 40 held-out rows; chose " in said
    assert wrong in said
    chosen = float(said.split("C=")[1].split(",")[0])
    assert chosen == pytest.approx(load(saved).C, rel=1e-3)


def test_tune_takes_the_least_swapped_pairs_within_queries(tmp_path: Path) -> None:
    rows = read_rows(str(write_graded(tmp_path / "graded.csv")))
    train, held = split(rows)
    assert not set(train.query) & set(held.query)
    recipe = Recipe(MODELS["swapped-pairs-svm"], {}, Making(tune=True))
    tuned, note = tune(recipe, SwappedPairsSVM(), rows, lambda *_: None)
    errors = []
    for cost in np.logspace(-3, 3, 10):
        fitted = SwappedPairsSVM(C=cost).fit(train.features, train.label, qid=train.query)
        errors.append(swapped_pairs(held.label, fitted.predict(held.features), held.query))
    assert cost > tuned.C == pytest.approx(np.logspace(-3, 3, 10)[np.argmin(errors)])
    assert f"{100 * min(errors):.1f} % of their pairs swapped" in note


def test_tune_takes_the_largest_ndcg_of_standardised_features(tmp_path: Path) -> None:
    """The model that is saved standardises what it learned from, and evaluate and compare know it."""
    file, saved, out = write_graded(tmp_path / "graded.csv"), tmp_path / "m.skops", tmp_path / "out.csv"
    table = pd.read_csv(file).assign(b=lambda t: 1000 * t["b"])
    table.to_csv(file, index=False)
    options = ["--model", "swapped-pairs-svm", "--metric", "ndcg@3", "--standardize"]
    said = done("fit", file, *options, "--tune", "--save", saved)
    rows = read_rows(str(file))
    train, held = split(rows)
    assert held.label is not None
    assert rows.label is not None
    values = []
    for cost in np.logspace(-3, 3, 10):
        fitted = make_pipeline(StandardScaler(), SwappedPairsSVM(C=cost))
        fitted.fit(train.features, train.label, swappedpairssvm__qid=train.query)
        values.append(ndcg(held.label, fitted.predict(held.features), held.query, k=3))
    assert f"NDCG@3 {max(values):.4f}" in said
    model = load(saved)
    assert pytest.approx(np.logspace(-3, 3, 10)[np.argmax(values)]) == model[-1].C
    np.testing.assert_allclose(model[0].mean_, rows.features.mean(axis=0))
    done("evaluate", saved, file, "--metric", "ndcg@3", "--bootstrap", 10, "--out", out)
    found = pd.read_csv(out, index_col="score").loc["NDCG@3", "value"]
    assert found == pytest.approx(ndcg(rows.label, model.predict(rows.features), rows.query, k=3))
    assert "cannot go on" in sentence("update", saved, file, "--save", saved)


def test_features_of_pairs_and_sparse_rows_are_standardised(tmp_path: Path) -> None:
    saved = tmp_path / "model.skops"
    done("fit", write_offers(tmp_path), "--model", "linear-compare", "--standardize", "--save", saved)
    assert load(saved).scale
    both = ["--model", "linear-compare", "--standardize", "--set", "scale=false"]
    assert "--standardize and --set scale say the same" in sentence(
        "fit", write_offers(tmp_path), *both, "--save", tmp_path / "other.skops"
    )
    sparse = tmp_path / "rows.svmlight"
    sparse.write_text("".join(f"{k % 3} qid:{k // 10} {1 + k % 7}:{k}\n" for k in range(40)))
    done("fit", sparse, "--model", "swapped-pairs-svm", "--standardize", "--save", saved)
    assert load(saved)[0].with_mean is False


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric", "ndcg@10"], "--metric says what --tune chooses by; add --tune"),
        (["--metric", "ndcg@0", "--tune"], "--metric takes ndcg@K, such as ndcg@10, not 'ndcg@0'"),
        (["--metric", "auc", "--tune"], "--metric takes ndcg@K"),
        (["--model", "elo", "--standardize"], "coded-classifier, not for elo"),
        (["--model", "online-svm-rank", "--standardize"], ", not for online-svm-rank"),
        (["--label", "a", "--metric", "ndcg@10", "--tune"], "is negative; grades start at 0"),
    ],
)
def test_what_ndcg_and_standardize_refuse(options: list[str], message: str, tmp_path: Path) -> None:
    file = write_graded(tmp_path / "graded.csv")
    model = [] if "--model" in options else ["--model", "swapped-pairs-svm"]
    label = [] if "--label" in options or not {"--tune"} & set(options) else ["--label", "grade"]
    assert message in sentence("fit", file, *model, *options, *label, "--save", tmp_path / "m.skops")


def test_calibrate_gives_probabilities(tmp_path: Path) -> None:
    file, saved, out = write_offers(tmp_path), tmp_path / "model.skops", tmp_path / "out.csv"
    done("fit", file, "--model", "svm-compare", "--calibrate", "--set", "C=10", "--save", saved)
    done("predict", saved, file, "--out", out)
    table = pd.read_csv(out)[["p_left", "p_tie", "p_right"]]
    np.testing.assert_allclose(table.sum(axis=1), 1)
    assert "log loss" in done("evaluate", saved, file, "--bootstrap", 10)


def test_a_new_item_leaves_its_row_empty(tmp_path: Path) -> None:
    saved, out, new = tmp_path / "model.skops", tmp_path / "out.csv", tmp_path / "new.csv"
    done("fit", CHESS, "--model", "bradley-terry", "--save", saved)
    new.write_text("white,black,result\nAda,Boris,1-0\nAda,Nobody,0-1\n")
    done("predict", saved, new, "--out", out)
    predicted = pd.read_csv(out)
    assert predicted["p_left"].notna().tolist() == [True, False]
    assert predicted["predicted"].notna().tolist() == [True, False]


def test_labelled_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.linear_model import LogisticRegression

    from podium.cli import fit
    from podium.cli.options import registry

    class Twin(LogisticRegression):  # type: ignore[misc]
        pass

    model = Model("twin", "unused:Twin", Data.rows, "")
    monkeypatch.setattr(Model, "load", lambda self: Twin)
    monkeypatch.setitem(registry.MODELS, "twin", model)
    kept: list[Any] = []
    monkeypatch.setattr(fit, "_save", lambda estimator, *rest: kept.append((estimator, rest[-2])))
    file, how = file_for(model, tmp_path)
    done("fit", file, "--model", "twin", *how, "--save", tmp_path / "model.skops")
    [(estimator, rows)] = kept
    assert rows.feature_names == ("a", "b", "c")
    assert estimator.score(rows.features, rows.label) > 0.8


@pytest.mark.parametrize("name", ["elo", "glicko", "glicko2"])
def test_a_file_past_memory_is_followed_by_chunks(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once, by_chunks = tmp_path / "a.skops", tmp_path / "b.skops"
    assert "chunk" not in done("fit", CHESS, "--model", name, "--save", at_once, "--time", "season")
    monkeypatch.setattr("podium.reading.counting.is_past_memory", lambda opened, limit: True)
    said = done("fit", CHESS, "--model", name, "--save", by_chunks, "--time", "season")
    assert "comparisons, read chunk by chunk" in said
    assert np.array_equal(load(at_once).rating_, load(by_chunks).rating_)
    for fact in ("rows", "last", "reading"):
        assert about(at_once)[fact] == about(by_chunks)[fact]


def test_a_pipeline_learns_and_is_scored_within_queries(tmp_path: Path) -> None:
    rows = read_rows(str(write_graded(tmp_path / "graded.csv")))
    scaled = StandardScaler().fit_transform(rows.features)
    plain = SwappedPairsSVM().fit(scaled, rows.label, qid=rows.query)
    piped = fit_to(make_pipeline(StandardScaler(), SwappedPairsSVM()), rows)
    np.testing.assert_allclose(piped[-1].coef_, plain.coef_)
    assert score_on(piped, rows) == pytest.approx(plain.score(scaled, rows.label, rows.query))
