"""Ordinal regression (see `problem`) by the interior point method (`podium.numerics.interior`).

For a row (i, j) of `problem`, A has the row σ x_i, B has -σ in column j, and t = 1. The order of the
thresholds is given by rows as well, with margins b_{j+1} - b_j, t = 0, and a cost above the sum of all
others. Their multipliers are below that cost, so the penalty is exact.

The space of w is R^p, or the span of the inputs in the feature space of a kernel. A step solves p + k
equations, or n + k with a kernel. The start meets the constraints of the dual and all
steps keep them, so every point gives a lower bound of the optimum.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.interior import SMALLEST_GAP, Equations, State, central_path
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.shifted_cholesky import TOO_LARGE, inverse_of_identity_plus
from podium.ordered.ordinal.problem import Ordinal, best_thresholds, weighted_square

UNSOUND = 1e-9  # share of the total cost; a larger error in the equations of the dual ends the search


class Linear:
    """The space of w, R^p."""

    def __init__(self, X: Any) -> None:
        self.X, self.size = X, X.shape[1]

    def scores(self, w: Floats) -> Floats:
        """w·x for every input."""
        return np.asarray(self.X @ w)

    def transpose_times(self, coefficients: Floats) -> Floats:
        """Σ s_i x_i, for each column of coefficients s."""
        return np.asarray(self.X.T @ coefficients)

    def solver(self, weight: Floats) -> Callable[[Floats], Floats]:
        """A function that applies the inverse of I + Σ weight_i x_i x_i'."""
        return inverse_of_identity_plus(weighted_square(self.X, weight))


class Span(Linear):
    """The span of inputs with kernel matrix X = K; w = Σ s_i Φ(x_i) is represented by its coefficients s.

    The solution of (I + Σ h_i Φ(x_i) Φ(x_i)') Δw = Σ r_i Φ(x_i) is Δs = D (I + DKD)⁻¹ D⁻¹ r with D² =
    diag(h). No eigenvalue of I + DKD is below 1.
    """

    def transpose_times(self, coefficients: Floats) -> Floats:
        return coefficients

    def solver(self, weight: Floats) -> Callable[[Floats], Floats]:
        d = np.sqrt(weight)
        inverse = inverse_of_identity_plus(np.multiply(self.X, d[:, None] * d))

        def solve(right: Floats) -> Floats:
            scale = d if right.ndim == 1 else d[:, None]
            found = scale * inverse(right / scale)
            rest = right - found - scale**2 * (self.X @ found)
            return np.asarray(found + scale * inverse(rest / scale))  # one step of iterative refinement

        return solve


