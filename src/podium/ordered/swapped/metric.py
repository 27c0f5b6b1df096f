"""Directions for `newton`: its second derivatives, either factored or never formed."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.descent import LBFGS, Slope
from podium.numerics.smoothed_newton import solve_by_conjugate_gradients


class Metric(Protocol):
    """Newton's direction for a gradient; ``learn`` is told how the gradient changed with a step."""

    def direction(self, gradient: Floats) -> Floats: ...

    def learn(self, step: Floats, change: Floats) -> None: ...


class Factored:
    """R'R = I + H from a sample of pairs. Limited-memory BFGS in the coordinates R w corrects its errors."""

    def __init__(self, H: Floats) -> None:
        self.R, self.memory, self.ones = _root(np.eye(len(H)) + H), LBFGS(), np.ones(len(H))

    def direction(self, gradient: Floats) -> Floats:
        there = self._solved(gradient, "T")
        return self._solved(self.memory(there, Slope(there, self.ones)), "N")

    def learn(self, step: Floats, change: Floats) -> None:
        self.memory.learn(self.R @ step, self._solved(change, "T"))

    def _solved(self, b: Floats, transposed: str) -> Floats:
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self.R, b, trans=transposed, check_finite=False))


def _root(H: Floats) -> Floats:
    """R with R'R = H, factored after scaling the features; a ridge is added if rounding makes it fail."""
    from scipy.linalg.lapack import dpotrf

    scale = np.sqrt(np.diagonal(H))
    scaled, ridge = H / scale / scale[:, None], 0.0
    while True:
        R, failed = dpotrf(scaled, lower=0, clean=1)
        if not failed:
            return np.asarray(R * scale)
        ridge = max(100 * ridge, 1e-14)
        scaled[np.diag_indices_from(scaled)] += ridge


class Operator:
    """I + H over all pairs, never formed and solved by conjugate gradients; ``times`` multiplies by H."""

    def __init__(self, times: Callable[[Floats], Floats]) -> None:
        self.times = times

    def direction(self, gradient: Floats) -> Floats:
        return -solve_by_conjugate_gradients(lambda q: q + self.times(q), gradient)

    def learn(self, step: Floats, change: Floats) -> None:
        """Nothing to learn: the second derivatives are exact."""
