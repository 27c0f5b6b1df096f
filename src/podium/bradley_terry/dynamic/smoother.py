"""The smoother: the posterior mode of all states, given all games.

    minimise over u   ½ |u|² + Σ_g mass_g loss(d_g(L u), outcome_g)

with the states x = L u of `chains`. This is strictly convex if every side is a single item. Newton's steps
are solved by conjugate gradients, preconditioned by the chains on their own: the Hessian without the terms
between different movers.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from podium.bradley_terry.dynamic.chains import Chains, Factor
from podium.bradley_terry.dynamic.games import Games
from podium.bradley_terry.dynamic.motion import Motion
from podium.comparisons.arrays import Floats, Index, ranges
from podium.core.links import Link, derivatives, loss, root, seen_score
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

CG_TOL = 0.1  # the largest relative residual of a step, which falls with the gradient
MOST_CG = 2000
NEAR = 1e-3  # of the gradient: from here on the steps with teams use their exact curvature
MOST_HALVINGS = 40
ROUNDING = 1e-12  # of the objective, relative


class Rows(NamedTuple):
    """The games, linearised at some states: d ≈ matrix @ x + constant."""

    d: Floats
    slopes: Floats  # of d by every entry of the games
    matrix: Any  # the same as a sparse matrix, games × states
    shares: Any  # sparse, two rows per game (left and right) × states; None if all sides are single items


@dataclass(frozen=True, eq=False)
class Problem:
    """All games as functions of all states."""

    games: Games
    chains: Chains
    state: Index  # of every entry of the games
    link: Link

    @classmethod
    def of(cls, games: Games, motion: Motion, link: Link) -> "Problem":
        return cls(games, *Chains.through(games, motion), link)

    def rows(self, x: Floats) -> Rows:
        from scipy.sparse import csr_array

        games, shape = self.games, (len(self.games), len(self.chains))
        if not games.has_teams:
            matrix = csr_array((games.coefficient, self.state, games.indptr), shape=shape, copy=True)
            return Rows(np.asarray(matrix @ x), games.coefficient, matrix, None)
        value, strength, shares = _team_rows(self, x)
        matrix = csr_array((value, self.state, games.indptr), shape=shape, copy=True)
        game, entry = ranges(games.effects, games.indptr[1:])
        linear = np.bincount(game, (games.coefficient * x[self.state])[entry], len(games))
        return Rows(strength[:, 1] - strength[:, 0] + linear, value, matrix, shares)

    def losses(self, d: Floats) -> tuple[float, Floats, Floats]:
        """The loss of all games, and the slope and curvature of each by its difference."""
        outcome, mass = self.games.outcome, self.games.mass
        results = mass, mass * (outcome == 0), mass * outcome
        expected, curvature, *_ = derivatives(root(d), *results, *self.link)
        value = float(np.sum(loss(d, *results, *self.link)))
        return value, seen_score(*results, self.link.rao_kupper) - expected, curvature

    def hessian(self, x: Floats) -> "Hessian":
        """The Hessian of `objective` at the states x."""
        rows = self.rows(x)
        return Hessian.of(self, rows, *self.losses(rows.d)[1:])

    def objective(self, u: Floats) -> float:
        """The value that `smooth` minimises."""
        x = self.chains.states(u[:, None])[:, 0]
        return float(0.5 * u @ u + self.losses(self.rows(x).d)[0])


def _team_rows(problem: Problem, x: Floats) -> tuple[Floats, Floats, Any]:
    """The slope of d by each entry, the strengths log Σ e^x of both sides, and their members' shares."""
    from scipy.sparse import csr_array

    games = problem.games
    bounds = np.column_stack([games.indptr[:-1], games.right, games.effects])
    entries = ranges(bounds[:, 0], bounds[:, 2])[1]
    side_start = np.append(0, np.cumsum(np.diff(bounds, axis=1).ravel()))
    members = x[problem.state[entries]]
    top = np.maximum.reduceat(members, side_start[:-1])
    size = np.diff(side_start)
    power = np.exp(members - np.repeat(top, size))
    total = np.add.reduceat(power, side_start[:-1])
    share = power / np.repeat(total, size)
    value = games.coefficient.copy()
    value[entries] *= share
    shape = (2 * len(games), len(problem.chains))
    shares = csr_array((share, problem.state[entries], side_start), shape=shape)
    return value, (np.log(total) + top).reshape(-1, 2), shares


