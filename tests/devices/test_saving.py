"""Fitted models that have arrays on a device: copies, pickles and files."""

import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import podium as pod
from tests.devices.conftest import Device
from tests.devices.test_linear_compare import some_pairs

MODELS = [
    pod.LinearCompare(C=0.1, scale=True),
    pod.CalibratedComparer(pod.LinearCompare(C=0.1), cv=2),
    pod.SwappedPairsSVM(),
]

pytestmark = pytest.mark.filterwarnings("ignore:SwappedPairsSVM runs in NumPy only")


def fitted(model: Any, device: Device) -> tuple[Any, Any, Any]:
    """The model, fitted on the device, with what it predicts from there and in NumPy."""
    given = some_pairs(n=100)
    of_rows = isinstance(model, pod.SwappedPairsSVM)
    X, y = (given.X[:, 0], given.X[:, 0, 0].round()) if of_rows else (given.X, given.y)
    return clone(model).fit(device.put(X), y), device.put(X), X


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_file_has_arrays_of_numpy(device: Device, model: Any, tmp_path: Path) -> None:
    pytest.importorskip("skops")
    there, on_device, here = fitted(model, device)
    pod.save(there, tmp_path / "model.skops")
    loaded = pod.load(tmp_path / "model.skops")
    assert isinstance(getattr(loaded, "estimator_", loaded).coef_, np.ndarray)
    np.testing.assert_allclose(loaded.decision_function(here), there.decision_function(here))
    np.testing.assert_allclose(
        device.get(loaded.decision_function(on_device)), there.decision_function(here), rtol=1e-6
    )
    assert device.get(getattr(there, "estimator_", there).coef_).ndim == 1  # saving changes nothing


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_pickles_and_copies(device: Device, model: Any) -> None:
    there, on_device, _ = fitted(model, device)
    expected = device.get(there.decision_function(on_device))
    copies = [deepcopy(there)]
    if device.xp.__name__ != "array_api_strict":  # its arrays cannot be pickled
        copies.append(pickle.loads(pickle.dumps(there)))
    for copy in copies:
        np.testing.assert_array_equal(device.get(copy.decision_function(on_device)), expected)
    assert not hasattr(clone(there), "n_iter_")
