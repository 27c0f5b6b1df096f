"""Directions for `newton`: the second derivatives of its problem, factored or as an operator."""

from typing import Protocol

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.descent import LBFGS, Slope
from podium.numerics.smoothed_newton import solve_by_conjugate_gradients
from podium.ordered.swapped.problem import SwappedPairs


class Metric(Protocol):
    """Newton's direction, and what a step along it has shown."""

    def direction(self, gradient: Floats) -> Floats: ...

    def learn(self, step: Floats, change: Floats) -> None: ...


class Factored:
    """R'R = I + H; in the coordinates R w limited memory BFGS corrects what the sample got wrong."""

    def __init__(self, H: Floats) -> None:
        self.R, self.memory, self.ones = _root(H), LBFGS(), np.ones(len(H))

    def direction(self, gradient: Floats) -> Floats:
        there = self._solved(gradient, "T")
        return self._solved(self.memory(there, Slope(there, self.ones)), "N")

    def learn(self, step: Floats, change: Floats) -> None:
        self.memory.learn(self.R @ step, self._solved(change, "T"))

    def _solved(self, b: Floats, transposed: str) -> Floats:
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self.R, b, trans=transposed, check_finite=False))


def _root(H: Floats) -> Floats:
    """R with R'R = H, features brought to one scale first; with a ridge, if rounding asks for one."""
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
    """I + H of all items, solved by conjugate gradients."""

    def __init__(self, problem: SwappedPairs, score: Floats, margin: float, width: float) -> None:
        self.problem, self.score, self.margin, self.width = problem, score, margin, width

    def direction(self, gradient: Floats) -> Floats:
        return -solve_by_conjugate_gradients(self._times, gradient)

    def _times(self, q: Floats) -> Floats:
        p = self.problem
        spread = p.items.laplacian(self.score, self.margin, self.width, np.asarray(p.X @ q)[:, None])[:, 0]
        return q + (2.0 * p.unit / self.width) * np.asarray(p.X.T @ spread)

    def learn(self, step: Floats, change: Floats) -> None:
        """The second derivatives are exact already."""
