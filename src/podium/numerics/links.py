"""From the difference of two log-skills to the probabilities of the three outcomes."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.devices.arrays import namespace, on_device


def outcome_probabilities(difference: Floats, ties: str, tie: float) -> Floats:
    """P(left wins), P(tie), P(right wins) for d = log-skill of right minus left (minus the order effect).

    Davidson: proportional to e^{-d/2} : ν : e^{d/2}. Rao and Kupper: 1 / (1 + κ e^d) and 1 / (1 + κ e^{-d})
    for the two sides. Models that split or drop ties give them probability 0. Differences on a device give
    probabilities there.

    >>> outcome_probabilities(np.array([0.0, np.log(3)]), "davidson", 0.0)
    array([[0.5 , 0.  , 0.5 ],
           [0.25, 0.  , 0.75]])
    """
    d = difference if on_device(difference) else np.asarray(difference, dtype=np.float64)
    xp, tie = namespace(d), float(tie)
    if tie == math.inf:
        left = right = xp.where(xp.isnan(d), d, 0.0)
        equal = left + 1.0
    elif ties == "rao-kupper":
        left, right = _logistic(-d - math.log(tie)), _logistic(d - math.log(tie))
        equal = (tie**2 - 1) * left * right
    else:
        nu = tie if ties == "davidson" else 0.0
        x = xp.exp(-abs(d) / 2)  # stronger : tie : weaker = 1 : ν x : x²
        whole = 1 + nu * x + x**2
        stronger, weaker = 1 / whole, x**2 / whole
        left, right = xp.where(d > 0, weaker, stronger), xp.where(d > 0, stronger, weaker)
        equal = nu * x / whole
    table: Floats = xp.stack([left, equal, right], axis=-1)
    return table


def most_probable(probability: Floats) -> NDArray[np.int8]:
    """The most probable of the outcomes -1, 0 and 1; 0 if -1 and 1 are equally probable, or all are nan.

    >>> most_probable(np.array([[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.4, 0.2, 0.4]]))
    array([-1,  0,  0], dtype=int8)
    """
    xp = namespace(probability)
    left, tie, right = (probability[..., k] for k in range(3))
    decided = tie < xp.maximum(left, right)  # False for nan
    outcome: NDArray[np.int8] = xp.astype(xp.where(decided, xp.sign(right - left), 0.0), xp.int8)
    return outcome


def _logistic(z: Any) -> Any:
    xp = namespace(z)
    e = xp.exp(-abs(z))
    return xp.where(z > 0, 1.0, e) / (1 + e)


def information(difference: Floats, ties: str, tie: float) -> Floats:
    """What one comparison tells about its difference: the expected curvature of its log-probability.

    >>> information(np.array([0.0, np.log(3)]), "davidson", 0.0)
    array([0.25  , 0.1875])
    """
    d = np.asarray(difference, dtype=np.float64)
    if ties == "rao-kupper":
        left, right = _logistic(-d - np.log(tie)), _logistic(d - np.log(tie))
        return np.asarray((1 - left) * right * (1 - right) + (1 - right) * left * (1 - left))
    nu = tie if ties == "davidson" else 0.0
    if np.isposinf(nu):
        return np.zeros_like(d)
    x = np.exp(-np.abs(d) / 2)  # stronger : tie : weaker = 1 : ν x : x²
    whole = 1 + nu * x + x**2
    return np.asarray(x * (nu * (1 + x**2) / 4 + x) / whole**2)
