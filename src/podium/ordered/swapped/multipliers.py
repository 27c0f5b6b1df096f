"""The ranking machine on few items by the method of multipliers, for rows that are nearly separable.

If almost no pair is violated at the optimum, the smoothing width of the hinges has to be tiny before the
error is small. Then most pairs jump across it with every step, and Newton's method creeps. If every pair has
a share p of its own, a large smoothing width is enough: the slope of its hinge is then

    a(t) = p + t / 2δ, but at least 0 and at most 1,

where t = margin - (s_i - s_j) is the violation of the pair. With p = ½ for all pairs, this is the rounded
hinge of `podium.numerics.swapped.counts`, whose passes need no pairs; here they are formed one by one.

A round minimises with fixed shares by Newton's method. Then the slopes become the new shares, the width is
halved, and the next round begins. Most rounds take one or two steps. In the dual, this is the proximal point
method [Rockafellar 1976].

A step q solves (I + X'SX) q = -g, where S is the Laplacian of the pairs with slopes between 0 and 1. With
K = XX' and a gradient g from the span of the rows, the solution is also

    q = -X'K⁻¹ φ,   (K⁻¹ + S) φ = K⁻¹ X g.

With many features this is faster: a step factors one matrix and multiplies none. If K is singular, a ridge is
added. The direction hardly changes, and neither the line search nor the certificate uses K.
"""

from typing import Any, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse
from podium.numerics.compiled import njit
from podium.numerics.result import Bounds
from podium.numerics.shifted_cholesky import TOO_LARGE, inverse_of_identity_plus
from podium.numerics.smoothed_newton import NARROWEST, Loss, Point, at, moved, record
from podium.numerics.swapped.counts import OrderedItems, Violations
from podium.ordered.swapped.problem import MARGIN, SwappedPairs

MOST_ITEMS = 3_000  # n x n numbers are needed
FIRST_RATE = 100.0  # how much faster a share may grow than it is large; 30 and 300 took 1.07 times the steps
NARROWER = 0.5  # factor of the width after every round; 0.33 took 1.06 times the steps, 0.2 1.2 times
# At the end of a round, ½‖w - v‖² / w'w is less than this; without it, C = 100 took up to 3 times the steps.
SETTLED = 0.5
WIDE = 6  # rows per feature up to which K⁻¹ + S is cheaper to factor
SINGULAR = 1e-15  # smallest pivot of a regular K, relative to its size and largest entry
RIDGE = 1e-8  # for a singular K, relative to its largest entry


class Limits(NamedTuple):
    """Which of the two matrices of a step is factored."""

    few_features: int = 200  # up to this many features, I + X'SX, which is more accurate
    most_features: int = 2_000  # above this, never I + X'SX
    inaccurate: float = 0.01  # relative error of a step from K⁻¹ + S; if it is larger, I + X'SX from then on


LIMITS = Limits()


def solve_by_multipliers(problem: SwappedPairs, bounds: Bounds, limits: Limits = LIMITS) -> Point:
    """Take steps until the gap is closed, or until no step goes down; return the last point."""
    pairs, w, width = _started(problem, limits)
    point = at(pairs, w, pairs.scores(w), width, np.empty(0))
    while True:
        record(point, bounds)
        if bounds.done or point.width < NARROWEST:
            return point
        if point.apart < min(point.loss.rounding, SETTLED * float(point.w @ point.w)):
            pairs.formed.settle(point.score, MARGIN, point.width)
            point = at(pairs, point.w, point.score, NARROWER * point.width, np.empty(0))
        after = moved(pairs, point)
        if after is None:
            return point
        point = after


def _started(problem: SwappedPairs, limits: Limits) -> tuple["SharedPairs", Floats, float]:
    """Start from the equal shares that are best for the dual, with their w and a large smoothing width."""
    items = problem.items
    below, above = items.partners
    v = problem.transpose_times(problem.unit * items.weight * (below - above))
    gain, square = MARGIN * problem.unit * items.n_pairs, float(v @ v)
    if not np.isfinite(square):
        raise ValueError(TOO_LARGE)
    share = min(1.0, gain / square) if square > 0 else 1.0
    return SharedPairs(problem, FormedPairs(items, share), limits), share * v, 0.5 / (FIRST_RATE * share)


class FormedPairs:
    """All pairs of the items and their shares, which are equal at first.

    Items are sorted by group and label, so the partners of an item, the items of its group with a lower
    label, are neighbours: those from ``first`` up to ``end``.
    """

    def __init__(self, items: OrderedItems, share: float) -> None:
        self.order, self.weight = items.order, items.weight[items.order]
        size, run = np.diff(items.start), np.arange(len(items.group))
        new = np.append(True, items.group[1:] != items.group[:-1])
        self.first = np.repeat(items.start[np.maximum.accumulate(np.where(new, run, 0))], size)
        self.end = np.repeat(items.start[:-1], size)
        self.share = np.full(int((self.end - self.first).sum()), share)

    def violations(self, score: Floats, margin: float, width: float) -> Violations:
        below, above = np.empty((2, len(score)))
        sums = _counted(score[self.order], self.weight, self.first, self.end, margin, width, self.share)
        below[self.order], above[self.order], loss = sums
        return Violations(below, above, float(loss))

    def settle(self, score: Floats, margin: float, width: float) -> None:
        """Take the slopes at these scores as the new shares."""
        _settle(score[self.order], self.first, self.end, margin, width, self.share)

    def add_laplacian(self, score: Floats, margin: float, width: float, scale: float, M: Floats) -> None:
        """Add ``scale`` Σ ω_i ω_j (e_i - e_j)(e_i - e_j)' over the pairs with a share between 0 and 1.

        Rows and columns of M are items in their sorted ``order``; only its lower half is changed.
        """
        s, weight = score[self.order], self.weight
        _add_laplacian(s, weight, self.first, self.end, margin, width, self.share, scale, M)


