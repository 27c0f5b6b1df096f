"""A kernel between items, and from it the kernel between pairs: never the 2m × 2m matrix of eq. (14).

A pair goes from one item (its tail) to another (its head); its vector is d = Φ(head) - Φ(tail). The kernel
between two pairs i and j is

    K_ij = d_i · d_j = κ(h_i, h_j) - κ(h_i, t_j) - κ(t_i, h_j) + κ(t_i, t_j),

which is M'KM of [SVMcompare] §3.2. A pair seen from the other side has the negated row.

A common offset of all items cancels there, at the cost of digits. The linear and rbf kernels of pairs do not
depend on the origin, so they are computed around a centre of the items; `PairKernel.rounding` is the error
left.
"""

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse
from podium.numerics.centre import centre_of, offset, subtracted
from podium.numerics.kernels.precomputed import FEW_OF_FUNCTION, check_kernel_matrix, evenly_spread
from podium.numerics.parameters import check_not_negative, check_positive, check_whole

Ints = NDArray[np.integer[Any]]
KernelName = Literal["linear", "poly", "rbf", "precomputed"]
KERNELS = ("linear", "poly", "rbf", "precomputed")

CHUNK = 1 << 16  # numbers computed at once, so that they stay in the processor's cache
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


@dataclass(eq=False, repr=False)
class KernelParameters:
    """The parameters of estimators with a kernel; one that takes ``kernel`` by position declares it again."""

    _: KW_ONLY
    kernel: KernelName | Callable[..., Any] = "linear"
    C: float = 1.0
    gamma: float | Literal["scale", "auto"] = "scale"
    degree: int = 3
    coef0: float = 0.0


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
        """The matrix κ(row of X, row of Y); for ``"precomputed"``, Y selects columns of X."""
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
        """Σ_j c_j κ(item j, x) for every row x of X and every column of coefficients."""
        kernel, X, items = self.around_centre, self.centred(X), self.centred(items)
        out = np.empty((X.shape[0], *coefficients.shape[1:]))
        for part in _parts(X.shape[0], _at_once(coefficients.shape[0])):
            out[part] = kernel(X[part], items) @ coefficients
        return out

    def centred(self, X: Any) -> Any:
        """X less the centre of the kernel, if it has one."""
        return subtracted(X, self.centre)

    def columns(self, items: Any, chosen: Ints) -> Any:
        """Some of the items as the second argument: rows, or their positions for ``"precomputed"``."""
        return chosen if self.kernel == "precomputed" else items[chosen]

    @property
    def around_centre(self) -> "Kernel":
        """The same kernel for rows that are centred already."""
        return replace(self, centre=None)

    def squares(self, X: Any) -> Floats:
        """κ(x, x) of every row of X."""
        if self.kernel == "precomputed":
            return np.asarray(X.diagonal(), dtype=np.float64)
        return np.ones(X.shape[0]) if self.kernel == "rbf" else self.row_by_row(X, X)

    def row_by_row(self, X: Any, Y: Any) -> Floats:
        """κ between every row of X and the same row of Y."""
        if callable(self.kernel):
            return np.concatenate([np.diagonal(self(X[k], Y[k])) for k in _parts(X.shape[0], 8)])
        X, Y = self.centred(X), self.centred(Y)
        if self.kernel == "rbf":
            return np.asarray(np.exp(-self.gamma * _products(X - Y, X - Y)))
        product = _products(X, Y)
        return self._polynomial(product) if self.kernel == "poly" else product


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
    if kernel == "poly":
        check_whole("degree", degree)
        check_not_negative("coef0", coef0)
        if (spreads := offset(X).spreads) > DWARFED:
            warnings.warn(OFFSET.format(spreads=spreads), UserWarning, stacklevel=4)
    if pairs and isinstance(kernel, str) and kernel != "precomputed":
        with np.errstate(over="ignore"):
            if not np.isfinite(_products(X, X)).all():
                raise ValueError("the squares of the features overflow; scale the features")
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


def dense(X: Any) -> Floats:
    """X as a dense matrix in float64."""
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


