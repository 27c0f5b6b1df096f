"""Properties of every estimator, and of every estimator that learns from Comparisons."""

import inspect
import pickle
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import podium
from podium import (
    BradleyTerry,
    CalibratedComparer,
    CodedClassifier,
    Comparisons,
    DynamicBradleyTerry,
    Elo,
    Glicko,
    Glicko2,
    HerbrichSVM,
    LinearCompare,
    OnlineSVC,
    OnlineSVMRank,
    OrdinalSVM,
    PlackettLuce,
    PreferenceGame,
    Rankings,
    SVMCompare,
    SVMCompareLP,
    SVMRank,
    SwappedPairsSVM,
    metrics,
)
from podium.numerics.result import NotConverged

# Tolerances so small that two paths to the optimum give the same decisions.
FEATURED: dict[str, Any] = {
    "LinearCompare": LinearCompare(tol=1e-9, random_state=0),
    "LinearCompare, logistic": LinearCompare("logistic", tol=1e-9, random_state=0),
    "OnlineSVMRank": OnlineSVMRank(random_state=0),
    "SVMCompare": SVMCompare(tol=1e-9),
    "SVMCompare, linear": SVMCompare("linear", tol=1e-9),
    "SVMCompareLP": SVMCompareLP(C=0.1),
    "SVMRank": SVMRank(tol=1e-9),
    "SVMRank, both": SVMRank("linear", ties="both", tol=1e-9),
    "CalibratedComparer": CalibratedComparer(LinearCompare(tol=1e-9, random_state=0)),
}
MODELS = FEATURED | {
    "BradleyTerry": BradleyTerry(),
    "BradleyTerry, sides": BradleyTerry("rao-kupper", order_effect=True),
    "CalibratedComparer of skills": CalibratedComparer(BradleyTerry()),
    "DynamicBradleyTerry": DynamicBradleyTerry(0.8, drift=0.1, reversion=0.0),
    "Elo": Elo(),
    "Glicko": Glicko(),
    "Glicko2": Glicko2(),
}
LABELLED: dict[str, Any] = {  # models that learn from labelled rows of features
    "SwappedPairsSVM": SwappedPairsSVM(),
    "SwappedPairsSVM, rbf": SwappedPairsSVM("rbf"),
    "HerbrichSVM": HerbrichSVM(random_state=0),
    "HerbrichSVM, rbf": HerbrichSVM(kernel="rbf", random_state=0),
    "OrdinalSVM": OrdinalSVM(),
    "OrdinalSVM, bins": OrdinalSVM(kernel="rbf", bins=2),
    "PreferenceGame": PreferenceGame(),
    "PreferenceGame, sampled": PreferenceGame(solver="sampled", n_games=3, random_state=0),
    "CodedClassifier": CodedClassifier(LogisticRegression()),
    "CodedClassifier, calibrated": CodedClassifier(LinearSVC(), code="one-vs-one", cv=2),
    "OnlineSVC": OnlineSVC(random_state=0),
}
RANKED: dict[str, Any] = {  # models that learn from rankings
    "PlackettLuce": PlackettLuce(),
    "PlackettLuce, robust": PlackettLuce("ignore", prior=0.5, covariance="robust"),
}
NAMES = ("a", "b", "c")
w = np.array([1.0, -0.5, 0.25])  # the utility behind all data


def models(known: dict[str, Any] = MODELS, without: tuple[str, ...] = ()) -> pytest.MarkDecorator:
    """New estimators, except those named in ``without``."""
    chosen = {name: model for name, model in known.items() if not name.startswith(without or "-")}
    return pytest.mark.parametrize("model", [pytest.param(clone(m), id=n) for n, m in chosen.items()])


def simulated(n: int = 150, n_items: int = 12, tie: float = 0.5, noise: float = 1.0) -> Comparisons:
    """Comparisons of items with a name and three features, at different times."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_items, 3))
    left = rng.integers(0, n_items, n)
    right = (left + rng.integers(1, n_items, n)) % n_items
    d = (X[right] - X[left]) @ w + noise * rng.normal(size=n)
    outcome = np.where(np.abs(d) <= tie, 0, np.sign(d)).astype(np.int8)
    c = Comparisons.from_codes(np.arange(n_items), left, right, outcome, time=np.arange(n))
    return c.with_features(X, NAMES)


def labelled(n: int = 60) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Rows of three features in three ordered classes."""
    X = np.random.default_rng(0).normal(size=(n, 3))
    return X, np.digitize(X @ w, [-0.5, 0.5])


