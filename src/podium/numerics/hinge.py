"""What machines with hinges share: the window in which a hinge is rounded off, and the best bias.

Newton's method works on the hinge rounded off in a window of half-width δ. Its duality gap has two parts: how
far the smoothed problem is from solved, and what rounding off costs. The window is narrowed when the second
one is what keeps the gap open.
"""

from collections.abc import Callable

import numpy as np

from podium.comparisons.arrays import Floats

FLATTER = 0.2  # a step is good when it takes four fifths of the slope away
TINY = 1e-12  # of the sum of costs: less is rounding


def narrowed(width: float, wanted: float, rounding: float, power: float = 1.0) -> float:
    """The window for which rounding off is to cost what is ``wanted``, within limits.

    That falls with δ, and with δ² (``power`` 0.5) where many rows are in the window.
    """
    return width * float(min(max((0.6 * wanted / rounding) ** power, 0.1), 0.5))


def relative_gap(gap: float, primal: float) -> float:
    return max(gap, 0.0) / max(primal, np.finfo(float).tiny)


def line_search(slope: Callable[[float], float]) -> float:
    """A step after which the slope is flat; 0 if the direction does not go down."""
    start = slope(0.0)
    if not start < 0:
        return 0.0
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(40):
        here = slope(length)
        if abs(here) <= FLATTER * abs(start):
            return length
        low, high = (low, length) if here > 0 else (length, high)
        length = 2 * length if np.isinf(high) else (low + high) / 2
    return low


def best_bias(score: Floats, caps: Floats, n_decisive: int) -> float:
    """The β with the least hinge loss: where the caps of scores below it add up to those of decisive pairs.

    >>> best_bias(np.array([3.0, -1.0, -2.0]), np.array([1.0, 1.0, 1.0]), 1)
    -1.5
    """
    order = np.argsort(score, kind="stable")
    total = float(caps[:n_decisive].sum())
    reached = np.cumsum(caps[order])
    at = int(np.searchsorted(reached, total * (1 - TINY)))
    low = float(score[order[at]])
    if at + 1 < len(order) and reached[at] <= total * (1 + TINY):  # flat up to the next score
        return 0.5 * (low + float(score[order[at + 1]]))
    return low
