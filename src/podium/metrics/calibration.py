"""Whether probabilities can be trusted: predicted and observed frequencies, in bins."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays.devices.boundary import computed_in_numpy
from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_length, checked_multiples

NORMAL_95 = 1.959964  # the 97.5 % quantile of the normal distribution


class Bins(NamedTuple):
    """Predictions in bins.

    Attributes
    ----------
    predicted : ndarray of shape (n_bins,)
        The mean predicted probability.
    observed : ndarray of shape (n_bins,)
        How often it came true.
    low, high : ndarray of shape (n_bins,)
        Wilson's 95 % interval of that frequency.
    weight : ndarray of shape (n_bins,)
        The total weight of the rows.
    """

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    weight: Floats


@computed_in_numpy
def calibration_bins(
    happened: ArrayLike, probability: ArrayLike, n_bins: int = 10, weight: ArrayLike | None = None
) -> Bins:
    """Compare predicted probabilities with frequencies, in bins of nearly equal weight.

    Equal probabilities share a bin, so the order of the rows does not matter.

    Parameters
    ----------
    happened : array-like of bool of shape (n_rows,)
        Whether the event happened.
    probability : array-like of shape (n_rows,)
        Its predicted probability.
    n_bins : int, default=10
        The largest number of bins.
    weight : array-like of shape (n_rows,), default=None
        Weights of the rows; a row of weight 2 counts as two rows.

    Returns
    -------
    Bins
        Predicted and observed frequencies, with Wilson's 95 % intervals.

    See Also
    --------
    podium.CalibrationDisplay : whether probabilities can be trusted

    Examples
    --------
    >>> bins = calibration_bins([False, False, True, True], [0.1, 0.3, 0.6, 0.8], n_bins=2)
    >>> bins.predicted, bins.observed, bins.weight
    (array([0.2, 0.7]), array([0., 1.]), array([2., 2.]))
    """
    happened, probability = np.asarray(happened, dtype=bool), np.asarray(probability, dtype=np.float64)
    check_length(len(probability), happened, "happened")
    weight = checked_multiples(weight, len(probability))
    rank = np.unique(probability, return_inverse=True)[1]
    row_bin = equal_bins(rank, n_bins, weight)
    total = _sums(row_bin, weight)
    predicted = _sums(row_bin, weight * probability) / total
    observed = np.minimum(_sums(row_bin, weight * happened) / total, 1.0)
    return Bins(predicted, observed, *_wilson(observed, total), total)


@computed_in_numpy
def equal_bins(rank: NDArray[np.intp], n_bins: int, weight: Floats) -> NDArray[np.intp]:
    """Assign values to bins of nearly equal weight; equal values share a bin.

    Parameters
    ----------
    rank : ndarray of int of shape (n_values,)
        The rank of each value among the distinct values, from 0.
    n_bins : int
        The largest number of bins.
    weight : ndarray of shape (n_values,)
        The weight of each value.

    Returns
    -------
    ndarray of int of shape (n_values,)
        The bin of each value, from 0.

    Examples
    --------
    >>> import numpy as np
    >>> equal_bins(np.array([0, 2, 0, 1]), 2, np.ones(4))
    array([0, 1, 0, 1])
    """
    mass = _sums(rank, weight)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    bins = np.floor(n_bins * middle)
    there = np.flatnonzero(mass)
    number = np.zeros(len(mass), dtype=np.intp)
    number[there[1:]] = np.cumsum(np.diff(bins[there]) > 0)
    return np.asarray(number[rank])


def _sums(group: NDArray[np.intp], values: Floats) -> Floats:
    return np.bincount(group, values).astype(np.float64)


def _wilson(frequency: Floats, count: Floats) -> tuple[Floats, Floats]:
    z = NORMAL_95
    centre = (frequency + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(frequency * (1 - frequency) / count + (z / (2 * count)) ** 2)
    return np.clip(centre - half, 0, frequency), np.clip(centre + half, frequency, 1)
