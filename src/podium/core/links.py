"""Models of ties: from the difference of two sides to probabilities, losses and their derivatives.

Let d be the difference of the log-skills, right minus left (plus what else matters), and x = exp(d / 2).

- Davidson: left wins, tie, right wins in the proportions 1 : ν x : x². Without ties (ν = 0) this is the model
  of Bradley and Terry, eq. (2) of [GeneralizedBT]. The expected score and the expected ties say it all: the
  loss is n log(1/x + ν + x), minus what was seen of both.
- Rao and Kupper: left wins with probability 1 / (1 + κ x²), right with x² / (x² + κ), κ >= 1; else a tie,
  with (κ² - 1) times both. So a tie is a win of each side, and a term that depends on κ only.

With grades k = -G to G, by how much a side is better, each of them goes on in its own way:

- Adjacent categories (Davidson): P(k) ∝ exp(k d / 2 + λ of |k|), where λ of the smallest |k| above 0 is 0 and
  λ of 0 is log ν. For G = 1 this is Davidson's model.
- Cumulative (Rao and Kupper): P(at most k) = σ(c - d), with 2G cuts c that are symmetric around 0. The
  smallest above 0 is log κ. A grade lies between two cuts, so it is a win of each side, and a term that
  depends on the cuts only. For G = 1 this is the model of Rao and Kupper.

No other file may know this. The functions with `register_jitable` are arithmetic. Compiled code calls them
with numbers; from Python they take arrays. All derivatives are by d, and by the logarithm of ν or κ.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from podium.arrays.devices.boundary import computed_in_numpy
from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit

FURTHEST = 300.0  # |d| / 2 is cut here: x² times a tie parameter of up to 1e47 is still finite
WIDE = 2 * FURTHEST  # if log-skills span more than this, skills overflow
EQUAL = 1e-8  # probabilities that differ by less are equal
# The mean over a normal difference, by Gauss and Hermite; relative errors are below 2e-7 up to the standard
# deviation FAR. Beyond it, by a grid over ± REACH standard deviations.
FAR, NODES = 1.2, 16
REACH, STEP, MOST_NODES = 7.0, 0.8, 500
NODE, SHARE = np.polynomial.hermite_e.hermegauss(NODES)
SHARE /= SHARE.sum()


class Link(NamedTuple):
    """A model of ties with its parameter, ν or κ; ν is infinite if there were only ties."""

    tie: float
    rao_kupper: bool = False

    @classmethod
    def of(cls, ties: str, tie: float) -> Self:
        """The link of a model as users name it; models that split or drop ties have none."""
        return cls(float(tie) if ties in ("davidson", "rao-kupper") else 0.0, ties == "rao-kupper")


class Scores(NamedTuple):
    """Derivatives of the log-probabilities of the outcomes -1, 0 and 1, or of all grades, which are the rows.

    With grades ``tie`` has such a table for each parameter.
    """

    difference: Floats
    tie: Floats


# --------------------------------------------------------------------------------- each model, written once


@register_jitable
def davidson(x, nu):  # type: ignore[no-untyped-def]
    """P(left wins), P(tie), P(right wins)."""
    z = 1.0 / (1.0 + x * (nu + x))
    return z, nu * x * z, x * x * z


@register_jitable
def rao_kupper(x, kappa):  # type: ignore[no-untyped-def]
    """P(left wins), P(left does not), P(right wins), P(right does not)."""
    square = x * x
    y, z = 1.0 / (1.0 + kappa * square), 1.0 / (square + kappa)
    return y, kappa * square * y, square * z, kappa * z


@register_jitable
def outcomes(x, tie, is_rao_kupper):  # type: ignore[no-untyped-def]
    """P(left wins), P(tie), P(right wins)."""
    if is_rao_kupper:
        left, _, right, _ = rao_kupper(x, tie)
        return left, (tie * tie - 1.0) * left * right, right
    return davidson(x, tie)


@register_jitable
def seen_score(n, ties, margin, is_rao_kupper):  # type: ignore[no-untyped-def]
    """The score of the left side; a tie counts ½, or 1 in Rao and Kupper's model."""
    return 0.5 * (n + is_rao_kupper * ties - margin)


