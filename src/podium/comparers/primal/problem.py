"""The data of `fit` as arrays, items with features and pairs of them, and the passes over both."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays.devices.boundary import in_numpy, namespace, to_device_of, to_floats, to_numpy
from podium.arrays.devices.features import Segments, extremes, times, transpose_times
from podium.comparisons.arrays import Floats, Positions, product
from podium.comparisons.features import is_sparse, rows_at
from podium.comparisons.table import Comparisons
from podium.numerics.centre import subtracted
from podium.numerics.compiled import njit
from podium.numerics.parameters import check_positive

CHUNK = 8_192  # pairs whose differences are formed at once: bounds the memory, and keeps a chunk in the cache
DEVICE_CHUNK = 65_536  # the same on a device, where a small chunk would leave most of it idle
FEW_ITEMS = 0.5  # use the Laplacian of the items if it takes at most this share of the work of all d d'
TOO_LARGE = (
    "the features, times C and the weights, are too large to compute with; scale the features, or lower C"
)


@dataclass(frozen=True)
class LinearPairs:
    """Features of items, and pairs of items: ``upper`` is better than ``lower``, unless ``tie``.

    All arrays are in NumPy, or all on the device of X. Vectors with one number per feature are in NumPy.
    With ``exact``, sums over features in float32 are taken in float64.
    """

    X: Any
    lower: Any
    upper: Any
    tie: Any
    cost: Any
    exact: bool = False

    def __len__(self) -> int:
        return int(self.lower.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def any_tie(self) -> bool:
        return bool(self.xp.any(self.tie))

    @property
    def all_ties(self) -> bool:
        return bool(self.xp.all(self.tie))

    @property
    def total_cost(self) -> float:
        return float(self.xp.sum(self.cost))

    @property
    def decisive_cost(self) -> float:
        return float(self.xp.sum(self.xp.where(self.tie, 0.0, self.cost)))

    @cached_property
    def xp(self) -> Any:
        """The library of the arrays."""
        return namespace(self.cost)

    def times(self, u: Floats) -> Any:
        """u·d of every pair, in one pass over the items."""
        s = times(self.X, u, self.exact)
        return self.xp.take(s, self.upper) - self.xp.take(s, self.lower)

    def transpose_times(self, a: Any) -> Floats:
        """Σ a d over the pairs, in one pass over the items."""
        return transpose_times(self._by_item(a), self.X, self.exact)

    def _by_item(self, a: Any) -> Any:
        """For every item, Σ a as the upper item of pairs minus Σ a as the lower item."""
        if self.xp is not np:
            return self._ends.sums(self.xp.concat([a, -a]))
        return np.asarray(_net_by_item(self.upper, self.lower, a, self.X.shape[0]))

    @cached_property
    def _ends(self) -> Segments:
        return Segments.of(self.xp.concat([self.upper, self.lower]), int(self.X.shape[0]))

    def chunks(self, rows: Any) -> Iterator[tuple[slice, Any]]:
        """The differences of some pairs, a few thousand at a time."""
        size = CHUNK if self.xp is np else DEVICE_CHUNK
        for start in range(0, rows.shape[0], size):
            part = slice(start, min(start + size, rows.shape[0]))
            yield part, self.differences(rows[part])

    def differences(self, rows: Any) -> Any:
        """The d of some pairs."""
        upper, lower = (self.xp.take(side, rows) for side in (self.upper, self.lower))
        return rows_at(self.X, upper) - rows_at(self.X, lower)

    def as_differences(self) -> "LinearPairs":
        """The same pairs, with d as an item of its own and 0 as the other: less to store for new items."""
        n = len(self)
        X = np.zeros((n + 1, self.n_features))
        for part, D in self.chunks(np.arange(n)):
            X[:-1][part] = D
        return LinearPairs(
            X, np.full(n, n, dtype=np.int32), np.arange(n, dtype=np.int32), self.tie, self.cost
        )

    def in_numpy(self, what: str) -> "LinearPairs":
        """The same pairs in NumPy, since ``what`` does not run on a device; a warning says so."""
        if self.xp is np:
            return self
        X = to_floats(in_numpy(self.X, what))
        lower, upper, tie, cost = map(to_numpy, (self.lower, self.upper, self.tie, self.cost))
        return LinearPairs(X, lower, upper, tie, cost)

    def take(self, rows: Any) -> "LinearPairs":
        arrays = (self.lower, self.upper, self.tie, self.cost)
        return LinearPairs(self.X, *(self.xp.take(array, rows) for array in arrays))

    def sample(self, rows: Any) -> "LinearPairs":
        """Some of the pairs with only their items, the costs scaled up to the total of all pairs."""
        xp, part = self.xp, self.take(rows)
        codes, inverse = xp.unique_inverse(xp.concat([part.lower, part.upper]))
        inverse = xp.astype(inverse, self.lower.dtype)
        cost = part.cost * (float(xp.sum(self.cost)) / float(xp.sum(part.cost)))
        size = rows.shape[0]
        return LinearPairs(rows_at(self.X, codes), inverse[:size], inverse[size:], part.tie, cost)


def linear_pairs(c: Comparisons, centre: Floats | None, C: float, class_weight: Any) -> LinearPairs:
    """The pairs flipped as in (8), with centred features."""
    assert c.outcome is not None
    X, left, right = c.features, c.left, c.right
    if 2 * c.appears.sum() < c.n_items:
        number = np.cumsum(c.appears, dtype=np.int32) - 1
        X, left, right = rows_at(X, np.flatnonzero(c.appears)), number[left], number[right]
    X = subtracted(X, centre)
    weight = product(c.mass, class_weights(class_weight, c.outcome, c.mass))
    cost = product(weight, np.broadcast_to(float(C), len(c)))
    reverse = c.outcome < 0
    pairs = np.where(reverse, right, left), np.where(reverse, left, right), c.outcome == 0, cost
    return LinearPairs(X, *(to_device_of(values, X) for values in pairs))


def check_size(problem: LinearPairs) -> None:
    """Raise an error if sums would overflow. The solvers of `fit` find this out without a pass."""
    with np.errstate(over="ignore"):
        low, high = extremes(problem.X)
        largest = float(problem.cost.sum()) * max(high, -low, 1.0) * problem.n_features
        if not np.isfinite(largest * largest):  # it bounds u, which is Σ α d with α ≤ cost
            raise ValueError(TOO_LARGE)


@njit(cache=True, nogil=True)
def _net_by_item(upper, lower, a, n_items):  # type: ignore[no-untyped-def]
    """Σ a of the pairs in which an item is the upper one, minus those in which it is the lower one."""
    net = np.zeros(n_items)
    for i in range(len(a)):
        net[upper[i]] += a[i]
        net[lower[i]] -= a[i]
    return net


def second_derivatives(problem: LinearPairs, rows: Any, both: Any, cross: Any) -> tuple[Floats, Floats]:
    """The second derivatives of the loss, by u twice and by u and β, in NumPy."""
    p, n_items, xp = problem.n_features, problem.X.shape[0], problem.xp
    if isinstance(problem.X, np.ndarray) and n_items**2 <= FEW_ITEMS * len(rows) * p:
        return _through_items(problem, rows, both, cross)
    H, h = np.zeros((p, p)), np.zeros(p)
    for part, D in problem.chunks(rows):
        h += transpose_times(cross[part], D)
        if is_sparse(D):
            H += (D.T @ D.multiply(both[part][:, None]).tocsr()).toarray()
        else:
            scaled = D * xp.astype(xp.sqrt(both[part]), D.dtype)[:, None]
            H += to_floats(scaled.T @ scaled)
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
    balance = np.bincount(upper, cross, n) - np.bincount(lower, cross, n)
    return X.T @ (laplacian @ X), X.T @ balance


def spread_out(n: int, size: int, rng: np.random.RandomState) -> Positions:
    """``size`` of n positions: a random one from each of as many intervals of equal length.

    >>> spread_out(100, 4, np.random.RandomState(0))
    array([13, 42, 65, 88])
    """
    edges = np.linspace(0, n, size + 1)[:-1]
    return np.minimum(edges + rng.random_sample(size) * (n / size), n - 1).astype(np.intp)


def class_weights(class_weight: Any, outcome: NDArray[np.int8], weight: Floats) -> Floats:
    """The factor by which ``class_weight`` multiplies the weight of each row.

    ``"balanced"`` gives both labels of the flipped problem the same total weight; a tie is two rows there.
    """
    if class_weight is None:
        return np.broadcast_to(1.0, len(outcome))
    if isinstance(class_weight, str) and class_weight == "balanced":
        ties, decisive = 2 * float(weight[outcome == 0].sum()), float(weight[outcome != 0].sum())
        half = (ties + decisive) / 2
        of = {0: half / ties if ties else 1.0, 1: half / decisive if decisive else 1.0}
        of[-1] = of[1]
    elif isinstance(class_weight, dict) and set(class_weight) <= {-1, 0, 1}:
        of = {label: class_weight.get(label, 1.0) for label in (-1, 0, 1)}
        for label, factor in of.items():
            check_positive(f"class_weight of the outcome {label}", factor)
    else:
        raise ValueError("class_weight must be None, 'balanced' or a dict whose keys are outcomes -1, 0 or 1")
    return np.array([of[-1], of[0], of[1]])[outcome + 1]
