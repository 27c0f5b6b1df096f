from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from podium import CodedClassifier, couple
from podium.classes.codes import CODES

X, y = load_iris(return_X_y=True)
names = np.array(["setosa", "versicolor", "virginica"])[y]
LOGISTIC = LogisticRegression(max_iter=1000)


def digits() -> tuple[Any, Any]:
    X, y = load_digits(n_class=5, return_X_y=True)
    return X[:240] / 16, y[:240]


# No check is left out; RidgeClassifier has no predict_proba, so its decisions are calibrated.
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        CodedClassifier(LogisticRegression(C=1.0), code="one-vs-one"),
        CodedClassifier(RidgeClassifier(), cv=2),
    ]
)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("code", CODES)
def test_every_code_predicts_digits(code: Any) -> None:
    X, y = digits()
    model = CodedClassifier(LOGISTIC, code=code, random_state=0).fit(X[:160], y[:160])
    table = model.predict_proba(X[160:])
    assert table.shape == (80, 5)
    np.testing.assert_allclose(table.sum(axis=1), 1)
    assert model.score(X[160:], y[160:]) > 0.9
    assert log_loss(y[160:], table) < 0.4
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])
    assert len(model.estimators_) == len(model.code_)


def test_probabilities_are_those_of_the_problems_coupled() -> None:
    model = CodedClassifier(LOGISTIC, code="one-vs-one").fit(X, names)
    assert list(model.classes_) == ["setosa", "versicolor", "virginica"]
    part = names != "virginica"
    alone = clone(LOGISTIC).fit(X[part], names[part] == "setosa")
    r = model.binary_probabilities(X)
    np.testing.assert_allclose(r[:, 0], alone.predict_proba(X)[:, 1])
    np.testing.assert_array_equal(couple(model.code_, r), model.predict_proba(X))


@pytest.mark.parametrize("code", CODES)
def test_two_classes_are_those_of_the_estimator(code: Any) -> None:
    model = CodedClassifier(LOGISTIC, code=code).fit(X[:100], names[:100])
    alone = clone(LOGISTIC).fit(X[:100], names[:100] == "setosa")
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], alone.predict_proba(X)[:, 1], atol=1e-11)


def test_a_matrix_can_be_the_code() -> None:
    code = [[1, -1, -1], [0, 1, -1]]
    model = CodedClassifier(LOGISTIC, code=code).fit(X, names)
    np.testing.assert_array_equal(model.code_, code)
    assert model.score(X, names) > 0.9
    with pytest.raises(ValueError, match="2 columns, but y has 3 classes"):
        CodedClassifier(LOGISTIC, code=[[1, -1]]).fit(X, names)
    with pytest.raises(ValueError, match="tells class 'versicolor' from class 'virginica'"):
        CodedClassifier(LOGISTIC, code=[[1, -1, -1]]).fit(X, names)
    with pytest.raises(ValueError, match="code must be one of"):
        CodedClassifier(LOGISTIC, code="morse").fit(X, names)
    with pytest.raises(ValueError, match="one class, 'setosa'"):
        CodedClassifier(LOGISTIC).fit(X[:50], names[:50])


def test_probabilities_of_zero_and_one() -> None:
    for code in CODES:
        model = CodedClassifier(DecisionTreeClassifier(random_state=0), code=code, random_state=0).fit(
            X, names
        )
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
        assert model.score(X, names) > 0.98


@pytest.mark.parametrize("code", ["one-vs-one", "one-vs-rest"])
@pytest.mark.parametrize("cv", [5, StratifiedKFold(4), KFold(6, shuffle=True, random_state=0)])
def test_decisions_are_calibrated_on_held_out_folds(code: Any, cv: Any) -> None:
    model = CodedClassifier(LinearSVC(random_state=0), code=code, cv=cv).fit(X, names)
    inner = model.estimators_[0]
    assert inner.method == "sigmoid"
    assert len(inner.calibrated_classifiers_) == 1
    if isinstance(cv, KFold):
        rows = np.flatnonzero(model.code_[0][np.searchsorted(model.classes_, names)])
        assert sum(len(test) for _, test in inner.cv) == len(rows)
    assert model.score(X, names) > 0.85
    assert log_loss(names, model.predict_proba(X)) < 0.5


def test_a_class_too_rare_to_calibrate() -> None:
    few = np.r_[0:50, 50:100, 100:102]
    model = CodedClassifier(LinearSVC(random_state=0)).fit(X[few], names[few])
    assert model.estimators_[2].cv == 2
    one = few[:-1]
    with pytest.raises(ValueError, match="class 'virginica' has one row"):
        CodedClassifier(LinearSVC()).fit(X[one], names[one])
    CodedClassifier(LOGISTIC).fit(X[one], names[one])