def ranked(n: int = 60) -> Rankings:
    """Rankings of four of eight items, some with a tie."""
    rng = np.random.default_rng(0)
    entries = np.array([rng.permutation(8)[:4] for _ in range(n)])
    level = np.cumsum(np.column_stack([np.zeros(n, int), rng.random((n, 3)) < 0.8]), axis=1)
    return Rankings.from_codes(np.arange(8), np.arange(n + 1) * 4, entries.ravel(), level.ravel())


def quietly(model: Any, c: Any, *args: Any, **options: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return model.fit(c, *args, **options)


def failing(model: Any, call: Callable[[], Any], warning: Any = "ignore", error: Any = ValueError) -> None:
    """The call fails and leaves the model unchanged, including attributes deleted or changed in place."""
    before, content = dict(vars(model)), pickle.dumps(vars(model))
    with warnings.catch_warnings(action=warning), pytest.raises(error):
        call()
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    assert pickle.dumps(vars(model)) == content


# ------------------------------------------------------------------------------------ parameters


@models(MODELS | RANKED)
def test_parameters_are_kept_as_given(model: Any) -> None:
    given = model.get_params(deep=False)
    assert vars(model).keys() == given.keys() == inspect.signature(type(model)).parameters.keys()
    twin = clone(model).set_params(**given)
    assert all(twin.get_params(deep=False)[name] is value for name, value in given.items())
    quietly(model, *learned_from(model))
    assert all(model.get_params(deep=False)[name] is value for name, value in given.items())


@models(MODELS | RANKED)
def test_an_unfitted_model_says_so(model: Any) -> None:
    """Call every public method and lazy attribute, except those that start a fit or a stream."""
    c = simulated()
    begins = {"fit", "fit_", "partial_fit", "update", "before", "ratings_before"}
    given: dict[str, tuple[Any, ...]] = {"utility": (c.features,), "compare": (0, 1), "differ": ("group",)}
    if isinstance(model, PlackettLuce):
        given |= dict.fromkeys(("predict", "predict_proba", "sample"), ([[0, 1]],)) | {"score": (ranked(),)}
    asked = 0
    for name, member in inspect.getmembers_static(type(model)):
        lazy = isinstance(member, cached_property)
        function = member.func if lazy else member
        if name.startswith("_") or name in begins or "podium" not in getattr(function, "__module__", ""):
            continue
        needs_pairs = "c" in inspect.signature(function).parameters
        args = given.get(name, (c,) if needs_pairs else ())
        with pytest.raises(NotFittedError):
            getattr(model, name) if lazy else getattr(model, name)(*args)
        asked += 1
    assert asked >= 3


# ------------------------------------------------------------------------------------ state


@models()
@pytest.mark.parametrize("outcomes", ["all", "only ties", "no ties"])
def test_a_fitted_model_can_be_pickled(model: Any, outcomes: str) -> None:
    c = simulated()
    if outcomes == "only ties":
        c = replace(c, outcome=np.zeros(len(c), dtype=np.int8))
    if outcomes == "no ties":
        c = c[c.outcome != 0]
    quietly(model, c)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.decision_function(c), model.decision_function(c))
    np.testing.assert_array_equal(twin.predict(c), model.predict(c))


@models(RANKED)
def test_a_model_fitted_to_rankings_can_be_pickled(model: Any) -> None:
    twin = pickle.loads(pickle.dumps(quietly(model, ranked())))
    assert twin.score(ranked()) == model.score(ranked())
    np.testing.assert_array_equal(twin.predict(ranked()), model.predict(ranked()))


def bad_calls(fit: Callable[..., Any], c: Comparisons) -> list[Callable[[], Any]]:
    """Ratings may begin with no games."""
    calls: list[Callable[[], Any]] = [
        partial(fit, replace(c, outcome=None)),
        partial(fit, c, np.ones(3)),
        partial(fit, c, np.full(len(c), 2)),
        partial(fit, c.features[:, :2]),
    ]
    if not hasattr(getattr(fit, "__self__", None), "before"):
        calls.append(partial(fit, c[:0]))
    calls.append(partial(fit, c, sample_weight=-np.ones(len(c))))
    calls.append(partial(fit, c, sample_weight=np.zeros(len(c))))
    return calls


