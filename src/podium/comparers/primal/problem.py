"""The data of `fit` as arrays, items with features and pairs of them, and the passes over both."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats

CHUNK = 8_192  # pairs whose differences are formed at once: bounds the memory, and keeps a chunk in the cache
FEW_ITEMS = 0.5  # use the Laplacian of the items if it takes at most this share of the work of all d d'


@dataclass(frozen=True)
class LinearPairs:
    """Features of items, and pairs of items: ``upper`` is better than ``lower``, unless ``tie``."""

    X: Any
    lower: NDArray[np.int32]
    upper: NDArray[np.int32]
    tie: NDArray[np.bool_]
    cost: Floats

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def any_tie(self) -> bool:
        return bool(self.tie.any())

    @property
    def all_ties(self) -> bool:
        return bool(self.tie.all())

    @property
    def decisive_cost(self) -> float:
        return float(self.cost[~self.tie].sum())

    def project(self, u: Floats) -> Floats:
        """u·d of every pair, in one pass over the items."""
        s = self.X @ u
        return np.asarray(s[self.upper] - s[self.lower])

    def pull(self, a: Floats) -> Floats:
        """Σ a d over the pairs, in one pass over the items."""
        return np.asarray(self.X.T @ self._by_item(a))

    def pull_in_two(self, a: Floats, cut: int) -> Floats:
        """Σ a d over the pairs before ``cut`` and over the others, one column each, in one pass."""
        sides = [self._by_item(a, slice(0, cut)), self._by_item(a, slice(cut, None))]
        return np.asarray((np.stack(sides) @ self.X).T)

    def _by_item(self, a: Floats, rows: slice = slice(None)) -> Floats:
        """For every item, Σ a as the upper item of pairs minus Σ a as the lower item."""
        n_items = self.X.shape[0]
        upper, lower = (np.bincount(side[rows], a[rows], n_items) for side in (self.upper, self.lower))
        return np.asarray(upper - lower, dtype=np.float64)

    def chunks(self, rows: NDArray[np.intp]) -> Iterator[tuple[slice, Any]]:
        """The differences of some pairs, a few thousand at a time."""
        for start in range(0, len(rows), CHUNK):
            part = rows[start : start + CHUNK]
            yield slice(start, start + CHUNK), self.X[self.upper[part]] - self.X[self.lower[part]]

    def as_differences(self) -> "LinearPairs":
        """The same pairs, with d as an item of its own and 0 as the other: less to store for new items."""
        n = len(self)
        X = np.zeros((n + 1, self.n_features))
        for part, D in self.chunks(np.arange(n)):
            X[:-1][part] = D
        return LinearPairs(
            X, np.full(n, n, dtype=np.int32), np.arange(n, dtype=np.int32), self.tie, self.cost
        )

    def take(self, rows: NDArray[np.intp]) -> "LinearPairs":
        return LinearPairs(self.X, self.lower[rows], self.upper[rows], self.tie[rows], self.cost[rows])

    def sample(self, rows: NDArray[np.intp]) -> "LinearPairs":
        """Some of the pairs with only their items, the costs scaled up to the total of all pairs."""
        codes, inverse = np.unique(np.concatenate([self.lower[rows], self.upper[rows]]), return_inverse=True)
        lower, upper = np.split(inverse.astype(np.int32), 2)
        cost = self.cost[rows] * (self.cost.sum() / self.cost[rows].sum())
        return LinearPairs(self.X[codes], lower, upper, self.tie[rows], cost)


def second_derivatives(
    problem: LinearPairs, rows: NDArray[np.intp], both: Floats, cross: Floats
) -> tuple[Floats, Floats]:
    """The second derivatives of the loss: by u twice, and by u and β."""
    p, n_items = problem.n_features, problem.X.shape[0]
    if isinstance(problem.X, np.ndarray) and n_items**2 <= FEW_ITEMS * len(rows) * p:
        return _through_items(problem, rows, both, cross)
    H, h = np.zeros((p, p)), np.zeros(p)
    for part, D in problem.chunks(rows):
        if isinstance(D, np.ndarray):
            scaled = D * np.sqrt(both[part])[:, None]
            H += scaled.T @ scaled
        else:
            H += (D.T @ D.multiply(both[part][:, None]).tocsr()).toarray()
        h += D.T @ cross[part]
    return H, h


def _through_items(
    problem: LinearPairs, rows: NDArray[np.intp], both: Floats, cross: Floats
) -> tuple[Floats, Floats]:
    """The same for few items: Σ w d d' is X'ΛX, where Λ is the Laplacian of the graph with edge weights w."""
    X, n = problem.X, problem.X.shape[0]
    lower, upper = problem.lower[rows], problem.upper[rows]
    weight = np.bincount(lower.astype(np.intp) * n + upper, both, n * n).reshape(n, n)
    laplacian = -weight - weight.T
    laplacian[np.diag_indices(n)] -= laplacian.sum(axis=0)
    pull = np.bincount(upper, cross, n) - np.bincount(lower, cross, n)
    return X.T @ (laplacian @ X), X.T @ pull
