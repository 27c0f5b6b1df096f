"""An interior point method for machines with hinges: its steps are few whatever the costs and the data are.

With a row of A and B for every hinge, t its margin (1, as a rule) and c its cost,

    minimise over u, b   ½ u'u + Σ c ξ   subject to   Au + Bb + ξ - s = t,  ξ, s ≥ 0,

    whose dual is to maximise  t'α - ½ ‖A'α‖²   where 0 ≤ α ≤ c and B'α = 0.

At the optimum u = A'α, α s = 0 and (c - α) ξ = 0. Mehrotra's predictor and corrector follow the path on which
these products go to 0 together [Ferris and Munson 2002]. With weights W = 1 / (ξ / (c - α) + s / α) the other
variables are eliminated from a step, and what is left to solve is

    (I + A'WA) Δu + A'WB Δb = A'(α + W ρ) - u
         B'WA  Δu + B'WB Δb = B'(α + W ρ)         and then   Δα = W (ρ - A Δu - B Δb).

A step keeps the equations of the dual if the start meets them. Fewest steps are needed if all products are
the same on the path; if they are proportional to the costs, a row twice is a row of twice the cost.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from podium.comparisons.arrays import Floats

BACK = 0.995  # how much of the way to the boundary a step may go
ROUNDING = 1e-15


class State(NamedTuple):
    """A point inside: both slacks and both distances of α from its bounds are positive."""

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
        """Σ α s + (c - α) ξ, the duality gap if the point meets all equations."""
        return float(self.alpha @ self.s + self.rest @ self.xi)


class Equations:
    """Of a step, with u eliminated.

    ``solve`` is the inverse of I + A'WA, ``mixed`` is A'WB, ``mix`` multiplies by its transpose, and
    ``curvature`` is B'WB, which may be empty: a machine without b.
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
        """What b takes up of what rounding leaves of B'α, at the expense of u's equations."""
        return np.asarray(np.linalg.solve(self.curvature, excess), dtype=np.float64)


class Problem(Protocol):
    """A and B as operators; ``equations`` are those of the weights W."""

    target: Floats  # t

    def margins(self, u: Floats) -> Floats:
        """Au."""

    def shifts(self, b: Floats) -> Floats:
        """Bb."""

    def pull(self, alpha: Floats) -> Floats:
        """A'α."""

    def balance(self, alpha: Floats) -> Floats:
        """B'α."""

    def equations(self, weight: Floats) -> Equations: ...


def central_path(problem: Problem, start: State, proportions: Floats) -> Iterator[State]:
    """The start and the points after it, one a step, until floats can go no further.

    On the path the products α s, and (c - α) ξ, of the rows have the given ``proportions``.
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
    """What the two steps from a point share."""

    def __init__(self, problem: Problem, x: State) -> None:
        self.problem, self.x = problem, x
        self.weight = 1.0 / (x.xi / x.rest + x.s / x.alpha)
        self.equations = problem.equations(self.weight)
        self.missing = problem.target - (problem.margins(x.u) + problem.shifts(x.b)) - x.xi + x.s

    def step(self, low: Floats | float, high: Floats | float) -> State:
        """Towards α s = low and (c - α) ξ = high."""
        problem, x, weight = self.problem, self.x, self.weight
        to_s, to_xi = low / x.alpha - x.s, high / x.rest - x.xi
        rho = self.missing - to_xi + to_s
        moved = x.alpha + weight * rho
        du, db = self.equations(problem.pull(moved) - x.u, problem.balance(moved))
        along = problem.margins(du)
        moved = x.alpha + weight * (rho - (along + problem.shifts(db)))
        db += self.equations.mended(problem.balance(moved))
        d_alpha = weight * (rho - (along + problem.shifts(db)))
        ds, dxi = to_s - x.s / x.alpha * d_alpha, to_xi + x.xi / x.rest * d_alpha
        return State(du, db, d_alpha, -d_alpha, ds, dxi)


def _length(x: State, step: State) -> float:
    """Most of the way to the boundary, at most the whole step."""
    return min(1.0, BACK * min(longest(*pair) for pair in zip(x[2:], step[2:], strict=True)))


def longest(now: Floats, change: Floats) -> float:
    """The longest step that keeps all positive."""
    falling = change < 0
    return float(np.min(-now[falling] / change[falling], initial=np.inf))
