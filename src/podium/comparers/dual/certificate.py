"""How far a dual point of `qp` is from the optimum: both objectives, the best β, the violation.

v are the dual variables in the order decisive, ties, mirrored ties; the first ``a`` of them are decisive. s
are the coefficients of the pairs in u, f = K s, and ``cap`` has one number per pair.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.hinge import best_bias

TINY = 1e-12  # violations and curvatures below this are rounding


class Certificate(NamedTuple):
    """Both objectives at a dual point, the best β there, and how far from optimal the point is."""

    primal: float
    dual: float
    bias: float
    violation: float
    doubt: float = 0.0

    @property
    def gap(self) -> float:
        """The gap relative to the primal objective; the rounding error of the kernel counts as gap."""
        return self._relative(max(self.primal - self.dual, 0.0) + self.doubt)

    @property
    def computed_gap(self) -> float:
        """The gap without the rounding error of the kernel: what is left to gain in float64."""
        return self._relative(max(self.primal - self.dual, 0.0))

    def _relative(self, gap: float) -> float:
        if gap == 0.0:
            return 0.0
        return gap / self.primal if 0 < self.primal < np.inf else np.inf


def certify(v: Floats, f: Floats, cap: Floats, a: int, bias: bool, rounding: float = 0.0) -> Certificate:
    """The certificate at v; β is the best for the current u, or 0 without a bias.

    ``rounding`` is the largest error of an entry of K. It puts both objectives in ``doubt``: the primal by
    the cost of the slacks if every f were as wrong as possible.
    """
    caps, score, s = np.concatenate([cap, cap[a:]]), scores(f, a), coefficients(v, a)
    hard = bool(np.isinf(caps).any())
    beta, violation = 0.0, 0.0
    if bias:
        beta = _middle(score, a) if hard else best_bias(score, caps, a)
        up, low = free_sides(v, caps, a)
        highest, lowest = np.max(score[up], initial=-np.inf), np.min(score[low], initial=np.inf)
        violation = max(float(highest - lowest), 0.0)
    else:
        violation = max(float(violations(s, f, cap, a).max()), 0.0)
    square = float(s @ f)
    slack = np.concatenate([score[:a] - beta, beta - score[a:]])
    primal, doubt = _primal(square, slack, hard, caps), 0.0
    if rounding and np.isfinite(primal):
        size = float(np.abs(s).sum())
        worse = _primal(square + rounding * size**2, slack + rounding * size, hard, caps)
        doubt = worse - primal + 0.5 * rounding * size**2
    dual = float(v.sum()) - 0.5 * square
    if bias:  # a rounding error in the equality constraint must not improve the bound
        dual -= abs(beta * float(v[:a].sum() - v[a:].sum()))
    return Certificate(primal, dual, beta, violation, doubt)


def _primal(square: float, slack: Floats, hard: bool, caps: Floats) -> float:
    """½‖u‖² plus the cost of the slacks; for a hard margin, u is scaled so that its smallest margin is 1."""
    if hard:
        least = 1.0 - float(slack.max())
        return 0.5 * square / least**2 if least > 0 else np.inf
    return 0.5 * square + float(caps @ np.maximum(slack, 0.0))


def _middle(score: Floats, a: int) -> float:
    """The β for which the smallest margin of the decisive pairs is that of the ties."""
    return 0.5 * float(score[:a].max() + score[a:].min())


def coefficients(v: Floats, a: int) -> Floats:
    """s, the coefficients of the pairs in u."""
    n = (len(v) + a) // 2
    return np.concatenate([v[:a], v[n:] - v[a:n]])


def scores(f: Floats, a: int) -> Floats:
    """ỹ - (± f) of every dual variable: the β at which its hinge begins."""
    return np.concatenate([1.0 - f[:a], -1.0 - f[a:], -1.0 + f[a:]])


def free_sides(v: Floats, caps: Floats, a: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which variables can push β up, and which can push it down."""
    more, less = v < caps, v > 0
    return np.concatenate([more[:a], less[a:]]), np.concatenate([less[:a], more[a:]])


def violations(s: Floats, f: Floats, cap: Floats, a: int) -> Floats:
    """Without a bias: how far 0 is outside the subdifferential of ½s'Ks - Σ_{decisive} s + Σ_{ties} |s|.

    For a variable whose optimality condition holds it is minus the distance to violating it.
    """
    slope, tie, least = f.copy(), np.zeros_like(f), np.zeros_like(f)
    slope[:a] -= 1.0
    tie[a:], least[a:] = 1.0, -cap[a:]
    up = -slope - np.where(s >= 0, tie, -tie)  # |s| of a tie has slope 1 or -1
    down = slope - np.where(s <= 0, tie, -tie)
    return np.asarray(np.maximum(np.where(s < cap, up, -np.inf), np.where(s > least, down, -np.inf)))
