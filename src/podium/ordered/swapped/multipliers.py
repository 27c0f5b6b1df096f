"""The ranking machine on few items by the method of multipliers, for data that are nearly separable.

Rounding off a hinge with a window of half-width δ leaves an error until δ is tiny, and Newton's method then
creeps: the margins of most pairs jump across the window. With a share for every pair
(`podium.numerics.swapped.formed`) the error also vanishes for a wide window. Minimise with the present shares
by Newton's method until the shares are the larger part of the gap; take the slopes as new shares; halve the
window; repeat. Most of these rounds take one or two steps. It is a proximal point method in the dual
[Rockafellar 1976], and its first rounds are those of a machine with a small C.

A step solves (I + X'SX) p = -g, where S is the Laplacian of the pairs with a share between 0 and 1. With few
features it is solved as it stands. Otherwise with K = XX' it is

    p = -g + X'K⁻¹ (Xg + φ),   (K⁻¹ + S) φ = -K⁻¹ X g,

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
WIDE = 6  # rows per feature up to which a step is solved by the rows
RIDGE = 1e-13  # relative to the largest entry of K


def solve_by_multipliers(problem: SwappedPairs, bounds: Bounds) -> Point:
    """Take steps until the gap is closed, or until no step goes down; return the last point."""
    pairs, w, width = _started(problem)
    point = at(pairs, w, pairs.scores(w), width, np.empty(0))
    while True:
        record(point, bounds)
        if bounds.done or point.width < NARROWEST:
            return point
        if point.loss.rounding > point.apart:
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
        self.inverse = _inverse(X @ X.T) if n <= WIDE * d else None
        self.X = X.toarray() if self.inverse is None and is_sparse(X) else X

    def scores(self, w: Floats) -> Floats:
        return self.problem.scores(w)

    def pull(self, alpha: Floats) -> Floats:
        return self.problem.pull(alpha)

    def part(self) -> None:
        return None

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        return self.problem.loss(score, self.formed.violations(score, MARGIN, width), width)

    def direction(self, point: Point) -> Floats:
        from scipy.linalg.lapack import dpotrf, dpotrs

        g, n = point.gradient, len(self.formed.order)
        M = np.zeros((n, n)) if self.inverse is None else self.inverse.copy()
        scale = 2.0 * self.problem.unit / point.width
        self.formed.add_laplacian(point.score, MARGIN, point.width, scale, M)
        if self.inverse is None:
            S = M + np.tril(M, -1).T
            return Factored(self.X.T @ (S @ self.X)).direction(g)
        factor, failed = dpotrf(M.T, lower=0, clean=0, overwrite_a=1)  # Fortran sees M transposed
        if failed:
            return -g
        along = self.X @ g
        phi = -dpotrs(factor, self.inverse @ along, lower=0)[0]
        return np.asarray(self.X.T @ (self.inverse @ (along + phi)) - g)


def _inverse(K: Floats) -> Floats:
    """K⁻¹, with a ridge that is just large enough for the factorisation to succeed."""
    from scipy.linalg.lapack import dpotrf, dpotri

    K = K.toarray() if is_sparse(K) else K
    ridge = RIDGE * max(float(np.max(np.diagonal(K), initial=0.0)), np.finfo(float).tiny)
    while True:
        factor, failed = dpotrf((K + ridge * np.eye(len(K))).T, lower=0, clean=1)
        if not failed:
            half = dpotri(factor, lower=0)[0]
            return np.ascontiguousarray(half + np.triu(half, 1).T)
        ridge *= 100
