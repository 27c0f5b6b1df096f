"""An interior point method for machines with hinges; it takes few steps, whatever the costs and the data.

A and B have one row per hinge, with target margin t (usually 1) and cost c:

    minimise over u, b   ½ u'u + Σ c ξ   subject to   Au + Bb + ξ - s = t,  ξ, s ≥ 0,

    whose dual is to maximise  t'α - ½ ‖A'α‖²   where 0 ≤ α ≤ c and B'α = 0.

At the optimum u = A'α, α s = 0 and (c - α) ξ = 0. Mehrotra's predictor-corrector method follows the path on
which all these products go to 0 together [Ferris and Munson 2002]. The other variables are eliminated from a
step. With weights W = 1 / (ξ / (c - α) + s / α), this leaves

    (I + A'WA) Δu + A'WB Δb = A'(α + W ρ) - u
         B'WA  Δu + B'WB Δb = B'(α + W ρ)         and then   Δα = W (ρ - A Δu - B Δb).

If the start meets the equations of the dual, so do all later points. The method takes fewest steps if all
products are equal on the path. If they are proportional to the costs, a row given twice is the same as one
row of twice the cost.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from podium.comparisons.arrays import Floats

BACK = 0.995  # share of the way to the boundary that a step may go; the usual value for Mehrotra's method
ROUNDING = 1e-15  # relative size below which a pivot or an eigenvalue is rounding error
SMALLEST_GAP = 2e-14  # relative to the objective; a smaller gap on the path is rounding error


class State(NamedTuple):
    """An interior point: both slacks and both distances of α from its bounds are positive."""

    u: Floats
    b: Floats
    alpha: Floats
    rest: Floats  # c - α
    s: Floats
    xi: Floats

    def moved(self, step: "State", length: float) -> "State":
        return State(*(now + length * change for now, change in zip(self, step, strict=True)))

    @property
    def products(self) -> float:
        """Σ α s + (c - α) ξ, which is the duality gap if all equations hold."""
        return float(self.alpha @ self.s + self.rest @ self.xi)


class Equations:
    """The equations of a step, solved by eliminating u.

    ``solve`` applies the inverse of I + A'WA, ``mixed`` is A'WB, ``mix`` multiplies by its transpose, and
    ``curvature`` is B'WB, which is empty for a machine without b.
    """

    def __init__(
        self,
        solve: Callable[[Floats], Floats],
        mixed: Floats,
        mix: Callable[[Floats], Floats],
        curvature: Floats,
    ) -> None:
        self.solve, self.mix = solve, mix
        self.across = solve(mixed)
        smallest = ROUNDING * np.diagonal(curvature)
        self.curvature = curvature + np.diag(smallest)
        left = self.curvature - mix(self.across)
        left[np.diag_indices_from(left)] = np.maximum(np.diagonal(left), smallest)
        self.values, self.vectors = np.linalg.eigh(left)
        self.values[self.values <= ROUNDING * self.values.max(initial=0.0)] = np.inf

    def __call__(self, right_u: Floats, right_b: Floats) -> tuple[Floats, Floats]:
        du = self.solve(right_u)
        db = self.vectors @ (self.vectors.T @ (right_b - self.mix(du)) / self.values)
        return du - self.across @ db, db

    def mended(self, excess: Floats) -> Floats:
        """The change of b that restores B'α = 0 after rounding; the equations of u become less exact."""
        return np.asarray(np.linalg.solve(self.curvature, excess), dtype=np.float64)


class Problem(Protocol):
    """Products with A and B, and the equations of a step for weights W."""

    target: Floats  # t

    def margins(self, u: Floats) -> Floats:
        """Au."""

    def shifts(self, b: Floats) -> Floats:
        """Bb."""

    def transpose_times(self, alpha: Floats) -> Floats:
        """A'α."""

    def balance(self, alpha: Floats) -> Floats:
        """B'α."""

    def equations(self, weight: Floats) -> Equations: ...


def central_path(problem: Problem, start: State, proportions: Floats) -> Iterator[State]:
    """Yield the start and the point after every step, until rounding allows no further step.

    On the path, the products α s and (c - α) ξ of the rows have the given ``proportions``.
    """
    x, share = start, proportions / (2 * proportions.sum())
    while 0.0 < x.products < np.inf:
        yield x
        try:
            with np.errstate(all="ignore"):
                x = _next(problem, x, share)
        except np.linalg.LinAlgError:
            return


def _next(problem: Problem, x: State, share: Floats) -> State:
    newton = _Newton(problem, x)
    first = newton.step(0.0, 0.0)
    now, ahead = x.products, x.moved(first, _length(x, first) / BACK).products
    target = (ahead / now) ** 3 * now * share
    step = newton.step(target - first.alpha * first.s, target - first.rest * first.xi)
    return x.moved(step, _length(x, step))


class _Newton:
    """The data shared by the predictor and the corrector step from a point."""

    def __init__(self, problem: Problem, x: State) -> None:
        self.problem, self.x = problem, x
        self.weight = 1.0 / (x.xi / x.rest + x.s / x.alpha)
        self.equations = problem.equations(self.weight)
        self.missing = problem.target - (problem.margins(x.u) + problem.shifts(x.b)) - x.xi + x.s

    def step(self, low: Floats | float, high: Floats | float) -> State:
        """The step towards α s = low and (c - α) ξ = high."""
        problem, x, weight = self.problem, self.x, self.weight
        to_s, to_xi = low / x.alpha - x.s, high / x.rest - x.xi
        rho = self.missing - to_xi + to_s
        moved = x.alpha + weight * rho
        du, db = self.equations(problem.transpose_times(moved) - x.u, problem.balance(moved))
        along = problem.margins(du)
        moved = x.alpha + weight * (rho - (along + problem.shifts(db)))
        db += self.equations.mended(problem.balance(moved))
        d_alpha = weight * (rho - (along + problem.shifts(db)))
        ds, dxi = to_s - x.s / x.alpha * d_alpha, to_xi + x.xi / x.rest * d_alpha
        return State(du, db, d_alpha, -d_alpha, ds, dxi)


def _length(x: State, step: State) -> float:
    """The length of a step: at most 1, and a little less than reaches the boundary."""
    return min(1.0, BACK * min(longest(*pair) for pair in zip(x[2:], step[2:], strict=True)))


def longest(now: Floats, change: Floats) -> float:
    """The length of the longest step that keeps all entries positive."""
    fastest = -float(np.fmin.reduce(change / now, initial=0.0))  # 0 / 0 sets no limit
    return 1.0 / fastest if fastest > 0 else np.inf