@register_jitable
def derivatives(x, n, ties, margin, tie, is_rao_kupper):  # type: ignore[no-untyped-def]
    """What n comparisons of two sides add to the derivatives of the loss.

    Of them, ``ties`` are ties, and right won ``margin`` more than left. Returns the expected score of the
    left side, which is that seen minus the derivative by d, the curvature by d, the derivative and
    curvature by the tie parameter (both without `tie_term`), and the mixed derivative. Without a model of
    ties, ``tie`` may be None.
    """
    if tie is None:
        left = 1.0 / (1.0 + x * x)
        return n * left, n * left * (x * x * left), 0.0, 0.0, 0.0
    if is_rao_kupper:
        left, not_left, right, not_right = rao_kupper(x, tie)
        a, b = 0.5 * (n + ties + margin) * not_right, 0.5 * (n + ties - margin) * not_left
        curvature_a, curvature_b = a * right, b * left
        score = seen_score(n, ties, margin, True) + a - b
        return score, curvature_a + curvature_b, a + b, curvature_a + curvature_b, curvature_b - curvature_a
    left, tied, right = davidson(x, tie)
    decided, tied = left + right, n * tied
    curvature = n * left * right + 0.25 * tied * decided
    return n * left + 0.5 * tied, curvature, tied, tied * decided, 0.5 * tied * (left - right)


@register_jitable
def loss(d, n, ties, margin, tie, is_rao_kupper):  # type: ignore[no-untyped-def]
    """The negative log-likelihood of the comparisons of `derivatives`, without `tie_term`."""
    if is_rao_kupper:
        a = 0.5 * (n + ties + margin) * np.logaddexp(0.0, np.log(tie) - d)
        return a + 0.5 * (n + ties - margin) * np.logaddexp(0.0, np.log(tie) + d)
    half = 0.5 * np.abs(d)
    x = np.exp(-half)  # stronger : tie : weaker = 1 : ν x : x²
    return n * (half + np.log1p(x * (tie + x))) - 0.5 * margin * d


@register_jitable
def tie_term(log_tie, is_rao_kupper):  # type: ignore[no-untyped-def]
    """What a tie adds to the log-likelihood, log ν or log(κ² - 1), and its first two derivatives."""
    if is_rao_kupper:
        slope = 2.0 / -np.expm1(-2.0 * log_tie)
        return np.log(np.expm1(2.0 * log_tie)), slope, -1.0 / np.sinh(log_tie) ** 2
    return log_tie, 1.0, 0.0


@register_jitable
def root(d):  # type: ignore[no-untyped-def]
    """The square root x of the odds of the right side."""
    return np.exp(np.minimum(np.maximum(0.5 * d, -FURTHEST), FURTHEST))


@njit(cache=True, nogil=True)
def mean_outcomes(d, error, tie, is_rao_kupper, table):  # type: ignore[no-untyped-def]
    """Fill a table with the outcomes of normal differences with means d and standard deviations ``error``."""
    for g in range(len(d)):
        node, share = (NODE, SHARE) if error[g] <= FAR else _grid(error[g])
        table[g] = 0.0
        for k in range(len(node)):
            left, tied, right = outcomes(root(d[g] + error[g] * node[k]), tie, is_rao_kupper)
            table[g, 0] += share[k] * left
            table[g, 1] += share[k] * tied
            table[g, 2] += share[k] * right


@njit(cache=True, nogil=True)
def _grid(error):  # type: ignore[no-untyped-def]
    """Nodes and shares of the trapezoidal rule, with steps of the difference of at most `STEP`.

    Probabilities are analytic for |imaginary part of d| < π, so the error is about e^(-2π² / STEP).
    """
    n = 2 + int(min(2 * REACH * error / STEP, MOST_NODES))
    node = np.linspace(-REACH, REACH, n)
    share = np.exp(-0.5 * node * node)
    return node, share / share.sum()


# -------------------------------------------------------------------------------------------- with grades


