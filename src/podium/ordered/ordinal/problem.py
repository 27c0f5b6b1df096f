"""Support vector ordinal regression: thresholds b_1 ≤ ... ≤ b_k cut the scores w·x into ordered classes.

An input of class y (0, ..., k) lies above the thresholds 1, ..., y and below the others. With costs c:

    minimise over w, b   ½ w'w + Σ_i c_i [ Σ_{j ≤ y_i} (1 - w·x_i + b_j)₊ + Σ_{j > y_i} (1 + w·x_i - b_j)₊ ]

where j runs over *all* thresholds, implicit constraints, eq. (4) of [SwappedPairs] (the order of b then
holds by itself), or over the one or two thresholds of the class itself, explicit constraints, the order
b_1 ≤ ... ≤ b_k being demanded [Chu and Keerthi 2005]. With a row (i, j) for every such hinge, and σ = 1 where
the input is above b_j, else -1, the dual is

    maximise  Σ α - ½‖v‖²,  v = Σ σ α x,   where 0 ≤ α ≤ c and Σ_{rows of j} σ α = μ_{j-1} - μ_j for every j

with multipliers μ ≥ 0 of the order, μ_0 = μ_k = 0 (and all of them 0 without that constraint).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.features import is_sparse
from podium.numerics.hinge import best_bias


class Rows(NamedTuple):
    """A row for every hinge, by threshold."""

    item: Positions
    threshold: Positions
    sign: Floats
    cost: Floats


@dataclass(frozen=True)
class Ordinal:
    """The problem at the head of this file.

    Rows of X are sorted by class; those of class y are from ``begin[y]`` to ``begin[y + 1]``, at least one.
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
        """Of every threshold: its first input, the first one above it, and the end of its inputs."""
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
        """Some of the inputs with the costs of all, unless a class is missing among them."""
        chosen = np.arange(self.begin[-1])[part]
        begin = np.searchsorted(chosen, self.begin)
        if not np.diff(begin).all():
            return None
        cost = self.cost[part]
        return Ordinal(rows_of(self.X, chosen), begin, cost * (self.cost.sum() / cost.sum()), self.explicit)

    def loss(self, f: Floats, b: Floats) -> float:
        """Of the scores f, with the true hinge."""
        rows = self.rows
        return float(rows.cost @ np.maximum(1.0 - rows.sign * (f[rows.item] - b[rows.threshold]), 0.0))


def best_thresholds(problem: Ordinal, f: Floats) -> Floats:
    """The thresholds with the least loss for scores f, which are weighted quantiles.

    Explicit constraints: neighbours in the wrong order become one threshold [pool adjacent violators].
    With implicit constraints that happens by rounding alone.
    """
    ends, cost = problem.ends, problem.cost

    def best(first: int, last: int) -> float:
        below = [slice(*ends[j, :2]) for j in range(first, last)]
        above = [slice(*ends[j, 1:]) for j in range(first, last)]
        score = np.concatenate([f[part] + 1.0 for part in below] + [f[part] - 1.0 for part in above])
        costs = np.concatenate([cost[part] for part in below + above])
        return best_bias(score, costs, sum(part.stop - part.start for part in below))

    pools: list[tuple[int, int, float]] = []
    for j in range(problem.n_thresholds):
        pool = (j, j + 1, best(j, j + 1))
        while pools and pools[-1][2] > pool[2]:
            first = pools.pop()[0]
            pool = (first, j + 1, best(first, j + 1))
        pools.append(pool)
    return np.concatenate([np.full(last - first, b) for first, last, b in pools])


def sorted_by_class(X: Any, level: Positions, cost: Floats, explicit: bool) -> tuple[Ordinal, Positions]:
    """The problem for inputs of the classes ``level``, from 0 on, and the order in which it has them."""
    begin = np.append(0, np.cumsum(np.bincount(level)))
    short = np.int16 if len(begin) < 2**15 else np.int64  # which takes no comparisons
    order = np.argsort(level.astype(short), kind="stable")
    return Ordinal(rows_of(X, order), begin, cost[order], explicit), order


def rows_of(X: Any, chosen: Positions) -> Any:
    """X[chosen], which for dense inputs takes twice as long."""
    return X[chosen] if is_sparse(X) else X.take(chosen, axis=0)
