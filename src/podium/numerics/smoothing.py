"""What the Newton methods share that round off the hinge in a window of half-width δ.

Their duality gap has two parts: how far the smoothed problem is from solved, and what rounding off costs. The
window is narrowed when the second one is what keeps the gap open.
"""

from collections.abc import Callable

import numpy as np

FLATTER = 0.2  # a step is good when it takes four fifths of the slope away


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
