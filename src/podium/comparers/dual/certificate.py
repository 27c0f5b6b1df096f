"""How far a dual point of `qp` is from the optimum: both objectives, the best β, the violation.

v are the dual variables in the order decisive, ties, mirrored ties; the first ``a`` of them are decisive. s
are the coefficients of the pairs in u, f = K s, and ``cap`` has one number per pair. All are in NumPy, or all
on one device.
"""

from typing import Any, NamedTuple

import numpy as np

from podium.arrays.devices.boundary import namespace
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


def certify(v: Any, f: Any, cap: Any, a: int, bias: bool, rounding: float = 0.0) -> Certificate:
    """The certificate at v; β is the best for the current u, or 0 without a bias.

    ``rounding`` is the largest error of an entry of K. It puts both objectives in ``doubt``: the primal by
    the cost of the slacks if every f were as wrong as possible.
    """
    xp = namespace(f)
    caps, score, s = xp.concat([cap, cap[a:]]), scores(f, a), coefficients(v, a)
    if bias:
        beta = best_bias(score, caps, a)
        up, low = free_sides(v, caps, a)
        highest, lowest = xp.max(xp.where(up, score, -np.inf)), xp.min(xp.where(low, score, np.inf))
        violation = max(float(highest) - float(lowest), 0.0)
    else:
        beta, violation = 0.0, float(xp.max(violations(s, f, cap, a)))
    square = float(s @ f)
    slack = xp.concat([score[:a] - beta, beta - score[a:]])
    primal, doubt = _primal(square, slack, caps), 0.0
    if rounding and np.isfinite(primal):
        size = float(xp.sum(xp.abs(s)))
        worse = _primal(square + rounding * size**2, slack + rounding * size, caps)
        doubt = worse - primal + 0.5 * rounding * size**2
    dual = float(xp.sum(v)) - 0.5 * square
    if bias:  # a rounding error in the equality constraint must not improve the bound
        dual -= abs(beta * float(xp.sum(v[:a]) - xp.sum(v[a:])))
    return Certificate(primal, dual, beta, violation, doubt)


def _primal(square: float, slack: Any, caps: Any) -> float:
    """½‖u‖² plus the cost of the slacks; for a hard margin, u is scaled so that its smallest margin is 1."""
    xp = namespace(slack)
    if bool(xp.any(xp.isinf(caps))):
        least = 1.0 - float(xp.max(slack))
        return 0.5 * square / least**2 if least > 0 else np.inf
    return 0.5 * square + float(caps @ xp.clip(slack, 0.0, None))


def coefficients(v: Any, a: int) -> Any:
    """s, the coefficients of the pairs in u."""
    n = (v.shape[0] + a) // 2
    return namespace(v).concat([v[:a], v[n:] - v[a:n]])


def scores(f: Any, a: int) -> Any:
    """ỹ - (± f) of every dual variable: the β at which its hinge begins."""
    return namespace(f).concat([1.0 - f[:a], -1.0 - f[a:], -1.0 + f[a:]])


def free_sides(v: Any, caps: Any, a: int) -> tuple[Any, Any]:
    """Which variables can push β up, and which can push it down."""
    more, less, xp = v < caps, v > 0, namespace(v)
    return xp.concat([more[:a], less[a:]]), xp.concat([less[:a], more[a:]])


def violations(s: Any, f: Any, cap: Any, a: int) -> Any:
    """Without a bias: the distance of 0 from the subdifferential of ½s'Ks - Σ_{decisive} s + Σ_{ties} |s|."""
    xp = namespace(f)
    slope, none = xp.concat([f[:a] - 1.0, f[a:]]), xp.zeros_like(f[:a])
    tie, least = xp.concat([none, xp.ones_like(f[a:])]), xp.concat([none, -cap[a:]])
    up = -slope - xp.where(s >= 0, tie, -tie)  # |s| of a tie has slope 1 or -1
    down = slope - xp.where(s <= 0, tie, -tie)
    up, down = xp.where(s < cap, up, 0.0), xp.where(s > least, down, 0.0)
    return xp.clip(xp.maximum(up, down), 0.0, None)
