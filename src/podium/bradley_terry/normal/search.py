"""A search in one dimension, for the standard deviation s of normal skills."""

import numpy as np

LONGEST_STEP = 3.0


class Search:
    """Find v = s² by the slope of L.

    If all items had the same information I, and errors were normal, L would depend on z = log(v + 1/I), and z
    + log(1 + slope) would be its maximum. In general this is a good step; secants of the steps improve it.
    """

    def __init__(self, v: float, lowest: float, highest: float) -> None:
        self.v, self.lowest, self.highest = v, lowest, highest
        self.low, self.high = -np.inf, np.inf  # z of points left and right of the maximum
        self.noise: float | None = None  # 1/I
        self.last: tuple[float, float] | None = None
        self.rate = -1.0

    def move(self, spread: float, expected: float) -> None:
        """Improve v, given tr V / K and the v of the next step of EM."""
        v = self.v
        if self.noise is None:
            self.noise = v * min(spread / max(v - spread, 1e-300), 1e6)
        z = np.log(v + self.noise)
        step = float(np.log(max(1 + (v + self.noise) * (expected - v) / v**2, np.exp(-LONGEST_STEP))))
        if self.last is not None and abs(z - self.last[0]) > 1e-5:
            self.rate = min((step - self.last[1]) / (z - self.last[0]), -0.1)
        self.last = (z, step)
        self.low, self.high = (z, self.high) if step > 0 else (self.low, z)
        if self.high - self.low < 1e-3:  # the tilt changes too, so an old bracket may be wrong
            self.low, self.high = -np.inf, np.inf
        target = z + np.clip(-step / self.rate, -LONGEST_STEP, LONGEST_STEP)
        if not self.low < target < self.high:
            target = (self.low + self.high) / 2 if np.isfinite(self.low + self.high) else z + step
        self.v = float(np.clip(np.exp(target) - self.noise, self.lowest, self.highest))
