"""The problem of `fit` for the shared Newton method (`podium.numerics.smoothed_newton`).

Of the flipped rows (8), a tie is two rows d and -d that should be below the threshold -β; a decisive pair is
one row d that should be above it. The rows are in this order: d of the ties, -d of the ties, d of decisive
pairs.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np

from podium.arrays.devices.boundary import to_device_of
from podium.arrays.devices.features import times, transpose_times
from podium.arrays.devices.losses import DeviceLoss
from podium.comparers.primal.losses import PairLoss
from podium.comparers.primal.problem import LinearPairs, second_derivatives, spread_out
from podium.comparisons.arrays import Floats
from podium.numerics.hinge import MOST_STEPS, SMALL
from podium.numerics.shifted_cholesky import inverse_of_identity_plus
from podium.numerics.smoothed_newton import Loss, Point, solve_by_conjugate_gradients

HESSIAN_ROWS = 60_000  # pairs that estimate the second derivatives; all of 1M pairs took 1.36 times as long
# Pairs per feature in a sample on a device: with 4,096 features a fit took 0.55 s, 0.88 s with 30, 0.78 s
# with 120.
PAIRS_PER_FEATURE = 60
DENSE_FEATURES = 5_000  # above, H would take more than 200 MB, so its equations are solved without forming it
TINY = float(np.finfo(float).tiny)
SMALLEST_SAMPLE = 10_000  # pairs; with no sample at all, 200,000 to 1M pairs took 1.3 to 1.9 times as long


class Limits(NamedTuple):
    """How large a sample, or a matrix of second derivatives, may be."""

    hessian_rows: int = HESSIAN_ROWS
    # With more features on a device, conjugate gradients on a sample of pairs give the direction. On an
    # H200, a fit with 1,024 features took 0.14 s instead of 0.16 s.
    dense_on_device: int = 500


LIMITS = Limits()


class PairRows:
    """The rows of the pairs, ties first; on a device if the pairs are."""

    def __init__(
        self,
        pairs: LinearPairs,
        loss: str,
        fixed_bias: bool,
        rng: np.random.RandomState,
        limits: Limits = LIMITS,
    ) -> None:
        xp = self.xp = pairs.xp
        self.n_ties = t = int(xp.sum(xp.astype(pairs.tie, xp.int64)))
        if not bool(xp.all(pairs.tie[:t])):
            pairs = pairs.take(xp.argsort(xp.astype(~pairs.tie, xp.int8), stable=True))
        self.pairs, self.loss_name, self.fixed_bias, self.rng = pairs, loss, fixed_bias, rng
        self.limits = limits
        self.cost = xp.concat([pairs.cost[:t], pairs.cost])
        self.side_loss: PairLoss | DeviceLoss = (
            PairLoss(loss, self.cost, 2 * t)
            if xp is np
            else DeviceLoss(loss, self.cost, 2 * t, SMALL, MOST_STEPS)
        )

    def scores(self, w: Floats) -> Any:
        d, t = self.pairs.times(w), self.n_ties
        return self.xp.concat([d[:t], -d[:t], d[t:]])

    def transpose_times(self, alpha: Any) -> Floats:
        return self.pairs.transpose_times(self._by_pair(alpha, -1.0))

    def _by_pair(self, values: Any, sign: float) -> Any:
        """Sum the values of each pair's rows; the second row of a tie is multiplied by ``sign``."""
        t = self.n_ties
        return self.xp.concat([values[:t] + sign * values[t : 2 * t], values[2 * t :]])

    def loss(self, score: Any, width: float, offsets: Floats) -> Loss:
        found = self.side_loss.at(score, width, -float(offsets[0]), self.fixed_bias)
        value, rounding, alpha, b = found
        return Loss(value, rounding, alpha, np.array([-b]))

    def direction(self, point: Point) -> Floats:
        curved = self.curvatures(point.score, point.width, point.loss)
        if self.xp is not np and self.pairs.n_features > self.limits.dense_on_device:
            return self._sampled_direction(point.gradient, curved)
        if self.pairs.n_features > DENSE_FEATURES:
            return self._conjugate_direction(point.gradient, curved)
        H, h = self.second_derivatives(curved, self.limits.hessian_rows, self.rng)
        H -= np.outer(h, (1.0 - 1e-12) / self._total(curved) * h)  # β is eliminated
        return -np.asarray(inverse_of_identity_plus(H)(point.gradient))

    def curvatures(self, score: Any, width: float, loss: Loss) -> Any:
        """The second derivative of the loss by the score of every row."""
        if self.loss_name == "logistic":
            a = abs(loss.alpha)
            return a * (1.0 - a / self.cost)
        return self.side_loss.curvatures(score, width, -float(loss.offsets[0]))

    def second_derivatives(self, curved: Any, most: int, rng: np.random.RandomState) -> tuple[Floats, Floats]:
        """By u twice, and by u and β; estimated if more than ``most`` pairs have any."""
        return second_derivatives(self.pairs, *self._curved_pairs(curved, most, rng))

    def _curved_pairs(self, curved: Any, most: int, rng: np.random.RandomState) -> tuple[Any, Any, Any]:
        """At most ``most`` pairs with second derivatives; these by u·d twice, and by u·d and β."""
        both, cross = self._by_pair(curved, 1.0), self._by_pair(curved, -1.0)
        rows, scale = self.xp.nonzero(both)[0], 1.0
        if rows.shape[0] > most:
            rows = self.xp.take(rows, to_device_of(spread_out(rows.shape[0], most, rng), rows))
            scale = float(self.xp.sum(both)) / float(self.xp.sum(self.xp.take(both, rows)))
        return rows, *(scale * self.xp.take(values, rows) for values in (both, cross))

    def _total(self, curved: Any) -> float:
        """The second derivative by β; infinite if β is fixed."""
        return math.inf if self.fixed_bias else max(float(self.xp.sum(curved)), TINY)

    def _conjugate_direction(self, gradient: Floats, curved: Any) -> Floats:
        """Newton's direction for many features; each step of conjugate gradients is a pass over the items."""
        pairs, total = self.pairs, self._total(curved)
        both, h = self._by_pair(curved, 1.0), self.transpose_times(curved)
        diagonal = 1.0 + self.squares(curved) - h**2 / total
        return -solve_by_conjugate_gradients(
            lambda q: q + pairs.transpose_times(both * pairs.times(q)) - h * (h @ q / total),
            gradient,
            diagonal,
        )

    def _sampled_direction(self, gradient: Floats, curved: Any) -> Floats:
        """The same for dense features on a device; the steps read the differences of a sample of pairs."""
        most = max(self.limits.hessian_rows, PAIRS_PER_FEATURE * self.pairs.n_features)
        rows, both, cross = self._curved_pairs(curved, most, self.rng)
        D, total = self.pairs.differences(rows), self._total(curved)
        h = transpose_times(cross, D)
        diagonal = 1.0 + transpose_times(both, D * D) - h**2 / total
        return -solve_by_conjugate_gradients(
            lambda q: q + transpose_times(both * times(D, q), D) - h * (h @ q / total), gradient, diagonal
        )

    def squares(self, curved: Any) -> Floats:
        """The diagonal of the second derivatives by u."""
        both, diagonal = self._by_pair(curved, 1.0), np.zeros(self.pairs.n_features)
        rows = self.xp.nonzero(both)[0]
        for part, D in self.pairs.chunks(rows):
            diagonal += transpose_times(self.xp.take(both, rows[part]), D * D)
        return diagonal

    def part(self) -> Self | None:
        """An eighth of the pairs; None if that is too few, or has no ties or no decisive pairs."""
        size = len(self.pairs) // 8
        if size < max(SMALLEST_SAMPLE, 20 * self.pairs.n_features):
            return None
        part = self.pairs.sample(to_device_of(spread_out(len(self.pairs), size, self.rng), self.pairs.lower))
        if not self.fixed_bias and (part.all_ties or not part.any_tie):
            return None
        rough = self.limits._replace(hessian_rows=self.limits.hessian_rows // 4)  # enough for a start
        return type(self)(part, self.loss_name, self.fixed_bias, self.rng, rough)

    def exact(self) -> Self | None:
        """The same rows with products in float64; None if they are in float64 already."""
        if self.xp is np or self.pairs.X.dtype == self.xp.float64:
            return None
        pairs = replace(self.pairs, exact=True)
        return type(self)(pairs, self.loss_name, self.fixed_bias, self.rng, self.limits)
