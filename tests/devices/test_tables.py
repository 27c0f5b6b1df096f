"""Comparisons whose features are on a device."""

from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.arrays.devices.boundary import to_device_of


def table(device: Any, items: list[str], X: Any) -> pod.Comparisons:
    c = pod.Comparisons.from_arrays(items[:-1], items[1:], [1] * (len(items) - 1))
    return c.with_features(device.put(X))


def test_concat_keeps_the_features_of_items_that_are_in_both_tables(device: Any) -> None:
    X = np.arange(6.0).reshape(3, 2)
    joined = pod.concat([table(device, ["a", "b"], X[:2]), table(device, ["b", "c"], X[1:])])
    assert joined.items.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(device.get(joined.features), X)
    with pytest.raises(ValueError, match="'b' has different features"):
        pod.concat([table(device, ["a", "b"], X[:2]), table(device, ["b", "c"], X[1:] + 1.0)])


def test_features_in_two_places_are_refused(device: Any) -> None:
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match="move them to one"):
        pod.Comparisons.from_features(X, device.put(X))


def test_codes_and_outcomes_may_be_on_the_device(device: Any) -> None:
    left, right = np.array([0, 1]), np.array([1, 2])
    outcome = np.array([1, -1], dtype=np.int8)
    items = np.arange(3)
    found = pod.Comparisons.from_codes(items, device.put(left), device.put(right), device.put(outcome))
    assert found == pod.Comparisons.from_codes(items, left, right, outcome)


def test_numbers_stored_once_keep_their_type(device: Any) -> None:
    there = device.put(np.zeros(2))
    assert device.get(to_device_of(np.broadcast_to(np.int32(4), 3), there)).dtype == np.int32
    np.testing.assert_array_equal(device.get(to_device_of(np.broadcast_to(0.5, 3), there)), [0.5, 0.5, 0.5])


@pytest.mark.filterwarnings("ignore:SVMRank runs in NumPy only")
def test_kernel_machines_standardise_new_features_as_precisely_as_in_fit(device: Any) -> None:
    """Features in float32 near a million: a difference of one standard deviation must not be lost."""
    rng = np.random.default_rng(0)
    X = (1e6 + rng.normal(size=(60, 2))).astype(np.float32)
    left, right = rng.integers(0, 30, 120), rng.integers(30, 60, 120)
    outcome = np.sign(X[right, 0] - X[left, 0]).astype(np.int8)
    c = pod.Comparisons.from_codes(np.arange(60), left, right, outcome)
    here = pod.SVMRank(kernel="rbf", scale=True, tol=1e-9).fit(c.with_features(X.astype(np.float64)))
    there = pod.SVMRank(kernel="rbf", scale=True, tol=1e-9).fit(c.with_features(device.put(X)))
    expected = here.decision_function(c.with_features(X.astype(np.float64)))
    np.testing.assert_allclose(
        device.get(there.decision_function(c.with_features(device.put(X)))), expected, atol=1e-9
    )


def test_a_missing_value_is_named_by_the_row_of_its_pair(device: Any) -> None:
    pairs = np.ones((8, 2, 3))
    pairs[5, 1, 2] = np.nan
    with pytest.raises(ValueError, match=r"row 6 \(counting from 1\)"):
        pod.LinearCompare().fit(device.put(pairs), [1] * 8)
