"""PreferenceGame as a classifier (compared with libsvm), as a ranker of labels, and its limits."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import kendalltau
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_svmlight_file, load_wine
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from podium.game.preference_game import PreferenceGame
from podium.numerics.result import NotConverged

HARD_MARGIN = "its data cannot be separated by this kernel: the hard-margin game has the value 0 and w = 0"
# The hard margin and the homogeneous polynomial of the paper.
PAPER: dict[str, Any] = {"gamma": 1.0, "coef0": 0.0, "ridge": 0.0}
RANDOM = "the sampled game draws rows: a row twice is drawn otherwise than a row of weight 2"


def separable(n: int = 60, d: int = 5, m: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.array(list("abcdefg"))[(X @ rng.normal(size=(d, m))).argmax(axis=1)]


def ranked(n: int = 80, d: int = 4, m: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Instances, and the utility of every label."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=(d, m))


def all_pairs(utility: np.ndarray) -> list[tuple[int, int, int]]:
    return [
        (i, int(a), int(b))
        for i, row in enumerate(utility)
        for a in range(len(row))
        for b in range(len(row))
        if row[a] > row[b]
    ]


# ------------------------------------------------------------------------------------ as an estimator


@pytest.mark.parametrize(
    ("model", "failing"),
    [
        (PreferenceGame(), {}),
        (PreferenceGame("rbf"), {}),
        (PreferenceGame(**PAPER), {"check_classifiers_train": HARD_MARGIN}),
        (
            PreferenceGame(solver="sampled", n_games=3, sample_size=0.5),
            {f"check_sample_weight_equivalence_on_{kind}_data": RANDOM for kind in ("dense", "sparse")},
        ),
    ],
    ids=["default", "rbf", "the paper's", "sampled"],
)
def test_scikit_learn_accepts_it(model: PreferenceGame, failing: dict[str, str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(model, expected_failed_checks=failing, on_skip=None)
    assert {each["check_name"] for each in results if each["status"] == "xfail"} == set(failing)


@pytest.mark.parametrize(
    ("load", "least"), [(load_iris, 0.93), (load_wine, 0.95), (load_breast_cancer, 0.95)]
)
def test_the_default_classifies_standardised_features(load: Any, least: float) -> None:
    """The paper's hard margin and homogeneous polynomial have .33 on iris."""
    X, y = load(return_X_y=True)
    machine = make_pipeline(StandardScaler(), PreferenceGame())
    assert cross_val_score(machine, X, y, cv=StratifiedKFold(3, shuffle=True, random_state=0)).mean() > least


