"""The ranking machine on few items by the method of multipliers, for data that are nearly separable.

Rounding off a hinge with a window of half-width δ leaves an error until δ is tiny, and Newton's method then
creeps: the margins of most pairs jump across the window. With a share for every pair
(`podium.numerics.swapped.formed`) the error also vanishes for a wide window. Minimise with the present shares
by Newton's method until the shares are the larger part of the gap; take the slopes as new shares; halve the
window; repeat. Most of these rounds take one or two steps. It is a proximal point method in the dual
[Rockafellar 1976], and its first rounds are those of a machine with a small C.

A step solves (I + X'SX) p = -g, where S is the Laplacian of the pairs with a share between 0 and 1. With few
features it is solved as it stands. Otherwise with K = XX' it is

    p = -X'K⁻¹ φ,   (K⁻¹ + S) φ = K⁻¹ X g,

so that a step takes one Cholesky factorisation in the number of rows, and no product of matrices. A small
ridge makes K regular; the direction hardly changes, and the line search and the certificate do not use K.
"""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.devices.arrays import rows_at, to_floats
from podium.comparisons.features import is_sparse
from podium.numerics.result import Bounds
from podium.numerics.smoothed_newton import NARROWEST, Loss, Point, at, moved, record
from podium.numerics.swapped.formed import FormedPairs
from podium.ordered.swapped.metric import Factored
from podium.ordered.swapped.problem import MARGIN, SwappedPairs

MOST_ITEMS = 3_000  # n x n numbers are needed
FIRST_RATE = 100.0  # how much faster a share may grow than it is large; 30 and 300 took 1.07 times the steps
NARROWER = 0.5  # factor of the window after every round; 0.33 took 1.06 times the steps, 0.2 1.2 times
SETTLED = (
    0.5  # largest ½‖w - v‖² at the end of a round, relative to w'w; without it, C = 100 took twice the steps
)
FEW_FEATURES = 200  # up to this many, a step is solved by the features, which is more accurate
MOST_FEATURES = 2_000  # above, never
WIDE = 6  # rows per feature up to which it is solved by the rows
INACCURATE = 0.01  # relative error of a step by the rows, from which on steps are solved by the features
SINGULAR = 1e-15  # smallest pivot of a regular K, relative to its size and its largest entry
RIDGE = 1e-8  # relative to the largest entry of K


def solve_by_multipliers(problem: SwappedPairs, bounds: Bounds) -> Point:
    """Take steps until the gap is closed, or until no step goes down; return the last point."""
    pairs, w, width = _started(problem)
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


def _started(problem: SwappedPairs) -> tuple["SharedPairs", Floats, float]:
    """Equal shares, the best of their kind for the dual, with the w and the window that belong to them."""
    items = problem.items
    below, above = items.partners
    v = problem.pull(problem.unit * items.weight * (below - above))
    gain, square = MARGIN * problem.unit * items.n_pairs, float(v @ v)
    share = min(1.0, gain / square) if square > 0 else 1.0
    return SharedPairs(problem, FormedPairs(items, share)), share * v, 0.5 / (FIRST_RATE * share)


class SharedPairs:
    """The pairs of the items with their shares, for the steps of `podium.numerics.smoothed_newton`."""

    def __init__(self, problem: SwappedPairs, formed: FormedPairs) -> None:
        self.problem, self.formed = problem, formed
        n, d = problem.X.shape
        X = rows_at(problem.X, formed.order)
        X = X if is_sparse(X) else to_floats(X)
        self.inverse = _inverse(X @ X.T) if d > FEW_FEATURES and n <= WIDE * d else None
        self.X = X

    def scores(self, w: Floats) -> Floats:
        return self.problem.scores(w)

    def pull(self, alpha: Floats) -> Floats:
        return self.problem.pull(alpha)

    def part(self) -> None:
        return None

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        return self.problem.loss(score, self.formed.violations(score, MARGIN, width), width)

    def direction(self, point: Point) -> Floats:
        """Newton's direction; 0, which ends the search, if it is inaccurate and there are many features."""
        if self.inverse is not None:
            if (found := self._by_rows(point, self.inverse)) is not None:
                return found
            self.inverse = None
        few = self.X.shape[1] <= MOST_FEATURES
        return self._by_features(point) if few else np.zeros_like(point.w)

    def _by_features(self, point: Point) -> Floats:
        X, n = self.X.toarray() if is_sparse(self.X) else self.X, self.X.shape[0]
        S = np.zeros((n, n))
        self._add_curvature(point, S)
        return Factored(X.T @ ((S + np.tril(S, -1).T) @ X)).direction(point.gradient)

    def _by_rows(self, point: Point, inverse: Floats) -> Floats | None:
        """The direction from K⁻¹; None if rounding errors spoil it."""
        from scipy.linalg.lapack import dpotrf, dpotrs

        M = inverse.copy()
        self._add_curvature(point, M)
        factor, failed = dpotrf(M.T, lower=0, clean=0, overwrite_a=1)  # Fortran sees M transposed
        if failed:
            return None
        phi = dpotrs(factor, inverse @ (self.X @ point.gradient), lower=0)[0]
        step = -np.asarray(self.X.T @ (inverse @ phi))
        error = np.linalg.norm(self.X @ step + phi)
        return step if error <= INACCURATE * np.linalg.norm(phi) else None

    def _add_curvature(self, point: Point, M: Floats) -> None:
        """Add S to the lower half of M."""
        scale = 2.0 * self.problem.unit / point.width
        self.formed.add_laplacian(point.score, MARGIN, point.width, scale, M)


def _inverse(K: Floats) -> Floats:
    """K⁻¹, with a ridge if K is singular up to rounding errors."""
    from scipy.linalg.lapack import dpotrf, dpotri

    K = K.toarray() if is_sparse(K) else K
    unit = max(float(np.max(np.diagonal(K), initial=0.0)), np.finfo(float).tiny)
    factor, failed = dpotrf(K.T, lower=0, clean=1)
    if failed or np.diagonal(factor).min() ** 2 < SINGULAR * len(K) * unit:
        factor, _ = dpotrf((K + RIDGE * unit * np.eye(len(K))).T, lower=0, clean=1)
    half = dpotri(factor, lower=0)[0]
    return np.ascontiguousarray(half + np.triu(half, 1).T)
