"""The threshold of eq. (6) of [SVMcompare]: how large must a difference be to count?

    τ̂ = argmin_{τ ≥ 0} Σ_i w_i I[t_τ(d_i) ≠ y_i],   t_τ(d) = 0 if |d| ≤ τ, else the sign of d  (4).

As τ passes |d_i|, a tie becomes right and a decisive pair of the right sign becomes wrong; nothing else
changes. One sort of the |d_i| therefore gives the loss of every τ, in O(n log n).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays.devices.boundary import computed_in_numpy, to_floats
from podium.comparisons.arrays import Floats

ROUNDING = 1e-12  # losses that differ by less than this share of the total weight are equal
BEYOND = 1e-9  # if all larger thresholds are as good, take the smallest plus this share of it


@computed_in_numpy
def decide(difference: Any, threshold: ArrayLike) -> Any:
    """t_τ (4): 0 where |d| ≤ τ, else the sign of d.

    >>> decide([0.1, -0.5, 2.0], 0.3)
    array([ 0, -1,  1], dtype=int8)
    """
    d = np.asarray(difference, dtype=np.float64)
    return np.where(np.abs(d) <= threshold, 0.0, np.sign(d)).astype(np.int8)


def best_threshold(difference: ArrayLike, outcome: ArrayLike, weight: ArrayLike | None = None) -> float:
    """The midpoint of the widest interval of minimisers; 0 if there are no ties.

    >>> best_threshold([0.1, -0.3, 0.9, -2.0], [0, 0, 1, -1])
    0.6
    """
    d, y = to_floats(difference), np.asarray(outcome)
    w = np.ones(len(d)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not np.any(y == 0):
        return 0.0
    size = np.abs(d)
    change = np.where(y == 0, -w, np.where(np.sign(d) == y, w, 0.0))
    edge, place = np.unique(np.concatenate([[0.0], size]), return_inverse=True)
    change = np.bincount(place[1:], change, len(edge))
    loss = np.cumsum(change)  # on [edge, next edge), up to a constant
    return _middle(edge, loss <= loss.min() + ROUNDING * w.sum())


def _middle(edge: Floats, best: NDArray[np.bool_]) -> float:
    """The middle of the widest run of best edges; an unbounded run counts only if there is no other."""
    flag = np.concatenate([[False], best, [False]]).astype(np.int8)
    step = np.diff(flag)
    start, end = np.flatnonzero(step == 1), np.flatnonzero(step == -1)
    finite = end < len(edge)
    if not finite.any():
        return float(edge[start[0]] * (1 + BEYOND))
    low, high = edge[start[finite]], edge[end[finite]]
    widest = int(np.argmax(high - low))
    return float((low[widest] + high[widest]) / 2)
