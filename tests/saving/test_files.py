"""A loaded model equals the saved one, and other files are refused."""

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn import config_context
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import podium as pod
from podium.saving.files import about

GAMES = pod.datasets.load_chess_club()
DOUBLES = pod.datasets.load_doubles_league()
POINTS = pod.datasets.make_norm_comparisons(60, random_state=0)
MODELS: list[tuple[Any, pod.Comparisons]] = [
    (pod.BradleyTerry(order_effect=True), GAMES),
    (pod.BradleyTerry(ties="half"), GAMES),
    (pod.BradleyTerry(), DOUBLES),
    (pod.Elo(k="fide", initial={"Ada": 1500}), GAMES),
    (pod.Elo(), DOUBLES),
    (pod.Glicko(), GAMES),
    (pod.Glicko2(), GAMES),
    (pod.SVMCompare(C=10), POINTS),
    (pod.SVMCompare(kernel="poly", degree=2, class_weight={0: 2.0}), POINTS),
    (pod.SVMRank("linear"), POINTS),
    (pod.LinearCompare(loss="logistic"), POINTS),
    (pod.SVMCompareLP(C=1.0), POINTS),
    (pod.SVMCompareLP("rbf", C=1.0), POINTS),
    (pod.CalibratedComparer(pod.SVMCompare(C=10), cv=2), POINTS),
    (pod.CalibratedComparer(pod.BradleyTerry(), cv=2), GAMES),
]


def test_a_model_saved_before_a_field_with_a_default_existed(tmp_path: Path) -> None:
    model = pod.BradleyTerry().fit(GAMES)
    error = model.standard_error_
    del vars(model.fit_)["exact_items"]
    pod.save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(pod.load(tmp_path / "model.skops").standard_error_, error)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("model", "c"), MODELS, ids=lambda part: type(part).__name__)
def test_round_trip(model: Any, c: pod.Comparisons, tmp_path: Path) -> None:
    model.fit(c)
    path = tmp_path / "model.skops"
    pod.save(model, path)
    loaded = pod.load(path)
    assert type(loaded) is type(model)
    assert str(loaded.get_params()) == str(model.get_params())
    np.testing.assert_array_equal(loaded.predict(c), model.predict(c))
    np.testing.assert_array_equal(loaded.decision_function(c), model.decision_function(c))
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(loaded.predict_proba(c), model.predict_proba(c))
    if hasattr(model, "result_"):
        assert loaded.result_.objective == model.result_.objective
        assert loaded.result_.objective_of is None
    assert not any("numba" in name for name in skops.io.get_untrusted_types(file=path))


def test_a_loaded_model_still_knows_how_sure_it_is(tmp_path: Path) -> None:
    model = pod.BradleyTerry(order_effect=True).fit(GAMES)
    pod.save(model, tmp_path / "model.skops")
    loaded = pod.load(tmp_path / "model.skops")
    assert loaded.leaderboard() == model.leaderboard()
    assert loaded.goodness_of_fit() == model.goodness_of_fit()


def test_ratings_go_on_after_loading(tmp_path: Path) -> None:
    elo = pod.Elo().fit(GAMES[:500])
    pod.save(elo, tmp_path / "elo.skops")
    loaded = pod.load(tmp_path / "elo.skops").update(GAMES[500:])
    np.testing.assert_array_equal(loaded.rating_, pod.Elo().fit(GAMES).rating_)


def test_saving_changes_nothing_in_the_model(tmp_path: Path) -> None:
    model = pod.BradleyTerry().fit(GAMES)
    before = dict(vars(model))
    pod.save(model, tmp_path / "model.skops")
    assert all(vars(model)[name] is value for name, value in before.items())
    assert callable(model.result_.objective_of)


def test_sparse_features(tmp_path: Path) -> None:
    from scipy import sparse

    c = POINTS.with_features(sparse.csr_array(POINTS.features))
    model = pod.SVMCompare().fit(c)
    pod.save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(pod.load(tmp_path / "model.skops").predict(c), model.predict(c))