class OrdinalRows:
    """Products with A and B, which are never formed; the rows of the order come last."""

    def __init__(self, problem: Ordinal, space: Linear) -> None:
        self.problem, self.rows, self.space = problem, problem.rows, space
        self.n, self.k = len(problem.cost), problem.n_thresholds
        n_order = self.k - 1 if problem.explicit else 0
        self.n_hinges = len(self.rows.item)
        self.target = np.repeat([1.0, 0.0], [self.n_hinges, n_order])
        self.cost = np.append(self.rows.cost, np.full(n_order, 2.0 * self.rows.cost.sum()))

    def margins(self, w: Floats) -> Floats:
        return self._with_order(self.rows.sign * self.space.scores(w)[self.rows.item], 0.0)

    def shifts(self, b: Floats) -> Floats:
        return self._with_order(-self.rows.sign * b[self.rows.threshold], b[1:] - b[:-1])

    def _with_order(self, hinges: Floats, order: Floats | float) -> Floats:
        values = np.empty(len(self.target))
        values[: self.n_hinges] = hinges
        if self.problem.explicit:
            values[self.n_hinges :] = order
        return values

    def transpose_times(self, alpha: Floats) -> Floats:
        return self.space.transpose_times(self.fold(alpha))

    def fold(self, alpha: Floats) -> Floats:
        """Σ σ α for every input."""
        return _sums(self.rows.item, self.rows.sign * alpha[: self.n_hinges], self.n)

    def balance(self, alpha: Floats) -> Floats:
        sums = -_sums(self.rows.threshold, self.rows.sign * alpha[: self.n_hinges], self.k)
        if self.problem.explicit:
            sums[1:] += alpha[self.n_hinges :]
            sums[:-1] -= alpha[self.n_hinges :]
        return sums

    def equations(self, weight: Floats) -> Equations:
        """With the weights by input and threshold in G, A'WB is -Σ_i x_i G_i."""
        space, G = self.space, np.zeros((self.n, self.k))
        G[self.rows.item, self.rows.threshold] = weight[: self.n_hinges]
        M = np.diag(G.sum(axis=0))
        if self.problem.explicit:
            D = np.diff(np.eye(self.k), axis=0)
            M += (D.T * weight[self.n_hinges :]) @ D
        solve = space.solver(G.sum(axis=1))
        return Equations(solve, -space.transpose_times(G), lambda dw: -(G.T @ space.scores(dw)), M)

    def path(self) -> Iterator[State]:
        alpha, k = self._balanced_start(), self.k
        proportions = np.where(self.target > 0, self.cost, alpha)
        xi = np.where(self.target > 0, 1.0, alpha / self.cost)
        b = np.linspace(-1.0, 1.0, k) if k > 1 else np.zeros(1)
        start = State(np.zeros(self.space.size), b, alpha, self.cost - alpha, np.ones_like(alpha), xi)
        return central_path(self, start, proportions)

    def _balanced_start(self) -> Floats:
        """Dual variables that are well within their bounds and meet the equations of the dual."""
        rows, k = self.rows, self.k
        above = (rows.sign > 0).astype(np.intp)
        sums = _sums(2 * rows.threshold + above, rows.cost, 2 * k).reshape(k, 2)
        level = 0.5 * sums.min(axis=1)
        odd = np.zeros(k)
        if self.problem.explicit and k > 1:  # equal multipliers of the order; they cancel except at the ends
            odd[0], odd[-1] = -0.5 * level.min(), 0.5 * level.min()
        share = np.column_stack([level - odd / 2, level + odd / 2]) / sums
        return self._with_order(rows.cost * share[rows.threshold, above], abs(odd[-1]))


def _sums(group: NDArray[np.intp], values: Floats, n_groups: int) -> Floats:
    return np.asarray(np.bincount(group, values, n_groups), dtype=np.float64)


def interior(problem: Ordinal, tol: float, max_iter: int, space: Linear | None = None) -> SolverResult:
    """Solve to a relative gap ``tol``.

    If a ``space`` is given, the solution is v of a dual point instead of w, since v has coefficients.
    """
    by_coefficients = space is not None
    space = Linear(problem.X) if space is None else space
    rows = OrdinalRows(problem, space)
    bounds = Bounds(tol, max_iter)
    for x in rows.path():
        alpha, w = x.alpha, x.u
        coefficients = rows.fold(alpha)
        v = space.transpose_times(coefficients)
        f = space.scores(v)
        square = float(coefficients @ f)
        if not by_coefficients:
            f = space.scores(w)
        b = best_thresholds(problem, f)
        value = 0.5 * (square if by_coefficients else float(w @ w)) + problem.loss(f, b)
        if not bounds.history and not np.isfinite(value):
            raise ValueError(TOO_LARGE)
        # Rounding errors in the equations of the dual must not improve the bound.
        rounding = np.abs(rows.balance(alpha))
        sound = rounding.max() <= UNSOUND * rows.rows.cost.sum()
        dual = float(rows.target @ alpha) - 0.5 * square - float(np.abs(b) @ rounding) if sound else -np.inf
        bounds.add(
            value, dual, np.append(v if by_coefficients else w, b), w, w - v, coefficients=coefficients
        )
        if bounds.done or not sound or x.products < SMALLEST_GAP * bounds.primal:
            break
    return bounds.result("interior point")
