"""The dual variables of `qp`, and how far a dual point is from the optimum."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, Positions
from podium.numerics.hinge import best_bias

TINY = 1e-12  # violations and curvatures below this are rounding


class Variables:
    """One variable y = ỹ v per row of the flipped problem (8): decisive pairs, ties, then mirrored ties.

    Its row is ρ times the vector of its ``pair``; ρ, the ``side``, is -1 for a mirrored tie. With the upper c
    of the pair, y is between 0 and c if the pair is decisive (``label`` ỹ = 1), otherwise between -c and 0.
    """

    def __init__(self, upper: Floats, n_decisive: int) -> None:
        n = len(upper)
        self.n_pairs, self.n_decisive = n, n_decisive
        self.pair = np.concatenate([np.arange(n), np.arange(n_decisive, n)])
        k = np.arange(len(self.pair))
        self.label, self.side = np.where(k < n_decisive, 1.0, -1.0), np.where(k < n, 1.0, -1.0)
        self.upper = upper[self.pair]
        bound = self.label * self.upper
        self.low, self.high = np.minimum(bound, 0.0), np.maximum(bound, 0.0)

    def of(self, pairs: Positions) -> Positions:
        """The variables of some pairs, given in increasing order."""
        first_tie = int(np.searchsorted(pairs, self.n_decisive))
        return np.concatenate([pairs, pairs[first_tie:] - self.n_decisive + self.n_pairs])

    def scores(self, f: Floats) -> Floats:
        """ỹ - ρ f, by which the dual rises with y: the β at which the hinge of the row begins."""
        return np.asarray(self.label - self.side * f[self.pair])

    def coefficients(self, y: Floats) -> Floats:
        """s, the coefficients of the pairs in u."""
        return np.asarray(np.bincount(self.pair, self.side * y, self.n_pairs), dtype=np.float64)

    def best(self, s: Floats) -> Floats:
        """Without a bias: the best y for the coefficients s; the v of a tie are as large as they can be."""
        own = self.side * s[self.pair]
        return np.asarray(np.where(self.label > 0, own, np.maximum(own, 0.0) - self.upper))

    def free_sides(self, y: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which variables can rise, and which can fall."""
        return y < self.high, y > self.low


class Certificate(NamedTuple):
    """Both objectives at a dual point, the best β there, and how far from optimal the point is."""

    primal: float
    dual: float
    bias: float
    violation: float
    rounding_bound: float = 0.0

    @property
    def gap(self) -> float:
        """The gap relative to the primal objective; the rounding error of the kernel counts as gap."""
        return self._relative(max(self.primal - self.dual, 0.0) + self.rounding_bound)

    @property
    def computed_gap(self) -> float:
        """The gap without the rounding error of the kernel: what is left to gain in float64."""
        return self._relative(max(self.primal - self.dual, 0.0))

    def _relative(self, gap: float) -> float:
        if gap == 0.0:
            return 0.0
        return gap / self.primal if 0 < self.primal < np.inf else np.inf


def certify(variables: Variables, y: Floats, f: Floats, bias: bool, rounding: float = 0.0) -> Certificate:
    """The certificate at y; β is the best for the current u, or 0 without a bias.

    ``rounding`` is the largest error of an entry of K. ``rounding_bound`` is what it can do to both
    objectives: to the primal, the cost of the slacks if every f were as wrong as possible.
    """
    upper, score, s = variables.upper, variables.scores(f), variables.coefficients(y)
    hard = bool(np.isinf(upper).any())
    up, low = variables.free_sides(y)
    highest, lowest = np.max(score[up], initial=-np.inf), np.min(score[low], initial=np.inf)
    beta, violation = 0.0, max(float(highest), -float(lowest), 0.0)
    if bias:
        a = variables.n_decisive
        beta = 0.5 * float(score[:a].max() + score[a:].min()) if hard else best_bias(score, upper, a)
        violation = max(float(highest - lowest), 0.0)
    square = float(s @ f)
    slack = variables.label * (score - beta)
    primal, rounding_bound = _primal(square, slack, hard, upper), 0.0
    if rounding and np.isfinite(primal):
        size = float(np.abs(s).sum())
        worse = _primal(square + rounding * size**2, slack + rounding * size, hard, upper)
        rounding_bound = worse - primal + 0.5 * rounding * size**2
    dual = float(np.abs(y).sum()) - 0.5 * square
    if bias:  # a rounding error in the equality constraint must not improve the bound
        dual -= abs(beta * float(y.sum()))
    return Certificate(primal, dual, beta, violation, rounding_bound)


def _primal(square: float, slack: Floats, hard: bool, upper: Floats) -> float:
    """½‖u‖² plus the cost of the slacks; for a hard margin, u is scaled so that its smallest margin is 1."""
    if hard:
        least = 1.0 - float(slack.max())
        return 0.5 * square / least**2 if least > 0 else np.inf
    return 0.5 * square + float(upper @ np.maximum(slack, 0.0))
