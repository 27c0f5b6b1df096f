"""The problem of `ordinal` by an interior point method: its steps are few whatever C and the data are.

With margins m = σ (w·x - b_j) of the rows, slacks ξ and s:

    minimise ½ w'w + Σ c ξ   subject to   m + ξ - s = 1,  ξ, s ≥ 0    with the dual at the head of `ordinal`.

The order b_j ≤ b_{j+1} is a row too, with the margin b_{j+1} - b_j, the right-hand side 0 and a slack that
costs more than all others together: its multiplier is below that cost, so the penalty is exact.

Mehrotra's predictor and corrector as in `linear_interior`, but with k biases: a step solves p + k equations,
or n + k where the features are given by a kernel. On the path α s and (c - α) ξ are c μ, not μ, so that a row
twice and a row of twice the cost are the same. The start meets the constraints of the dual and all steps keep
them: each has a lower bound of the optimum.
"""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from podium.solvers.linear_interior import BACK, State, _longest
from podium.solvers.ordinal import Ordinal, best_thresholds
from podium.solvers.ordinal_spaces import TOO_LARGE, Linear, Space
from podium.solvers.result import Known, SolverResult
from podium.solvers.smoothed_newton import relative_gap

Floats = NDArray[np.float64]

STOP = 1e-15  # of the objective: a smaller gap is rounding
UNSOUND = 1e-9  # of the costs: by so much rounding may break the equations of the dual


class Operator:
    """All rows, those of the order last, as a matrix (A, B) on w and b that is never formed."""

    def __init__(self, problem: Ordinal, space: Space) -> None:
        self.problem, self.rows, self.space = problem, problem.rows, space
        self.n, self.k = len(problem.cost), problem.n_thresholds
        n_order = self.k - 1 if problem.explicit else 0
        self.n_hinges = len(self.rows.item)
        self.target = np.repeat([1.0, 0.0], [self.n_hinges, n_order])
        self.cost = np.append(self.rows.cost, np.full(n_order, 2.0 * self.rows.cost.sum()))

    def margins(self, w: Floats, b: Floats) -> Floats:
        rows = self.rows
        m = rows.sign * (self.space.scores(w)[rows.item] - b[rows.threshold])
        return np.append(m, np.diff(b)) if self.problem.explicit else m

    def fold(self, alpha: Floats) -> Floats:
        """Σ σ α of every input: A'α is what it pulls."""
        return _sums(self.rows.item, self.rows.sign * alpha[: self.n_hinges], self.n)

    def balance(self, alpha: Floats) -> Floats:
        """B'α, which is 0 for a feasible α."""
        sums = -_sums(self.rows.threshold, self.rows.sign * alpha[: self.n_hinges], self.k)
        sums[1:] += self._order(alpha)
        sums[:-1] -= self._order(alpha)
        return sums

    def _order(self, values: Floats) -> Floats | float:
        return values[self.n_hinges :] if self.problem.explicit else 0.0

    def curvatures(self, weight: Floats) -> tuple[Floats, Floats]:
        """The weights by input and threshold, and B' diag(weight) B."""
        G = np.zeros((self.n, self.k))
        G[self.rows.item, self.rows.threshold] = weight[: self.n_hinges]
        M = np.diag(G.sum(axis=0))
        if self.problem.explicit:
            D = np.diff(np.eye(self.k), axis=0)
            M += (D.T * weight[self.n_hinges :]) @ D
        return G, M

    def balanced_start(self) -> Floats:
        """Dual variables well inside their bounds that meet the equations of the dual."""
        rows, k = self.rows, self.k
        above = (rows.sign > 0).astype(np.intp)
        sums = _sums(2 * rows.threshold + above, rows.cost, 2 * k).reshape(k, 2)
        level = 0.5 * sums.min(axis=1)
        odd = np.zeros(k)
        if (
            self.problem.explicit and k > 1
        ):  # the order's multipliers are all the same: only the ends see them
            odd[0], odd[-1] = -0.5 * level.min(), 0.5 * level.min()
        share = np.column_stack([level - odd / 2, level + odd / 2]) / sums
        alpha = rows.cost * share[rows.threshold, above]
        return np.append(alpha, np.full(len(self.cost) - len(alpha), abs(odd[-1])))


def _sums(group: NDArray[np.intp], values: Floats, n_groups: int) -> Floats:
    return np.asarray(np.bincount(group, values, n_groups), dtype=np.float64)