def bad_rankings(fit: Callable[..., Any], r: Rankings) -> list[Callable[[], Any]]:
    return [
        partial(fit, r.to_lists()),
        partial(fit, r.to_comparisons()),
        partial(fit, r[:0]),
        partial(fit, Rankings.from_lists([["a"]])),
        partial(fit, r, sample_weight=np.ones(3)),
        partial(fit, r, sample_weight=-np.ones(len(r))),
        partial(fit, r, sample_weight=np.zeros(len(r))),
    ]


def bad_rows(fit: Callable[..., Any], X: Any, y: Any) -> list[Callable[[], Any]]:
    """Rows with more features and other labels than `labelled`, so that every change is visible."""
    X, y = np.column_stack([X, X]), y + 10
    gap = np.where(np.arange(len(y)) == 7, np.nan, 1.0)
    return [
        partial(fit, X[:, 0], y),
        partial(fit, X[:, :0], y),
        partial(fit, X, y[:-1]),
        partial(fit, X * gap[:, None], y),
        partial(fit, X, y * gap),
        partial(fit, X, [None, *y[1:]]),
        partial(fit, X, np.full(len(y), 10)),
        partial(fit, X, y, sample_weight=np.ones(3)),
        partial(fit, X, y, sample_weight=-np.ones(len(y))),
        partial(fit, X, y, sample_weight=np.zeros(len(y))),
    ]


def learned_from(model: Any) -> tuple[Any, ...]:
    """Data that the model can be fitted to."""
    if isinstance(model, PlackettLuce):
        return (ranked(),)
    return labelled() if any(isinstance(model, type(each)) for each in LABELLED.values()) else (simulated(),)


@models(MODELS | LABELLED | RANKED)
@pytest.mark.parametrize("fitted", [False, True])
def test_a_failed_fit_changes_nothing(model: Any, fitted: bool) -> None:
    good, model = learned_from(model), clone(model)
    if fitted:
        quietly(model, *good)
    before = model.predict(good[0]) if fitted else None
    for name in ("fit", "partial_fit"):
        bad: Callable[..., Any] = bad_rows if len(good) == 2 else bad_calls
        bad = bad_rankings if isinstance(good[0], Rankings) else bad
        for call in bad(getattr(model, name), *good) if hasattr(model, name) else ():
            failing(model, call)
    if fitted:
        np.testing.assert_array_equal(model.predict(good[0]), before)


# Values that a parameter of this name cannot have.
WRONG = {
    "C": -1.0,
    "ties": "now and then",
    "k": "fast",
    "deviation": -1.0,
    "ridge": -1.0,
    "code": "morse",
    "cv": 1,
}


@models(MODELS | LABELLED | RANKED)
def test_a_fit_with_a_wrong_parameter_changes_nothing(model: Any) -> None:
    good, model = learned_from(model), clone(model)
    before = quietly(model, *good).predict(good[0])
    names = model.get_params(deep=False).keys() & WRONG.keys()
    assert names
    for name in names:
        right = getattr(model, name)
        model.set_params(**{name: WRONG[name]})
        if not isinstance(model, CodedClassifier) or name != "cv":  # which it may not need
            failing(model, partial(model.fit, *good))
        model.set_params(**{name: right})
    np.testing.assert_array_equal(model.predict(good[0]), before)


def test_no_public_estimator_is_left_out() -> None:
    public = [getattr(podium, name) for name in podium.__all__]
    estimators = {each for each in public if isinstance(each, type) and issubclass(each, BaseEstimator)}
    assert estimators == {type(model) for model in (MODELS | LABELLED | RANKED).values()}


def wrong_kernel(X: Any, Y: Any) -> Any:
    return np.zeros((1, 1))


LATE: dict[str, tuple[Any, dict[str, Any]]] = {  # a model, and a change that makes it fail late
    "no hard margin": (SVMRank("linear", C=1.0), {"C": np.inf}),
    "not separable": (SVMCompareLP(C=1.0), {"C": np.inf}),
    "a kernel of nothing": (SVMCompare(), {"kernel": wrong_kernel}),
    "no folds": (CalibratedComparer(LinearCompare()), {"cv": 1}),
}