def test_it_searches_and_clones() -> None:
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(PreferenceGame(), {"ridge": [0.1, 10.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert clone(PreferenceGame(feedback=0.3)).feedback == 0.3


# ------------------------------------------------------------------------------------ as a classifier


@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_two_classes_are_the_support_vector_machine_without_bias(ridge: float) -> None:
    """A hard margin is a large C; the ridge is half the squared cost of liblinear's squared hinge."""
    X, y = separable(m=2)
    model = PreferenceGame("linear", ridge=ridge, tol=1e-10).fit(X, y)
    C = 1e6 if ridge == 0 else 1.0 / ridge
    svc = LinearSVC(C=C, loss="squared_hinge", fit_intercept=False, tol=1e-10, max_iter=10**6, dual=True)
    own = model.dual_coef_[:, 1] @ X[model.support_instances_]
    other = svc.fit(X, y).coef_[0]
    np.testing.assert_allclose(own / np.linalg.norm(own), other / np.linalg.norm(other), atol=1e-3)
    if ridge == 0:
        np.testing.assert_array_equal(model.predict(X), y)
        assert model.value_ == pytest.approx(2 / float(other @ other), rel=1e-3)


def test_margins_are_at_least_the_root_of_the_value() -> None:
    X, y = separable()
    model = PreferenceGame("linear", ridge=0.0, tol=1e-8).fit(X, y)
    scores = model.decision_function(X)
    own = scores[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    others = np.where(model.classes_ == y[:, None], -np.inf, scores).max(axis=1)
    assert (own - others).min() == pytest.approx(np.sqrt(model.value_), rel=1e-6)
    w = np.vstack([model.dual_coef_[:, k] @ X[model.support_instances_] for k in range(3)])
    assert np.linalg.norm(w) == pytest.approx(1)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.preferences_.shape == (2 * len(y), 3)
    assert model.strategy_.sum() == pytest.approx(1)
    np.testing.assert_array_equal(model.support_, np.flatnonzero(model.strategy_))


def test_kernels_agree() -> None:
    X, y = separable()
    poly = PreferenceGame(gamma=1.0, ridge=0.0, tol=1e-9).fit(X, y)
    K = (X @ X.T + 1) ** 2
    same = [
        (PreferenceGame("precomputed", ridge=0.0, tol=1e-9).fit(K, y), K),
        (PreferenceGame(lambda A, B: np.asarray((A @ B.T + 1) ** 2), ridge=0.0, tol=1e-9).fit(X, y), X),
        (PreferenceGame(gamma=1.0, ridge=0.0, tol=1e-9).fit(sparse.csr_matrix(X), y), sparse.csr_array(X)),
    ]
    for other, data in same:
        assert other.value_ == pytest.approx(poly.value_, rel=1e-8)
        np.testing.assert_allclose(other.decision_function(data), poly.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("feedback", [0.0, 0.02])
@pytest.mark.parametrize("combine", ["uniform", "optimal"])
def test_the_sampled_game_comes_close(feedback: float, combine: Any) -> None:
    X, y = separable(200)
    exact = PreferenceGame("linear", ridge=0.0).fit(X, y)
    options: dict[str, Any] = {"kernel": "linear", "ridge": 0.0, "solver": "sampled", "n_games": 100}
    options["random_state"] = 0
    model = PreferenceGame(combine=combine, feedback=feedback, **options).fit(X, y)
    assert exact.value_ <= model.value_ * (1 + 1e-4)
    gap = model.result_.gap
    assert gap is not None
    assert model.value_ * (1 - gap) <= exact.value_ * (1 + 1e-4)
    assert model.score(X, y) > 0.85
    assert len(model.support_) < len(model.strategy_)
    again = PreferenceGame(combine=combine, feedback=feedback, **options).fit(X, y)
    np.testing.assert_array_equal(again.strategy_, model.strategy_)
    assert PreferenceGame(combine=combine, sample_size=40, **options).fit(X, y).score(X, y) > 0.9


# ------------------------------------------------------------------------------------ as a ranker of labels


def test_rankings_are_recovered() -> None:
    X, utility = ranked(200)
    model = PreferenceGame("linear", ridge=0.0).fit_preferences(X[:100], all_pairs(utility[:100]))
    order = model.rank_labels(X[100:])
    assert order.shape == (100, 5)
    position = np.argsort(order, axis=1)
    tau = [kendalltau(-place, row)[0] for place, row in zip(position, utility[100:], strict=True)]
    assert np.mean(tau) > 0.9
    np.testing.assert_array_equal(model.rank_labels(X)[:, 0], model.predict(X))


def test_partial_orders_suffice() -> None:
    """One preference per instance is enough to rank all labels."""
    X, utility = ranked(600)
    rng = np.random.default_rng(0)
    rows = []
    for i, row in enumerate(utility[:500]):
        a, b = rng.permutation(5)[:2]
        rows.append((i, a, b) if row[a] > row[b] else (i, b, a))
    model = PreferenceGame("linear", ridge=0.0).fit_preferences(X[:500], rows)
    scores = model.decision_function(X[500:])
    tau = [kendalltau(own, row)[0] for own, row in zip(scores, utility[500:], strict=True)]
    assert np.mean(tau) > 0.8


def test_classes_are_preferences_over_every_other() -> None:
    X, y = separable()
    rows = [(i, label, other) for i, label in enumerate(y) for other in "abc" if other != label]
    one, other = (
        PreferenceGame("linear", ridge=0.0).fit(X, y),
        PreferenceGame("linear", ridge=0.0).fit_preferences(X, rows),
    )
    assert one.value_ == pytest.approx(other.value_, rel=1e-9)
    frame = pd.DataFrame(rows, columns=["instance", "better", "worse"])
    for table in (frame, frame.to_numpy()):
        same = PreferenceGame("linear", ridge=0.0).fit_preferences(X, table)
        np.testing.assert_array_equal(same.rank_labels(X), other.rank_labels(X))


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_order_names_and_repeats_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, utility = ranked(20, 3, 3, seed)
    rows = np.array(all_pairs(utility))
    options: dict[str, Any] = {
        "kernel": "poly",
        "coef0": 1.0,
        "ridge": float(rng.choice([0.0, 0.5])),
        "tol": 1e-9,
    }
    model = PreferenceGame(**options).fit_preferences(X, rows)
    shuffled = PreferenceGame(**options).fit_preferences(X, rng.permutation(rows))
    assert shuffled.value_ == pytest.approx(model.value_, rel=1e-7)
    place = rng.permutation(3)
    renamed = PreferenceGame(**options).fit_preferences(X, np.column_stack([rows[:, 0], place[rows[:, 1:]]]))
    np.testing.assert_allclose(
        renamed.decision_function(X)[:, place], model.decision_function(X), atol=1e-3 * np.sqrt(model.value_)
    )
    count = rng.integers(1, 4, len(rows))
    repeated = PreferenceGame(**options).fit_preferences(X, np.repeat(rows, count, axis=0))
    weighted = PreferenceGame(**options).fit_preferences(X, rows, sample_weight=count)
    assert repeated.value_ == pytest.approx(weighted.value_, rel=1e-7)
    first = np.cumsum(count) - count
    np.testing.assert_allclose(np.add.reduceat(repeated.strategy_, first), weighted.strategy_, atol=1e-4)
    if options["ridge"] == 0:
        assert weighted.value_ == pytest.approx(model.value_, rel=1e-7)
    half = np.where(rng.random(len(rows)) < 0.5, 1.0, 0.0)
    half[0] = 1.0
    left_out = PreferenceGame(**options).fit_preferences(X, rows, sample_weight=half)
    assert left_out.strategy_[half == 0].sum() == 0
    assert left_out.value_ >= model.value_ * (1 - 1e-7)


# ------------------------------------------------------------------------------------ degenerate games


def test_contradictions_are_named() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    rows = [(0, "a", "b"), (1, "b", "a"), (2, "b", "a")]
    with pytest.warns(
        UserWarning, match=r"value of the game is 0.*row 1 \(.*row 3 \(.*contradict each other"
    ):
        model = PreferenceGame("linear", ridge=0.0).fit_preferences(X, rows)
    np.testing.assert_array_equal(model.support_, [0, 2])
    assert model.value_ == 0
    assert not model.decision_function(X).any()
    with pytest.warns(UserWarning, match="Φ"):
        PreferenceGame("linear", ridge=0.0).fit(np.array([[0.0], [1.0], [2.0]]), ["a", "a", "b"])
    soft = PreferenceGame("linear", ridge=0.1).fit_preferences(X, rows)
    assert soft.value_ > 0
    assert soft.predict([[0.0, 1.0]]) == ["b"]
    sampled = PreferenceGame("linear", ridge=0.0, solver="sampled", sample_size=1.0, n_games=2)
    with pytest.warns(UserWarning, match="contradict each other"):
        sampled.fit_preferences(X, rows)


def test_sub_games_that_stop_early_warn() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.argmax(X, axis=1)
    game = PreferenceGame("linear", solver="sampled", n_games=4, max_iter=1, ridge=1e-3, random_state=0)
    with pytest.warns(NotConverged, match="which [1-4] of 4 sub-games reached"):
        game.fit(X, y)
    assert not game.result_.converged


def test_the_sampled_game_sees_contradictions_too() -> None:
    """Contradictions within one instance are always found; across instances, if a sub-game contains them."""
    X, y = separable(40, 3, 3)
    options: dict[str, Any] = {"solver": "sampled", "sample_size": 2, "n_games": 3, "random_state": 0}
    options |= PAPER
    twice, other = np.vstack([X, X[7:8]]), np.append(y, "a" if y[7] != "a" else "b")
    with pytest.warns(
        UserWarning, match=r"no w .* row 8 \(.* row 41 \(.* contradict each other; the exact game"
    ):
        model = PreferenceGame(**options).fit(twice, other)
    assert model.value_ > 0
    # With a ridge there is no contradiction; a warning would be an error here.
    PreferenceGame(**(options | {"ridge": 1.0})).fit(twice, other)
    PreferenceGame(**options).fit(X, y)
    rows = [(0, "a", "b"), (0, "b", "c"), (0, "c", "a"), (1, "a", "b")]
    options["sample_size"] = 3
    with pytest.warns(UserWarning, match="contradict each other"):
        PreferenceGame("linear", **(options | {"n_games": 40})).fit_preferences(np.eye(2), rows)


@pytest.mark.parametrize("solver", ["exact", "sampled"])
def test_zeros_are_not_called_contradictory(solver: Any) -> None:
    with pytest.warns(UserWarning, match=r"Φ\(x\) is 0"):
        PreferenceGame("linear", ridge=0.0, solver=solver, n_games=5).fit(np.zeros((4, 2)), [0, 1, 2, 0])


@pytest.mark.parametrize(("kernel", "scale"), [("linear", 1e200), ("poly", 1e80)])
@pytest.mark.parametrize("solver", ["exact", "sampled"])
def test_an_overflow_is_called_one(kernel: Any, scale: float, solver: Any) -> None:
    X, y = separable(12, 3, 3)
    X[4] *= scale
    with pytest.raises(ValueError, match=r"kernel of row 5 \(counting from 1\) of X with itself overflows"):
        PreferenceGame(kernel, gamma=1.0, solver=solver).fit(X, y)


def test_a_sparse_precomputed_kernel() -> None:
    X, y = separable(40, 3, 3)
    K = np.maximum(X @ X.T, 0.0) + 50 * np.eye(40)
    thin, full = (PreferenceGame("precomputed").fit(each, y) for each in (sparse.csr_array(K), K))
    assert thin.value_ == full.value_
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(K)), full.decision_function(K))


def test_a_cycle_of_labels_is_a_contradiction() -> None:
    rows = [(0, "a", "b"), (0, "b", "c"), (0, "c", "a"), (1, "a", "b")]
    with pytest.warns(UserWarning, match="contradict each other"):
        model = PreferenceGame("linear", ridge=0.0).fit_preferences(np.eye(2), rows)
    np.testing.assert_allclose(model.strategy_, [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-9)


def test_stopping_early_warns() -> None:
    X, y = separable(300, 20, 5)
    with pytest.warns(NotConverged, match="active set"):
        PreferenceGame("rbf", tol=1e-9, max_iter=1).fit(X, y)


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda X, y: PreferenceGame(solver="fast").fit(X, y), "solver must be 'exact' or 'sampled'"),  # type: ignore[arg-type]
        (lambda X, y: PreferenceGame(combine="best").fit(X, y), "combine must be 'uniform' or 'optimal'"),  # type: ignore[arg-type]
        (lambda X, y: PreferenceGame(ridge=-1.0).fit(X, y), "ridge is a finite number"),
        (lambda X, y: PreferenceGame(tol=0.0).fit(X, y), "tol is a number above 0"),
        (lambda X, y: PreferenceGame(sample_size=1.5).fit(X, y), "sample_size must be a share"),
        (lambda X, y: PreferenceGame(sample_size=0).fit(X, y), "sample_size must be a share"),
        (lambda X, y: PreferenceGame(feedback=2.0).fit(X, y), "feedback is a number from 0 to 1"),
        (lambda X, y: PreferenceGame(n_games=0).fit(X, y), "n_games is a whole number"),
        (lambda X, y: PreferenceGame("precomputed").fit(X, y), "square kernel matrix"),
        (lambda X, y: PreferenceGame("cubic").fit(X, y), "kernel is one of"),  # type: ignore[arg-type]
        (lambda X, y: PreferenceGame().fit(X, ["a"] * len(X)), "one class"),
        (lambda X, y: PreferenceGame().fit(X * np.nan, y), "NaN"),
        (lambda X, y: PreferenceGame().fit(X, y, sample_weight=[1.0]), "1 rows where 60"),
        (lambda X, y: PreferenceGame().fit(X, y, sample_weight=-np.ones(60)), r"weight -1.0 at row 1 \("),
        (
            lambda X, y: PreferenceGame("linear", ridge=0.0).fit(X, y).predict(X[:, :2]),
            "expecting 5 features",
        ),
    ],
)
def test_bad_input_is_one_sentence(call: Any, sentence: str) -> None:
    X, y = separable()
    with pytest.raises(ValueError, match=sentence):
        call(X, y)


# ------------------------------------------------------------------------------------ real data


@pytest.mark.parametrize("name", ["breast_cancer", "tic_tac_toe", "segment"])
def test_the_certificate_holds_on_small_real_data(real_data: Path, name: str) -> None:
    """The gap computed from the full kernel matrix between instances."""
    (path,) = (real_data / name).glob("*.csv.gz")
    frame = pd.read_csv(path).dropna()
    y = frame.pop("y").to_numpy()
    if name == "segment":
        X = ((frame - frame.min()) / (frame.max() - frame.min()).clip(lower=1e-9)).to_numpy()
    else:
        X = pd.get_dummies(frame.astype(str)).to_numpy(dtype=float)
    model = PreferenceGame(**PAPER, degree=2, tol=1e-4).fit(X, y)
    table = np.zeros((len(X), len(model.classes_)))
    instance, better, worse = model.preferences_.T
    np.add.at(table, (instance, better), model.strategy_)
    np.subtract.at(table, (instance, worse), model.strategy_)
    scores = (X @ X.T) ** 2 @ table
    f = scores[instance, better] - scores[instance, worse]
    value = float(model.strategy_ @ f)
    assert model.value_ == pytest.approx(value, rel=1e-6)
    assert 1 - (max(f.min(), 0.0) / value) ** 2 <= 1.1e-4
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.slow
def test_the_certificate_holds_on_real_data(real_data: Path) -> None:
    """Sparse, with duplicates, contradictions and all-zero rows; a third of w8a."""
    X, y = load_svmlight_file(str(real_data / "w8a" / "w8a.libsvm.gz"), n_features=300)
    X, y = X[::3], y[::3]
    with pytest.warns(UserWarning, match="value of the game is 0"):
        PreferenceGame(**PAPER).fit(X, y)
    model = PreferenceGame(**(PAPER | {"ridge": 1.0}), tol=1e-3).fit(X, y)
    gap = model.result_.gap
    assert gap is not None
    assert gap <= 1e-3
    f = model.result_.details["margins"]
    assert model.value_ * (1 - gap) <= f.min() ** 2 / model.value_ * (1 + 1e-9)
    assert model.score(X, y) > 0.98
    svc = SVC(kernel="poly", degree=2, gamma=1.0, C=1.0).fit(X[:3000], y[:3000])
    assert model.score(X, y) > svc.score(X, y) - 0.01
