"""Metrics take arrays on a device; numbers come back as floats, curves as arrays there."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import metrics
from tests.devices.conftest import Device

rng = np.random.default_rng(5)
n = 50
y = np.arange(n) % 3 - 1
guess = rng.integers(-1, 2, n)
decision = rng.normal(size=n).round(1)
share = rng.uniform(size=n).round(1)
weight = rng.uniform(0.5, 2.0, n)
query = rng.integers(0, 4, n)

NUMBERS: list[tuple[Callable[..., float], tuple[Any, ...], dict[str, Any]]] = [
    (metrics.comparison_error, (y, guess), {"sample_weight": weight}),
    (metrics.comparison_auc, (y, decision), {"sample_weight": weight}),
    (metrics.baseline_auc, (y, weight), {}),
    (metrics.krippendorff_alpha, (query, y), {"sample_weight": np.ones(n)}),
    (metrics.swapped_pairs, (y, decision), {"qid": query, "sample_weight": weight}),
]
CURVES: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    (metrics.calibration_bins, (y == 1, share), {"n_bins": 4, "weight": weight}),
    (metrics.comparison_roc_curve, (y, decision), {"sample_weight": weight}),
    (lambda *given: (metrics.equal_bins(*given),), (query, 2, weight), {}),
]


def moved(device: Device, given: dict[Any, Any]) -> dict[Any, Any]:
    return {
        name: device.put(value) if isinstance(value, np.ndarray) else value for name, value in given.items()
    }


@pytest.mark.parametrize(("metric", "given", "named"), NUMBERS)
def test_numbers(device: Device, metric: Callable[..., float], given: Any, named: dict[str, Any]) -> None:
    found = metric(*moved(device, dict(enumerate(given))).values(), **moved(device, named))
    assert type(found) is float
    assert found == metric(*given, **named)


@pytest.mark.parametrize(("metric", "given", "named"), CURVES)
def test_curves(device: Device, metric: Callable[..., Any], given: Any, named: dict[str, Any]) -> None:
    found = metric(*moved(device, dict(enumerate(given))).values(), **moved(device, named))
    expected = metric(*given, **named)
    assert type(found) is type(expected)
    for there, here in zip(found, expected, strict=True):
        np.testing.assert_array_equal(device.get(there), here)


def test_one_array_on_the_device_is_enough(device: Device) -> None:
    fpr, _, _ = metrics.comparison_roc_curve(y, device.put(decision))
    np.testing.assert_array_equal(device.get(fpr), metrics.comparison_roc_curve(y, decision)[0])


def test_the_row_of_a_bad_label_is_named(device: Device) -> None:
    with pytest.raises(ValueError, match="the label 3 of y at row 2"):
        metrics.comparison_error(device.put([1, 3]), device.put([1, 1]))
