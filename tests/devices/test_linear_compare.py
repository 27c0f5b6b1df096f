"""LinearCompare on a device gives the same results as in NumPy."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from podium import Comparisons, LinearCompare
from tests.devices.conftest import Device


class Pairs(NamedTuple):
    X: NDArray[np.float64]  # of shape (n, 2, p)
    y: NDArray[np.int64]
    weight: NDArray[np.float64]


def some_pairs(n: int = 300, p: int = 4, ties: bool = True) -> Pairs:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n, 2, p)).astype(np.float32).astype(np.float64)  # the same numbers in float32
    d = (X[:, 1] - X[:, 0]) @ np.arange(1.0, p + 1.0) + 0.5 * rng.normal(size=n)
    y = np.where(np.abs(d) < 4.0, 0, np.sign(d)) if ties else np.sign(d)
    return Pairs(X, y.astype(np.int64), rng.uniform(0.5, 2.0, n))


SETTINGS: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({}, False),
    ({"loss": "logistic"}, True),
    ({"loss": "logistic"}, False),
    ({"scale": True}, True),
    ({"class_weight": "balanced", "loss": "logistic"}, True),
    ({"class_weight": {0: 2.0}}, True),
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("setting", "ties"), SETTINGS, ids=str)
def test_results_are_those_of_numpy(
    device: Device, setting: dict[str, Any], dtype: type[np.floating[Any]], ties: bool
) -> None:
    X, y, weight = some_pairs(ties=ties)
    pairs, model = device.put(X.astype(dtype)), LinearCompare(C=0.1, tol=1e-6, **setting)
    here = clone(model).fit(X, y, weight)
    there = clone(model).fit(pairs, device.put(y), device.put(weight))
    assert there.result_.converged
    assert there.result_.gap <= 1e-6
    assert there.result_.objective == pytest.approx(here.result_.objective, rel=2e-6)
    close: dict[str, Any] = (
        {"rtol": 1e-6, "atol": 1e-6} if dtype is np.float64 else {"rtol": 1e-3, "atol": 1e-3}
    )
    np.testing.assert_allclose(device.get(there.coef_), here.coef_, **close)
    assert there.threshold_ == pytest.approx(here.threshold_, rel=close["rtol"])
    np.testing.assert_allclose(device.get(there.decision_function(pairs)), here.decision_function(X), **close)
    np.testing.assert_allclose(device.get(there.utility(pairs[:, 0, :])), here.utility(X[:, 0]), **close)
    np.testing.assert_array_equal(device.get(there.predict(pairs)), here.predict(X))
    assert there.score(pairs, device.put(y), device.put(weight)) == pytest.approx(here.score(X, y, weight))


def test_comparisons_of_few_items(device: Device) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    left, right = rng.integers(0, 40, (2, 500))
    left, right = left[left != right], right[left != right]
    y = np.sign(np.round((X[right] - X[left]) @ [0.1, 0.2, 0.3])).astype(np.int8)
    c = Comparisons.from_codes(np.arange(40), left, right, y)
    here = LinearCompare(C=0.1).fit(c.with_features(X))
    there = LinearCompare(C=0.1).fit(c.with_features(device.put(X)))
    np.testing.assert_allclose(device.get(there.coef_), here.coef_, rtol=1e-6)
    part = c.with_features(device.put(X))[:5]
    np.testing.assert_array_equal(device.get(there.predict(part)), here.predict(c.with_features(X)[:5]))


def test_a_model_predicts_wherever_the_pairs_are(device: Device) -> None:
    X, y, _ = some_pairs()
    here, there = LinearCompare(scale=True).fit(X, y), LinearCompare(scale=True).fit(device.put(X), y)
    expected = here.decision_function(X)
    np.testing.assert_allclose(device.get(here.decision_function(device.put(X))), expected, rtol=1e-6)
    decision = there.decision_function(X)
    assert isinstance(decision, np.ndarray)
    np.testing.assert_allclose(decision, expected, rtol=1e-6)


def test_partial_fit_copies_the_features_and_says_so(device: Device) -> None:
    X, y, _ = some_pairs(n=60)
    with pytest.warns(UserWarning, match="partial_fit runs in NumPy only"):
        there = LinearCompare(random_state=0).partial_fit(device.put(X), device.put(y))
    here = LinearCompare(random_state=0).partial_fit(X, y)
    np.testing.assert_allclose(device.get(there.coef_), here.coef_, rtol=1e-6)


def test_few_pairs_per_feature_run_in_numpy_with_a_warning(device: Device) -> None:
    X, y, _ = some_pairs(n=12)
    with pytest.warns(UserWarning, match="the interior point method runs in NumPy only"):
        there = LinearCompare(tol=1e-8).fit(device.put(X), y)
    here = LinearCompare(tol=1e-8).fit(X, y)
    np.testing.assert_allclose(device.get(there.coef_), here.coef_, rtol=1e-6)


def test_cross_validation(device: Device) -> None:
    X, y, _ = some_pairs(n=200)
    c = Comparisons.from_features(X[:, 0], X[:, 1], y)
    there = Comparisons.from_features(device.put(X[:, 0]), device.put(X[:, 1]), device.put(y))
    expected = cross_val_score(LinearCompare(), c, y, cv=3)
    np.testing.assert_allclose(cross_val_score(LinearCompare(), there, y, cv=3), expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_row_of_a_missing_value_is_named(device: Device, bad: float) -> None:
    X = np.ones((6, 3))
    X[4, 1] = bad
    c = Comparisons.from_codes(np.arange(6), np.arange(5), np.arange(1, 6), np.ones(5, dtype=np.int8))
    with pytest.raises(ValueError, match="features has a value that is missing or infinite at row 5"):
        c.with_features(device.put(X))


def test_another_number_of_features_is_refused(device: Device) -> None:
    X, y, _ = some_pairs(n=60)
    model = LinearCompare().fit(device.put(X), y)
    with pytest.raises(ValueError, match="the pairs have 3 features, but the model was fitted to 4"):
        model.predict(device.put(X[:, :, :3]))