@pytest.mark.parametrize("case", LATE)
def test_a_fit_that_fails_late_changes_nothing(case: str) -> None:
    original, change = LATE[case]
    c = simulated()
    for fitted in (False, True):
        model = quietly(clone(original), c) if fitted else clone(original)
        model.set_params(**change)
        failing(model, partial(model.fit, c))


LATE_ROWS: dict[str, tuple[Any, dict[str, Any]]] = {
    "SwappedPairsSVM": (SwappedPairsSVM("rbf"), {"kernel": wrong_kernel}),
    "HerbrichSVM": (HerbrichSVM(kernel="rbf"), {"kernel": wrong_kernel}),
    "OrdinalSVM": (OrdinalSVM(kernel="rbf"), {"kernel": wrong_kernel}),
    "PreferenceGame": (PreferenceGame(), {"kernel": wrong_kernel}),
    "CodedClassifier": (CodedClassifier(LinearSVC()), {"cv": 1}),
}


@pytest.mark.parametrize("case", LATE_ROWS)
def test_a_fit_to_labelled_rows_that_fails_late_changes_nothing(case: str) -> None:
    original, change = LATE_ROWS[case]
    X, y = labelled()
    for fitted in (False, True):
        model = quietly(clone(original), X, y) if fitted else clone(original)
        model.set_params(**change)
        failing(model, partial(model.fit, np.column_stack([X, X]), y + 10))


@pytest.mark.parametrize(
    "model",
    [
        SwappedPairsSVM(tol=1e-12, max_iter=1),
        HerbrichSVM(tol=1e-12, max_iter=1),
        OrdinalSVM(tol=1e-12, max_iter=1),
        PreferenceGame(tol=1e-12, max_iter=1),
    ],
)
def test_a_warning_that_is_an_error_changes_nothing(model: Any) -> None:
    X, y = labelled(400)  # more preferences than one working set of the game has
    quietly(model, X, y)
    failing(model, partial(model.fit, np.column_stack([X, X]), y + 10), "error", NotConverged)


@pytest.mark.parametrize("model", [BradleyTerry(prior=0.5), SVMRank(), LinearCompare()], ids=repr)
def test_a_warning_about_comparisons_that_is_an_error_changes_nothing(model: Any) -> None:
    c = simulated()
    quietly(model, c).set_params(tol=1e-300, max_iter=1)
    failing(model, partial(model.fit, c[:40]), "error", NotConverged)


def test_classes_that_fail_late_change_nothing() -> None:
    """A class with one row cannot be calibrated, and squares of features may overflow."""
    X, y = labelled()
    online = OnlineSVC().fit(X, y)
    failing(online, partial(online.fit, 1e200 * np.column_stack([X, X]), y + 10))
    model = CodedClassifier(LinearSVC(), code="one-vs-one").fit(X, y)
    failing(model, partial(model.fit, X, np.where(np.arange(60) == 7, "rare", "usual")))
    assert set(model.predict(X)) <= {0, 1, 2}


# ------------------------------------------------------------------------------------ missing labels


def with_a_gap(values: list[Any]) -> dict[str, Any]:
    """A column whose row 7 is missing, for every kind of missing value."""
    names, days = (np.array(list(column), dtype=object)[values] for column in ("abc", ("01", "02", "03")))

    def without(column: Any, gap: Any) -> list[Any]:
        return [*column[:6], gap, *column[7:]]

    dates = without([f"2024-01-{day}" for day in days], None)
    return {
        "None": without(values, None),
        "nan": np.array(without(values, np.nan)),
        "nan among objects": np.array(without(values, np.nan), dtype=object),
        "NA": np.array(without(values, pd.NA), dtype=object),
        "NaT among objects": np.array(without(values, pd.NaT), dtype=object),
        "NaT": np.array(dates, dtype="datetime64[D]"),
        "dates": pd.Series(pd.to_datetime(dates)),
        "Int64": pd.Series(without(values, pd.NA), dtype="Int64"),
        "text": np.array(without(names, None), dtype=object),
        "nan among text": without(names, np.nan),
        "string": pd.Series(without(names, None), dtype="string"),
        "category": pd.Categorical(without(names, None), ["a", "b", "c"], ordered=True),
        "masked": np.ma.masked_array(values, np.arange(len(values)) == 6),  # type: ignore[no-untyped-call]
    }


GAPS = list(with_a_gap(list(labelled()[1])))


