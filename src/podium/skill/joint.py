"""The joint distribution of the errors of the skills: a covariance, random draws, or independence.

Whether one item is better than another, or than an anchor, depends on the error of their *difference*. If
two leagues are joined by few games, all skills of a league share one large error, which cancels out within
the league. If there are few items, the covariance matrix is computed. The errors of many well connected items
are almost independent. For many items that are not well connected, errors are drawn at random, and the draws
give the error of every difference.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats, Index
from podium.numerics.compiled import njit
from podium.numerics.threads import in_threads

# Better items are counted in blocks of this many, sorted by skill; a block is counted or skipped as a
# whole if possible. On 12,000 items this is 3 to 8 times as fast if their errors are independent, and 1.5
# times as fast if their errors are drawn and the items are far apart.
BLOCK = 256
PARTS = 32  # the number of tasks that the threads share
# A pair is first tested on GLANCE draws. Only if z² is at least a quarter (1 / SURE) of its threshold there,
# all draws are used. On 12,000 items this is 2.8 times as fast.
GLANCE, SURE = 16, 4.0
# The number of draws is limited so that all pairs together take about MOST_PRODUCTS operations, but it is at
# least FEWEST_DRAWS. Above 14,000 items it is less than 512; 100,000 items use 64.
FEWEST_DRAWS, MOST_PRODUCTS = 64, 10**11
DRAWS = 512  # at most: the error of a difference is then off by 3.1 %
TOGETHER = 16  # draws that are solved together; their signs are the bits of a 16-bit number


class Certain(NamedTuple):
    """For every item, how many others are certainly better and how many certainly worse."""

    better: Index
    worse: Index


class Joint(Protocol):
    """The joint distribution of the errors of all log-skills."""

    @property
    def covariance(self) -> Floats: ...

    def variances_to(self, i: int) -> Floats:
        """The variance of the difference between every log-skill and that of item i."""

    def certain(self, theta: Floats, quantile: float) -> Certain:
        """Item j is certainly better than i if θ_j - θ_i > quantile · (its standard error)."""

    def draws(self, n: int, rng: np.random.Generator) -> Floats:
        """Normal random errors, one row per draw."""

    def of(self, items: NDArray[Any]) -> "Joint":
        """The joint distribution of some of the items."""


@dataclass(frozen=True)
class Dense:
    """A covariance matrix."""

    covariance: Floats

    def variances_to(self, i: int) -> Floats:
        own = np.diag(self.covariance)
        return np.asarray((own + own[i] - 2 * self.covariance[i]).clip(min=0))

    def certain(self, theta: Floats, quantile: float) -> Certain:
        return certain(self, theta, lambda error: quantile * error)

    @property
    def root(self) -> Floats:
        """The symmetric root of the covariance; unlike the eigenvectors, it is unique."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.asarray((vectors * np.sqrt(values.clip(min=0))) @ vectors.T)

    def draws(self, n: int, rng: np.random.Generator) -> Floats:
        return np.asarray(rng.standard_normal((n, len(self.covariance))) @ self.root)

    def of(self, items: NDArray[Any]) -> "Dense":
        return Dense(self.covariance[np.ix_(items, items)])


@dataclass(frozen=True)
class Independent:
    """Independent errors; the variance is infinite if nothing is known."""

    variance: Floats

    @property
    def covariance(self) -> Floats:
        return np.diag(self.variance)

    def variances_to(self, i: int) -> Floats:
        found: Floats = self.variance + self.variance[i]
        found[i] = 0.0
        return found

    def certain(self, theta: Floats, quantile: float) -> Certain:
        order, place = np.argsort(-theta, kind="stable"), np.empty(len(theta), dtype=np.int64)
        place[order] = np.arange(len(theta))
        better, worse = _certain_if_independent(theta[order], self.variance[order], quantile)
        return Certain(better[place], worse[place])

    def draws(self, n: int, rng: np.random.Generator) -> Floats:
        error = np.sqrt(np.where(np.isfinite(self.variance), self.variance, 1.0))
        return np.asarray(rng.standard_normal((n, len(error))) * error)

    def of(self, items: NDArray[Any]) -> "Independent":
        return Independent(self.variance[items])