class Path:
    """The points of the central path, one a step; b takes the place of the bias."""

    def __init__(self, problem: Ordinal, space: Space) -> None:
        self.rows = rows = Operator(problem, space)
        alpha = rows.balanced_start()
        self.scale = np.where(rows.target > 0, rows.cost, alpha)  # of μ
        slack = np.where(rows.target > 0, 1.0, alpha / rows.cost)
        b = np.linspace(-1.0, 1.0, rows.k) if rows.k > 1 else np.zeros(1)
        w = np.zeros(space.size)
        self.state = State(w, cast(Any, b), alpha, rows.cost - alpha, np.ones_like(alpha), slack)

    @staticmethod
    def products(x: State) -> float:
        """Σ α s + (c - α) ξ, the duality gap if x meets all equations."""
        return float(x.alpha @ x.s + x.rest @ x.xi)

    def advance(self) -> None:
        x = self.state
        theta = x.xi / x.rest + x.s / x.alpha
        solve = _Factor(self.rows.space, *self.rows.curvatures(1.0 / theta))
        affine = self._step(x, solve, theta, 0.0, 0.0)
        now, ahead = self.products(x), self.products(x.moved(affine, _longest(x, affine)))
        target = (ahead / now) ** 3 * now / (2 * self.scale.sum()) * self.scale
        low, high = target - affine.alpha * affine.s, target - affine.rest * affine.xi
        step = self._step(x, solve, theta, low, high)
        self.state = x.moved(step, min(1.0, BACK * _longest(x, step)))

    def _step(
        self, x: State, solve: "_Factor", theta: Floats, low: Floats | float, high: Floats | float
    ) -> State:
        """Towards α s = low and (c - α) ξ = high."""
        rows = self.rows
        b: Any = x.bias
        to_s, to_xi = low / x.alpha - x.s, high / x.rest - x.xi
        rho = rows.target - rows.margins(x.u, b) - x.xi + x.s - to_xi + to_s
        moved = x.alpha + rho / theta
        dw, db = solve(rows.space.pull(rows.fold(moved)) - x.u, rows.balance(moved))
        db = solve.balanced(db, rows.balance(x.alpha + (rho - rows.margins(dw, db)) / theta))
        d_alpha = (rho - rows.margins(dw, db)) / theta
        ds, dxi = to_s - x.s / x.alpha * d_alpha, to_xi + x.xi / x.rest * d_alpha
        return State(dw, cast(Any, db), d_alpha, -d_alpha, ds, dxi)


class _Factor:
    """The equations of a step, w eliminated: A'DA + I is the space's, A'DB is what -G pulls, B'DB is M."""

    def __init__(self, space: Space, G: Floats, M: Floats) -> None:
        self.space, self.G, self.M = space, G, M
        self.solve = space.solver(G.sum(axis=1))
        self.across = self.solve(-space.pull(G))
        left = M + G.T @ space.scores(self.across)
        left[np.diag_indices_from(left)] += 1e-15 * np.diagonal(M)
        self.inverse = np.linalg.pinv(left, hermitian=True)

    def __call__(self, right_w: Floats, right_b: Floats) -> tuple[Floats, Floats]:
        dw = self.solve(right_w)
        db = self.inverse @ (right_b + self.G.T @ self.space.scores(dw))
        return dw - self.across @ db, db

    def balanced(self, db: Floats, rest: Floats) -> Floats:
        """Whatever rounding leaves of the dual's equations is taken up by b, at the expense of w's."""
        return np.asarray(db + np.linalg.solve(self.M, rest))


def interior(problem: Ordinal, tol: float, max_iter: int, space: Space | None = None) -> SolverResult:
    """Solve to a relative gap; in a ``space`` of its own w is v of a dual point, which has coefficients."""
    by_coefficients = space is not None
    space = Linear(problem.X) if space is None else space
    path = Path(problem, space)
    rows = path.rows
    primal, dual = np.inf, -np.inf
    history: list[float] = []
    while True:
        alpha, w = path.state.alpha, path.state.u
        coefficients = rows.fold(alpha)
        v = space.pull(coefficients)
        f = space.scores(v)
        square = float(coefficients @ f)
        if not by_coefficients:
            f = space.scores(w)
        b = best_thresholds(problem, f)
        value = 0.5 * (square if by_coefficients else float(w @ w)) + problem.loss(f, b)
        if not history and not np.isfinite(value):
            raise ValueError(TOO_LARGE)
        if value < primal:
            primal, best, kept = value, np.append(v if by_coefficients else w, b), coefficients
        # What rounding adds to the equations of the dual must not pass for a better bound.
        rounding = np.abs(rows.balance(alpha))
        sound = rounding.max() <= UNSOUND * rows.rows.cost.sum()
        if sound:
            dual = max(dual, float(rows.target @ alpha) - 0.5 * square - float(np.abs(b) @ rounding))
        history.append(relative_gap(primal - dual, primal))
        if (
            history[-1] <= tol
            or len(history) > max_iter
            or not sound
            or path.products(path.state) < STOP * primal
        ):
            break
        path.advance()
    return SolverResult(
        solution=best,
        objective_of=Known(primal),
        gradient_norm=float(np.linalg.norm(w - v)) / max(1.0, float(np.linalg.norm(w))),
        iterations=len(history) - 1,
        converged=history[-1] <= tol,
        solver="interior point",
        history=tuple(history),
        details={"primal": primal, "dual": dual, "coefficients": kept},
        gap=history[-1],
    )
