"""What runs in NumPy only: it copies features from the device and says so, and takes rows from anywhere."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from podium import (
    BradleyTerry,
    CodedClassifier,
    Comparisons,
    Elo,
    HerbrichSVM,
    OnlineSVC,
    OnlineSVMRank,
    OrdinalSVM,
    PreferenceGame,
    SVMCompareLP,
)
from podium.arrays.devices.boundary import to_numpy
from tests.devices.conftest import Device
from tests.devices.test_linear_compare import some_pairs

rng = np.random.default_rng(2)
X = rng.normal(size=(45, 3))
y = np.digitize(X @ [1.0, 2.0, 3.0], [-2.0, 2.0])
weight = rng.uniform(0.5, 2.0, 45)

OF_ROWS = [
    CodedClassifier(LogisticRegression()),
    HerbrichSVM(random_state=0),
    OnlineSVC(random_state=0),
    OrdinalSVM(),
    PreferenceGame(),
]


@pytest.mark.parametrize("model", OF_ROWS, ids=lambda model: type(model).__name__)
def test_models_of_rows(device: Device, model: Any) -> None:
    copied = f"{type(model).__name__} runs in NumPy only, so the features are copied from the device"
    here = clone(model).fit(X, y, sample_weight=weight)
    with pytest.warns(UserWarning, match=copied):
        there = clone(model).fit(device.put(X), device.put(y), sample_weight=device.put(weight))
    with pytest.warns(UserWarning, match=copied):
        predicted = there.predict(device.put(X))
    if not isinstance(model, HerbrichSVM):  # classes, which may be text
        assert isinstance(predicted, np.ndarray)
    np.testing.assert_array_equal(to_numpy(predicted), here.predict(X))
    with pytest.warns(UserWarning, match=copied):
        assert there.score(device.put(X), y) == here.score(X, y)


@pytest.mark.parametrize(
    ("model", "scores"),
    [
        (CodedClassifier(LogisticRegression()), "predict_proba"),
        (CodedClassifier(LogisticRegression()), "binary_probabilities"),
        (HerbrichSVM(random_state=0), "decision_function"),
        (OnlineSVC(random_state=0), "decision_function"),
        (OrdinalSVM(), "decision_function"),
        (OrdinalSVM(), "projection"),
    ],
    ids=str,
)
def test_scores_come_back_where_the_rows_are(device: Device, model: Any, scores: str) -> None:
    fitted = clone(model).fit(X, y)
    with pytest.warns(UserWarning, match="runs in NumPy only"):
        there = getattr(fitted, scores)(device.put(X))
    np.testing.assert_allclose(device.get(there), getattr(fitted, scores)(X), rtol=1e-12)


def test_preferences(device: Device) -> None:
    rows = [(0, "tea", "milk"), (1, "milk", "beer"), (2, "beer", "tea")]
    with pytest.warns(UserWarning, match="PreferenceGame runs in NumPy only"):
        there = PreferenceGame("linear").fit_preferences(device.put(X[:3]), rows)
    assert there.value_ == PreferenceGame("linear").fit_preferences(X[:3], rows).value_


@pytest.mark.parametrize("model", [OnlineSVMRank(random_state=0), SVMCompareLP(C=1.0)], ids=str)
@pytest.mark.parametrize("as_table", [False, True])
def test_models_of_pairs(device: Device, model: Any, as_table: bool) -> None:
    pairs, outcome, _ = some_pairs(n=60)
    given: Any = device.put(pairs)
    if as_table:
        given = Comparisons.from_features(device.put(pairs[:, 0]), device.put(pairs[:, 1]))
    with pytest.warns(UserWarning, match=f"{type(model).__name__} runs in NumPy only"):
        there = clone(model).fit(given, device.put(outcome))
    assert isinstance(there.coef_, np.ndarray)
    np.testing.assert_allclose(there.coef_, clone(model).fit(pairs, outcome).coef_)


def test_a_ranking_from_numpy_predicts_on_the_device(device: Device) -> None:
    pairs, outcome, _ = some_pairs(n=60)
    model = OnlineSVMRank(random_state=0).fit(pairs, outcome)
    np.testing.assert_allclose(
        device.get(model.decision_function(device.put(pairs))), model.decision_function(pairs)
    )
    np.testing.assert_array_equal(device.get(model.predict(device.put(pairs))), model.predict(pairs))


def test_rows_of_a_table_may_come_from_a_device(device: Device) -> None:
    left = np.arange(40) % 5
    right = (left + 1 + np.arange(40) % 4) % 5
    outcome, half = np.arange(40) % 3 - 1, rng.uniform(0.1, 0.9, 40)
    rows = {
        "weight": half,
        "count": np.arange(1.0, 41.0),
        "group": np.arange(40) % 7,
        "time": np.arange(40),
        "category": np.arange(40) % 2,
        "covariates": rng.normal(size=(40, 2)),
        "neutral": np.arange(40) % 2 == 0,
    }
    put = device.put
    here = Comparisons.from_arrays(left, right, outcome, **rows)
    moved: dict[str, Any] = {name: put(values) for name, values in rows.items()}
    there = Comparisons.from_arrays(put(left), put(right), put(outcome), **moved)
    assert there == here
    soft = Comparisons.from_arrays(put(left), put(right), put(half), outcome_format="probability")
    assert soft == Comparisons.from_arrays(left, right, half, outcome_format="probability")
    named = here.with_covariates({"length": (put(half), put(half + 1.0)), "price": put(half)})
    assert named == here.with_covariates({"length": (half, half + 1.0), "price": half})


@pytest.mark.parametrize("model", [BradleyTerry(), Elo()], ids=str)
def test_models_of_skill(device: Device, model: Any) -> None:
    left = np.arange(40) % 5
    right = (left + 1 + np.arange(40) % 4) % 5
    c, outcome, half = Comparisons.from_arrays(left, right), np.arange(40) % 3 - 1, rng.uniform(0.1, 0.9, 40)
    there = clone(model).fit(c, device.put(outcome), device.put(half))
    here = clone(model).fit(c, outcome, half)
    np.testing.assert_array_equal(there.predict_proba(c), here.predict_proba(c))
    assert there.score(c, device.put(outcome)) == here.score(c, outcome)
