import pickle
import warnings
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LinearRegression
from sklearn.metrics import pairwise_kernels
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from podium import OrdinalSVM
from podium.numerics.result import NotConverged
from podium.ordered.targets import equal_frequency

Constraints = Literal["implicit", "explicit"]
BOTH: tuple[Constraints, ...] = ("implicit", "explicit")


def simulated(n: int = 120, p: int = 4, r: int = 4, noise: float = 0.3, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, p)), rng.normal(size=p)
    z = X @ w + noise * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(z, np.arange(1, r) / r), z)


def curved(n: int = 150, r: int = 4, seed: int = 0) -> tuple[Any, Any]:
    """Classes by the distance from the origin: no linear score ranks them."""
    X = np.random.default_rng(seed).uniform(-2, 2, size=(n, 2))
    z = (X**2).sum(axis=1)
    return X, np.searchsorted(np.quantile(z, np.arange(1, r) / r), z)


# ------------------------------------------------------------------------------------ scikit-learn

UNORDERED = "its three blobs are the corners of a triangle: no line has them in any order"


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [OrdinalSVM(), OrdinalSVM("explicit", kernel="poly", coef0=1.0)],
    expected_failed_checks=lambda model: (
        {"check_classifiers_train": UNORDERED} if model.kernel == "linear" else {}
    ),
)
def test_contract_of_scikit_learn(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("constraints", BOTH)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_class_is_the_interval_that_the_score_is_in(constraints: Constraints, kernel: Any) -> None:
    """The score is one number per row; a decision says how far it is inside the interval of each class."""
    X, y = simulated()
    names = np.array(["a", "b", "c", "d"])
    with pytest.warns(UserWarning, match="'a' < 'b' < 'c' < 'd'"):
        model = OrdinalSVM(constraints, kernel=kernel, C=10.0).fit(X, names[y])
    h = model.projection(X)
    assert h.shape == (len(X),)
    assert list(model.classes_) == list(names)
    assert np.array_equal(model.predict(X), names[(h[:, None] > model.thresholds_).sum(axis=1)])
    d = model.decision_function(X)
    assert d.shape == (len(X), 4)
    assert np.array_equal(names[d.argmax(axis=1)], model.predict(X))
    assert np.array_equal((d > 0).sum(axis=1), np.ones(len(X)))
    np.testing.assert_allclose(d[:, 0], model.thresholds_[0] - h)
    np.testing.assert_allclose(d[:, 1], np.minimum(h - model.thresholds_[0], model.thresholds_[1] - h))
    two = OrdinalSVM(constraints, kernel=kernel, C=10.0).fit(X, y > 1)
    np.testing.assert_array_equal(two.decision_function(X), two.projection(X) - two.thresholds_)
    np.testing.assert_array_equal(two.decision_function(X) > 0, two.predict(X))
    assert model.score(X, names[y]) > 0.83
    assert model.score(X, names[y]) == np.mean(model.predict(X) == names[y])


def test_decisions_can_be_calibrated() -> None:
    """Calibration expects one decision value per class, not one score for all classes."""
    X, y = simulated(300, r=3)
    model = CalibratedClassifierCV(OrdinalSVM(C=10.0), cv=3).fit(X, y)
    assert model.score(X, y) > OrdinalSVM(C=10.0).fit(X, y).score(X, y) - 0.05


def test_pipeline_search_and_routing() -> None:
    X, y = curved()
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), OrdinalSVM(kernel="rbf")),
        {"ordinalsvm__C": [0.01, 10.0], "ordinalsvm__constraints": list(BOTH)},
        scoring="neg_mean_absolute_error",
        cv=3,
    ).fit(X, y)
    assert search.best_params_["ordinalsvm__C"] == 10.0
    assert search.best_score_ > -0.3
    with sklearn.config_context(enable_metadata_routing=True):
        model = OrdinalSVM(kernel="rbf", C=10.0).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        scores = cross_val_score(model, X, y, cv=3, params={"sample_weight": weight})
    assert scores.min() > 0.6