@models(LABELLED)
@pytest.mark.parametrize("gap", GAPS)
def test_a_missing_label_is_refused_and_its_row_named(model: Any, gap: str) -> None:
    X, y = labelled()
    with pytest.raises(ValueError, match=r"y is missing \(.*\) at row 7 \(counting from 1\)"):
        model.fit(X, with_a_gap(list(y))[gap])


@pytest.mark.parametrize("gap", GAPS)
def test_labels_without_a_model_must_not_be_missing_either(gap: str) -> None:
    X, y = labelled()
    spoiled = with_a_gap(list(y))[gap]
    for call in (
        lambda: Comparisons.from_labels(X, spoiled),
        lambda: metrics.swapped_pairs(spoiled, X[:, 0]),
        lambda: metrics.swapped_pairs(y, spoiled),
        lambda: SwappedPairsSVM().fit(X, y).score(X, spoiled),
        lambda: OrdinalSVM().fit(X, y).score(X, spoiled),
        lambda: OnlineSVC().partial_fit(X, spoiled, classes=[0, 1, 2]),
    ):
        with pytest.raises(ValueError, match=r"(missing|masked).* at row 7 \(counting from 1\)"):
            call()


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_a_missing_label_in_a_preference_is_refused(gap: Any) -> None:
    with pytest.raises(ValueError, match=r"the worse label is missing \(.*\) at row 2"):
        PreferenceGame().fit_preferences(np.eye(2), [(0, "a", "b"), (1, "b", gap)])
    with pytest.raises(ValueError, match=r"classes is missing \(.*\) at row 3"):
        OnlineSVC().partial_fit(np.eye(2), [0, 1], classes=[0, 1, gap])


@pytest.mark.parametrize("model", [LinearCompare(random_state=0), OnlineSVMRank()])
def test_a_batch_that_fails_late_changes_nothing(model: Any) -> None:
    c = simulated()
    spoiled = c.with_features(1e308 * np.sign(c.features), NAMES)
    failing(model, partial(model.partial_fit, spoiled))
    failing(model.partial_fit(c), partial(model.partial_fit, spoiled))


@models()
def test_fit_forgets_what_was_before(model: Any) -> None:
    """A model fitted again, even after other data, equals one fitted once."""
    c = simulated()
    once = quietly(clone(model), c)
    twice = quietly(quietly(quietly(clone(model), c), c[:100]), c)
    assert vars(twice).keys() == vars(once).keys()
    np.testing.assert_array_equal(twice.decision_function(c), once.decision_function(c))
    np.testing.assert_array_equal(twice.predict(c), once.predict(c))


# ------------------------------------------------------------------------------------ rows


def assert_same_decisions(model: Any, other: Any, c: Comparisons) -> None:
    d = model.decision_function(c)
    np.testing.assert_allclose(other.decision_function(c), d, atol=1e-4 * np.abs(d).max())


@models()
@pytest.mark.filterwarnings("ignore:.*no comparison up to the time of a prediction")  # an absent row is early
def test_a_row_of_weight_0_is_absent(model: Any) -> None:
    c = simulated()
    weight = np.random.default_rng(1).integers(0, 3, len(c)).astype(float)
    weighted = quietly(clone(model), c, sample_weight=weight)
    absent = quietly(clone(model), c[weight > 0], sample_weight=weight[weight > 0])
    np.testing.assert_array_equal(weighted.decision_function(c), absent.decision_function(c))
    np.testing.assert_array_equal(weighted.predict(c), absent.predict(c))
    score = weighted.score(c, sample_weight=weight)
    assert score == weighted.score(c[weight > 0], sample_weight=weight[weight > 0])
    assert score == pytest.approx(weighted.score(c[np.repeat(np.arange(len(c)), weight.astype(int))]))


@models(without=("Elo", "Online"))  # for these, two steps are not one step of twice the length
def test_a_row_of_weight_2_is_there_twice(model: Any) -> None:
    c = simulated()
    times = np.random.default_rng(2).integers(1, 4, len(c))
    weighted = quietly(clone(model), c, sample_weight=times)
    repeated = quietly(clone(model), c[np.repeat(np.arange(len(c)), times)])
    assert_same_decisions(weighted, repeated, c)


