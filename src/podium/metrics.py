"""How good predictions of comparisons are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.checks import check_length, checked_weight

Floats = NDArray[np.float64]
NORMAL_95 = 1.959964  # a standard normal variable lies between ± this, 95 times in 100


class Bins(NamedTuple):
    """Predictions put in bins: what was predicted on average, and how often it came true."""

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    weight: Floats


def calibration_bins(
    happened: ArrayLike, probability: ArrayLike, n_bins: int = 10, weight: ArrayLike | None = None
) -> Bins:
    """Bins of nearly equal weight; equal probabilities share a bin, so that the order of rows is no matter.

    ``low`` and ``high`` are Wilson's 95 % interval of a frequency, a row of weight 2 counting as two rows.

    >>> bins = calibration_bins([False, False, True, True], [0.1, 0.3, 0.6, 0.8], n_bins=2)
    >>> bins.predicted, bins.observed, bins.weight
    (array([0.2, 0.7]), array([0., 1.]), array([2., 2.]))
    """
    happened, probability = np.asarray(happened, dtype=bool), np.asarray(probability, dtype=np.float64)
    check_length(len(probability), happened, "happened")
    weight = checked_weight(weight, len(probability))
    _, value = np.unique(probability, return_inverse=True)
    mass = _sums(value, weight)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    _, bin_of_value = np.unique(np.floor(n_bins * middle), return_inverse=True)
    row_bin = bin_of_value[value]
    total = _sums(row_bin, weight)
    predicted = _sums(row_bin, weight * probability) / total
    observed = np.minimum(_sums(row_bin, weight * happened) / total, 1.0)
    return Bins(predicted, observed, *_wilson(observed, total), total)


def _sums(group: NDArray[np.intp], values: Floats) -> Floats:
    return np.bincount(group, values).astype(np.float64)


def _wilson(frequency: Floats, count: Floats) -> tuple[Floats, Floats]:
    z = NORMAL_95
    centre = (frequency + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(frequency * (1 - frequency) / count + (z / (2 * count)) ** 2)
    return np.clip(centre - half, 0, frequency), np.clip(centre + half, frequency, 1)