def test_a_file_describes_its_model(tmp_path: Path) -> None:
    pod.save(pod.Elo().fit(GAMES), tmp_path / "elo.skops", {"note": "ä"})
    assert about(tmp_path / "elo.skops") == {"podium": pod.__version__, "class": "Elo", "note": "ä"}


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"podium": "9.9"}, "about has the key 'podium', which podium uses itself"),
        ({"class": "Elo"}, "about has the key 'class'"),
        ({"when": {1, 2}}, "about cannot be written as JSON"),
        (["data"], "about must be a dict, not list"),
    ],
)
def test_bad_facts_about_a_file_are_refused(facts: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=said):
        pod.save(pod.Elo().fit(GAMES), tmp_path / "elo.skops", facts)
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------ of scikit-learn

LABELLED = (np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3)
KEPT: list[Any] = [
    LinearSVC(),
    make_pipeline(StandardScaler(), SVC()),
    GaussianProcessClassifier(),
    MLPClassifier((3,), max_iter=5),
    pod.PreferenceGame(ridge=1.0),
    pod.OnlineSVC(random_state=0),
]


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("estimator", KEPT, ids=lambda each: type(each).__name__)
def test_a_coded_classifier_is_kept_with_its_estimators(estimator: Any, tmp_path: Path) -> None:
    X, y = LABELLED
    model = pod.CodedClassifier(estimator, cv=StratifiedKFold(3)).fit(X, y)
    pod.save(model, tmp_path / "model.skops")
    loaded = pod.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


