"""The losses of `podium.comparers.primal.losses`, as operations on whole arrays, for a device.

The first ``n_below`` rows have the margin m = b - f, the others m = f - b. The compiled loops run on the
processor only, so these operations replace them.
"""

import math
from collections.abc import Callable
from typing import Any

from array_api_compat import device

from podium.arrays.devices.boundary import namespace


class DeviceLoss:
    """The loss ``name``, "hinge" or "logistic", of rows on both sides of one threshold b.

    The best b is searched for up to a slope of ``small``, a share of the total cost, in ``most_steps``.
    """

    def __init__(self, name: str, cost: Any, n_below: int, small: float, most_steps: int) -> None:
        self.name, self.cost, self.xp = name, cost, namespace(cost)
        self.most_steps = most_steps
        above = self.xp.arange(cost.shape[0], device=device(cost)) >= n_below
        self.sign = self.xp.where(above, self.xp.ones_like(cost), -self.xp.ones_like(cost))
        self.enough = small * float(self.xp.sum(cost))

    def at(self, score: Any, width: float, b: float, fixed: bool) -> tuple[float, float, Any, float]:
        """The loss at the best b, or at the given one if it is ``fixed``, and this b.

        Before b come the true loss, what smoothing it adds to the gap, and minus its derivatives.
        """
        m = self.sign * score
        if not fixed:
            b = root(lambda b: self._slope(m, width, b), b, self.enough, self.most_steps)
            b += 0.0 if self.name == "logistic" else self._to_middle(m, width, b)
        xp = self.xp
        m = m - b * self.sign
        alpha = self.cost * self._steepness(m, width)
        if self.name == "logistic":
            value, rounding = xp.sum(self.cost * (xp.log1p(xp.exp(-abs(m))) + xp.clip(-m, 0.0, None))), 0.0
        else:
            hinge = self.cost * xp.clip(1.0 - m, 0.0, None)
            value, rounding = xp.sum(hinge), float(xp.sum(hinge - alpha * (1.0 - m)))
        return float(value), rounding, self.sign * alpha, b

    def curvatures(self, score: Any, width: float, b: float) -> Any:
        """The second derivative of the loss by every score."""
        return self._curvature(self._steepness(self.sign * (score - b), width), width)

    def _steepness(self, m: Any, width: float) -> Any:
        """Minus the derivative of the loss at some margins, for a cost of 1."""
        if self.name == "hinge":
            return self.xp.clip((1.0 - m) / (2.0 * width) + 0.5, 0.0, 1.0)
        e = self.xp.exp(-abs(m))
        return self.xp.where(m > 0, e, 1.0) / (1.0 + e)

    def _curvature(self, a: Any, width: float) -> Any:
        """The second derivative of the loss at margins of steepness a."""
        if self.name == "hinge":
            return self.xp.where((a > 0.0) & (a < 1.0), self.cost / (2.0 * width), 0.0)
        return self.cost * a * (1.0 - a)

    def _slope(self, m: Any, width: float, b: float) -> tuple[float, float]:
        """The first and the second derivative of the loss by b."""
        xp = self.xp
        a = self._steepness(m - b * self.sign, width)
        both = xp.stack([xp.sum(self.sign * self.cost * a), xp.sum(self._curvature(a, width))])
        return float(both[0]), float(both[1])

    def _to_middle(self, m: Any, width: float, b: float) -> float:
        """The step to the middle of the interval of best thresholds; 0 if only one is best (see `hinge`)."""
        if self._slope(m, width, b)[1] > 0.0:
            return 0.0
        xp = self.xp
        t = 1.0 - m + b * self.sign
        room = xp.clip(abs(t) - width, 0.0, None)
        rises = (t > 0.0) == (self.sign < 0)  # it enters its window as the threshold rises
        up, down = (float(xp.min(xp.where(which, room, xp.inf))) for which in (rises, ~rises))
        return 0.5 * (up - down) if max(up, down) < math.inf else 0.0


def root(
    function: Callable[[float], tuple[float, float]], x: float, enough: float, most_steps: int = 100
) -> float:
    """Where an increasing function is 0, by Newton's method within brackets.

    ``function`` returns the function and its derivative.

    >>> round(root(lambda x: (x**3 - 8.0, 3.0 * x**2), 1.0, 1e-9), 6)
    2.0
    """
    low, high, reach = -math.inf, math.inf, 1.0
    for _ in range(most_steps):
        value, derivative = function(x)
        if abs(value) <= enough:
            break
        low, high = (low, x) if value > 0.0 else (x, high)
        following = x - value / derivative if derivative > 0.0 else math.inf
        if not low < following < high or abs(following - x) > 8.0 * reach:
            if low > -math.inf and high < math.inf:
                following = 0.5 * (low + high)
            else:
                following, reach = x - math.copysign(reach, value), 2.0 * reach
        if following == x:
            break
        x = following
    return x
