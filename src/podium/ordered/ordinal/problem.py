"""Support vector ordinal regression: thresholds b_1 ≤ ... ≤ b_k cut the scores w·x into ordered classes.

An input of class y (0, ..., k) lies above the thresholds 1, ..., y and below the others. With costs c:

    minimise over w, b   ½ w'w + Σ_i c_i [ Σ_{j ≤ y_i} (1 - w·x_i + b_j)₊ + Σ_{j > y_i} (1 + w·x_i - b_j)₊ ]

There are two variants. With implicit constraints, j runs over *all* thresholds, as in eq. (4) of
[SwappedPairs]; the order of b then holds by itself. With explicit constraints, j runs over the one or two
thresholds next to the class, and b_1 ≤ ... ≤ b_k is a constraint [Chu and Keerthi 2005].

There is one row (i, j) per hinge, with σ = 1 if the input should be above b_j, else -1. The dual is

    maximise  Σ α - ½‖v‖²,  v = Σ σ α x,   where 0 ≤ α ≤ c and Σ_{rows of j} σ α = μ_{j-1} - μ_j for every j

where μ ≥ 0 are the multipliers of the order, μ_0 = μ_k = 0. With implicit constraints all μ are 0.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.features import is_sparse
from podium.numerics.hinge import best_bias


class Rows(NamedTuple):
    """One row per hinge, sorted by threshold."""

    item: Positions
    threshold: Positions
    sign: Floats
    cost: Floats


@dataclass(frozen=True)
class Ordinal:
    """The problem at the head of this file.

    The inputs are sorted by class; those of class y are from ``begin[y]`` to ``begin[y + 1]``, at least one.
    """

    X: Any
    begin: Positions
    cost: Floats
    explicit: bool

    @property
    def n_thresholds(self) -> int:
        return len(self.begin) - 2

    @cached_property
    def ends(self) -> Positions:
        """For every threshold: its first input, the first input above it, and the end of its inputs."""
        begin, k = self.begin, self.n_thresholds
        if self.explicit:
            return np.column_stack([begin[:k], begin[1 : k + 1], begin[2:]])
        return np.column_stack([np.full(k, begin[0]), begin[1 : k + 1], np.full(k, begin[-1])])

    @cached_property
    def rows(self) -> Rows:
        item = np.concatenate([np.arange(start, end) for start, _, end in self.ends])
        threshold = np.repeat(np.arange(self.n_thresholds), self.ends[:, 2] - self.ends[:, 0])
        sign = np.where(item >= self.ends[threshold, 1], 1.0, -1.0)
        return Rows(item, threshold, sign, self.cost[item])

    def sample(self, part: slice) -> "Ordinal | None":
        """Some of the inputs, with the total cost of all; None if a class is missing among them."""
        chosen = np.arange(self.begin[-1])[part]
        begin = np.searchsorted(chosen, self.begin)
        if not np.diff(begin).all():
            return None
        cost = self.cost[part]
        return Ordinal(rows_of(self.X, chosen), begin, cost * (self.cost.sum() / cost.sum()), self.explicit)

    def loss(self, f: Floats, b: Floats) -> float:
        """The sum of the hinges at the scores f, not smoothed."""
        rows = self.rows
        return float(rows.cost @ np.maximum(1.0 - rows.sign * (f[rows.item] - b[rows.threshold]), 0.0))


def best_thresholds(problem: Ordinal, f: Floats) -> Floats:
    """The thresholds with the least loss for scores f, which are weighted quantiles.

    Neighbours in the wrong order are merged into one threshold (pool adjacent violators). With implicit
    constraints, only rounding errors make this necessary.
    """

    def best(first: int, last: int) -> float:
        """One threshold for the rows of several; the corner of a hinge is 1 above or below its score."""
        below = [slice(start, middle) for start, middle, _ in problem.ends[first:last]]
        above = [slice(middle, end) for _, middle, end in problem.ends[first:last]]
        corners = np.concatenate([*(f[rows] + 1.0 for rows in below), *(f[rows] - 1.0 for rows in above)])
        costs = np.concatenate([problem.cost[rows] for rows in below + above])
        return best_bias(corners, costs, sum(rows.stop - rows.start for rows in below))

    pools: list[tuple[int, int, float]] = []
    for j in range(problem.n_thresholds):
        pool = (j, j + 1, best(j, j + 1))
        while pools and pools[-1][2] > pool[2]:
            first = pools.pop()[0]
            pool = (first, j + 1, best(first, j + 1))
        pools.append(pool)
    return np.concatenate([np.full(last - first, b) for first, last, b in pools])


def sorted_by_class(X: Any, level: Positions, cost: Floats, explicit: bool) -> tuple[Ordinal, Positions]:
    """The problem with its inputs sorted by class (``level``, from 0 on), and the order that sorts them."""
    begin = np.append(0, np.cumsum(np.bincount(level)))
    short = np.int16 if len(begin) < 2**15 else np.int64  # NumPy has a faster sort for short integers
    order = np.argsort(level.astype(short), kind="stable")
    return Ordinal(rows_of(X, order), begin, cost[order], explicit), order


def rows_of(X: Any, chosen: Positions) -> Any:
    """X[chosen]; for dense inputs ``take`` needs half the time."""
    return X[chosen] if is_sparse(X) else X.take(chosen, axis=0)


def weighted_square(X: Any, weight: Floats) -> Floats:
    """X' diag(weight) X."""
    if is_sparse(X):
        return np.asarray((X.T @ X.multiply(weight[:, None]).tocsr()).toarray())
    return np.asarray((X * weight[:, None]).T @ X)
