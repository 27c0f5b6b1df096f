"""Products with features on a device, and sums by group there."""

import array_api_strict as xp
import numpy as np

from podium.arrays.devices.features import Segments, times, transpose_times

RNG = np.random.default_rng(0)


def test_exact_products_are_those_of_float64() -> None:
    """Block by block; the products in float32 are not."""
    X = RNG.normal(size=(23, 8)).astype(np.float32)
    u, a = RNG.normal(size=8), RNG.normal(size=(2, 23))
    there, wide = xp.asarray(X), X.astype(np.float64)
    for exact, error in ((True, 1e-15), (False, 1e-6)):
        forth = np.asarray(times(there, u, exact, at_once=40))
        back = transpose_times(xp.asarray(a), there, exact, at_once=40)
        assert forth.dtype == back.dtype == np.float64
        for found, expected in ((forth, wide @ u), (back, a @ wide)):
            difference = np.abs(found - expected).max()
            assert difference < 20 * error
            assert exact or difference > 1e-9


def test_sums_by_group_are_those_of_bincount() -> None:
    group, values = RNG.integers(0, 7, 200), RNG.normal(size=200)
    group[group == 3] = 4  # an empty group
    found = Segments.of(xp.asarray(group), 9).sums(xp.asarray(values))
    np.testing.assert_allclose(np.asarray(found), np.bincount(group, values, 9), atol=1e-13)
