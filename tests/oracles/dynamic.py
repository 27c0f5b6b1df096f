"""Skill that moves, from the formulas alone, with dense matrices: slow, plain and independent of podium.

A state is one item, the order effect or one covariate effect at one moment. All states are x = m + L u with
u ~ N(0, I): the smoother has L from the random walk and m = 0, one step of the filter has a diagonal L. So
both need one thing only, the mode of the posterior of u and its covariance. Variances may be 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from podium import Comparisons
from tests.oracles.paired_rows import Array, curvatures, logs_of_outcomes, scores

NODES = np.linspace(-12, 12, 2401)  # the trapezoidal rule is exact to rounding for smooth functions
WEIGHTS = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()

Key = tuple[Any, float]  # who (an item, "order" or an "effect") and the moment
Team = tuple[int, ...]


@dataclass(frozen=True)
class Games:
    """The data; each side is a tuple of items, which are 0, 1, ..."""

    left: list[Team]
    right: list[Team]
    outcome: Array
    time: Array
    covariates: Array | None = None
    neutral: Array | None = None
    count: Array | None = None
    weight: Array | None = None

    def __len__(self) -> int:
        return len(self.left)

    @property
    def is_neutral(self) -> Array:
        return np.zeros(len(self), dtype=bool) if self.neutral is None else self.neutral

    @property
    def mass(self) -> Array:
        parts = [np.ones(len(self)) if each is None else each for each in (self.count, self.weight)]
        return np.asarray(parts[0] * parts[1])

    @property
    def z(self) -> Array:
        return np.zeros((len(self), 0)) if self.covariates is None else self.covariates

    @property
    def effect_scale(self) -> Array:
        """The standard deviations of the prior of the covariate effects: 2 per root mean square."""
        return np.asarray(2 / np.sqrt(self.mass @ self.z**2 / self.mass.sum()))

    def part(self, which: Array) -> "Games":
        rows = np.arange(len(self))[which]
        names = ("outcome", "time", "covariates", "neutral", "count", "weight")
        given = {name: value[rows] for name in names if (value := getattr(self, name)) is not None}
        return replace(self, left=[self.left[i] for i in rows], right=[self.right[i] for i in rows], **given)

    def with_outcome(self, outcome: Array) -> "Games":
        return replace(self, outcome=outcome)

    def comparisons(self, **other: Any) -> Comparisons:
        """The same as podium's table, with columns replaced by ``other``."""
        alone = all(len(team) == 1 for team in self.left + self.right)
        left, right = ([team[0] for team in side] if alone else side for side in (self.left, self.right))
        names = ("weight", "time", "covariates", "neutral", "count")
        given = {name: value for name in names if (value := getattr(self, name)) is not None} | other
        return Comparisons.from_arrays(left, right, self.outcome, **given)


@dataclass(frozen=True)
class Dynamics:
    """The hyperparameters; ``tie`` is Davidson's ν or Rao and Kupper's κ."""

    spread: float
    drift: float
    reversion: float = 0.0
    ties: str = "davidson"
    tie: float = 0.0
    order_effect: bool = False
    order_drift: float = 0.0
    effect_scale: Any = ()

    @property
    def t(self) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(np.float64(self.tie) - (self.ties == "rao-kupper"))

    def first(self, who: Any) -> float:
        """The standard deviation at the first moment."""
        if who == "order":
            return 2.0
        return float(self.effect_scale[int(who[6:])]) if isinstance(who, str) else self.spread

    def step(self, who: Any, gap: float) -> tuple[float, float]:
        """What is left of a state after a gap, and the variance that comes in."""
        if isinstance(who, str):
            return 1.0, self.order_drift**2 * gap if who == "order" else 0.0
        if self.reversion == 0:
            return 1.0, self.drift**2 * gap
        rate = 2 * self.reversion
        return float(np.exp(-self.reversion * gap)), -(self.drift**2) * float(np.expm1(-rate * gap)) / rate

    def played(self, games: Games) -> Games:
        """The games that count."""
        return games.part(games.outcome != 0) if self.ties == "ignore" else games

    def logs(self, d: Array) -> Array:
        """The logarithms of the likelihoods of the three outcomes for each d."""
        return logs_of_outcomes(d, self.t, self.ties)


# ------------------------------------------------------------------------------------------ one posterior


