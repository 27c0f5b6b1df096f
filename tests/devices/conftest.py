"""Arrays on a device: of array-api-strict in `make test`, of torch and CuPy in `make test-engines`.

The environment variable ``PODIUM_DEVICE`` names the device of torch, "cpu" by default.
"""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from podium.arrays.devices.boundary import to_numpy


@dataclass(frozen=True)
class Device:
    """A library of arrays, and the options that create an array on the device."""

    xp: Any
    options: dict[str, Any]

    def put(self, values: Any) -> Any:
        """The values on the device."""
        return self.xp.asarray(np.array(values), **self.options)

    def get(self, values: Any) -> NDArray[Any]:
        """The values in NumPy; fails unless they are on the device."""
        example = self.put(0.0)
        assert type(values) is type(example)
        assert values.device == example.device
        return to_numpy(values)


@pytest.fixture(
    params=[
        "array_api_strict",
        pytest.param("torch", marks=pytest.mark.engines),
        pytest.param("cupy", marks=pytest.mark.engines),
    ]
)
def device(request: pytest.FixtureRequest) -> Device:
    """A device whose library is installed; skips the others."""
    xp = pytest.importorskip(request.param)
    if request.param == "torch":
        xp.set_num_threads(1)  # the problems are small, and threads that wait for a busy core take long
        return Device(xp, {"device": os.environ.get("PODIUM_DEVICE", "cpu")})
    if request.param == "cupy" and not xp.cuda.is_available():
        pytest.skip("CuPy finds no GPU")
    return Device(xp, {})
