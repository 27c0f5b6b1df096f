"""CalibratedComparer around a comparer that runs on a device."""

from typing import Any

import numpy as np
import pytest

from podium import CalibratedComparer, Comparisons, LinearCompare
from podium.core.links import Link, most_probable, outcome_probabilities
from podium.evaluation import walk_forward
from tests.devices.conftest import Device
from tests.devices.test_linear_compare import some_pairs


def model() -> CalibratedComparer:
    return CalibratedComparer(LinearCompare(loss="logistic", C=0.1, tol=1e-8), cv=3)


@pytest.mark.parametrize("as_table", [False, True])
def test_probabilities_are_those_of_numpy(device: Device, as_table: bool) -> None:
    X, y, weight = some_pairs()
    pairs: Any = device.put(X)
    if as_table:
        pairs = Comparisons.from_features(device.put(X[:, 0]), device.put(X[:, 1]))
    here = model().fit(X, y, weight)
    there = model().fit(pairs, device.put(y), device.put(weight))
    assert (there.slope_, there.tie_) == pytest.approx((here.slope_, here.tie_), rel=1e-6)
    assert there.n_held_out_ == here.n_held_out_
    decision = device.get(there.decision_function(pairs))
    np.testing.assert_allclose(decision, here.decision_function(X), rtol=1e-6)
    np.testing.assert_allclose(device.get(there.predict_proba(pairs)), here.predict_proba(X), rtol=1e-6)
    np.testing.assert_array_equal(device.get(there.predict(pairs)), here.predict(X))
    assert there.score(pairs, device.put(y), device.put(weight)) == pytest.approx(here.score(X, y, weight))
    assert isinstance(there.predict_proba(X), np.ndarray)


def test_forecasts_are_judged_in_numpy(device: Device) -> None:
    X, y, _ = some_pairs()
    here, there = (
        walk_forward(model(), Comparisons.from_features(at(X[:, 0]), at(X[:, 1]), y), refits=2)
        for at in (np.asarray, device.put)
    )
    assert there.probability is not None
    assert here.probability is not None
    np.testing.assert_allclose(there.probability, here.probability, rtol=1e-6)


@pytest.mark.parametrize(
    ("ties", "tie"), [("davidson", 0.7), ("davidson", np.inf), ("rao-kupper", 1.5), ("half", 0.0)]
)
def test_links_and_their_most_probable_outcomes(device: Device, ties: str, tie: float) -> None:
    d = np.array([-800.0, -1.0, -0.0, 0.0, 0.3, 800.0, np.nan])
    here, there = (outcome_probabilities(values, Link.of(ties, tie)) for values in (d, device.put(d)))
    np.testing.assert_allclose(device.get(there), here, rtol=1e-12)
    np.testing.assert_array_equal(device.get(most_probable(there)), most_probable(here))
