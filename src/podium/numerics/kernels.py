"""A kernel between items, and from it the kernel between pairs: never the 2m × 2m matrix of eq. (14).

A pair goes from one item (its tail) to another (its head), and stands for d = Φ(head) - Φ(tail). Two pairs i
and j have the kernel

    K_ij = d_i · d_j = κ(h_i, h_j) - κ(h_i, t_j) - κ(t_i, h_j) + κ(t_i, t_j),

which is M'KM of [SVMcompare] §3.2. A pair seen from the other side has the negated row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse
from podium.numerics.parameters import check_not_negative, check_positive, check_whole
from podium.numerics.precomputed import check_definite, check_symmetric

Ints = NDArray[np.integer[Any]]
KernelName = Literal["linear", "poly", "rbf", "precomputed"]
KERNELS = ("linear", "poly", "rbf", "precomputed")

CHUNK = 1 << 16  # numbers that are worked on at once, so that they stay in the cache of the processor
FEW_ITEMS = 2048  # their kernel matrix takes 32 MiB
FEW_FEATURES = 16  # up to here distances are summed one by one, which is exact and no slower


@dataclass(frozen=True)
class Kernel:
    """κ(x, y) of two items: x·y, (γ x·y + c)^degree, exp(-γ‖x - y‖²), a function, or columns of x.

    >>> Kernel("rbf", gamma=0.5)(np.array([[0.0], [1.0]]), np.array([[0.0]]))
    array([[1.        ],
           [0.60653066]])
    """

    kernel: KernelName | Callable[..., Any]
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 0.0

    def __call__(self, X: Any, Y: Any) -> Floats:
        """The matrix κ(row of X, row of Y); for ``"precomputed"`` Y says which columns of X are wanted."""
        if self.kernel == "precomputed":
            return dense(X[:, Y])
        if callable(self.kernel):
            return _checked(self.kernel(X, Y), X.shape[0], Y.shape[0])
        if self.kernel == "rbf":
            return _gaussian(X, Y, self.gamma)
        product = dense(X @ Y.T)
        if self.kernel == "poly":
            product *= self.gamma
            product += self.coef0
            product = whole_power(product, int(self.degree))
        return product

    def expand(self, X: Any, items: Any, coefficients: Floats) -> Floats:
        """Σ_j c_j κ(item j, x) for every row x of X; a column for every column of coefficients."""
        out = np.empty((X.shape[0], *coefficients.shape[1:]))
        for part in _parts(X.shape[0], max(8, CHUNK // max(len(coefficients), 1))):
            out[part] = self(X[part], items) @ coefficients
        return out


def make_kernel(
    kernel: KernelName | Callable[..., Any],
    gamma: float | Literal["scale", "auto"],
    degree: float,
    coef0: float,
    X: Any,
    *,
    definite: bool = True,
) -> Kernel:
    """The kernel with its parameters checked, and γ as a number.

    ``gamma="scale"`` is 1 / (p · the variance of all entries of X), ``"auto"`` is 1 / p, as in scikit-learn;
    the rows of X are distinct items, so that repeating a comparison changes nothing. A ``"precomputed"``
    kernel matrix X is checked too; ``definite``: the machine needs one without negative eigenvalues.
    """
    if not callable(kernel) and kernel not in KERNELS:
        raise ValueError(f"kernel is one of {', '.join(KERNELS)}, or a function, not {kernel!r}")
    check_positive("gamma", gamma, unless=("scale", "auto"))
    if isinstance(gamma, str):
        variance = 1.0 if gamma == "auto" or kernel not in ("poly", "rbf") else _variance(X)
        number = 1.0 / (max(X.shape[1], 1) * variance) if variance > 0 else 1.0
    else:
        number = float(gamma)
    if kernel == "poly":
        check_whole("degree", degree)
        check_not_negative("coef0", coef0)
    if kernel == "precomputed":
        check_symmetric(K := dense(X))
        if definite:
            check_definite(K)
    return Kernel(kernel, number, degree, coef0)


def dense(X: Any) -> Floats:
    """A matrix of numbers, whether X is one or is sparse."""
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


def whole_power(x: Floats, degree: int) -> Floats:
    """x^degree by squaring: several times faster than the power of a float."""
    if degree == 1:
        return x
    half = whole_power(x * x, degree // 2)
    return half * x if degree % 2 else half


def _gaussian(X: Any, Y: Any, gamma: float) -> Floats:
    if is_sparse(X) or is_sparse(Y):
        from sklearn.metrics.pairwise import euclidean_distances

        distance = euclidean_distances(X, Y, squared=True)
    elif X.shape[1] <= FEW_FEATURES:
        from scipy.spatial.distance import cdist

        distance = cdist(X, Y, "sqeuclidean")
    else:
        distance = X @ (-2.0 * Y.T)
        distance += _squares(X)[:, None]
        distance += _squares(Y)
        np.maximum(distance, 0.0, out=distance)
    distance *= -gamma
    return np.asarray(np.exp(distance, out=distance))


def _squares(X: Any) -> Floats:
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def _variance(X: Any) -> float:
    if is_sparse(X):
        return float(X.multiply(X).mean() - X.mean() ** 2)
    return float(X.var())


def _checked(values: Any, rows: int, columns: int) -> Floats:
    matrix: Floats = np.asarray(values, dtype=np.float64)
    if matrix.shape != (rows, columns):
        raise ValueError(
            f"the kernel function returned the shape {matrix.shape} for {rows} and {columns} items; "
            "it is called with two tables of features and returns a matrix"
        )
    if not np.isfinite(matrix).all():
        raise ValueError("the kernel function returned values that are not finite")
    return matrix


class PairKernel:
    """The kernel between pairs of items, in the rows that are asked for.

    ``items`` are the features of distinct items (for ``"precomputed"``: their kernel matrix); pair i goes
    from ``tail[i]`` to ``head[i]``.
    """

    def __init__(self, kernel: Kernel, items: Any, tail: Ints, head: Ints) -> None:
        self.kernel = kernel
        self.items = dense(items) if kernel.kernel == "precomputed" else items
        self.tail = tail
        self.head = head
        self.few_items = items.shape[0] <= len(tail)

    def __len__(self) -> int:
        return len(self.tail)

    @property
    def n_items(self) -> int:
        return int(self.items.shape[0])

    @cached_property
    def gram(self) -> Floats:
        """The kernel matrix of the items; worth its memory only when they are few."""
        return np.ascontiguousarray(self.between(np.arange(self.n_items), np.arange(self.n_items)))

    def between(self, rows: Ints, columns: Ints) -> Floats:
        """κ between items."""
        if self.kernel.kernel == "precomputed":
            return self.kernel(self.items[rows], columns)
        return self.kernel(self.items[rows], self.items[columns])

    def expand(self, items: Ints, support: Ints, coefficients: Floats) -> Floats:
        """Σ_j c_j κ(support j, item) for some of the items."""
        if self.kernel.kernel == "precomputed":
            return self.kernel.expand(self.items[items], support, coefficients)
        return self.kernel.expand(self.items[items], self.items[support], coefficients)

    def rows(self, pairs: Ints) -> Floats:
        """K between the given pairs and all pairs."""
        out = np.empty((len(pairs), len(self)))
        for part in _parts(len(pairs), max(8, CHUNK // max(len(self), 1))):
            out[part] = self._rows(pairs[part])
        return out

    def _rows(self, pairs: Ints) -> Floats:
        both = np.concatenate([self.head[pairs], self.tail[pairs]])
        k = len(pairs)
        if self.few_items or self.kernel.kernel == "precomputed":
            table = self.between(both, np.arange(self.n_items))
            table = table[:k] - table[k:]
            return np.asarray(table[:, self.head] - table[:, self.tail])
        first, (heads, tails) = self.items[both], self._sides
        table = self.kernel(first, heads)
        table -= self.kernel(first, tails)
        return np.asarray(table[:k] - table[k:])

    @cached_property
    def _sides(self) -> tuple[Any, Any]:
        return self.items[self.head], self.items[self.tail]

    @cached_property
    def diagonal(self) -> Floats:
        """‖d‖² of every pair."""
        if self.n_items <= FEW_ITEMS:
            gram = self.gram
            own = np.diagonal(gram)
            diagonal = own[self.head] + own[self.tail] - 2 * gram[self.head, self.tail]
        else:
            diagonal = np.concatenate([self._own(part) for part in _parts(len(self), CHUNK // 256)])
        diagonal[self.head == self.tail] = 0.0
        return np.maximum(diagonal, 0.0)

    def _own(self, part: slice) -> Floats:
        head, tail = self.head[part], self.tail[part]
        if self.kernel.kernel == "rbf" and not is_sparse(self.items):
            difference = self.items[head] - self.items[tail]
            return np.asarray(2.0 - 2.0 * np.exp(-self.kernel.gamma * _squares(difference)))
        if self.kernel.kernel == "linear" and not is_sparse(self.items):
            return _squares(self.items[head] - self.items[tail])
        square = [self.between(np.array([h, t]), np.array([h, t])) for h, t in zip(head, tail, strict=True)]
        return np.array([s[0, 0] + s[1, 1] - s[0, 1] - s[1, 0] for s in square]).reshape(-1)

    def item_coefficients(self, s: Floats) -> Floats:
        """The coefficients c of the items in u = Σ_i s_i d_i = Σ_j c_j Φ(item j)."""
        n = self.n_items
        heads, tails = np.bincount(self.head, s, n), np.bincount(self.tail, s, n)
        return np.asarray(heads - tails, dtype=np.float64)


def _parts(n: int, size: int) -> list[slice]:
    return [slice(start, start + size) for start in range(0, max(n, 1), size)]
