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
        there = self._solved(gradient, transposed=True)
        return self._solved(self.memory(there, Slope(there, self.ones)), transposed=False)

    def learn(self, step: Floats, change: Floats) -> None:
        self.memory.learn(self.R @ step, self._solved(change, transposed=True))

    def _solved(self, b: Floats, transposed: bool) -> Floats:
        from scipy.linalg.lapack import dtrtrs  # scipy's wrapper takes longer than a small system

        return np.asarray(dtrtrs(self.R, b, trans=transposed)[0])


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