@models(without=("Online",))  # whose steps depend on the order
def test_the_order_of_rows_does_not_matter(model: Any) -> None:
    c = simulated()
    shuffled = c[np.random.default_rng(3).permutation(len(c))]
    assert_same_decisions(quietly(clone(model), c), quietly(clone(model), shuffled), c)


@models()
def test_the_other_side_has_the_other_sign(model: Any) -> None:
    c = simulated()
    d = quietly(model, c).decision_function(c)
    offset = getattr(model, "order_effect_", 0.0)
    np.testing.assert_allclose(model.decision_function(c.swap()) + offset, -d - offset, rtol=1e-12)


# ------------------------------------------------------------------------------------ features


@models(FEATURED)
def test_features_in_another_order_are_refused(model: Any) -> None:
    c = simulated()
    order = [2, 1, 0]
    permuted = c.with_features(c.features[:, order], [NAMES[k] for k in order])
    quietly(model, c)
    for method in (model.decision_function, model.predict, model.score):
        with pytest.raises(ValueError, match="feature 1 of the pairs is 'c', but it was 'a' in fit"):
            method(permuted)
    nameless = c.with_features(c.features)
    np.testing.assert_array_equal(model.predict(nameless), model.predict(c))
    assert quietly(clone(model), nameless).predict(permuted).shape == (150,)  # nobody can tell


@models(FEATURED, without=("Calibrated",))
def test_a_frame_in_another_order_is_refused(model: Any) -> None:
    c = simulated()
    quietly(model, c)
    assert list(model.feature_names_in_) == list(NAMES)
    assert model.n_features_in_ == 3
    frame = pd.DataFrame(c.features, columns=NAMES)
    np.testing.assert_allclose(model.utility(frame), model.utility(c.features), rtol=1e-12)
    with pytest.raises(ValueError, match="feature 1 of X is 'c', but it was 'a' in fit"):
        model.utility(frame[["c", "b", "a"]])
    quietly(model, c.with_features(c.features))
    assert not hasattr(model, "feature_names_in_")
    assert model.utility(frame[["c", "b", "a"]]).shape == (12,)


@pytest.mark.parametrize("model", [LinearCompare(random_state=0), OnlineSVMRank()])
def test_a_stream_keeps_its_features(model: Any) -> None:
    c = simulated()
    model.partial_fit(c)
    permuted = c.with_features(c.features[:, ::-1], NAMES[::-1])
    failing(model, lambda: model.partial_fit(permuted))
    failing(model, lambda: model.partial_fit(c.with_features(c.features[:, :2])))
    assert model.partial_fit(c.with_features(c.features)).n_features_in_ == 3  # nameless, and as many
    assert list(model.feature_names_in_) == list(NAMES)


# ------------------------------------------------------------------------------------ stopping early


IN_STEPS: dict[str, Any] = {
    "BradleyTerry, lbfgs": BradleyTerry(solver="lbfgs", max_iter=1),
    "BradleyTerry, newton": BradleyTerry(solver="newton", max_iter=1),
    "BradleyTerry, mm": BradleyTerry(solver="mm", max_iter=1),
    "LinearCompare": LinearCompare(C=100.0, max_iter=1, tol=1e-6),
    "LinearCompare, logistic": LinearCompare("logistic", C=100.0, max_iter=1, tol=1e-6),
    "SVMCompare": SVMCompare(C=100.0, max_iter=1),
    "SVMCompare, linear": SVMCompare("linear", C=100.0, max_iter=1),
    "SVMRank": SVMRank(C=100.0, max_iter=1),
    "SVMRank, hard": SVMRank("linear", C=np.inf, max_iter=1),
}


@models(IN_STEPS)
@pytest.mark.parametrize("ties", [True, False])
def test_stopped_early_it_warns_and_is_never_upside_down(model: Any, ties: bool) -> None:
    """After one step r may still be 0; a reversed ranking would be worse than that."""
    c = simulated(900, 100 if "BradleyTerry" in str(model) else 600, tie=0.1, noise=0.0)
    c = c if ties else c[c.outcome != 0]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(c)
    assert any(issubclass(w.category, NotConverged) for w in told)
    assert any(issubclass(w.category, ConvergenceWarning) for w in told)
    d: NDArray[np.float64] = model.decision_function(c)
    truth = (c.features[c.right] - c.features[c.left]) @ w
    assert np.sum(np.sign(d) * np.sign(truth)) >= 0