def test_weights_are_repeated_rows() -> None:
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    model = CodedClassifier(LogisticRegression(tol=1e-10, max_iter=10_000), code="one-vs-one")
    a = clone(model).fit(X, names, sample_weight=weight).predict_proba(X)
    b = clone(model).fit(X.repeat(weight, axis=0), names.repeat(weight)).predict_proba(X)
    np.testing.assert_allclose(a, b, atol=1e-5)
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        CodedClassifier(KNeighborsClassifier()).fit(X, names, sample_weight=weight)


class Noting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers the metadata that it was fitted with."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, colour: Any = None) -> "Noting":
        self.seen_ = (len(X), sample_weight, colour)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), 0.5)


def test_metadata_is_routed_and_cut_to_the_rows() -> None:
    weight, colour = np.arange(len(y)) * 1.0, np.array(["red", "blue"])[np.arange(len(y)) % 2]
    plain = CodedClassifier(Noting(), code="one-vs-one").fit(X, y, sample_weight=weight, colour=colour)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = Noting().set_fit_request(sample_weight=True, colour=True)
        routed = CodedClassifier(asked, code="one-vs-one").fit(X, y, sample_weight=weight, colour=colour)
        with pytest.raises(UnsetMetadataPassedError):
            CodedClassifier(Noting()).fit(X, y, colour=colour)
        svm = LinearSVC(random_state=0).set_fit_request(sample_weight=True)
        CodedClassifier(svm).fit(X, y, sample_weight=np.ones(len(y)))
    rows = np.flatnonzero(y != 1)
    for model in (plain, routed):
        n, seen_weight, seen_colour = model.estimators_[1].seen_
        assert n == len(rows)
        np.testing.assert_array_equal(seen_weight, weight[rows])
        np.testing.assert_array_equal(seen_colour, colour[rows])


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series])
def test_metadata_of_any_kind_is_cut_and_what_is_no_row_is_left(kind: Any) -> None:
    weight, rows = np.arange(len(y)) * 1.0, np.flatnonzero(y != 1)
    model = CodedClassifier(Noting(), code="one-vs-one")
    for table in (X, X.tolist(), pd.DataFrame(X, index=np.arange(len(X))[::-1])):
        n, seen, colour = model.fit(table, y, sample_weight=kind(weight), colour="red").estimators_[1].seen_
        assert (n, colour) == (len(rows), "red")
        np.testing.assert_array_equal(seen, weight[rows])
    few = model.fit(X, y, colour=kind(["red", "blue"])).estimators_[1].seen_[2]
    assert list(few) == ["red", "blue"]


def test_pipelines_search_frames_and_sparse_matrices() -> None:
    pipe = make_pipeline(StandardScaler(), CodedClassifier(LogisticRegression(), code="one-vs-one"))
    search = GridSearchCV(pipe, {"codedclassifier__estimator__C": [1e-4, 1.0]}, scoring="neg_log_loss", cv=3)
    assert search.fit(X, names).best_params_["codedclassifier__estimator__C"] == 1.0
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = CodedClassifier(LOGISTIC).fit(frame, names)
    assert list(model.feature_names_in_) == list("abcd")
    assert model.n_features_in_ == 4
    table = CodedClassifier(LOGISTIC).fit(sparse.coo_array(X), names).predict_proba(sparse.csr_array(X))
    np.testing.assert_allclose(table, model.predict_proba(frame), atol=1e-4)
    inside = CodedClassifier(
        make_pipeline(StandardScaler(), LinearSVC(random_state=0)), code="dense", random_state=0
    )
    assert inside.fit(X, names).score(X, names) > 0.85


def test_the_number_of_jobs_changes_nothing() -> None:
    with parallel_config("threading"):
        a, b = (
            CodedClassifier(LOGISTIC, code="sparse", n_jobs=n, random_state=1).fit(X, y).predict_proba(X)
            for n in (1, 2)
        )
    np.testing.assert_array_equal(a, b)


def test_methods_of_coupling() -> None:
    model = CodedClassifier(LOGISTIC, code="one-vs-one", method="wu-lin-weng").fit(X, names)
    r = model.binary_probabilities(X)
    np.testing.assert_array_equal(model.predict_proba(X), couple(model.code_, r, method="wu-lin-weng"))
    with pytest.raises(ValueError, match="'pairwise' needs a code with a problem for every two classes"):
        CodedClassifier(LOGISTIC, method="pairwise").fit(X, names).predict_proba(X)


def test_perceptron_is_a_fine_binary_classifier() -> None:
    """It has neither probabilities nor a margin, only decisions."""
    model = CodedClassifier(Perceptron(random_state=0), code="dense", random_state=0).fit(X, names)
    assert model.score(X, names) > 0.8