@dataclass(frozen=True)
class Evidence:
    """The likelihood of games as a function of the states ``keys``."""

    games: Games
    model: Dynamics
    keys: list[Key]

    def _members(self, side: list[Team]) -> Array:
        place = {key: i for i, key in enumerate(self.keys)}
        M = np.zeros((len(side), len(self.keys)))
        for row, (team, moment) in enumerate(zip(side, self.games.time, strict=True)):
            M[row, [place[item, moment] for item in team]] = 1.0
        return M

    @cached_property
    def sides(self) -> tuple[Array, Array]:
        return self._members(self.games.left), self._members(self.games.right)

    @cached_property
    def fixed(self) -> Array:
        """The linear part of d: the order effect and the covariates."""
        F = np.zeros((len(self.games), len(self.keys)))
        for column, (who, moment) in enumerate(self.keys):
            if who == "order":
                F[:, column] = -1.0 * (~self.games.is_neutral & (self.games.time == moment))
            elif isinstance(who, str):
                F[:, column] = self.games.z[:, int(who[6:])]
        return F

    def strengths(self, x: Array) -> tuple[Array, Array]:
        return self.sides[0] @ np.exp(x), self.sides[1] @ np.exp(x)

    def difference(self, x: Array) -> Array:
        left, right = self.strengths(x)
        return np.asarray(np.log(right) - np.log(left) + self.fixed @ x)

    def shares(self, x: Array) -> list[Array]:
        """The share that each state has in the strength of each side."""
        both = zip(self.sides, self.strengths(x), strict=True)
        return [M * np.exp(x) / strength[:, None] for M, strength in both]

    def slope(self, x: Array) -> Array:
        """The derivatives of d: shape (games, states)."""
        left, right = self.shares(x)
        return np.asarray(right - left + self.fixed)

    def value(self, x: Array) -> float:
        logs = self.model.logs(self.difference(x))
        return float(self.games.mass @ logs[np.arange(len(self.games)), self.games.outcome + 1])

    def _row_scores(self, x: Array) -> Array:
        g, model = self.games, self.model
        return np.asarray(g.mass * scores(self.difference(x), model.t, g.outcome, model.ties)[0])

    def gradient(self, x: Array) -> Array:
        return np.asarray(self.slope(x).T @ self._row_scores(x))

    def information(self, x: Array, *, exact: bool = True) -> Array:
        """The negative Hessian, with or without the curvature of the strengths of teams."""
        g, model = self.games, self.model
        w = g.mass * curvatures(self.difference(x), model.t, g.outcome, model.ties)[0]
        A, score = self.slope(x), self._row_scores(x)
        H = A.T @ (w[:, None] * A)
        for sign, S in zip((1, -1), self.shares(x), strict=True):
            H += exact * sign * (np.diag(score @ S) - S.T @ (score[:, None] * S))
        return np.asarray(H)


class Posterior(NamedTuple):
    """The mode of the states and their covariance."""

    keys: list[Key]
    mean: Array
    covariance: Array

    def at(self, moment: float) -> "Posterior":
        """The part of the items at one moment."""
        which = [i for i, (who, t) in enumerate(self.keys) if t == moment and not isinstance(who, str)]
        return Posterior(
            [self.keys[i] for i in which], self.mean[which], self.covariance[np.ix_(which, which)]
        )

    def last(self) -> "States":
        """Each state at its last moment."""
        variance = self.covariance.diagonal()
        places = sorted(range(len(self.keys)), key=lambda i: self.keys[i][1])
        return {self.keys[i][0]: State(self.mean[i], variance[i], self.keys[i][1]) for i in places}


def posterior(evidence: Evidence, m: Array, L: Array, *, exact: bool = True) -> Posterior:
    """The mode of log-likelihood(m + L u) - ½ u·u by scipy, polished by Newton's method.

    Without ``exact``, the covariance leaves out the curvature of the strengths of teams.
    """

    def loss(u: Array) -> float:
        return float(u @ u / 2 - evidence.value(m + L @ u))

    def gradient(u: Array) -> Array:
        return np.asarray(u - L.T @ evidence.gradient(m + L @ u))

    def hessian(u: Array, exact: bool = True) -> Array:
        return np.asarray(np.eye(len(u)) + L.T @ evidence.information(m + L @ u, exact=exact) @ L)

    start = np.zeros(len(evidence.keys))
    u: Array = minimize(loss, start, jac=gradient, hess=hessian, method="trust-exact").x
    for _ in range(4):
        u = u - np.linalg.solve(hessian(u), gradient(u))
    H = hessian(u, exact)
    assert np.abs(gradient(u)).max() < 1e-9, "the oracle did not converge"
    assert np.linalg.eigvalsh(H).min() > 0, "the oracle is not at a maximum"
    return Posterior(evidence.keys, m + L @ u, L @ np.linalg.solve(H, L.T))


