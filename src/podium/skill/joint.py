"""The joint distribution of the errors of the skills: a covariance, random draws, or independence.

Whether one item is better than another, or than an anchor, depends on the error of their *difference*. If
two leagues are joined by few games, all skills of a league share one large error, which cancels out within
the league. If there are few items, the covariance matrix is computed. The errors of many well connected items
are almost independent. For many items that are not well connected, errors are drawn at random, and the draws
give the error of every difference.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats, Index
from podium.numerics.compiled import njit
from podium.numerics.threads import in_threads

# Ranks count the better items in blocks of this many, sorted by skill; a block is counted or skipped as a
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


class Joint(Protocol):
    """The joint distribution of the errors of all log-skills."""

    @property
    def covariance(self) -> Floats: ...

    def variances_to(self, i: int) -> Floats:
        """The variance of the difference between every log-skill and that of item i."""

    def ranks(self, theta: Floats, quantile: float) -> Index:
        """1 + the number of items with θ_j - θ_i > quantile · (the standard error of that difference)."""

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

    def ranks(self, theta: Floats, quantile: float) -> Index:
        rank = np.ones(len(theta), dtype=np.int64)
        for i in range(len(theta)):
            rank[i] += np.count_nonzero(theta - theta[i] > quantile * np.sqrt(self.variances_to(i)))
        return rank

    def draws(self, n: int, rng: np.random.Generator) -> Floats:
        values, vectors = np.linalg.eigh(self.covariance)
        root = (vectors * np.sqrt(values.clip(min=0))) @ vectors.T  # unlike the eigenvectors, it is unique
        return np.asarray(rng.standard_normal((n, len(values))) @ root)

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

    def ranks(self, theta: Floats, quantile: float) -> Index:
        order = np.argsort(-theta, kind="stable")
        rank = np.empty(len(theta), dtype=np.int64)
        rank[order] = _independent_ranks(theta[order], self.variance[order], quantile)
        return rank

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

    def ranks(self, theta: Floats, quantile: float) -> Index:
        from scipy.special import ndtr, stdtrit

        order = np.argsort(-theta, kind="stable")
        n_draws = max(MOST_PRODUCTS // len(theta) ** 2, FEWEST_DRAWS)
        theta, errors = theta[order], np.ascontiguousarray(self.errors[order, :n_draws])
        error = np.sqrt((errors**2).mean(axis=1, dtype=np.float64))
        rank = np.ones(len(theta), dtype=np.int64)
        ends = np.linspace(0, len(theta), PARTS + 1).astype(np.int64)
        few = np.ascontiguousarray(errors[:, :GLANCE])  # enough for most pairs, and contiguous
        beyond = max(quantile / 8, 1.0)  # a tail beyond 8 is too small for a number
        quantile = beyond * float(-stdtrit(errors.shape[1], ndtr(-quantile / beyond)))  # Student's t

        def count(part: int) -> Index:
            return np.asarray(_drawn_ranks(theta, few, errors, error, quantile, ends[part], ends[part + 1]))

        for part, found in enumerate(in_threads(count, range(PARTS))):
            rank[order[ends[part] : ends[part + 1]]] = found
        return rank

    def draws(self, n: int, rng: np.random.Generator) -> Floats:
        """Normal combinations of the draws; for few items, from the covariance of the draws."""
        n_items, k = self.errors.shape
        if n_items < k:
            return Dense(self.covariance).draws(n, rng)
        return np.asarray(rng.standard_normal((n, k), dtype=np.float32) @ self.errors.T / np.sqrt(k))

    def of(self, items: NDArray[Any]) -> "Drawn":
        return Drawn(self.errors[items])


def groups_of(component: Codes, keep: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """For every component, the positions in ``keep`` of its items."""
    for group in range(int(component.max(initial=-1)) + 1):
        members = np.flatnonzero(component[keep] == group)
        if len(members):
            yield members


@njit(cache=True, nogil=True)
def _independent_ranks(theta, variance, quantile):  # type: ignore[no-untyped-def]
    """Ranks of items that are sorted best first; a block is counted or skipped as a whole if possible."""
    n = len(theta)
    n_blocks = (n + BLOCK - 1) // BLOCK
    least, most = np.empty(n_blocks), np.empty(n_blocks)
    for block in range(n_blocks):
        part = variance[block * BLOCK : (block + 1) * BLOCK]
        least[block], most[block] = part.min(), part.max()
    rank = np.ones(n, np.int64)
    for i in range(n):
        for block in range(i // BLOCK + 1):
            start, end = block * BLOCK, min((block + 1) * BLOCK, n)
            if theta[end - 1] > theta[i] + quantile * np.sqrt(variance[i] + most[block]):
                rank[i] += end - start
            elif theta[start] > theta[i] + quantile * np.sqrt(variance[i] + least[block]):
                for j in range(start, end):
                    rank[i] += theta[j] - theta[i] > quantile * np.sqrt(variance[i] + variance[j])
    return rank


@njit(cache=True, nogil=True, fastmath=True)
def _drawn_ranks(theta, few, errors, error, quantile, begin, stop):  # type: ignore[no-untyped-def]
    """Ranks of items ``begin`` to ``stop``, best first.

    The error of a difference is at most the sum of the two errors, so some blocks need no test.
    """
    n_blocks = (stop + BLOCK - 1) // BLOCK
    most = np.empty(n_blocks)
    for block in range(n_blocks):
        most[block] = error[block * BLOCK : (block + 1) * BLOCK].max()
    square, rank = np.float32(quantile * quantile / few.shape[1]), np.ones(stop - begin, np.int64)
    for i in range(begin, stop):
        for block in range(i // BLOCK + 1):
            start, end = block * BLOCK, min((block + 1) * BLOCK, i)
            if end > start and theta[end - 1] - theta[i] > quantile * (error[i] + most[block]):
                rank[i - begin] += end - start
                continue
            for j in range(start, end):
                gap, total = np.float32(theta[j] - theta[i]), np.float32(0.0)
                for c in range(few.shape[1]):
                    total += (few[j, c] - few[i, c]) * (few[j, c] - few[i, c])
                if gap > 0.0 and SURE * gap * gap > square * total:
                    rank[i - begin] += _is_better(gap / quantile, errors[j], errors[i])
    return rank


@njit(cache=True, nogil=True, fastmath=True)
def _is_better(gap, a, b):  # type: ignore[no-untyped-def]
    """Whether the root mean square of a - b is below the gap."""
    total = np.float32(0.0)
    for c in range(len(a)):
        total += (a[c] - b[c]) * (a[c] - b[c])
    return gap * gap * len(a) > total