def test_bins_in_a_search() -> None:
    X, _ = simulated(200)
    y = X @ np.arange(1.0, 5.0) + 0.1
    search = GridSearchCV(OrdinalSVM(bins=5), {"C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    predicted = cross_val_predict(OrdinalSVM(bins=5), X, y, cv=3)
    assert np.corrcoef(predicted, y)[0, 1] > 0.9


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_frames_and_saved_models(kernel: Any) -> None:
    X, y = simulated()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = OrdinalSVM(kernel=kernel).fit(frame, pd.Series(y))
    assert list(model.feature_names_in_) == list("abcd")
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.projection(frame), model.projection(frame))
    assert again.result_.objective == model.result_.objective


# ------------------------------------------------------------------------------------ kernels


@pytest.mark.parametrize("constraints", BOTH)
def test_kernels_agree(constraints: Constraints) -> None:
    X, y = curved()
    Z = curved(seed=1)[0]
    model = OrdinalSVM(constraints, kernel="rbf", C=10.0, gamma=0.5, tol=1e-8).fit(X, y)
    K, KZ = (pairwise_kernels(A, X, metric="rbf", gamma=0.5) for A in (X, Z))
    given_matrix = OrdinalSVM(constraints, kernel="precomputed", C=10.0, tol=1e-8).fit(K, y)
    function = OrdinalSVM(
        constraints, kernel=lambda A, B: pairwise_kernels(A, B, metric="rbf", gamma=0.5), C=10.0, tol=1e-8
    ).fit(X, y)
    h = model.projection(Z)
    assert np.allclose(given_matrix.projection(KZ), h, atol=1e-5)
    assert np.allclose(function.projection(Z), h, atol=1e-5)
    assert np.array_equal(model.support_vectors_, X[model.support_])
    assert np.allclose(K[:, model.support_] @ model.dual_coef_, model.projection(X))
    assert model.score(X, y) > 0.9 > OrdinalSVM(constraints, C=10.0).fit(X, y).score(X, y)


@pytest.mark.parametrize("constraints", BOTH)
def test_more_features_than_rows(constraints: Constraints) -> None:
    X, y = simulated(40, 60)
    model = OrdinalSVM(constraints, tol=1e-8).fit(X, y)
    other = OrdinalSVM(constraints, kernel="poly", degree=1, gamma=1.0, tol=1e-8).fit(X, y)
    assert model.result_.objective == pytest.approx(other.result_.objective, rel=1e-6)
    assert np.allclose(X @ model.coef_, other.projection(X), atol=1e-3)
    thin = OrdinalSVM(constraints, tol=1e-8).fit(sparse.csr_array(X), y)
    assert np.allclose(thin.coef_, model.coef_, atol=1e-6)


def test_refitting_forgets() -> None:
    X, y = simulated()
    model = OrdinalSVM(kernel="rbf").fit(X, y).set_params(kernel="linear").fit(X, y)
    assert not hasattr(model, "dual_coef_")
    model = OrdinalSVM(bins=3).fit(X, X[:, 0]).set_params(bins=None).fit(X, y)
    assert not hasattr(model, "bin_edges_")


# ------------------------------------------------------------------------------------ invariants


@st.composite
def problems(draw: Any) -> tuple[Any, Any, Any]:
    r = draw(st.integers(2, 4))
    y = [*range(r), *draw(st.lists(st.integers(0, r - 1), min_size=2, max_size=12))]
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    return rng.normal(size=(len(y), 2)) + np.array(y)[:, None], np.array(y), rng.integers(1, 4, len(y))


@given(problems(), st.sampled_from(BOTH), st.sampled_from(["linear", "rbf"]))
def test_reversed_labels_negate_the_score(problem: Any, constraints: Constraints, kernel: Any) -> None:
    X, y, weight = problem
    model = OrdinalSVM(constraints, kernel=kernel, tol=1e-7).fit(X, y, weight)
    mirror = OrdinalSVM(constraints, kernel=kernel, tol=1e-7).fit(X, -y, weight)
    scale = 1 + np.abs(model.projection(X)).max()
    assert np.allclose(mirror.projection(X), -model.projection(X), atol=2e-3 * scale)
    assert mirror.result_.objective == pytest.approx(model.result_.objective, rel=1e-6)
    assert np.all(np.diff(model.thresholds_) >= 0)
    b = -mirror.thresholds_[::-1]  # equally good, also where a whole interval of thresholds is
    loss = [_loss(model.projection(X), y, weight, constraints, cut) for cut in (b, model.thresholds_)]
    assert loss[0] == pytest.approx(loss[1], abs=1e-2 * (1 + loss[1]))


def _loss(h: Any, y: Any, weight: Any, constraints: str, b: Any) -> float:
    total = 0.0
    for score, label, w in zip(h, y, weight, strict=True):
        for j, cut in enumerate(b):
            if constraints == "implicit" or j in (label - 1, label):
                total += w * max(0.0, 1 - (score - cut) * (1 if label > j else -1))
    return total


@given(problems(), st.sampled_from(BOTH), st.sampled_from(["linear", "rbf"]), st.sampled_from([None, 3]))
def test_a_row_twice_is_a_row_of_weight_two(
    problem: Any, constraints: Constraints, kernel: Any, bins: int | None
) -> None:
    X, y, weight = problem
    target = y if bins is None else y + np.round(X[:, 0], 1)
    order = np.random.default_rng(0).permutation(int(weight.sum()))
    rows = np.repeat(np.arange(len(y)), weight)[order]
    model = OrdinalSVM(constraints, kernel=kernel, bins=bins, tol=1e-7)
    weighted, repeated = clone(model).fit(X, target, weight), clone(model).fit(X[rows], target[rows])
    assert np.array_equal(weighted.classes_, repeated.classes_)
    assert weighted.result_.objective == pytest.approx(repeated.result_.objective, rel=1e-6)
    scale = 1 + np.abs(weighted.projection(X)).max()
    assert np.allclose(weighted.projection(X), repeated.projection(X), atol=2e-3 * scale)


def test_rows_of_weight_zero_are_absent() -> None:
    X, y = simulated()
    weight = np.where(y == 2, 0.0, 1.0)
    for kernel in ("linear", "rbf"):
        model = OrdinalSVM(kernel=kernel).fit(X, y, weight)
        assert list(model.classes_) == [0, 1, 3]
        assert np.array_equal(
            model.predict(X), OrdinalSVM(kernel=kernel).fit(X[y != 2], y[y != 2]).predict(X)
        )
    K = X @ X.T
    model = OrdinalSVM(kernel="precomputed").fit(K, y, weight)
    assert not (y[model.support_] == 2).any()


# ------------------------------------------------------------------------------------ targets


def test_an_ordered_categorical_has_its_own_order() -> None:
    X, y = simulated(r=3)
    names = ["low", "medium", "high"]
    labels = pd.Series(pd.Categorical.from_codes(y, names, ordered=True))
    model = OrdinalSVM().fit(X, labels)
    assert list(model.classes_) == names
    assert np.array_equal(model.projection(X), OrdinalSVM().fit(X, y).projection(X))
    assert model.score(X, labels) == OrdinalSVM().fit(X, y).score(X, y)
    some = OrdinalSVM().fit(X[y != 1], labels[y != 1])
    assert list(some.classes_) == ["low", "high"]


def test_text_says_in_which_order_it_is_taken() -> None:
    X, y = simulated(r=3)
    labels = np.array(["poor", "fair", "good"])[y]
    for text in (labels, labels.astype(object), pd.Series(labels), pd.Categorical(labels)):
        with pytest.warns(UserWarning, match=r"'fair' < 'good' < 'poor'; for another order .*ordered=True"):
            model = OrdinalSVM().fit(X, text)
        assert list(model.classes_) == ["fair", "good", "poor"]
    many = np.array([f"{k:02}" for k in range(12)])
    with pytest.warns(UserWarning, match=r"'03' < '04' < \.\.\. < '10' < '11'"):
        OrdinalSVM().fit(np.arange(12.0)[:, None], many)


@pytest.mark.parametrize(
    "y",
    [
        np.array(["poor", "good"] * 10),  # the order of two classes only changes the sign of the score
        np.arange(20) % 3,
        pd.Categorical(["poor", "fair", "good", "fair"] * 5, ["poor", "fair", "good"], ordered=True),
    ],
)
def test_other_classes_are_taken_without_a_word(y: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OrdinalSVM().fit(np.random.default_rng(0).normal(size=(20, 2)), y)
    assert set(model.classes_) == set(y)


def test_bins_have_equal_frequency() -> None:
    rng = np.random.default_rng(0)
    y = rng.exponential(size=100)
    medians, level, edges = equal_frequency(y, np.ones(100), 5)
    assert list(np.bincount(level)) == [20] * 5
    assert np.array_equal(level, np.searchsorted(edges, y))
    assert np.allclose(medians, [np.median(y[level == k]) for k in range(5)])
    few = equal_frequency(np.repeat([1.0, 2.0, 3.0], [50, 1, 49]), np.ones(100), 5)
    assert len(few.medians) == 3
    heavy = equal_frequency(np.arange(4.0), np.array([3.0, 1.0, 1.0, 1.0]), 2)
    assert list(heavy.level) == [0, 1, 1, 1]


def test_bins_predict_their_medians() -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.exp(X @ [1.0, 2.0, 3.0])
    model = OrdinalSVM(bins=5, C=10.0).fit(X, y)
    assert set(model.predict(X)) == set(model.classes_)
    assert model.score(X, y) > 0.95
    line = LinearRegression().fit(X, y)
    error, plain = (np.median(np.abs(m.predict(X) - y)) for m in (model, line))
    assert error < plain


# ------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.linspace(0, 1, 10), "give bins=5"),
        (np.ones(10, dtype=int), "y has one class, 1, where at least two are needed"),
    ],
)
def test_targets_that_are_no_classes(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OrdinalSVM().fit(np.arange(10.0)[:, None], y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"constraints": "none"}, "constraints is 'implicit' or 'explicit'"),
        ({"C": 0}, "C is a positive finite number"),
        ({"C": np.inf}, "C is a positive finite number"),
        ({"bins": 1}, "bins is None or a whole number of at least 2"),
        ({"bins": 2.5}, "bins is None or a whole number of at least 2"),
        ({"tol": 0}, "tol is a number above 0"),
        ({"kernel": "cubic"}, "kernel is one of"),
        ({"kernel": "precomputed"}, "square matrix"),
    ],
)
def test_parameters_out_of_range(parameters: Any, message: str) -> None:
    X, y = simulated(20)
    with pytest.raises(ValueError, match=message):
        OrdinalSVM(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, -1.0, 1.0], r"the weight -1.0 at row 2 \(counting from 1\)"),
        ([1.0, np.nan, 1.0], "row 2"),
        ([1.0, 1.0], "2 rows where 3 rows are expected"),
        ([0.0, 0.0, 0.0], "sample_weight is zero for every row"),
        ([1.0, 0.0, 0.0], "y has one class"),
    ],
)
def test_weights_out_of_range(weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OrdinalSVM().fit([[0.0], [1.0], [2.0]], [0, 1, 2], weight)


def test_bins_of_one_value() -> None:
    with pytest.raises(ValueError, match="y has one value, 7,"):
        OrdinalSVM(bins=5).fit(np.arange(10.0)[:, None], np.full(10, 7.0))


def test_constant_features_teach_nothing() -> None:
    model = OrdinalSVM().fit(np.zeros((30, 2)), np.repeat([0, 1, 2], [5, 20, 5]))
    assert np.array_equal(model.coef_, [0.0, 0.0])
    assert set(model.predict(np.zeros((3, 2)))) == {1}


def test_stopping_early_warns() -> None:
    X, y = simulated(500)
    with pytest.warns(NotConverged, match="raise max_iter"):
        OrdinalSVM(tol=1e-9, max_iter=1).fit(X, y)


def test_costs_beyond_all_numbers_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="too large to compute with"), np.errstate(all="ignore"):
        OrdinalSVM(kernel="rbf", C=1e300).fit(rng.normal(size=(30, 3)), rng.integers(0, 3, 30))


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_what_all_rows_have_in_common_costs_no_digits(offset: float) -> None:
    """Fewer rows than features: solved as with a kernel, and certified with the original features."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 20)), np.arange(10) % 3
    model, plain = OrdinalSVM().fit(X + offset, y), OrdinalSVM().fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-6)
    np.testing.assert_allclose(model.thresholds_, plain.thresholds_ + offset * plain.coef_.sum(), rtol=1e-6)
    h = (X + offset) @ model.coef_
    below = np.arange(2) < y[:, None]
    margins = np.where(below, h[:, None] - model.thresholds_, model.thresholds_ - h[:, None])
    primal = 0.5 * model.coef_ @ model.coef_ + np.maximum(1 - margins, 0).sum()
    assert primal == pytest.approx(model.result_.objective, rel=1e-5)
