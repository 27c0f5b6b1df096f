"""From the difference of two log-skills to the probabilities of the three outcomes."""

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats


def outcome_probabilities(difference: Floats, ties: str, tie: float) -> Floats:
    """P(left wins), P(tie), P(right wins) for d = log-skill of right minus left (minus the order effect).

    Davidson: proportional to e^{-d/2} : ν : e^{d/2}. Rao and Kupper: 1 / (1 + κ e^d) and 1 / (1 + κ e^{-d})
    for the two sides. Models that split or drop ties give them probability 0.

    >>> outcome_probabilities(np.array([0.0, np.log(3)]), "davidson", 0.0)
    array([[0.5 , 0.  , 0.5 ],
           [0.25, 0.  , 0.75]])
    """
    d = np.asarray(difference, dtype=np.float64)
    table = np.empty((*d.shape, 3))
    if np.isposinf(tie):
        table[...] = np.where(np.isnan(d)[..., None], np.nan, [0.0, 1.0, 0.0])
        return table
    if ties == "rao-kupper":
        table[..., 0], table[..., 2] = _logistic(-d - np.log(tie)), _logistic(d - np.log(tie))
        table[..., 1] = (tie**2 - 1) * table[..., 0] * table[..., 2]
        return table
    nu = tie if ties == "davidson" else 0.0
    x = np.exp(-np.abs(d) / 2)  # stronger : tie : weaker = 1 : ν x : x²
    whole = 1 + nu * x + x**2
    stronger, weaker = 1 / whole, x**2 / whole
    table[..., 0], table[..., 2] = np.where(d > 0, (weaker, stronger), (stronger, weaker))
    table[..., 1] = nu * x / whole
    return table


def most_probable(probability: Floats) -> NDArray[np.int8]:
    """The most probable of the outcomes -1, 0 and 1; 0 if -1 and 1 are equally probable, or all are nan.

    >>> most_probable(np.array([[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.4, 0.2, 0.4]]))
    array([-1,  0,  0], dtype=int8)
    """
    left, tie, right = probability.T
    decided = tie < np.maximum(left, right)  # False for nan
    return np.where(decided, np.sign(np.nan_to_num(right - left)), 0).astype(np.int8)


def _logistic(z: Floats) -> Floats:
    e = np.exp(-np.abs(z))
    return np.asarray(np.where(z > 0, 1.0, e) / (1 + e))


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
