"""The votes of several kinds of judges on one scale: their likelihood and its priors.

A vote of a judge of kind k follows Davidson's model with

    d = e^μ_k (r_right + b_k,right - r_left - b_k,left) - (h + m_k) · (1 if not on neutral ground),
    log of the tie parameter = log ν + c_k,

where r are the log-skills on the scale of kind 0, whose μ, c, m and b are 0. b_k,i is what kind k sees in
item i and kind 0 does not. A point x holds r, log ν, h (if there is an order effect), then b, μ, c and m of
the other kinds. All are normal: r with the standard deviation s, b_k with τ_k, log ν with 3, the rest with 1.

d is the product of two linear functions of x plus a third, so the second derivatives are J'WJ plus the slope
by d times the second derivatives of d. Far from the optimum their sum may have negative eigenvalues. J'WJ has
none.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.core.links import derivatives, loss, root, seen_score
from podium.numerics.descent import Derivatives


class Layout(NamedTuple):
    """Where a point has which parameters."""

    items: int
    others: int  # kinds of judges beside the one whose scale skills have
    order_effect: bool

    @property
    def own(self) -> int:
        """The number of parameters of the kind whose scale skills have: r, log ν, h."""
        return self.items + 1 + self.order_effect

    def bias(self, x: Any) -> Any:
        """What each of the other kinds (rows) sees in each item."""
        return x[self.own :][: self.others * self.items].reshape(self.others, self.items)

    def habits(self, x: Any) -> Any:
        """μ, c and m (rows) of the other kinds."""
        return x[self.own + self.others * self.items :].reshape(3, self.others)


@dataclass(frozen=True, eq=False)
class KindsProblem:
    """Votes that were counted by kind, sides and ground, as a `podium.core.smooth.Smooth`.

    The rows of the sparse matrices are linear functions of a point: the difference of the skills, the rest of
    d, and the logarithms of the sharpness and of the tie parameter.
    """

    layout: Layout
    skills: Any
    places: Any
    sharpness: Any
    ties: Any
    total: Floats
    tied: Floats
    margin: Floats
    precision: Floats  # of the normal priors
    convex = False

    @classmethod
    def of(cls, c: Comparisons, kind: Any, others: int, order_effect: bool) -> "KindsProblem":
        """Count the votes; ``kind`` has 0 for the scale's kind and 1, 2, ... for the others."""
        from scipy.sparse import csr_array

        assert c.outcome is not None
        n, at = c.n_items, Layout(c.n_items, others, order_effect)
        home = np.ones(len(c), bool) if c.neutral is None else ~c.neutral
        key = ((kind.astype(np.int64) * 2 + home) * n + c.left) * n + c.right
        first, cell = np.unique(key, return_index=True, return_inverse=True)[1:]
        kind, home, left, right = kind[first], home[first], c.left[first], c.right[first]
        rows, seen = np.arange(len(first)), np.flatnonzero(kind)
        which = kind[seen] - 1
        bias, habits, size = at.own + which * n, at.own + others * n + which, at.own + others * (n + 3)

        total, tied, margin = (
            np.bincount(cell, c.mass * of).astype(np.float64) for of in (1, c.outcome == 0, c.outcome)
        )

        def functions(*entries: Any) -> Any:
            """A sparse matrix from rows, columns and values."""
            row, column, value = (
                np.concatenate(part)
                for part in zip(*(np.broadcast_arrays(*entry) for entry in entries), strict=True)
            )
            return csr_array((value.astype(np.float64), (row, column)), shape=(len(rows), size))

        return cls(
            layout=at,
            skills=functions(
                (rows, right, 1),
                (rows, left, -1),
                (seen, bias + right[seen], 1),
                (seen, bias + left[seen], -1),
            ),
            places=functions(
                (rows, n + order_effect, -1.0 * (home * order_effect)),
                (seen, habits + 2 * others, -1 * home[seen]),
            ),
            sharpness=functions((seen, habits, 1)),
            ties=functions((rows, n, 1), (seen, habits + others, 1)),
            total=total,
            tied=tied,
            margin=margin,
            precision=np.ones(size),
        )

    def with_scales(self, s: float, tau: Floats) -> "KindsProblem":
        """The same votes, with these standard deviations of skills and of b."""
        at, precision = self.layout, np.ones_like(self.precision)
        precision[: at.items], precision[at.items] = s**-2, 1 / 9
        at.bias(precision)[:] = tau[:, None] ** -2
        return replace(self, precision=precision)

    # ------------------------------------------------------------------------------------ as a function

    def start(self) -> Floats:
        return np.zeros_like(self.precision)

    def centred(self, x: Floats) -> Floats:
        """The priors leave nothing to choose."""
        return x

    def longest(self, x: Floats, d: Floats) -> float:
        """Steps of logarithms of sharpness and ties are at most 2."""
        return 2 / max(float(np.abs(self.layout.habits(d)[:2]).max(initial=0)), 1e-300)

    def scale(self) -> Floats:
        """The votes that say something about each parameter, and its prior."""
        touched = abs(self.skills) + abs(self.places) + self.sharpness + self.ties
        return np.asarray(touched.T @ self.total + self.precision)

    def differences(self, x: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """The sharpness, the difference of the skills, d, and the tie parameter of each cell."""
        sharpness, gap = np.exp(self.sharpness @ x), self.skills @ x
        return sharpness, gap, sharpness * gap + self.places @ x, np.exp(self.ties @ x)

    def loss(self, x: Floats) -> float:
        *_, d, tie = self.differences(x)
        return float(
            (loss(d, self.total, self.tied, self.margin, tie, False)).sum() - self.tied @ np.log(tie)
        )

    def objective(self, x: Floats) -> float:
        return self.loss(x) + float(self.precision @ x**2) / 2

    def derivatives(self, x: Floats) -> Derivatives:
        slopes, by_d, by_tie = self._slopes(x)
        gradient = slopes.T @ by_d + self.ties.T @ by_tie + self.precision * x
        return Derivatives(gradient, self.scale())

    def _slopes(self, x: Floats) -> tuple[Any, Floats, Floats]:
        """The derivatives of d by x, and those of the loss by d and by the log of the tie parameter."""
        from scipy.sparse import diags_array as diagonal

        sharpness, gap, d, tie = self.differences(x)
        score, _, expected, *_ = derivatives(root(d), self.total, self.tied, self.margin, tie, False)
        slopes = diagonal(sharpness) @ self.skills + self.places + diagonal(sharpness * gap) @ self.sharpness
        return slopes, seen_score(self.total, self.tied, self.margin, False) - score, expected - self.tied

    def information(self, x: Floats, *, observed: bool = True) -> Floats:
        """The second derivatives, or only J'WJ and the prior, which are positive definite everywhere."""
        from scipy.sparse import diags_array as diagonal

        sharpness, gap, d, tie = self.differences(x)
        _, by_d, _, by_tie, mixed = derivatives(root(d), self.total, self.tied, self.margin, tie, False)
        slopes, slope, _ = self._slopes(x)
        half = slopes.T @ (diagonal(by_d) @ slopes / 2 + diagonal(mixed) @ self.ties)
        half = half + self.ties.T @ diagonal(by_tie) @ self.ties / 2
        if observed:
            half = half + self.sharpness.T @ diagonal(slope * sharpness) @ (
                self.skills + diagonal(gap) @ self.sharpness / 2
            )
        dense = half.toarray()
        return np.asarray(dense + dense.T + np.diag(self.precision))