@dataclass(frozen=True, eq=False)
class Hessian:
    """The Hessian of the objective by u: I + L' (A' W A + curvature of the teams) L."""

    chains: Chains
    rows: Rows
    weight: Floats
    slope: Floats
    factor: Factor

    @classmethod
    def of(cls, problem: Problem, rows: Rows, slope: Floats, weight: Floats) -> "Hessian":
        own = rows.matrix.power(2).T @ weight
        return cls(problem.chains, rows, weight, slope, Factor.of(problem.chains, np.asarray(own)))

    @property
    def slopes(self) -> Floats:
        return self.rows.slopes

    def by_states(self, x: Floats, *, exact: bool) -> Floats:
        """(A' W A) x, and with ``exact`` the curvature of log Σ e^x of the teams, which may be negative."""
        bent = self.rows.matrix.T @ (self.weight[:, None] * (self.rows.matrix @ x))
        if exact and self.rows.shares is not None:
            shares, push = self.rows.shares, np.column_stack([-self.slope, self.slope]).ravel()
            bent += (shares.T @ push)[:, None] * x - shares.T @ (push[:, None] * (shares @ x))
        return np.asarray(bent)

    def times(self, width: int, exact: bool, v: Floats) -> Floats:
        """The Hessian times columns that are laid end to end."""
        block = v.reshape(-1, width)
        bent = self.by_states(self.chains.states(block), exact=exact)
        return np.asarray(block + self.chains.noise(bent)).ravel()

    def solve(self, right: Floats, rtol: float, *, exact: bool = True) -> Floats:
        """Solve for all columns of ``right`` together, by conjugate gradients."""
        from scipy.sparse.linalg import LinearOperator, cg

        width, shape = right.shape[1], (right.size, right.size)
        matrix = LinearOperator(shape, matvec=partial(self.times, width, exact), dtype=np.float64)
        inverse = LinearOperator(
            shape, matvec=lambda v: self.factor.solve(v.reshape(-1, width)).ravel(), dtype=np.float64
        )
        found, _ = cg(matrix, right.ravel(), rtol=rtol, maxiter=MOST_CG, M=inverse)
        return np.asarray(found.reshape(right.shape))


def smooth(problem: Problem, tol: float, max_iter: int) -> SolverResult:
    """The noise u of the posterior mode; its certificate is the gradient relative to that at u = 0."""
    with one_blas_thread():  # for the same rounding every time
        return _newton(problem, tol, max_iter)


def _newton(problem: Problem, tol: float, max_iter: int) -> SolverResult:
    chains = problem.chains
    u = np.zeros(len(chains))
    first, history = _gradient_at_rest(problem), []
    for iteration in range(max_iter + 1):
        rows = problem.rows(chains.states(u[:, None])[:, 0])
        value, slope, weight = problem.losses(rows.d)
        value += 0.5 * float(u @ u)
        gradient = u + chains.noise((rows.matrix.T @ slope)[:, None])[:, 0]
        norm = float(np.linalg.norm(gradient)) / first
        history.append(norm)
        if norm <= tol or iteration == max_iter:
            break
        hessian = Hessian.of(problem, rows, slope, weight)
        enough = max(min(CG_TOL, norm), 0.3 * tol / norm)  # the last step need not be better than tol
        near = norm < NEAR and problem.games.has_teams
        step = hessian.solve(-gradient[:, None], enough, exact=near)[:, 0]
        if near and not gradient @ step < 0:  # the curvature of the teams is negative here
            step = hessian.solve(-gradient[:, None], enough, exact=False)[:, 0]
        moved = _search(problem, u, step, value, float(gradient @ step))
        if moved is None:
            break
        u = moved
    stalled = norm > tol and iteration < max_iter
    return SolverResult(
        u, problem.objective, norm, iteration, norm <= tol, "newton-cg", tuple(history), stalled=stalled
    )


def _gradient_at_rest(problem: Problem) -> float:
    rows = problem.rows(np.zeros(len(problem.chains)))
    slope = rows.matrix.T @ problem.losses(rows.d)[1]
    return float(np.linalg.norm(problem.chains.noise(slope[:, None]))) or 1.0


def _search(problem: Problem, u: Floats, step: Floats, value: float, slope: float) -> Floats | None:
    """A point along the step with a lower objective; None if rounding allows none."""
    for halving in range(MOST_HALVINGS):
        moved = u + 0.5**halving * step
        allowed = value + 1e-4 * 0.5**halving * slope + ROUNDING * abs(value)
        if problem.objective(moved) <= allowed:
            return np.asarray(moved)
    return None