class SharedPairs:
    """The pairs of the items with their shares, for the steps of `podium.numerics.smoothed_newton`."""

    def __init__(self, problem: SwappedPairs, formed: FormedPairs, limits: Limits) -> None:
        self.problem, self.formed, self.limits = problem, formed, limits
        n, d = problem.X.shape
        self.X: Any = problem.X[formed.order]
        self.inverse = _inverse(self.X @ self.X.T) if d > limits.few_features and n <= WIDE * d else None

    def scores(self, w: Floats) -> Floats:
        return self.problem.scores(w)

    def transpose_times(self, alpha: Floats) -> Floats:
        return self.problem.transpose_times(alpha)

    def part(self) -> None:
        return None

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        return self.problem.loss(score, self.formed.violations(score, MARGIN, width), width)

    def direction(self, point: Point) -> Floats:
        """Newton's direction. It is 0, which ends the search, if no accurate one is affordable."""
        if self.inverse is not None:
            if (found := self._by_rows(point, self.inverse)) is not None:
                return found
            self.inverse = None
        few = self.X.shape[1] <= self.limits.most_features
        return self._by_features(point) if few else np.zeros_like(point.w)

    def _by_features(self, point: Point) -> Floats:
        """The direction from I + X'SX."""
        X, n = self.X.toarray() if is_sparse(self.X) else self.X, self.X.shape[0]
        S = np.zeros((n, n))
        self._add_curvature(point, S)
        return -inverse_of_identity_plus(X.T @ ((S + np.tril(S, -1).T) @ X))(point.gradient)

    def _by_rows(self, point: Point, inverse: Floats) -> Floats | None:
        """The direction from K⁻¹ + S; None if rounding errors spoil it."""
        from scipy.linalg.lapack import dpotrf, dpotrs

        M = inverse.copy()
        self._add_curvature(point, M)
        factor, failed = dpotrf(M.T, lower=0, clean=0, overwrite_a=1)  # Fortran sees M transposed
        if failed:
            return None
        phi = dpotrs(factor, inverse @ (self.X @ point.gradient), lower=0)[0]
        step = -np.asarray(self.X.T @ (inverse @ phi))
        error = np.linalg.norm(self.X @ step + phi)
        return step if error <= self.limits.inaccurate * np.linalg.norm(phi) else None

    def _add_curvature(self, point: Point, M: Floats) -> None:
        """Add S to the lower half of M."""
        scale = 2.0 * self.problem.unit / point.width
        self.formed.add_laplacian(point.score, MARGIN, point.width, scale, M)


def _inverse(K: Any) -> Floats:
    """K⁻¹, with a ridge if K is singular up to rounding errors."""
    from scipy.linalg.lapack import dpotrf, dpotri

    K = K.toarray() if is_sparse(K) else K
    unit = max(float(np.max(np.diagonal(K), initial=0.0)), np.finfo(float).tiny)
    factor, failed = dpotrf(K.T, lower=0, clean=1)
    if failed or np.diagonal(factor).min() ** 2 < SINGULAR * len(K) * unit:
        factor, _ = dpotrf((K + RIDGE * unit * np.eye(len(K))).T, lower=0, clean=1)
    half = dpotri(factor, lower=0)[0]
    return np.ascontiguousarray(half + np.triu(half, 1).T)


@njit(cache=True, nogil=True, inline="always")
def _slope(share, t, width):  # type: ignore[no-untyped-def]  # pragma: no cover
    return min(max(share + t / (2.0 * width), 0.0), 1.0)


@njit(cache=True, nogil=True)
def _counted(s, weight, first, end, margin, width, share):  # type: ignore[no-untyped-def]  # pragma: no cover
    n = s.shape[0]
    below, above, loss, k = np.zeros(n), np.zeros(n), 0.0, 0
    for i in range(n):
        own = 0.0
        for j in range(first[i], end[i]):
            t = margin - (s[i] - s[j])
            a = _slope(share[k], t, width)
            below[i] += weight[j] * a
            above[j] += weight[i] * a
            own += weight[j] * max(t, 0.0)
            k += 1
        loss += weight[i] * own
    return below, above, loss


@njit(cache=True, nogil=True)
def _settle(s, first, end, margin, width, share):  # type: ignore[no-untyped-def]  # pragma: no cover
    k = 0
    for i in range(s.shape[0]):
        for j in range(first[i], end[i]):
            share[k] = _slope(share[k], margin - (s[i] - s[j]), width)
            k += 1


@njit(cache=True, nogil=True)
def _add_laplacian(s, weight, first, end, margin, width, share, scale, M):  # type: ignore[no-untyped-def]  # pragma: no cover
    k = 0
    for i in range(s.shape[0]):
        for j in range(first[i], end[i]):
            a = _slope(share[k], margin - (s[i] - s[j]), width)
            if 0.0 < a < 1.0:
                both = scale * weight[i] * weight[j]
                M[i, j] -= both
                M[i, i] += both
                M[j, j] += both
            k += 1