# ------------------------------------------------------------------------------------------ the smoother


def smooth(games: Games, model: Dynamics, also: Iterable[Key] = ()) -> Posterior:
    """The mode of all states at all moments, and of items at moments without games, given all games."""
    games = model.played(games)
    model = replace(model, effect_scale=games.effect_scale)
    keys = chains(games, model, also)
    return posterior(Evidence(games, model, keys), np.zeros(len(keys)), factor(keys, model))


def chains(games: Games, model: Dynamics, also: Iterable[Key] = ()) -> list[Key]:
    """Every state, those of one item in the order of time."""
    sides = zip(games.left, games.right, games.time, strict=True)
    keys = sorted({(item, moment) for left, right, moment in sides for item in left + right} | set(also))
    moments = np.unique(games.time[~games.is_neutral]) if model.order_effect else ()
    return keys + [("order", t) for t in moments] + [(f"effect{k}", 0.0) for k in range(games.z.shape[1])]


def factor(keys: list[Key], model: Dynamics) -> Array:
    """L of x = L u: each state is what is left of the one before it, plus noise of its own."""
    L = np.zeros((len(keys), len(keys)))
    for i, (who, moment) in enumerate(keys):
        if i == 0 or keys[i - 1][0] != who:
            L[i, i] = model.first(who)
        else:
            left, variance = model.step(who, moment - keys[i - 1][1])
            L[i] = left * L[i - 1]
            L[i, i] = np.sqrt(variance)
    return L


# ------------------------------------------------------------------------------------------ the filter


class State(NamedTuple):
    mean: float
    variance: float
    time: float


States = dict[Any, State]


def grown(states: States, who: Any, moment: float, model: Dynamics) -> State:
    """A state as known at a later moment, before the games of that moment."""
    if who not in states:
        return State(0.0, model.first(who) ** 2, moment)
    mean, variance, time = states[who]
    left, more = model.step(who, moment - time)
    return State(left * mean, left**2 * variance + more, moment)


def predictions(evidence: Evidence, m: Array, V: Array) -> Array:
    """Probabilities of a left win, a tie and a right win: means over d ~ N(d(m), a'Va)."""
    error = np.sqrt(evidence.slope(m) ** 2 @ V)
    d = evidence.difference(m)[:, None] + error[:, None] * NODES
    p = np.exp([evidence.model.logs(row) for row in d])
    if evidence.model.ties in ("half", "ignore"):
        p[:, :, 1] = 0.0
    return np.asarray(np.einsum("q,nqc->nc", WEIGHTS, p))


def run_filter(games: Games, model: Dynamics, start: States | None = None) -> tuple[Array, States]:
    """Probabilities of every game from what was strictly earlier, and the states at the end.

    Without a start, the scale of the covariate effects is that of these games.
    """
    if start is None:
        model = replace(model, effect_scale=model.played(games).effect_scale)
    states, chance = dict(start or {}), np.zeros((len(games), 3))
    for moment in np.unique(games.time):
        now = games.time == moment
        chance[now] = predictions(*_prior(games.part(now), model, states))
        if len(played := model.played(games.part(now))):
            evidence, m, V = _prior(played, model, states)
            states |= posterior(evidence, m, np.diag(np.sqrt(V)), exact=False).last()
    return chance, states


def _prior(games: Games, model: Dynamics, states: States) -> tuple[Evidence, Array, Array]:
    """The games of one moment, and what is known of their states before it."""
    keys = chains(games, model)
    before = [grown(states, who, moment, model) for who, moment in keys]
    m, V = (np.array([state[i] for state in before]) for i in (0, 1))
    return Evidence(games, model, keys), m, V


def log_score(chance: Array, games: Games, model: Dynamics) -> float:
    """The sum of the logarithms of the probabilities of what happened."""
    p, y, mass = chance, games.outcome, games.mass
    if model.ties not in ("half", "ignore"):
        return float(mass @ np.log(p[np.arange(len(y)), y + 1]))
    logs = np.log(p[:, [0, 2]])
    tied = logs.mean(axis=1) if model.ties == "half" else 0.0
    return float(mass @ np.where(y == 0, tied, np.where(y < 0, logs[:, 0], logs[:, 1])))