@dataclass(frozen=True)
class Drawn:
    """Random draws of the errors, one row per item; with K draws an error is accurate to 1 / √(2K)."""

    errors: NDArray[np.float32]

    @property
    def covariance(self) -> Floats:
        errors = self.errors.astype(np.float64)
        return np.asarray(errors @ errors.T / errors.shape[1])

    def variances_to(self, i: int) -> Floats:
        return np.asarray(((self.errors - self.errors[i]).astype(np.float64) ** 2).mean(axis=1))

    def variances(self) -> Floats:
        return np.asarray((self.errors.astype(np.float64) ** 2).mean(axis=1))

    def certain(self, theta: Floats, quantile: float) -> Certain:
        from scipy.special import ndtr, stdtrit

        order, place = np.argsort(-theta, kind="stable"), np.empty(len(theta), dtype=np.int64)
        place[order] = np.arange(len(theta))
        n_draws = max(MOST_PRODUCTS // len(theta) ** 2, FEWEST_DRAWS)
        theta, errors = theta[order], np.ascontiguousarray(self.errors[order, :n_draws])
        error = np.sqrt((errors**2).mean(axis=1, dtype=np.float64))
        better, worse = np.zeros(len(theta), dtype=np.int64), np.zeros(len(theta), dtype=np.int64)
        ends = np.linspace(0, len(theta), PARTS + 1).astype(np.int64)
        few = np.ascontiguousarray(errors[:, :GLANCE])  # enough for most pairs, and contiguous
        beyond = max(quantile / 8, 1.0)  # a tail beyond 8 is too small for a number
        quantile = beyond * float(-stdtrit(errors.shape[1], ndtr(-quantile / beyond)))  # Student's t

        def count(part: int) -> Any:
            return _certain_by_draws(theta, few, errors, error, quantile, ends[part], ends[part + 1])

        for part, (more, fewer) in enumerate(in_threads(count, range(PARTS))):
            better[ends[part] : ends[part + 1]] = more
            worse[: len(fewer)] += fewer
        return Certain(better[place], worse[place])

    def draws(self, n: int, rng: np.random.Generator) -> Floats:
        """Normal combinations of the draws; for few items, from the covariance of the draws."""
        n_items, k = self.errors.shape
        if n_items < k:
            return Dense(self.covariance).draws(n, rng)
        return np.asarray(rng.standard_normal((n, k), dtype=np.float32) @ self.errors.T / np.sqrt(k))

    def of(self, items: NDArray[Any]) -> "Drawn":
        return Drawn(self.errors[items])


def certain(joint: Joint, theta: Floats, width: Callable[[Floats], Floats]) -> Certain:
    """`Joint.certain`, from half the widths of intervals given the standard errors of the differences."""
    better, worse = np.zeros(len(theta), dtype=np.int64), np.zeros(len(theta), dtype=np.int64)
    for i in range(len(theta)):
        is_better = theta - theta[i] > width(np.sqrt(joint.variances_to(i)))
        better[i] = np.count_nonzero(is_better)
        worse += is_better
    return Certain(better, worse)


def groups_of(component: Codes, keep: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """For every component, the positions in ``keep`` of its items."""
    for group in range(int(component.max(initial=-1)) + 1):
        members = np.flatnonzero(component[keep] == group)
        if len(members):
            yield members


@njit(cache=True, nogil=True)
def _certain_if_independent(theta, variance, quantile):  # type: ignore[no-untyped-def]
    """`Certain` of items that are sorted best first; a block is counted or skipped as a whole if possible."""
    n = len(theta)
    n_blocks = (n + BLOCK - 1) // BLOCK
    least, most = np.empty(n_blocks), np.empty(n_blocks)
    for block in range(n_blocks):
        part = variance[block * BLOCK : (block + 1) * BLOCK]
        least[block], most[block] = part.min(), part.max()
    better, worse, whole = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n_blocks, np.int64)
    for i in range(n):
        for block in range(i // BLOCK + 1):
            start, end = block * BLOCK, min((block + 1) * BLOCK, n)
            if theta[end - 1] > theta[i] + quantile * np.sqrt(variance[i] + most[block]):
                better[i] += end - start
                whole[block] += 1
            elif theta[start] > theta[i] + quantile * np.sqrt(variance[i] + least[block]):
                for j in range(start, end):
                    is_better = theta[j] - theta[i] > quantile * np.sqrt(variance[i] + variance[j])
                    better[i] += is_better
                    worse[j] += is_better
    for j in range(n):
        worse[j] += whole[j // BLOCK]
    return better, worse


@njit(cache=True, nogil=True, fastmath=True)
def _certain_by_draws(theta, few, errors, error, quantile, begin, stop):  # type: ignore[no-untyped-def]
    """How many items are better than each of ``begin`` to ``stop``, best first; how many of these are worse.

    The error of a difference is at most the sum of the two errors, so some blocks need no test.
    """
    n_blocks = (stop + BLOCK - 1) // BLOCK
    most = np.empty(n_blocks)
    for block in range(n_blocks):
        most[block] = error[block * BLOCK : (block + 1) * BLOCK].max()
    square, whole = np.float32(quantile * quantile / few.shape[1]), np.zeros(n_blocks, np.int64)
    better, worse = np.zeros(stop - begin, np.int64), np.zeros(stop, np.int64)
    for i in range(begin, stop):
        for block in range(i // BLOCK + 1):
            start, end = block * BLOCK, min((block + 1) * BLOCK, i)
            is_whole = end == start + BLOCK  # a part of one is tested pair by pair
            if is_whole and theta[end - 1] - theta[i] > quantile * (error[i] + most[block]):
                better[i - begin] += BLOCK
                whole[block] += 1
                continue
            for j in range(start, end):
                gap, total = np.float32(theta[j] - theta[i]), np.float32(0.0)
                for c in range(few.shape[1]):
                    total += (few[j, c] - few[i, c]) * (few[j, c] - few[i, c])
                if gap > 0.0 and SURE * gap * gap > square * total:
                    is_better = _is_better(gap / quantile, errors[j], errors[i])
                    better[i - begin] += is_better
                    worse[j] += is_better
    for j in range(stop):
        worse[j] += whole[j // BLOCK]
    return better, worse


@njit(cache=True, nogil=True, fastmath=True)
def _is_better(gap, a, b):  # type: ignore[no-untyped-def]
    """Whether the root mean square of a - b is below the gap."""
    total = np.float32(0.0)
    for c in range(len(a)):
        total += (a[c] - b[c]) * (a[c] - b[c])
    return gap * gap * len(a) > total
