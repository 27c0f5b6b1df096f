"""Solve with the second derivatives H: by a factorization whose cost is known, or by conjugate gradients.

On a sparse graph the items with the fewest neighbours are eliminated first (minimum degree [Tinney and
Walker 1967]), which joins the neighbours of each with each other. When the remaining items have many
neighbours, they are factorized as a dense matrix. Hardly anything remains of a chain, a ring, a tree or a
ladder; of 20,000 items in 24,000 random games, 1,900 do. The order is found from the graph alone, so the cost
is known beforehand. If it is too high, the graph is large and well connected, and conjugate gradients need
few steps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from podium.comparisons.arrays import Floats, Index
from podium.numerics.compiled import njit

# Floating point operations that a factorization may take. LAPACK does 2e10 to 6e10 per second.
PER_STEP, ONCE = 1e10, 1e11  # for a step of Newton's method; for errors, which need it once
# To eliminate an item with d neighbours takes d² steps of Python. If it remains, the dense matrix of r items
# takes r² operations more; BLAS does about this many in the time of one step.
PER_ENTRY = 1_600
FILLS_IN = 20  # neighbours per item; with more, hardly any item was cheaper to eliminate
MOST_STEPS = 20_000  # of conjugate gradients
EXACT_ITEMS = 3_000  # up to this many items tables of all pairs are dense; an inverse takes about a second
RESIDUAL, DRAW_RESIDUAL = 1e-8, 1e-3  # relative, of equations for errors and for random draws of them
NOT_DETERMINED = (
    "some skills are not determined by the data, so they have no standard errors; use prior='auto' or a "
    "number above 0"
)


class Curvature(Protocol):
    """Second derivatives, as Newton's method needs them."""

    def solve(self, right: Floats) -> Floats:
        """H⁻¹ times a vector or a matrix; raises LinAlgError if H is singular by rounding."""


C = TypeVar("C", bound=Curvature)


