"""The hinge problem of `linear_pairs` by an interior point method: slower a step, but no corner stops it.

The flipped rows (8) have margins m = ỹ (β + u·d), the decisive pairs once and the ties twice:

    minimise ½ u'u + Σ c ξ   subject to   m + ξ - s = 1,  ξ, s ≥ 0      with the dual 0 ≤ α ≤ c, Σ ỹ α = 0.

At the optimum u = Σ α ỹ d, α s = 0 and (c - α) ξ = 0. Mehrotra's predictor and corrector follow the path on
which both products are μ > 0 [Ferris and Munson 2002]; a step solves (I + Σ d d'/θ) Δu = ..., p equations.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.solvers.linear_problem import LinearPairs, second_derivatives

Floats = NDArray[np.float64]
BACK = 0.995  # how much of the way to the boundary a step may go


class Rows:
    """The flipped rows as operators on the pairs: first one of every pair, then the second of ties."""

    def __init__(self, problem: LinearPairs, fixed_bias: bool) -> None:
        self.problem, self.fixed_bias = problem, fixed_bias
        self.tied = np.flatnonzero(problem.tie)
        self.sign = np.append(np.where(problem.tie, -1.0, 1.0), np.full(len(self.tied), -1.0))
        self.cost = np.append(problem.cost, problem.cost[self.tied])
        self.label = np.zeros_like(self.sign) if fixed_bias else self.sign

    def margins(self, u: Floats, bias: float) -> Floats:
        d = self.problem.project(u)
        return np.append(np.where(self.problem.tie, -d, d), d[self.tied]) + bias * self.label

    def fold(self, values: Floats) -> Floats:
        """Σ over a pair's rows of value times the sign of d in the margin."""
        n = len(self.problem)
        folded = np.where(self.problem.tie, -values[:n], values[:n])
        folded[self.tied] += values[n:]
        return folded

    def weights(self, w: Floats) -> tuple[Floats, Floats]:
        """A pair's weight in Σ w d d', and in Σ w ỹ (± d)."""
        n = len(self.problem)
        both, cross = w[:n].copy(), w[:n].copy()
        both[self.tied] += w[n:]
        cross[self.tied] -= w[n:]
        return both, np.zeros_like(cross) if self.fixed_bias else cross


class State(NamedTuple):
    """A point inside: both slacks and both distances of α from its bounds are positive."""

    u: Floats
    bias: float
    alpha: Floats
    rest: Floats  # c - α
    s: Floats
    xi: Floats

    def moved(self, step: "State", length: float) -> "State":
        columns: Any = zip(self, step, strict=True)
        return State(*(now + length * change for now, change in columns))

    @property
    def mu(self) -> float:
        return float(self.alpha @ self.s + self.rest @ self.xi) / (2 * len(self.s))


def interior_path(problem: LinearPairs, fixed_bias: bool, max_iter: int) -> "Path":
    rows = Rows(problem, fixed_bias)
    half = rows.cost / 2
    ones = np.ones_like(half)
    return Path(
        rows, State(np.zeros(problem.n_features), 0.0, half, half.copy(), ones, ones.copy()), max_iter
    )


class Path:
    """The points of the path, one a step, as u with β behind it and α of the rows."""

    def __init__(self, rows: Rows, start: State, max_iter: int) -> None:
        self.rows, self.state, self.max_iter = rows, start, max_iter

    def __iter__(self) -> "Path":
        return self

    def __next__(self) -> State:
        if self.max_iter <= 0:
            raise StopIteration
        self.max_iter -= 1
        x = self.state
        theta = x.xi / x.rest + x.s / x.alpha
        solve = _Factor(self.rows, 1.0 / theta)
        affine = self._step(x, solve, theta, 0.0, 0.0)
        ahead = x.moved(affine, _longest(x, affine))
        target = (ahead.mu / x.mu) ** 3 * x.mu
        second = affine.alpha * affine.s, affine.rest * affine.xi
        step = self._step(x, solve, theta, target - second[0], target - second[1])
        self.state = x.moved(step, min(1.0, BACK * _longest(x, step)))
        return self.state

    def _step(
        self, x: State, solve: "_Factor", theta: Floats, low: Floats | float, high: Floats | float
    ) -> State:
        """Towards α s = low and (c - α) ξ = high."""
        rows = self.rows
        to_s, to_xi = low / x.alpha - x.s, high / x.rest - x.xi
        rho = 1.0 - rows.margins(x.u, x.bias) - x.xi + x.s - to_xi + to_s
        r_u = rows.problem.pull(rows.fold(x.alpha)) - x.u
        r_bias = -float(rows.label @ x.alpha)
        du, db = solve(
            r_u + rows.problem.pull(rows.fold(rho / theta)), float(rows.label @ (rho / theta)) - r_bias
        )
        d_alpha = (rho - rows.margins(du, db)) / theta
        ds, dxi = to_s - x.s / x.alpha * d_alpha, to_xi + x.xi / x.rest * d_alpha
        return State(du, db, d_alpha, -d_alpha, ds, dxi)


class _Factor:
    """(I + Σ w d d') with the row and column of β, factored once for the two solves of a step."""

    def __init__(self, rows: Rows, w: Floats) -> None:
        from scipy.linalg import cho_factor

        both, cross = rows.weights(w)
        H, self.h = second_derivatives(rows.problem, np.arange(len(both)), both, cross)
        H[np.diag_indices_from(H)] += 1.0
        self.factor = cho_factor(H, check_finite=False)
        self.free = not rows.fixed_bias
        if self.free:
            self.across = self._solve(self.h)
            whole = float(both.sum())
            self.left = max(whole - float(self.h @ self.across), 1e-15 * whole)

    def _solve(self, b: Floats) -> Floats:
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve(self.factor, b, check_finite=False))

    def __call__(self, b: Floats, b_bias: float) -> tuple[Floats, float]:
        du = self._solve(b)
        if not self.free:
            return du, 0.0
        db = (b_bias - float(self.h @ du)) / self.left
        return du - db * self.across, db


def _longest(x: State, step: State) -> float:
    """The longest step that stays inside, at most 1 / BACK."""
    longest = 1.0 / BACK
    for now, change in zip(x[2:], step[2:], strict=True):
        falling = change < 0
        if falling.any():
            longest = min(longest, float((now[falling] / -change[falling]).min()))
    return longest
