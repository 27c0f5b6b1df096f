"""The problem of `fit` for the shared Newton method (`podium.numerics.smoothed_newton`).

Of the flipped rows (8), a tie is two rows d and -d that should be below the threshold -β; a decisive pair is
one row d that should be above it. The rows are in this order: d of the ties, -d of the ties, d of decisive
pairs.
"""

from typing import Self

import numpy as np

from podium.comparers.primal import losses as logistic
from podium.comparers.primal.problem import LinearPairs, second_derivatives
from podium.comparisons.arrays import Floats
from podium.numerics import hinge
from podium.numerics.shifted_cholesky import inverse_of_identity_plus
from podium.numerics.smoothed_newton import Loss, Point, solve_by_conjugate_gradients

HESSIAN_ROWS = 60_000  # pairs that estimate the second derivatives; all of 1M pairs took 1.36 times as long
DENSE_FEATURES = 5_000  # above, H would take more than 200 MB, so its equations are solved without forming it
SMALLEST_SAMPLE = 10_000  # pairs; with no sample at all, 200,000 to 1M pairs took 1.3 to 1.9 times as long


class PairRows:
    """The rows of the pairs, ties first."""

    def __init__(self, pairs: LinearPairs, loss: str, fixed_bias: bool, rng: np.random.RandomState) -> None:
        self.n_ties = t = int(pairs.tie.sum())
        if not pairs.tie[:t].all():
            pairs = pairs.take(np.argsort(~pairs.tie, kind="stable"))
        self.pairs, self.loss_name, self.fixed_bias, self.rng = pairs, loss, fixed_bias, rng
        self.cost = np.concatenate([pairs.cost[:t], pairs.cost])
        self.ends = np.array([[0, 2 * t, t + len(pairs)]])

    def scores(self, w: Floats) -> Floats:
        d, t = self.pairs.project(w), self.n_ties
        return np.concatenate([d[:t], -d[:t], d[t:]])

    def pull(self, alpha: Floats) -> Floats:
        return self.pairs.pull(self._by_pair(alpha, -1.0))

    def pull_in_two(self, alpha: Floats) -> Floats:
        """The same, apart for the ties and for the decisive pairs: one column each."""
        return self.pairs.pull_in_two(self._by_pair(alpha, -1.0), self.n_ties)

    def _by_pair(self, values: Floats, sign: float) -> Floats:
        """Sum the values of each pair's rows; the second row of a tie is multiplied by ``sign``."""
        t = self.n_ties
        summed = values[t:].copy()
        summed[:t] = values[:t] + sign * values[t : 2 * t]
        return summed

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        b, n_below = -offsets, int(self.ends[0, 1])
        if self.loss_name == "logistic":
            if not self.fixed_bias:
                b = np.array([logistic.best_threshold(score, b[0], n_below, self.cost)])
            alpha, value = logistic.slopes(score, b[0], n_below, self.cost)
            return Loss(value, 0.0, alpha, -b)
        if not self.fixed_bias:
            b = hinge.settled(width, score, b, self.ends, self.cost)
        alpha, value, rounding = hinge.slopes(width, score, b, self.ends, self.cost)
        return Loss(value, rounding, alpha, -b)

    def direction(self, point: Point) -> Floats:
        curved = self.curvatures(point.score, point.width, point.loss)
        if self.pairs.n_features > DENSE_FEATURES:
            return self._conjugate_direction(point.gradient, curved)
        H, h = self.second_derivatives(curved, HESSIAN_ROWS, self.rng)
        H -= np.outer(h, (1.0 - 1e-12) / self._total(curved) * h)  # β is eliminated
        return -inverse_of_identity_plus(H)(point.gradient)

    def curvatures(self, score: Floats, width: float, loss: Loss) -> Floats:
        """The second derivative of the loss by the score of every row."""
        if self.loss_name == "logistic":
            a = np.abs(loss.alpha)
            return np.asarray(a * (1.0 - a / self.cost))
        curved = np.zeros(len(score))
        rows, G = hinge.curvatures(width, score, -loss.offsets, self.ends, self.cost)
        curved[rows] = G[:, 0]
        return curved

    def second_derivatives(
        self, curved: Floats, most: int, rng: np.random.RandomState
    ) -> tuple[Floats, Floats]:
        """By u twice, and by u and β; estimated if more than ``most`` pairs have any."""
        both, cross = self._by_pair(curved, 1.0), self._by_pair(curved, -1.0)
        rows, scale = np.flatnonzero(both), 1.0
        if len(rows) > most:
            chosen = rows[np.sort(rng.choice(len(rows), most, replace=False))]
            scale = float(both.sum() / both[chosen].sum())
            rows = chosen
        return second_derivatives(self.pairs, rows, scale * both[rows], scale * cross[rows])

    def _total(self, curved: Floats) -> float:
        """The second derivative by β; infinite if β is fixed."""
        return np.inf if self.fixed_bias else max(float(curved.sum()), np.finfo(float).tiny)

    def _conjugate_direction(self, gradient: Floats, curved: Floats) -> Floats:
        """Newton's direction for many features; each step of conjugate gradients is a pass over the items."""
        pairs, total = self.pairs, self._total(curved)
        both, h = self._by_pair(curved, 1.0), self.pull(curved)
        diagonal = 1.0 + self.squares(curved) - h**2 / total
        return -solve_by_conjugate_gradients(
            lambda q: q + pairs.pull(both * pairs.project(q)) - h * (h @ q / total), gradient, diagonal
        )

    def squares(self, curved: Floats) -> Floats:
        """The diagonal of the second derivatives by u."""
        both, diagonal = self._by_pair(curved, 1.0), np.zeros(self.pairs.n_features)
        rows = np.flatnonzero(both)
        for part, D in self.pairs.chunks(rows):
            diagonal += (D * D).T @ both[rows[part]]
        return diagonal

    def part(self) -> Self | None:
        """An eighth of the pairs; None if that is too few, or has no ties or no decisive pairs."""
        size = len(self.pairs) // 8
        if size < max(SMALLEST_SAMPLE, 20 * self.pairs.n_features):
            return None
        part = self.pairs.sample(np.sort(self.rng.choice(len(self.pairs), size, replace=False)))
        if not self.fixed_bias and not 0 < part.tie.sum() < size:
            return None
        return type(self)(part, self.loss_name, self.fixed_bias, self.rng)
