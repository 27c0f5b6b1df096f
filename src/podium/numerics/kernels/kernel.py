"""A kernel between items, and from it the kernel between pairs: never the 2m × 2m matrix of eq. (14).

A pair goes from one item (its tail) to another (its head); its vector is d = Φ(head) - Φ(tail). The kernel
between two pairs i and j is

    K_ij = d_i · d_j = κ(h_i, h_j) - κ(h_i, t_j) - κ(t_i, h_j) + κ(t_i, t_j),

which is M'KM of [SVMcompare] §3.2. A pair seen from the other side has the negated row.

A common offset of all items cancels there, at the cost of digits. The linear and rbf kernels of pairs do not
depend on the origin, so they are computed around a centre of the items; `PairKernel.rounding` is the error
left.

Items may be on a device. Then matrices are computed and stay there, always in float64, and vectors with one
number per pair come back to NumPy.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray

from podium.arrays.devices.boundary import beside, namespace, on_device, to_floats
from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse, rows_at
from podium.numerics.centre import centre_of, offset, subtracted
from podium.numerics.kernels.precomputed import FEW_OF_FUNCTION, check_kernel_matrix, evenly_spread
from podium.numerics.parameters import check_not_negative, check_positive, check_whole

Ints = NDArray[np.integer[Any]]
KernelName = Literal["linear", "poly", "rbf", "precomputed"]
KERNELS = ("linear", "poly", "rbf", "precomputed")

CHUNK = 1 << 16  # numbers computed at once, so that they stay in the processor's cache
DEVICE_CHUNK = 1 << 26  # the same on a device, where small chunks waste time: half a GiB
FEW_ITEMS = 2048  # up to here the kernel matrix of the items (32 MiB) gives the diagonal
FEW_FEATURES = 16  # up to here distances are summed feature by feature, which is exact and no slower
LOST = 1e-12  # largest error of γ‖x - y‖²; if rounding of ‖x‖² is larger, distances are summed by feature too
SOME_PAIRS = 64  # sample that shows how large the kernel of a pair is
CANCELLED = 1e4  # if κ is larger than its differences by this factor, four digits are lost
DWARFED = 1e4  # at this distance from 0, in spreads, a polynomial kernel has lost half of its digits
EPS = float(np.finfo(float).eps)

OFFSET = (
    "the features are {spreads:.1e} times as far from 0 as they are from each other, which leaves a "
    "polynomial kernel few digits; subtract their means first"
)
NEEDS_NUMPY = (
    "kernel='precomputed' and kernel functions work with NumPy only; move the features to NumPy, or choose "
    "'linear', 'poly' or 'rbf'"
)


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
    centre: Floats | None = field(default=None, compare=False, repr=False)

    def __call__(self, X: Any, Y: Any) -> Floats:
        """The matrix κ(row of X, row of Y), where X is; for ``"precomputed"``, Y selects columns of X."""
        if self.kernel == "precomputed":
            return np.asarray(dense(X[:, Y]))
        if callable(self.kernel):
            return _checked(self.kernel(X, Y), X.shape[0], Y.shape[0])
        X, Y = self.centred(X), self.centred(Y)
        values: Floats = _gaussian(X, Y, self.gamma) if self.kernel == "rbf" else dense(X @ Y.T)
        return self._polynomial(values) if self.kernel == "poly" else values

    def _polynomial(self, product: Floats) -> Floats:
        """κ from x·y, whose array is used up."""
        product *= self.gamma
        product += self.coef0
        return whole_power(product, int(self.degree))

    def expand(self, X: Any, items: Any, coefficients: Floats) -> Floats:
        """Σ_j c_j κ(item j, x) for every row x of X, where X is, and for every column of coefficients."""
        self.check_place(X)
        if on_device(X) or on_device(items):
            X, items, coefficients = dense(X), dense_beside(items, X), beside(coefficients, X)
        kernel, X, items = self.around_centre, self.centred(X), self.centred(items)
        parts = _parts(X.shape[0], _at_once(X, coefficients.shape[0]))
        if on_device(X):
            sums: Floats = namespace(X).concat([kernel(X[part, :], items) @ coefficients for part in parts])
            return sums
        out = np.empty((X.shape[0], *coefficients.shape[1:]))
        for part in parts:
            out[part] = kernel(X[part], items) @ coefficients
        return out

    def check_place(self, X: Any) -> None:
        """Raise an error if X is on a device and the kernel can only be computed in NumPy."""
        if on_device(X) and (callable(self.kernel) or self.kernel == "precomputed"):
            raise ValueError(NEEDS_NUMPY)

    def centred(self, X: Any) -> Any:
        """X less the centre of the kernel, if it has one."""
        return subtracted(X, self.centre)

    @property
    def around_centre(self) -> "Kernel":
        """The same kernel for rows that are centred already."""
        return replace(self, centre=None)

    def squares(self, X: Any) -> Floats:
        """κ(x, x) of every row of X."""
        if self.kernel == "precomputed":
            return np.asarray(X.diagonal(), dtype=np.float64)
        if self.kernel == "rbf":
            return np.ones(X.shape[0])
        if callable(self.kernel):
            return np.concatenate([np.diagonal(self(X[k], X[k])) for k in _parts(X.shape[0], 8)])
        square = to_floats(_squares(self.centred(X)))
        return self._polynomial(square) if self.kernel == "poly" else square


def make_kernel(
    kernel: KernelName | Callable[..., Any],
    gamma: float | Literal["scale", "auto"],
    degree: float,
    coef0: float,
    X: Any,
    *,
    pairs: bool = False,
) -> Kernel:
    """The kernel with its parameters checked, and γ as a number.

    ``gamma="auto"`` is 1 / p, and ``"scale"`` 1 / (p · variance of X). For poly that is the variance of all
    entries, as in scikit-learn; for rbf it is the mean of the variances of the columns, which is the same if
    all columns have one mean and, like the kernel, does not depend on the origin. The rows of X are distinct
    items, so that repeating a comparison changes nothing. ``pairs`` says that only differences of items
    count, so that a linear kernel may have a centre too.
    """
    if not callable(kernel) and kernel not in KERNELS:
        raise ValueError(f"kernel is one of {', '.join(KERNELS)}, or a function, not {kernel!r}")
    check_positive("gamma", gamma, unless=("scale", "auto"))
    Kernel(kernel).check_place(X)
    if kernel == "poly":
        check_whole("degree", degree)
        check_not_negative("coef0", coef0)
        if (spreads := offset(X).spreads) > DWARFED:
            warnings.warn(OFFSET.format(spreads=spreads), UserWarning, stacklevel=4)
    centre = centre_of(X) if kernel == "rbf" or (pairs and kernel == "linear") else None
    made = Kernel(kernel, _gamma(kernel, gamma, X), degree, coef0, centre)
    if kernel == "precomputed":
        check_kernel_matrix(dense(X), "the precomputed kernel matrix")
    if callable(kernel):
        some = evenly_spread(X.shape[0], FEW_OF_FUNCTION)
        check_kernel_matrix(made(X[some], X[some]), "the kernel function", some)
    return made


def _gamma(kernel: KernelName | Callable[..., Any], gamma: float | Literal["scale", "auto"], X: Any) -> float:
    if not isinstance(gamma, str):
        return float(gamma)
    variance = 1.0
    if gamma == "scale" and kernel in ("poly", "rbf") and X.shape[1]:
        variance = _variance(X, by_column=kernel == "rbf")
    return 1.0 / (max(X.shape[1], 1) * variance) if variance > 0 else 1.0


def dense(X: Any) -> Any:
    """X as a dense matrix in float64, where X is."""
    if on_device(X):
        xp = namespace(X)
        return xp.astype(X, xp.float64, copy=False)
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


def dense_beside(items: Any, X: Any) -> Any:
    """Items as a dense matrix in float64, where X is."""
    there = type(items) is type(X) and device(items) == device(X)
    return dense(items) if there else beside(to_floats(dense(items)), X)


def whole_power(x: Floats, degree: int) -> Floats:
    """x^degree by repeated squaring, several times faster than a power of floats."""
    if degree == 1:
        return x
    half = whole_power(x * x, degree // 2)
    return half * x if degree % 2 else half


def _gaussian(X: Any, Y: Any, gamma: float) -> Any:
    distance = _distances(X, Y, LOST / gamma)
    distance *= -gamma
    return namespace(X).exp(distance) if on_device(X) else np.asarray(np.exp(distance, out=distance))


def _distances(X: Any, Y: Any, allowed: float) -> Any:
    """‖x - y‖² with an error of at most ``allowed``, as far as float64 can."""
    if on_device(X):
        return _device_distances(X, Y, allowed)
    from scipy.spatial.distance import cdist

    few = X.shape[1] <= FEW_FEATURES and not (is_sparse(X) or is_sparse(Y))
    if few:
        return np.asarray(cdist(X, Y, "sqeuclidean"))
    own, other = _squares(X), _squares(Y)
    if EPS * (own.max(initial=0.0) + other.max(initial=0.0)) > allowed:
        parts, X = _parts(Y.shape[0], max(1, CHUNK // X.shape[1])), dense(X)
        return np.hstack([cdist(X, dense(Y[part]), "sqeuclidean") for part in parts])
    distance = dense(X @ (-2.0 * Y.T))
    distance += own[:, None]
    distance += other
    return np.maximum(distance, 0.0, out=distance)


def _device_distances(X: Any, Y: Any, allowed: float) -> Any:
    """The same on a device, feature by feature if products would lose digits."""
    xp, (own, other) = namespace(X), (_squares(X), _squares(Y))
    if 0 not in X.shape + Y.shape and EPS * (float(xp.max(own)) + float(xp.max(other))) > allowed:
        distance = xp.zeros_like(own)[:, None] * xp.zeros_like(other)
        for k in range(X.shape[1]):
            distance += (X[:, k][:, None] - Y[:, k][None, :]) ** 2
        return distance
    distance = X @ (-2.0 * Y.T)
    distance += own[:, None]
    distance += other
    return xp.clip(distance, 0.0)


def _squares(X: Any) -> Any:
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return namespace(X).sum(X * X, axis=1) if on_device(X) else np.asarray(np.einsum("ij,ij->i", X, X))


def _variance(X: Any, by_column: bool) -> float:
    """The variance of all entries of X, or the mean of those of its columns; in two passes, for accuracy."""
    if not is_sparse(X):
        xp = namespace(X)
        return float(xp.mean(xp.var(X, axis=0)) if by_column else xp.var(X))
    n, p = X.shape
    size = n if by_column else n * p
    kind = np.unique(X.indices, return_inverse=True)[1] if by_column else np.zeros(X.nnz, dtype=np.intp)
    mean, absent = np.bincount(kind, X.data) / size, size - np.bincount(kind)
    total = np.sum((X.data - mean[kind]) ** 2) + absent @ mean**2
    return float(total / (n * p))


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
    """The kernel between pairs of items, row by row.

    ``items`` are the features of distinct items (for ``"precomputed"``: their kernel matrix); pair i goes
    from ``tail[i]`` to ``head[i]``.
    """

    def __init__(self, kernel: Kernel, items: Any, tail: Ints, head: Ints) -> None:
        self.kernel = kernel.around_centre
        wide = kernel.kernel == "precomputed" or on_device(items)
        self.items = kernel.centred(dense(items) if wide else items)
        self.tail = tail
        self.head = head
        self.few_items = items.shape[0] <= len(tail)

    def __len__(self) -> int:
        return len(self.tail)

    @property
    def n_items(self) -> int:
        return int(self.items.shape[0])

    @cached_property
    def gram(self) -> Any:
        """The kernel matrix of the items; worth its memory only if they are few."""
        gram = self.between(np.arange(self.n_items), np.arange(self.n_items))
        return gram if on_device(gram) else np.ascontiguousarray(gram)

    def between(self, rows: Ints, columns: Ints) -> Any:
        """κ between items."""
        if self.kernel.kernel == "precomputed":
            return self.kernel(self.items[rows], columns)
        return self.kernel(rows_at(self.items, rows), rows_at(self.items, columns))

    def expand(self, items: Ints, support: Ints, coefficients: Floats) -> Floats:
        """Σ_j c_j κ(support j, item) for some of the items."""
        if self.kernel.kernel == "precomputed":
            return to_floats(self.kernel.expand(self.items[items], support, coefficients))
        chosen = rows_at(self.items, items), rows_at(self.items, support)
        return to_floats(self.kernel.expand(*chosen, coefficients))

    def rows(self, pairs: Ints) -> Any:
        """K between the given pairs and all pairs."""
        parts = _parts(len(pairs), _at_once(self.items, len(self)))
        if on_device(self.items):
            return namespace(self.items).concat([self._rows(pairs[part]) for part in parts])
        out = np.empty((len(pairs), len(self)))
        for part in parts:
            out[part] = self._rows(pairs[part])
        return out

    def _rows(self, pairs: Ints) -> Any:
        both = np.concatenate([self.head[pairs], self.tail[pairs]])
        k = len(pairs)
        if self.few_items or self.kernel.kernel == "precomputed":
            table = self.between(both, np.arange(self.n_items))
            return self.across(table[:k, :] - table[k:, :])
        first, (heads, tails) = rows_at(self.items, both), self._sides
        table = self.kernel(first, heads)
        table -= self.kernel(first, tails)
        return table[:k, :] - table[k:, :]

    def across(self, table: Any, pairs: Ints | None = None) -> Any:
        """Head less tail of every pair, or of some pairs; ``table`` has one column per item."""
        if not on_device(table):
            head, tail = (self.head, self.tail) if pairs is None else (self.head[pairs], self.tail[pairs])
            return np.asarray(table[..., head] - table[..., tail])
        ends = self._ends if pairs is None else [beside(end[pairs], table) for end in (self.head, self.tail)]
        head, tail = (namespace(table).take(table, end, axis=table.ndim - 1) for end in ends)
        return head - tail

    @cached_property
    def _ends(self) -> list[Any]:
        return [beside(end, self.items) for end in (self.head, self.tail)]

    @cached_property
    def _sides(self) -> tuple[Any, Any]:
        return rows_at(self.items, self.head), rows_at(self.items, self.tail)

    @cached_property
    def rounding(self) -> float:
        """The error of an entry of K, if entries are small differences of large κ; otherwise 0.

        If the entries are as large as the κ, all their digits are right, and 0 is returned.
        """
        squares, some = self.kernel.squares(self.items), evenly_spread(len(self), SOME_PAIRS)
        head, tail = self.head[some], self.tail[some]
        size = squares[head] + squares[tail] - 2 * np.diagonal(to_floats(self.between(head, tail)))
        largest = float(np.max(squares, initial=0.0))
        return 4 * EPS * largest if largest > CANCELLED * np.max(size, initial=0.0) else 0.0

    @cached_property
    def diagonal(self) -> Floats:
        """‖d‖² of every pair."""
        if self.n_items <= FEW_ITEMS:
            gram = to_floats(self.gram)
            own = np.diagonal(gram)
            diagonal = own[self.head] + own[self.tail] - 2 * gram[self.head, self.tail]
        else:
            parts = _parts(len(self), _at_once(self.items, 256))
            diagonal = np.concatenate([self._own(self.head[part], self.tail[part]) for part in parts])
        diagonal[self.head == self.tail] = 0.0
        return np.maximum(diagonal, 0.0)

    def _own(self, head: Ints, tail: Ints) -> Floats:
        if is_sparse(self.items) or callable(self.kernel.kernel) or self.kernel.kernel == "precomputed":
            ends = np.stack([head, tail], axis=1)
            tables = (self.between(both, both) for both in ends)
            return np.array([k[0, 0] + k[1, 1] - k[0, 1] - k[1, 0] for k in tables]).reshape(-1)
        heads, tails = rows_at(self.items, head), rows_at(self.items, tail)
        if self.kernel.kernel == "poly":
            product = to_floats(namespace(heads).sum(heads * tails, axis=1))
            squares = self.kernel.squares(heads) + self.kernel.squares(tails)
            return np.asarray(squares - 2 * self.kernel._polynomial(product))
        square = to_floats(_squares(heads - tails))
        return square if self.kernel.kernel == "linear" else 2.0 - 2.0 * np.exp(-self.kernel.gamma * square)

    def item_coefficients(self, s: Floats, pairs: Ints | slice = slice(None)) -> Floats:
        """The coefficients c of the items in u = Σ_i s_i d_i = Σ_j c_j Φ(item j), i over the given pairs."""
        n = self.n_items
        heads, tails = np.bincount(self.head[pairs], s, n), np.bincount(self.tail[pairs], s, n)
        return np.asarray(heads - tails, dtype=np.float64)


def _at_once(X: Any, width: int) -> int:
    """The number of rows of this width to compute at once."""
    return max(8, (DEVICE_CHUNK if on_device(X) else CHUNK) // max(width, 1))


def _parts(n: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, max(n, 1), size)]
