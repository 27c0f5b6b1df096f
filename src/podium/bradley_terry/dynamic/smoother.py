"""The smoother: the posterior mode of all states, given all games.

    minimise over u   ½ |u|² + Σ_g mass_g loss(d_g(L u), outcome_g)

with the states x = L u of `chains`. This is strictly convex if every side is a single item. The steps of
Newton's method (`podium.core.smooth`) come from conjugate gradients, preconditioned by the chains on their
own: the Hessian without the terms between different movers.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from podium.bradley_terry.dynamic.chains import Chains, Factor
from podium.bradley_terry.dynamic.games import Games, linearise, losses
from podium.bradley_terry.dynamic.motion import Motion
from podium.comparisons.arrays import Floats, Index, ranges
from podium.core.linear import Iterative
from podium.core.links import Link
from podium.core.smooth import Smooth, minimise
from podium.numerics.descent import Derivatives
from podium.numerics.result import SolverResult

NEAR = 1e-3  # of the gradient: from here on the steps with teams use their exact curvature


@dataclass(frozen=True, eq=False)
class Problem(Smooth):
    """All games as functions of all states."""

    games: Games
    chains: Chains
    state: Index  # of every entry of the games
    link: Link

    @classmethod
    def of(cls, games: Games, motion: Motion, link: Link) -> "Problem":
        return cls(games, *Chains.through(games, motion), link)

    def hessian(self, x: Floats) -> "Hessian":
        """The loss of the games at the states x, with its derivatives."""
        from scipy.sparse import csr_array

        games, n_states = self.games, len(self.chains)
        d, slopes = np.empty(len(games)), np.empty(len(self.state))
        linearise(games.at(self.state), x, slopes, d)
        slope, weight = np.empty_like(d), np.empty_like(d)
        loss = losses(d, games.outcome, games.mass, self.link, slope, weight)
        matrix = csr_array((slopes, self.state, games.indptr), shape=(len(games), n_states), copy=True)
        shares = None
        if games.has_teams:
            ends = np.column_stack([games.indptr[:-1], games.right, games.effects])
            member = ranges(ends[:, 0], ends[:, 2])[1]
            start = np.append(0, np.cumsum(np.diff(ends, axis=1).ravel()))
            part = np.abs(slopes[member]), self.state[member], start
            shares = csr_array(part, shape=(2 * len(games), n_states))
        return Hessian(self.chains, loss, slope, weight, slopes, matrix, shares)

    # ------------------------------------------------------------------------------------ as a function of u

    @property
    def convex(self) -> bool:
        """The strength of a team is not linear in the skills of its members."""
        return not self.games.has_teams

    def start(self) -> Floats:
        return np.zeros(len(self.chains))

    def scale(self) -> Floats:
        """The largest entry of the gradient at u = 0."""
        largest = float(np.abs(self.derivatives(self.start()).gradient).max(initial=0.0))
        return np.full(len(self.chains), largest or 1.0)

    def objective(self, u: Floats) -> float:
        return float(0.5 * u @ u + self.hessian(self.chains.states(u[:, None])[:, 0]).loss)

    def derivatives(self, u: Floats) -> Derivatives:
        here = self.hessian(self.chains.states(u[:, None])[:, 0])
        gradient = u + self.chains.noise((here.matrix.T @ here.slope)[:, None])[:, 0]
        return Derivatives(gradient, np.ones(len(u)), here)

    def curvature(self, u: Floats, here: Derivatives, extra: Floats, rtol: float) -> "Steps":
        return Steps(here.terms, extra, rtol)


@dataclass(frozen=True, eq=False)
class Hessian:
    """The Hessian of the objective by u, I + L' (A' W A + curvature of the teams) L, and what it is made of.

    The games are linearised at some states: d ≈ ``matrix`` @ x + constant.
    """

    chains: Chains
    loss: float
    slope: Floats  # of the loss of each game by its d
    weight: Floats  # its curvature
    slopes: Floats  # of d by every entry of the games
    matrix: Any  # the same as a sparse matrix, games × states
    shares: Any  # sparse, two rows per game (left and right) × states; None if all sides are single items

    @cached_property
    def factor(self) -> Factor:
        """Without the terms between different movers."""
        return Factor.of(self.chains, np.asarray(self.matrix.power(2).T @ self.weight))

    def by_states(self, x: Floats, *, exact: bool) -> Floats:
        """(A' W A) x, and with ``exact`` the curvature of log Σ e^x of the teams, which may be negative."""
        bent = self.matrix.T @ (self.weight[:, None] * (self.matrix @ x))
        if exact and self.shares is not None:
            shares, push = self.shares, np.column_stack([-self.slope, self.slope]).ravel()
            bent += (shares.T @ push)[:, None] * x - shares.T @ (push[:, None] * (shares @ x))
        return np.asarray(bent)

    def solve(
        self, right: Floats, rtol: float, *, exact: bool = False, extra: Floats | float = 0.0
    ) -> Floats:
        """Solve for all columns of ``right`` together, after a diagonal is added."""
        added = np.broadcast_to(extra, len(right))[:, None]

        def times(v: Floats) -> Floats:
            bent = self.by_states(self.chains.states(v), exact=exact)
            return np.asarray((1.0 + added) * v + self.chains.noise(bent))

        return Iterative(times, self.factor.solve, rtol, rough=True).solve(right)


class Steps(NamedTuple):
    """Newton's equations at a point."""

    hessian: Hessian
    extra: Floats
    rtol: float

    def solve(self, right: Floats) -> Floats:
        """With teams the exact curvature near the mode, unless it is negative there."""
        near = self.rtol < NEAR and self.hessian.shares is not None
        step = self._solved(right, exact=near)
        return self._solved(right, exact=False) if near and not right @ step > 0 else step

    def _solved(self, right: Floats, *, exact: bool) -> Floats:
        return self.hessian.solve(right, self.rtol, exact=exact, extra=self.extra)


def smooth(problem: Problem, tol: float, max_iter: int) -> SolverResult:
    """The noise u of the posterior mode; its certificate is the gradient relative to that at u = 0."""
    return minimise(problem, problem.curvature, tol, max_iter, patience=0)
