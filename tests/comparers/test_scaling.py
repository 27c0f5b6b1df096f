"""``scale=True``: as if the items had been standardised by hand, and nothing of a fold is seen before it."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.preprocessing import StandardScaler

import podium as pod

MODELS: dict[str, Any] = {
    "SVMCompare": pod.SVMCompare(tol=1e-6),
    "SVMCompare, linear": pod.SVMCompare("linear", tol=1e-6),
    "SVMCompare, poly": pod.SVMCompare("poly", coef0=1.0, tol=1e-6),
    "SVMRank": pod.SVMRank(tol=1e-6),
    "SVMCompareLP": pod.SVMCompareLP(C=0.1),
    "SVMCompareLP, rbf": pod.SVMCompareLP("rbf", C=0.1),
    "LinearCompare": pod.LinearCompare(tol=1e-6, random_state=0),
    "CalibratedComparer": pod.CalibratedComparer(pod.LinearCompare(tol=1e-6, random_state=0)),
}
models = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def compared(n: int = 150, seed: int = 0) -> pod.Comparisons:
    """Items whose features have very different units and places, one of them constant."""
    rng = np.random.default_rng(seed)
    Z, left = rng.normal(size=(30, 3)), rng.integers(0, 25, n)  # five items appear in no row
    right = (left + rng.integers(1, 25, n)) % 25
    d = (Z[right] - Z[left]) @ [1.0, -1.0, 0.5] + 0.3 * rng.normal(size=n)
    outcome = np.where(np.abs(d) < 0.7, 0, np.sign(d)).astype(np.int8)
    X = np.column_stack([1000.0 * Z[:, 0], 5.0 + 0.01 * Z[:, 1], Z[:, 2], np.full(30, 7.0)])
    return pod.Comparisons.from_codes(np.arange(30), left, right, outcome).with_features(X, list("abcd"))


def standardised(c: pod.Comparisons, by: pod.Comparisons) -> pod.Comparisons:
    scaler = StandardScaler().fit(by.features[by.appears])
    return c.with_features(scaler.transform(c.features), c.feature_names)


def scaled(model: Any) -> Any:
    name = "estimator__scale" if hasattr(model, "estimator") else "scale"
    return clone(model).set_params(**{name: True})


def quietly(model: Any, *data: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return model.fit(*data)


@models
def test_it_is_a_scaler_of_the_training_items(model: Any) -> None:
    train, test = compared(), compared(seed=1)
    one = quietly(scaled(model), train)
    by_hand = quietly(clone(model), standardised(train, train))
    d = by_hand.decision_function(standardised(test, train))
    np.testing.assert_allclose(one.decision_function(test), d, rtol=1e-6, atol=1e-7 * np.abs(d).max())
    np.testing.assert_array_equal(one.predict(test), by_hand.predict(standardised(test, train)))
    if hasattr(one, "utility"):
        r, expected = one.utility(test.features), by_hand.utility(standardised(test, train).features)
        np.testing.assert_allclose(np.diff(r), np.diff(expected), rtol=1e-6, atol=1e-6)
    if not hasattr(one, "estimator"):  # a calibrated one leaves scaling to its estimator
        np.testing.assert_allclose(one.feature_mean_, train.features[train.appears].mean(axis=0))
        assert one.feature_scale_[3] == 1.0  # the constant one is not divided


@models
def test_coefficients_and_vectors_are_in_the_units_of_the_user(model: Any) -> None:
    c = compared()
    fit = quietly(scaled(model), c)
    fit = getattr(fit, "estimator_", fit)
    if hasattr(fit, "coef_"):
        d = (c.features[c.right] - c.features[c.left]) @ fit.coef_
        np.testing.assert_allclose(fit.decision_function(c), d, atol=1e-6 * np.abs(d).max())
    if hasattr(fit, "support_vectors_"):
        np.testing.assert_array_equal(fit.support_vectors_, c.features[fit.support_])


@models
def test_cross_validation_learns_nothing_of_the_fold(model: Any) -> None:
    c, cv = compared(), KFold(3)
    with warnings.catch_warnings(action="ignore"):
        scores = cross_val_score(scaled(model), c, c.outcome, cv=cv)
        by_hand = []
        for train, test in cv.split(np.zeros(len(c))):
            fit = clone(model).fit(standardised(c[train], c[train]))
            by_hand.append(fit.score(standardised(c[test], c[train])))
    np.testing.assert_allclose(scores, by_hand)


@models
def test_a_search_over_scale_and_arrays_of_pairs(model: Any) -> None:
    c = compared()
    pairs = np.stack([c.features[c.left], c.features[c.right]], axis=1)
    name = "estimator__scale" if hasattr(model, "estimator") else "scale"
    with warnings.catch_warnings(action="ignore"):
        search = GridSearchCV(model, {name: [False, True]}, cv=3).fit(pairs, c.outcome)
    assert search.predict(pairs).shape == (150,)
    with warnings.catch_warnings(action="ignore"):
        weighted = GridSearchCV(model, {name: [True]}, cv=3).fit(pairs, c.outcome, sample_weight=np.ones(150))
    assert weighted.best_score_ > 0.5


def test_units_decide_without_it() -> None:
    c = compared(400)
    plain, with_scale = (pod.SVMCompare(scale=scale, C=10.0) for scale in (False, True))
    with warnings.catch_warnings(action="ignore"):
        one, other = (cross_val_score(model, c, c.outcome, cv=5).mean() for model in (plain, with_scale))
    assert other > one + 0.05


def test_sparse_features_are_only_divided() -> None:
    c = compared()
    thin = c.with_features(csr_array(c.features))
    for model in (pod.LinearCompare(scale=True, random_state=0), pod.SVMRank(scale=True)):
        fit = quietly(clone(model), thin)
        assert not fit.feature_mean_.any()
        scale = np.where(np.arange(4) == 3, 1.0, c.features[c.appears].std(axis=0))
        np.testing.assert_allclose(fit.feature_scale_, scale)
        np.testing.assert_allclose(fit.decision_function(c), fit.decision_function(thin), atol=1e-6)
        dense = quietly(clone(model), c)
        with pytest.raises(ValueError, match="sparse, but scale=True was fitted to dense ones"):
            dense.decision_function(thin)


def test_the_grid_scales_too() -> None:
    train, validation, test = (compared(seed=seed) for seed in range(3))
    with warnings.catch_warnings(action="ignore"):
        grid = pod.compare_grid(pod.SVMCompare(scale=True), train, validation, test, C=[1, 10], gamma=[0.1])
        by_hand = pod.compare_grid(
            pod.SVMCompare(),
            *(standardised(c, train) for c in (train, validation, test)),
            C=[1, 10],
            gamma=[0.1],
        )
    np.testing.assert_array_equal(grid.validation_error, by_hand.validation_error)
    assert grid.test_error == by_hand.test_error
    assert grid.best_estimator.score(test) == 1 - (by_hand.test_error or 0.0)


def test_a_stream_keeps_the_scale_of_its_first_batch() -> None:
    c = compared(300)
    model = pod.LinearCompare(scale=True, random_state=0).partial_fit(c[:100])
    scale = model.feature_scale_
    model.partial_fit(c[100:].with_features(2 * c.features))
    np.testing.assert_array_equal(model.feature_scale_, scale)
    fit = quietly(pod.LinearCompare(scale=True, random_state=0), c)
    scale = fit.feature_scale_
    np.testing.assert_array_equal(fit.partial_fit(c[:100]).feature_scale_, scale)
    quietly(fit.set_params(scale=False), c)
    assert not hasattr(fit, "feature_scale_")


@models
def test_it_is_saved(model: Any, tmp_path: Path) -> None:
    c = compared()
    fit = quietly(scaled(model), c)
    pod.save(fit, tmp_path / "model.skops")
    np.testing.assert_array_equal(pod.load(tmp_path / "model.skops").predict(c), fit.predict(c))


def test_what_cannot_be_scaled() -> None:
    c = compared()
    gram = c.with_features(c.features @ c.features.T)
    for model in (pod.SVMCompare("precomputed", scale=True), pod.SVMCompareLP("precomputed", scale=True)):
        with pytest.raises(
            ValueError, match="scale=True standardises features, but kernel='precomputed' has"
        ):
            model.fit(gram)
    wrong: Any = "minmax"
    with pytest.raises(ValueError, match="scale must be True or False, not 'minmax'"):
        pod.SVMRank(scale=wrong).fit(c)
    with pytest.raises(ValueError, match="the squares of the features overflow"):
        pod.LinearCompare(scale=True).fit(c.with_features(1e300 * (c.features / c.features.max())))