@dataclass(frozen=True)
class GradedLink:
    """A model of grades; ``levels`` are the |grades| that occurred, ascending, and the only possible ones.

    There is one parameter fewer than levels: λ of all levels but the smallest above 0, or the cuts.
    """

    levels: Floats
    parameters: Floats
    rao_kupper: bool  # cumulative

    @cached_property
    def grades(self) -> Floats:
        return np.concatenate([-self.levels[self.levels > 0][::-1], self.levels])

    @property
    def of_grades(self) -> Floats:
        """The parameters but for log ν."""
        return self.parameters[int(self.levels[0] == 0 and not self.rao_kupper) :]

    def rows_in(self, n: int) -> NDArray[np.int64]:
        """Where the possible grades are in a table of n grades, -G to G."""
        return n // 2 + self.grades.astype(np.int64)

    @cached_property
    def moves(self) -> Floats:
        """What d and each parameter do: to the log-odds of the grades (columns), or to the cuts between them.

        With cuts there is a column before the first grade and one after the last, which do not move.
        """
        m = len(self.parameters)
        if not self.rao_kupper:
            free = np.delete(self.levels, int(self.levels[0] == 0))
            return np.vstack([self.grades / 2, np.abs(self.grades) == free[:, None]])
        middle = np.zeros((m, int(self.levels[0] > 0)))
        cuts = np.pad(np.hstack([-np.eye(m)[:, ::-1], middle, np.eye(m)]), ((0, 0), (1, 1)))
        return np.vstack([-1.0 * (np.arange(len(self.grades) + 1) % len(self.grades) > 0), cuts])

    @cached_property
    def cuts(self) -> Floats:
        found = self.parameters @ self.moves[1:]
        found[0], found[-1] = -np.inf, np.inf
        return np.asarray(found)

    def log_probability(self, d: Floats) -> Floats:
        """One row per grade."""
        if self.rao_kupper:
            above, below = self.cuts[1:, None] - d, d - self.cuts[:-1, None]
            width = np.log(-np.expm1(-np.diff(self.cuts)))
            return np.asarray(width[:, None] - np.logaddexp(0.0, -above) - np.logaddexp(0.0, -below))
        height = self.moves[0][:, None] * d + (self.parameters @ self.moves[1:])[:, None]
        return np.asarray(height - np.logaddexp.reduce(height, axis=0))

    def scores(self, d: Floats) -> Floats:
        """The derivatives of the log-probabilities by d and by each parameter, one row per grade."""
        if not self.rao_kupper:
            mean = self.moves @ np.exp(self.log_probability(d))
            return np.asarray(self.moves[:, :, None] - mean[:, None])
        is_above = 1 / (1 + np.exp(np.minimum(self.cuts[:, None] - d, WIDE)))  # d is above the cut
        pull = 1 / np.expm1(np.diff(self.cuts))
        upper, lower = is_above[1:] + pull[:, None], 1 - is_above[:-1] + pull[:, None]
        return np.asarray(self.moves[:, 1:, None] * upper - self.moves[:, :-1, None] * lower)

    def information(self, d: Floats, seen: Floats) -> tuple[Floats, Floats, Floats]:
        """The second derivatives of the loss of what was seen (one row per grade).

        By d; by d and each parameter; by the parameters, summed over all d.
        """
        own = self.moves[1:]
        if not self.rao_kupper:
            p, total = np.exp(self.log_probability(d)), seen.sum(axis=0)
            mean, parts = self.moves @ p, self.moves[:, None] * self.moves
            by_d = total * (parts[0] @ p - mean[0] * mean)
            return by_d[0], by_d[1:], parts[1:, 1:] @ p @ total - (total * mean[1:]) @ mean[1:].T
        weight = np.exp(-np.abs(self.cuts[1:-1, None] - d))
        weight = weight / (1 + weight) ** 2 * (seen[1:] + seen[:-1])
        inner, width, gap = own[:, 1:-1], np.diff(own), np.diff(self.cuts)
        narrow = seen.sum(axis=1) / (4 * np.sinh(np.minimum(gap, WIDE) / 2) ** 2)
        by_all = (inner * weight.sum(axis=1)) @ inner.T + (width * narrow) @ width.T
        return weight.sum(axis=0), -inner @ weight, by_all

    def never_falls(self, k: int) -> Floats:
        """What must be at least 0 in a direction (d, parameters) along which grade k never gets rarer."""
        if self.rao_kupper:
            return np.array([self.moves[:, k + 1], -self.moves[:, k]])
        return self.moves[:, k] - np.delete(self.moves, k, axis=1).T


# ------------------------------------------------------------------------------------------------- on arrays


@computed_in_numpy
def outcome_probabilities(difference: Floats, link: Link | GradedLink) -> Floats:
    """P(left wins), P(tie), P(right wins); differences on a device give probabilities there.

    >>> outcome_probabilities(np.array([0.0, np.log(3)]), Link(0.0))
    array([[0.5 , 0.  , 0.5 ],
           [0.25, 0.  , 0.75]])
    """
    if isinstance(link, GradedLink):
        return by_winner(link.grades, grade_probabilities(difference, link))
    d = np.asarray(difference, dtype=np.float64)
    if np.isposinf(link.tie):
        left = right = np.where(np.isnan(d), d, 0.0)
        equal = left + 1.0
    else:
        stronger, equal, weaker = outcomes(np.exp(-0.5 * np.abs(d)), *link)  # swapped sides: the same digits
        left, right = np.where(d > 0, weaker, stronger), np.where(d > 0, stronger, weaker)
    return np.stack([left, equal, right], axis=-1)


