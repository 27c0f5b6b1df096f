"""The votes of several kinds of judges on one scale: their likelihood and its priors.

A vote of a judge of kind k follows Davidson's model with

    d = e^μ_k (r_right + b_k,right - r_left - b_k,left) - (h + m_k) · (1 if not on neutral ground),
    log of the tie parameter = log ν + c_k,

where r are the log-skills on the scale of kind 0, whose μ, c, m and b are 0. b_k,i is what kind k sees in
item i and kind 0 does not. A point x holds r, log ν, h, then b, μ, c and m of the other kinds; without an
order effect nothing depends on h. All are normal: r with the standard deviation s, b_k with τ_k, log ν with
3, the rest with 1.

d is the product of two linear functions of x plus a third, so the second derivatives are J'WJ plus the slope
by d times the second derivatives of d. Far from the optimum their sum may have negative eigenvalues. J'WJ has
none.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse import diags_array as diagonal

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.core.linear import dense
from podium.core.links import derivatives, loss, root, seen_score
from podium.core.smooth import Smooth
from podium.numerics.descent import Derivatives


def parts(x: Any, n: int) -> tuple[Any, Any, Any]:
    """Views of a point for n items: r, log ν and h; b by kind and item; μ, c and m by kind."""
    others = (len(x) - n - 2) // (n + 3)
    own, bias, habits = np.split(x, [n + 2, n + 2 + others * n])
    return own, bias.reshape(others, n), habits.reshape(3, others)


@dataclass(frozen=True, eq=False)
class KindsProblem(Smooth):
    """Votes that were counted by kind, sides and ground.

    The rows of the sparse matrices are linear functions of a point: the difference of the skills, the rest of
    d, and the logarithms of the sharpness and of the tie parameter. ``counts`` are all votes, the ties, and
    how many more votes the right side has.
    """

    n_items: int
    skills: Any
    places: Any
    sharpness: Any
    ties: Any
    counts: Any
    precision: Floats  # of the normal priors
    convex = False

    @classmethod
    def of(cls, c: Comparisons, kind: Any, others: int, order_effect: bool) -> "KindsProblem":
        """Count the votes; ``kind`` has 0 for the scale's kind and 1, 2, ... for the others."""
        n, home = c.n_items, np.ones(len(c), bool) if c.neutral is None else ~c.neutral
        key = ((kind * 2 + home) * n + c.left) * n + c.right
        first, cell = np.unique(key, return_index=True, return_inverse=True)[1:]
        end, size, here = n + 2 + others * n, n + 2 + others * (n + 3), home[first][:, None] * 1.0

        def at(start: int, block: Any) -> Any:
            """A block of columns from ``start`` on; dense if it is small, since sparse took 4 × as long."""
            block = csr_array(block)
            found = csr_array((block.data, block.indices + start, block.indptr), shape=(len(first), size))
            return found.toarray() if len(first) * size < 1e6 else found

        gap = np.eye(n)[c.right[first]] - np.eye(n)[c.left[first]]
        other = np.eye(others + 1)[kind[first], 1:]
        seen = (at(n + 2 + k * n, other[:, [k]] * gap) for k in range(others))
        results = (1.0, c.outcome == 0, c.outcome)
        counts = tuple(np.bincount(cell, c.mass * np.asarray(of, np.float64)) for of in results)
        places = at(n + 1, -here * order_effect) + at(end + 2 * others, -here * other)
        ties = at(n, np.ones_like(here)) + at(end + others, other)
        return cls(n, sum(seen, at(0, gap)), places, at(end, other), ties, counts, np.ones(size))

    def with_scales(self, s: float, tau: Floats) -> "KindsProblem":
        """The same votes, with these standard deviations of skills and of b."""
        own, bias, _ = parts(precision := np.ones_like(self.precision), self.n_items)
        own[: self.n_items], own[self.n_items], bias[:] = s**-2, 1 / 9, tau[:, None] ** -2
        return replace(self, precision=precision)

    def start(self) -> Floats:
        return np.zeros_like(self.precision)

    def scale(self) -> Floats:
        """The votes that say something about each parameter, and its prior."""
        touched = abs(self.skills) + abs(self.places) + self.sharpness + self.ties
        return np.asarray(touched.T @ self.counts[0] + self.precision)

    def loss(self, x: Floats) -> float:
        d = np.exp(self.sharpness @ x) * (self.skills @ x) + self.places @ x
        value = loss(d, *self.counts, np.exp(self.ties @ x), False)
        return float(value.sum() - self.counts[1] @ (self.ties @ x))

    def objective(self, x: Floats) -> float:
        return self.loss(x) + float(self.precision @ x**2) / 2

    def _slopes(self, x: Floats) -> tuple[Any, Any]:
        """The derivatives of d by x, and what `links.derivatives` says about the cells."""
        sharpness, gap, tie = np.exp(self.sharpness @ x), self.skills @ x, np.exp(self.ties @ x)
        by_point = diagonal(sharpness) @ (self.skills + diagonal(gap) @ self.sharpness) + self.places
        return by_point, derivatives(root(sharpness * gap + self.places @ x), *self.counts, tie, False)

    def derivatives(self, x: Floats) -> Derivatives:
        slopes, (score, _, ties, *_) = self._slopes(x)
        gradient = slopes.T @ (seen_score(*self.counts, False) - score) + self.precision * x
        return Derivatives(gradient + self.ties.T @ (ties - self.counts[1]), self.scale())

    def information(self, x: Floats, *, observed: bool = True) -> Floats:
        """The second derivatives, or only J'WJ and the prior, which are positive definite everywhere."""
        slopes, (score, by_d, _, by_tie, mixed) = self._slopes(x)
        half = slopes.T @ (diagonal(by_d / 2) @ slopes + diagonal(mixed) @ self.ties)
        half = half + self.ties.T @ diagonal(by_tie / 2) @ self.ties
        if observed:
            bent = self.skills + diagonal(self.skills @ x / 2) @ self.sharpness
            slope = (seen_score(*self.counts, False) - score) * np.exp(self.sharpness @ x)
            half = half + self.sharpness.T @ diagonal(slope) @ bent
        return np.asarray(dense(half + half.T) + np.diag(self.precision))