def whole_power(x: Floats, degree: int) -> Floats:
    """x^degree by repeated squaring, several times faster than a power of floats."""
    if degree == 1:
        return x
    half = whole_power(x * x, degree // 2)
    return half * x if degree % 2 else half


def _gaussian(X: Any, Y: Any, gamma: float) -> Floats:
    distance = _distances(X, Y, LOST / gamma)
    distance *= -gamma
    return np.asarray(np.exp(distance, out=distance))


def _distances(X: Any, Y: Any, allowed: float) -> Floats:
    """‖x - y‖² with an error of at most ``allowed``, as far as float64 can."""
    from scipy.spatial.distance import cdist

    if X.shape[1] <= FEW_FEATURES and not (is_sparse(X) or is_sparse(Y)):
        return np.asarray(cdist(X, Y, "sqeuclidean"))
    own, other = _products(X, X), _products(Y, Y)
    if EPS * (own.max(initial=0.0) + other.max(initial=0.0)) > allowed:
        parts, X = _parts(Y.shape[0], max(1, CHUNK // X.shape[1])), dense(X)
        return np.hstack([cdist(X, dense(Y[part]), "sqeuclidean") for part in parts])
    distance = dense(X @ (-2.0 * Y.T))
    distance += own[:, None]
    distance += other
    return np.maximum(distance, 0.0, out=distance)


def _products(X: Any, Y: Any) -> Floats:
    """x·y of every row of X and the same row of Y."""
    if is_sparse(X):
        return np.asarray(X.multiply(Y).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, Y))


def _variance(X: Any, by_column: bool) -> float:
    """The variance of all entries of X, or the mean of those of its columns; in two passes, for accuracy."""
    if not is_sparse(X):
        return float(np.mean(np.var(X, axis=0)) if by_column else np.var(X))
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
        self.items = kernel.centred(dense(items) if kernel.kernel == "precomputed" else items)
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
        """The kernel matrix of the items; worth its memory only if they are few."""
        return np.ascontiguousarray(self.between(np.arange(self.n_items), np.arange(self.n_items)))

    def between(self, rows: Ints, columns: Ints) -> Floats:
        """κ between items."""
        return self.kernel(self.items[rows], self.kernel.columns(self.items, columns))

    def expand(self, items: Ints, support: Ints, coefficients: Floats) -> Floats:
        """Σ_j c_j κ(support j, item) for some of the items."""
        return self.kernel.expand(self.items[items], self.kernel.columns(self.items, support), coefficients)

    def rows(self, pairs: Ints) -> Floats:
        """K between the given pairs and all pairs."""
        out = np.empty((len(pairs), len(self)))
        for part in _parts(len(pairs), _at_once(len(self))):
            out[part] = self._rows(pairs[part])
        return out

    def _rows(self, pairs: Ints) -> Floats:
        both = np.concatenate([self.head[pairs], self.tail[pairs]])
        k = len(pairs)
        if self.few_items or self.kernel.kernel == "precomputed":
            table = self.between(both, np.arange(self.n_items))
            return self.across(table[:k] - table[k:])
        first, (heads, tails) = self.items[both], self._sides
        table = self.kernel(first, heads)
        table -= self.kernel(first, tails)
        return table[:k] - table[k:]

    def across(self, table: Floats, pairs: Ints | slice = slice(None)) -> Floats:
        """Head less tail of every pair, or of some pairs; ``table`` has one column per item."""
        return np.asarray(table[..., self.head[pairs]] - table[..., self.tail[pairs]])

    @cached_property
    def _sides(self) -> tuple[Any, Any]:
        return self.items[self.head], self.items[self.tail]

    @cached_property
    def rounding(self) -> float:
        """The error of an entry of K, if entries are small differences of large κ; otherwise 0.

        If the entries are as large as the κ, all their digits are right, and 0 is returned.
        """
        some = evenly_spread(len(self), SOME_PAIRS)
        largest = float(np.max(self.kernel.squares(self.items), initial=0.0))
        size = np.max(self._own(self.head[some], self.tail[some]), initial=0.0)
        return 4 * EPS * largest if largest > CANCELLED * size else 0.0

    @cached_property
    def diagonal(self) -> Floats:
        """‖d‖² of every pair."""
        if self.n_items <= FEW_ITEMS:
            own = np.diagonal(self.gram)
            diagonal = own[self.head] + own[self.tail] - 2 * self.gram[self.head, self.tail]
        else:
            parts = _parts(len(self), _at_once(256))
            diagonal = np.concatenate([self._own(self.head[part], self.tail[part]) for part in parts])
        diagonal[self.head == self.tail] = 0.0
        return np.maximum(diagonal, 0.0)

    def _own(self, head: Ints, tail: Ints) -> Floats:
        """‖d‖² of the pairs with these heads and tails."""
        if self.kernel.kernel == "precomputed":
            own = self.kernel.squares(self.items)
            return np.asarray(own[head] + own[tail] - 2 * self.items[head, tail])
        heads, tails = self.items[head], self.items[tail]
        if self.kernel.kernel == "linear":
            return self.kernel.squares(heads - tails)
        both = self.kernel.squares(heads) + self.kernel.squares(tails)
        return np.asarray(both - 2 * self.kernel.row_by_row(heads, tails))

    def item_coefficients(self, s: Floats, pairs: Ints | slice = slice(None)) -> Floats:
        """The coefficients c of the items in u = Σ_i s_i d_i = Σ_j c_j Φ(item j), i over the given pairs."""
        n = self.n_items
        heads, tails = np.bincount(self.head[pairs], s, n), np.bincount(self.tail[pairs], s, n)
        return np.asarray(heads - tails, dtype=np.float64)


def _at_once(width: int) -> int:
    """The number of rows of this width to compute at once."""
    return max(8, CHUNK // max(width, 1))


def _parts(n: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, max(n, 1), size)]