@dataclass(frozen=True, eq=False)
class Elimination:
    """Items in the order of their elimination; ``rows`` has the later neighbours of each eliminated item.

    ``indptr`` says where the rows of an item start. The items after the last one are factorized as a dense
    matrix. All items have their places in the order as numbers.
    """

    order: Index
    indptr: Index
    rows: Index

    @classmethod
    def of(cls, matrix: Any, most: float = ONCE) -> "Elimination | None":
        """A good order for this symmetric matrix, dense or sparse; None if the cost is above ``most``."""
        n = matrix.shape[0]
        eliminated: list[int] = []
        later: list[set[int]] = []
        if not isinstance(matrix, np.ndarray) and matrix.nnz <= (FILLS_IN + 1) * n:
            eliminated, later = _minimum_degree(matrix.indptr, matrix.indices, most)
        rest = np.ones(n, np.bool_)
        rest[eliminated] = False
        order = np.append(np.array(eliminated, np.int64), np.flatnonzero(rest))
        indptr = np.append(0, np.cumsum([len(others) for others in later], dtype=np.int64))
        cost = PER_ENTRY * float((np.diff(indptr).astype(np.float64) ** 2).sum()) + float(rest.sum()) ** 3 / 3
        if cost > most:
            return None
        place = np.empty(n, np.int64)
        place[order] = np.arange(n)
        rows = place[np.fromiter((item for others in later for item in others), np.int64, indptr[-1])]
        owner = np.repeat(np.arange(len(later)), np.diff(indptr))
        return cls(order, indptr, rows[np.lexsort((rows, owner))])

    @classmethod
    def dense(cls, n: int) -> "Elimination":
        """No item is eliminated."""
        return cls(np.arange(n), np.zeros(1, np.int64), np.empty(0, np.int64))

    @property
    def n_eliminated(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def _places(self) -> Index:
        """The place of every item in the order."""
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(len(place))
        return place

    @cached_property
    def _keys(self) -> Index:
        """Column and row of every entry, as one sorted number."""
        return np.repeat(np.arange(self.n_eliminated), np.diff(self.indptr)) * len(self.order) + self.rows

    def factorize(self, matrix: Any) -> "Cholesky":
        """The factor of a positive definite matrix with the pattern of the graph.

        A dense matrix is overwritten; only its upper triangle is read.
        """
        if not self.n_eliminated:
            return Cholesky(self, np.empty(0), np.empty(0), cholesky(dense(matrix)))
        m, n, entries = self.n_eliminated, len(self.order), matrix.tocoo()
        column, row = (self._places[at] for at in entries.coords)
        pivots = np.zeros(n)
        pivots[column[column == row]] = entries.data[column == row]
        of_column = (column < row) & (column < m)
        lower = np.zeros(len(self.rows))
        keys = column[of_column] * n + row[of_column]
        lower[np.searchsorted(self._keys, keys)] = entries.data[of_column]
        rest = np.zeros((n - m, n - m))
        remains = (m <= column) & (column < row)
        rest[column[remains] - m, row[remains] - m] = entries.data[remains]
        if not _eliminate(self.indptr, self.rows, lower, pivots, rest):
            raise np.linalg.LinAlgError(NOT_DETERMINED)
        rest[np.diag_indices(n - m)] = pivots[m:]
        return Cholesky(self, lower, pivots[:m], cholesky(rest))


@dataclass(frozen=True, eq=False)
class Cholesky:
    """A factor L D Lᵀ of the eliminated items, and R Rᵀ of what remains."""

    plan: Elimination
    lower: Floats
    pivots: Floats
    root: Floats  # R; what is above its diagonal is undefined

    def solve(self, right: Floats) -> Floats:
        """H⁻¹ times a vector or a matrix."""
        from scipy.linalg import cho_solve

        if not self.plan.n_eliminated:
            return np.asarray(cho_solve((self.root, True), right, check_finite=False))
        plan, m = self.plan, self.plan.n_eliminated
        y = np.ascontiguousarray(right.reshape(len(right), -1)[plan.order], dtype=np.float64)
        _substitute(plan.indptr, plan.rows, self.lower, y, False)
        y[:m] /= self.pivots[:, None]
        if m < len(y):
            y[m:] = cho_solve((self.root, True), y[m:], check_finite=False)
        _substitute(plan.indptr, plan.rows, self.lower, y, True)
        out = np.empty_like(y)
        out[plan.order] = y
        return out.reshape(right.shape)

    @property
    def n_operations(self) -> float:
        """The number of floating point operations of a solution."""
        return 4.0 * len(self.lower) + 2.0 * len(self.root) ** 2

    def log_determinant(self) -> float:
        return float(np.log(self.pivots).sum() + 2 * np.log(np.diagonal(self.root)).sum())

    def inverse_diagonal(self) -> Floats:
        """The diagonal of H⁻¹, from only those entries of H⁻¹ that L has too [Takahashi et al. 1973]."""
        if not self.plan.n_eliminated:  # (R Rᵀ)⁻¹ itself would take 1.5 times as long
            from scipy.linalg.lapack import dtrtri

            return np.asarray((np.tril(dtrtri(self.root, lower=1)[0]) ** 2).sum(axis=0))
        plan = self.plan
        rest, diagonal = inverse_from(self.root.copy(order="F")), np.empty(len(plan.order))
        diagonal[plan.n_eliminated :] = np.diagonal(rest)
        _selected_inverse(plan.indptr, plan.rows, self.lower, self.pivots, rest, diagonal)
        out = np.empty_like(diagonal)
        out[plan.order] = diagonal
        return out


@dataclass(frozen=True, eq=False)
class Iterative:
    """Preconditioned conjugate gradients for all columns of the right-hand side together.

    In the norm of the preconditioner, every residual falls to ``rtol`` of the right-hand side, or the solver
    raises an error after ``most`` steps. A ``rough`` solution is returned as it is: Newton's method still
    goes down along it.
    """

    times: Callable[[Floats], Floats]  # H times the columns of a matrix
    precondition: Callable[[Floats], Floats]  # the inverse of a matrix near H, times the columns
    rtol: float
    most: int = MOST_STEPS
    rough: bool = False

    def solve(self, right: Floats) -> Floats:
        residual = right.reshape(len(right), -1).astype(np.float64)
        y, z = np.zeros_like(residual), self.precondition(residual)
        direction, energy = z, (residual * z).sum(axis=0)
        enough = self.rtol**2 * energy
        for _ in range(self.most):
            if (energy <= enough).all():
                break
            image = self.times(direction)
            step = energy / np.maximum((direction * image).sum(axis=0), 1e-300)
            y += step * direction
            residual -= step * image
            z = self.precondition(residual)
            energy, before = (residual * z).sum(axis=0), energy
            direction = z + energy / np.maximum(before, 1e-300) * direction
        if not (self.rough or (energy <= enough).all()):
            raise np.linalg.LinAlgError(
                f"{self.most:,} steps of conjugate gradients do not solve the equations; use a larger prior"
            )
        return y.reshape(right.shape)


def by_diagonal(diagonal: Floats) -> Callable[[Floats], Floats]:
    """The inverse of a diagonal matrix, as a preconditioner."""
    inverse = 1 / diagonal[:, None]
    return lambda columns: inverse * columns


@dataclass(frozen=True, eq=False)
class Bordered(Generic[C]):
    """The matrix [[A, B], [Bᵀ, D]] with a large A, of the skills, and a small D, of all other parameters."""

    skills: C
    border: Floats
    corner: Floats

    def solve(self, right: Floats) -> Floats:
        k = len(self.border)
        top = self.skills.solve(right[:k])
        if not self.border.shape[1]:
            return np.asarray(top)
        across = self.across
        bottom = np.linalg.solve(self.corner - self.border.T @ across, right[k:] - self.border.T @ top)
        return np.concatenate([top - across @ bottom, bottom])

    @cached_property
    def across(self) -> Floats:
        """A⁻¹ B."""
        return self.skills.solve(self.border) if self.border.shape[1] else self.border

    @cached_property
    def rest(self) -> Floats:
        """The covariance of the other parameters: the inverse of what is left of D."""
        return np.asarray(np.linalg.inv(self.corner - self.border.T @ self.across))


def factorized(matrix: Any, most: float = ONCE) -> Cholesky | None:
    """The factor of a matrix, or None if it takes more than ``most`` operations."""
    plan = Elimination.of(matrix, most)
    return None if plan is None else plan.factorize(matrix)


# ------------------------------------------------------------------------------------ dense matrices


def cholesky(matrix: Floats) -> Any:
    """The lower triangle L with L Lᵀ = matrix, in the same memory; what is above it is undefined."""
    from scipy.linalg.lapack import dpotrf

    factor, failed = dpotrf(matrix.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        raise np.linalg.LinAlgError(NOT_DETERMINED)
    return factor


def inverse_of(matrix: Any) -> Floats:
    """The dense inverse of a positive definite matrix; a dense one is overwritten."""
    return inverse_from(cholesky(dense(matrix)))


def dense(matrix: Any) -> Floats:
    """The matrix as an array; only its upper triangle is valid."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def inverse_from(factor: Floats) -> Floats:
    """The inverse of a symmetric positive definite matrix with this factor, in the same memory."""
    from scipy.linalg.lapack import dpotri

    inverse, _ = dpotri(factor, lower=1, overwrite_c=1)
    return mirrored(inverse.T)


def mirrored(matrix: Floats) -> Floats:
    """The symmetric matrix with this upper triangle."""
    return np.asarray(np.triu(matrix) + np.triu(matrix, 1).T)


# ------------------------------------------------------------------------------------ elimination


def _minimum_degree(indptr: Index, indices: Index, most: float) -> tuple[list[int], list[set[int]]]:
    """The items to eliminate, in order, and the neighbours that each has at that time.

    It ends when a dense matrix of the rest is cheaper, or when it is clear that ``most`` is not enough.
    """
    largest_rest = (3 * most) ** (1 / 3)
    neighbours = [set(part.tolist()) for part in np.split(indices, indptr[1:-1])]
    for item, others in enumerate(neighbours):
        others.discard(item)
    queue = [(len(others), item) for item, others in enumerate(neighbours)]
    heapify(queue)
    eliminated: dict[int, None] = {}
    while queue:
        degree, item = heappop(queue)
        others = neighbours[item]
        if degree != len(others) or item in eliminated:
            continue  # a newer entry of the queue has its degree
        rest, work = len(neighbours) - len(eliminated), PER_ENTRY * degree**2
        if work > rest**2 or work * (rest - largest_rest) > most:
            break
        eliminated[item] = None
        for other in others:
            joined = neighbours[other]
            joined |= others
            joined -= {item, other}
            heappush(queue, (len(joined), other))
    return list(eliminated), [neighbours[item] for item in eliminated]


@njit(cache=True, nogil=True)
def _eliminate(indptr, rows, lower, pivots, rest):  # type: ignore[no-untyped-def]
    """Turn the entries of H into L, D and the matrix of what remains; False if a pivot is not above 0."""
    m = len(indptr) - 1
    for j in range(m):
        if not pivots[j] > 0.0:
            return False
        for a in range(indptr[j], indptr[j + 1]):
            i, value = rows[a], lower[a] / pivots[j]
            pivots[i] -= value * lower[a]
            if i >= m:
                for b in range(a + 1, indptr[j + 1]):
                    rest[i - m, rows[b] - m] -= value * lower[b]
            else:
                at = indptr[i]
                for b in range(a + 1, indptr[j + 1]):
                    while rows[at] != rows[b]:
                        at += 1
                    lower[at] -= value * lower[b]
        for a in range(indptr[j], indptr[j + 1]):
            lower[a] /= pivots[j]
    return True


@njit(cache=True, nogil=True)
def _substitute(indptr, rows, lower, y, back):  # type: ignore[no-untyped-def]
    """L⁻¹ y, or L⁻ᵀ y going ``back``, in place."""
    m = len(indptr) - 1
    for step in range(m):
        j = m - 1 - step if back else step
        for a in range(indptr[j], indptr[j + 1]):
            source, target = (rows[a], j) if back else (j, rows[a])
            for c in range(y.shape[1]):
                y[target, c] -= lower[a] * y[source, c]


@njit(cache=True, nogil=True)
def _selected_inverse(indptr, rows, lower, pivots, rest, diagonal):  # type: ignore[no-untyped-def]
    """The entries of H⁻¹ where L has entries, last column first; ``diagonal`` holds those of ``rest``."""
    m = len(indptr) - 1
    inverse = np.zeros(len(rows))
    for j in range(m - 1, -1, -1):
        start, end = indptr[j], indptr[j + 1]
        for a in range(start, end):
            i = rows[a]
            inverse[a] -= lower[a] * diagonal[i]
            at = indptr[i] if i < m else 0
            for b in range(a + 1, end):
                if i >= m:
                    value = rest[i - m, rows[b] - m]
                else:
                    while rows[at] != rows[b]:
                        at += 1
                    value = inverse[at]
                inverse[a] -= lower[b] * value
                inverse[b] -= lower[a] * value
        diagonal[j] = 1.0 / pivots[j]
        for a in range(start, end):
            diagonal[j] -= lower[a] * inverse[a]