def mean_probabilities(difference: Floats, error: Floats, link: Link | GradedLink) -> Floats:
    """The probabilities of outcomes if the differences are normal, with these means and standard deviations.

    >>> mean_probabilities(np.array([np.log(3)]), np.array([1.0]), Link(0.0)).round(3)
    array([[0.286, 0.   , 0.714]])
    """
    if isinstance(link, GradedLink):
        return by_winner(link.grades, grade_probabilities(difference, link, error))
    if np.isposinf(link.tie):
        return outcome_probabilities(difference, link)
    table: Floats = np.empty((len(difference), 3))
    mean_outcomes(difference, error, link.tie, link.rao_kupper, table)
    return table


def grade_probabilities(difference: Floats, link: GradedLink, error: Floats | float = 0.0) -> Floats:
    """The probabilities of the possible grades; if differences have an ``error``, the means over it.

    They are then normal with this standard deviation.
    """
    node, share = _grid(max(float(np.max(error)), 2.0)) if np.any(error) else (np.zeros(1), np.ones(1))
    d = np.asarray(difference, dtype=np.float64)
    parts = (np.exp(link.log_probability(np.ravel(d + error * z))) for z in node)
    found = sum(part * weight for part, weight in zip(parts, share, strict=True))
    return np.asarray(np.transpose(found).reshape(*d.shape, len(link.grades)))


def by_winner(grades: Floats, table: Floats) -> Floats:
    """The last axis summed over the grades for the left side, for no side and for the right side."""
    return np.stack([table[..., np.sign(grades) == sign].sum(axis=-1) for sign in (-1, 0, 1)], axis=-1)


@computed_in_numpy
def most_probable(probability: Floats) -> NDArray[np.int8]:
    """The most probable of the outcomes -1, 0 and 1; 0 if -1 and 1 are equally probable, or all are nan.

    They are equally probable if they differ by less than the tolerance of a fit. Otherwise rounding would
    decide between items with equal results.

    >>> most_probable(np.array([[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.4, 0.2, 0.4]]))
    array([-1,  0,  0], dtype=int8)
    """
    left, tie, right = (probability[..., k] for k in range(3))
    decided = (tie < np.maximum(left, right)) & (np.abs(right - left) > EQUAL)  # False for nan
    return np.where(decided, np.sign(right - left), 0.0).astype(np.int8)


def information(difference: Floats, link: Link | GradedLink) -> Floats:
    """What one comparison tells about its difference: the expected curvature of its log-probability.

    >>> information(np.array([0.0, np.log(3)]), Link(0.0))
    array([0.25  , 0.1875])
    """
    d = np.asarray(difference, dtype=np.float64)
    if isinstance(link, GradedLink):
        flat = np.ravel(d)
        return link.information(flat, np.exp(link.log_probability(flat)))[0].reshape(d.shape)
    if np.isposinf(link.tie):
        return np.zeros_like(d)
    x = root(d)
    left, equal, right = outcomes(x, *link)
    return np.asarray(derivatives(x, 1.0, equal, right - left, *link)[1])


def scores(difference: Floats, link: Link | GradedLink) -> Scores:
    """The derivatives for each outcome; without a model of ties, a tie is half a win of each side.

    >>> scores(np.array([0.0, np.log(3)]), Link(0.0)).difference
    array([[-0.5 , -0.75],
           [ 0.  , -0.25],
           [ 0.5 ,  0.25]])
    """
    if isinstance(link, GradedLink):
        by_difference, *by_parameters = link.scores(difference)
        return Scores(by_difference, np.array(by_parameters))
    x, outcome = root(difference), np.array([[-1.0], [0.0], [1.0]])
    tied = 1.0 - np.abs(outcome)
    expected, _, by_tie, *_ = derivatives(x, 1.0, tied, outcome, *link)
    worth = tie_term(np.log(link.tie) if link.rao_kupper else 0.0, link.rao_kupper)[1]
    return Scores(expected - seen_score(1.0, tied, outcome, link.rao_kupper), worth * tied - by_tie)