TREES = {
    "sklearn.tree._tree.Tree": DecisionTreeClassifier(max_depth=2),
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": HistGradientBoostingClassifier(
        max_iter=2
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_trees_are_loaded_by_those_who_trust_the_file(name: str, tmp_path: Path) -> None:
    X, y = LABELLED
    path = tmp_path / "model.skops"
    model = pod.CodedClassifier(TREES[name]).fit(X, y)
    pod.save(model, path)
    with pytest.raises(ValueError, match=rf"does not trust; if you trust .* trusted=\['{re.escape(name)}'\]"):
        pod.load(path)
    loaded = pod.load(path, trusted=[name])
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


# ------------------------------------------------------------------------------------ refused


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.skops"
    pod.save(pod.BradleyTerry().fit(DOUBLES), path)
    return path


def rewritten(path: Path, change: dict[str, Any]) -> Path:
    """A copy of the file with other members."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    for name, edit in change.items():
        members[name] = edit(members[name])
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("version", "read"), [("0.1.0", False), ("0.2.0", False), ("9.9", False), ("0.3.99", True)]
)
def test_only_the_same_minor_version_is_read(saved: Path, version: str, read: bool) -> None:
    rewritten(saved, {"podium.json": lambda text: json.dumps(json.loads(text) | {"podium": version})})
    if read:
        assert pod.load(saved).items_.size
    else:
        with pytest.raises(
            ValueError, match=f"saved by podium {version}, but this is podium {pod.__version__}"
        ):
            pod.load(saved)


def test_a_file_with_attributes_of_an_earlier_meaning_is_refused(saved: Path) -> None:
    def earlier(text: bytes) -> str:
        return json.dumps({name: fact for name, fact in json.loads(text).items() if name != "podium-format"})

    rewritten(saved, {"podium.json": earlier})
    with pytest.raises(ValueError, match=r"saved by an earlier development version .*; fit the model again"):
        pod.load(saved)


def test_an_untrusted_type_is_refused_before_anything_is_made(saved: Path) -> None:
    evil = {"__class__": "system", "__module__": "os", "__loader__": "FunctionNode"}

    def schema(text: bytes) -> str:
        tree = json.loads(text)
        tree["content"]["content"]["notes_"] = evil
        return json.dumps(tree)

    rewritten(saved, {"schema.json": schema})
    with pytest.raises(ValueError, match=r"holds the type 'os\.system', which podium does not trust"):
        pod.load(saved)
    with pytest.raises(ValueError, match="it is refused"):
        pod.load(saved, trusted=["os.system"])


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_file_that_was_cut_off(saved: Path, share: float) -> None:
    content = saved.read_bytes()
    saved.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match="is not a model saved by podium, or it is incomplete"):
        pod.load(saved)


@pytest.mark.parametrize("bit", [1, 32, 128])
def test_a_flipped_bit_is_found_or_harmless(saved: Path, bit: int) -> None:
    """The checksums of the archive cover everything in a model, but not dates and the like."""
    content, model = saved.read_bytes(), pod.load(saved)
    ends = range(len(content) - 200, len(content))  # the directory of the archive is the most fragile part
    sentences = []
    for position in [*range(0, len(content), len(content) // 150), *ends]:
        flipped = bytes([content[position] ^ bit])
        saved.write_bytes(content[:position] + flipped + content[position + 1 :])
        try:
            np.testing.assert_array_equal(pod.load(saved).skill_, model.skill_)
        except ValueError as error:
            sentences.append(str(error))
    pattern = re.compile(r"'.*model\.skops' (is damaged: \w|is not a model saved by podium)")
    assert all(map(pattern.match, sentences))
    assert len(sentences) > 100


def test_a_file_with_a_part_missing(saved: Path) -> None:
    with zipfile.ZipFile(saved) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(saved, "w") as file:
        for name in ("podium.json", "schema.json"):
            file.writestr(name, members[name])
    with pytest.raises(ValueError, match="is damaged"):
        pod.load(saved)


def test_a_file_of_skops_that_is_not_ours(tmp_path: Path) -> None:
    skops.io.dump(LogisticRegression(), tmp_path / "other.skops")
    with pytest.raises(ValueError, match="is not a model saved by podium"):
        pod.load(tmp_path / "other.skops")


def test_what_cannot_be_saved_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.skops"
    with pytest.raises(ValueError, match="podium saves only its own models"):
        pod.save(LogisticRegression(), path)
    own = pod.SVMRank(kernel=lambda X, Y: X @ Y.T).fit(POINTS)
    with pytest.raises(ValueError, match="cannot"):
        pod.save(own, path)
    with pytest.raises(ValueError, match=r"saved as \.skops"):
        pod.save(pod.Elo().fit(GAMES), tmp_path / "model.pkl")
    assert not list(tmp_path.iterdir())


def test_a_pipeline_around_a_model_is_kept_whole(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), pod.SwappedPairsSVM().set_fit_request(qid=True))
        model.fit(X, (X[:, 0] > 0).astype(int), qid=np.arange(40) // 10)
    pod.save(model, tmp_path / "model.skops")
    assert about(tmp_path / "model.skops")["class"] == "Pipeline"
    np.testing.assert_array_equal(pod.load(tmp_path / "model.skops").predict(X), model.predict(X))
    foreign = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.raises(ValueError, match="not LogisticRegression at the end of a Pipeline"):
        pod.save(foreign, tmp_path / "other.skops")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no file"):
        pod.load(tmp_path / "model.skops")
    with pytest.raises(ValueError, match="is a directory"):
        pod.load(tmp_path)


def test_without_skops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "skops.io", None)
    monkeypatch.setitem(sys.modules, "skops", None)
    with pytest.raises(ImportError, match=r"pip install 'podium-learn\[save\]'"):
        pod.save(pod.Elo().fit(GAMES), tmp_path / "model.skops")


def test_nobody_is_told_to_unpickle_a_damaged_file(saved: Path) -> None:
    with zipfile.ZipFile(saved) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(saved, "w") as file:
        for name, content in members.items():
            file.writestr(name, content[1:] if name.endswith(".npy") else content)
    with pytest.raises(ValueError, match=r"is damaged: an array in it does not begin as arrays do$"):
        pod.load(saved)
