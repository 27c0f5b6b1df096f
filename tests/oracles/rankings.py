"""Plackett–Luce with ties of any size, from the formulas alone: slow, plain and independent of podium.

A stage chooses a set S from a pool A with the probability w(S) / Σ w(T), where T runs over all subsets of A
whose size occurs, and log w(T) = mean of log α over T + log δ_|T|. This is linear in the parameters
x = (log α, log δ_d for each size d ≥ 2 that occurs), so every stage is a multinomial logit whose
alternatives are listed one by one. The last level of a ranking with a rest is a pool nobody chose from.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

from podium import Rankings
from tests.oracles.paired_rows import prior_of_skills

Array = NDArray[Any]
Order = list[tuple[int, ...]]  # levels, best first; a level of several items is a tie, or the rest


@dataclass(frozen=True)
class Orders:
    """The data of one fit; items are 0, ..., n_items - 1."""

    levels: list[Order]
    n_items: int
    rest: Array | None = None
    count: Array | None = None
    weight: Array | None = None
    group: Array | None = None

    def rankings(self) -> Rankings:
        """The same as podium's table."""
        lists = [[level if len(level) > 1 else level[0] for level in order] for order in self.levels]
        return Rankings.from_lists(lists, self.weight, count=self.count, group=self.group, rest=self.rest)

    def ones_or(self, name: str) -> Array:
        value = getattr(self, name)
        return np.ones(len(self.levels)) if value is None else np.asarray(value, dtype=float)

    def part(self, which: Any) -> "Orders":
        names = ("rest", "count", "weight", "group")
        given = {name: value[which] for name in names if (value := getattr(self, name)) is not None}
        return replace(self, levels=[self.levels[i] for i in which], **given)


@dataclass(frozen=True)
class Objective:
    """The negative log-likelihood, plus eq. (7) of [GeneralizedBT]: -μ Σ log(α_s / Σ α).

    A quadratic in the sum of the log-skills, within each component, removes the freedom to shift skills and
    leaves the optimum as it is.
    """

    orders: Orders
    prior: float = 0.0
    component: Array | None = None
    ignore_ties: bool = False  # leave out the stages that ended in a tie

    @cached_property
    def stages(self) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
        """The ranking, the chosen set and the pool of every stage."""
        orders, found = self.orders, []
        for row, order in enumerate(orders.levels):
            has_rest = orders.rest is not None and orders.rest[row]
            for place, level in enumerate(order[:-1] if has_rest else order):
                if self.ignore_ties and len(level) > 1:
                    continue
                pool = tuple(item for later in order[place:] for item in later)
                found.append((row, tuple(sorted(level)), tuple(sorted(pool))))
        return found

    @cached_property
    def tie_sizes(self) -> list[int]:
        return sorted({len(chosen) for _, chosen, _ in self.stages if len(chosen) > 1})

    @property
    def size(self) -> int:
        return self.orders.n_items + len(self.tie_sizes)

    def logit(self, chosen: tuple[int, ...]) -> Array:
        """The row z with log w(chosen) = z·x."""
        z = np.zeros(self.size)
        z[list(chosen)] = 1 / len(chosen)
        if len(chosen) > 1:
            z[self.orders.n_items + self.tie_sizes.index(len(chosen))] = 1
        return z

    @cached_property
    def choices(self) -> tuple[Array, Array, Array, Array]:
        """For every stage: its ranking, the logit of what was chosen, its first alternative; all logits."""
        chosen_rows: list[Array] = []
        start: list[int] = []
        rows: list[Array] = []
        for _, chosen, pool in self.stages:
            start.append(len(rows))
            rows += [self.logit(T) for d in (1, *self.tie_sizes) for T in combinations(pool, d)]
            chosen_rows.append(self.logit(chosen))
        return (
            np.array([row for row, _, _ in self.stages]),
            np.array(chosen_rows),
            np.array(start),
            np.array(rows),
        )

    @cached_property
    def mass(self) -> Array:
        return np.asarray(self.orders.ones_or("count") * self.orders.ones_or("weight"))

    @cached_property
    def gauge(self) -> Array:
        """One row per component: 1 for its items."""
        k = self.orders.n_items
        component = np.zeros(k, dtype=int) if self.component is None else self.component
        return np.eye(component.max() + 1)[component].T

    def chances(self, x: Array) -> tuple[Array, Array]:
        """The logarithm of the sum of every stage, and the probability of every alternative."""
        _, _, start, rows = self.choices
        logits = rows @ x
        top = np.maximum.reduceat(logits.real, start)
        stage = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(rows))))
        e = np.exp(logits - top[stage])
        total = np.add.reduceat(e, start)
        return top + np.log(total), e / total[stage]

    def log_likelihood(self, x: Array) -> Any:
        row, chosen, _, _ = self.choices
        return self.mass[row] @ (chosen @ x - self.chances(x)[0])

    def row_scores(self, x: Array) -> Array:
        """The gradient of the log-likelihood of one observation of each ranking."""
        row, chosen, start, rows = self.choices
        each = chosen - np.add.reduceat(self.chances(x)[1][:, None] * rows, start, axis=0)
        result = np.zeros((len(self.orders.levels), self.size), dtype=each.dtype)
        np.add.at(result, row, each)
        return result

    def information(self, x: Array) -> Array:
        """The observed information of the data alone: the covariance of the logits in every stage."""
        row, _, start, rows = self.choices
        p = self.chances(x)[1]
        mean = np.add.reduceat(p[:, None] * rows, start, axis=0)
        mass = self.mass[row]
        each = np.repeat(mass, np.diff(np.append(start, len(rows))))
        return np.asarray(rows.T @ ((each * p)[:, None] * rows) - mean.T @ (mass[:, None] * mean))

    def value(self, x: Array) -> float:
        total = self.gauge @ x[: self.orders.n_items]
        return float(-self.log_likelihood(x) + self._prior(x)[0] + total @ total / 2)

    def gradient(self, x: Array) -> Array:
        result: Array = -self.row_scores(x).T @ self.mass
        k = self.orders.n_items
        result[:k] += self._prior(x)[1] + self.gauge.T @ (self.gauge @ x[:k])
        return result

    def hessian(self, x: Array) -> Array:
        result = self.information(x)
        k = self.orders.n_items
        result[:k, :k] += self._prior(x)[2] + self.gauge.T @ self.gauge
        return result

    def _prior(self, x: Array) -> tuple[Any, Array, Array]:
        return prior_of_skills(x[: self.orders.n_items], self.prior)


@dataclass(frozen=True)
class Fitted:
    objective: Objective
    x: Array
    covariance: Array = field(repr=False)  # of all parameters, log-skills with mean 0 in each component

    @property
    def skill(self) -> Array:
        return self.x[: self.objective.orders.n_items]

    @property
    def skill_errors(self) -> Array:
        return np.asarray(np.sqrt(np.diag(self.covariance)[: len(self.skill)]))

    @property
    def ties(self) -> Array:
        """δ_d for every size that occurs."""
        return np.asarray(np.exp(self.x[len(self.skill) :]))

    @property
    def log_likelihood(self) -> float:
        return float(self.objective.log_likelihood(self.x))


def fit_orders(
    orders: Orders,
    *,
    prior: float = 0.0,
    covariance: str = "model",
    component: Array | None = None,
    ignore_ties: bool = False,
) -> Fitted:
    """The optimum to about 1e-12 and the covariance of all parameters."""
    o = Objective(orders, prior, component, ignore_ties)
    x: Array = minimize(o.value, np.zeros(o.size), jac=o.gradient, hess=o.hessian, method="trust-exact").x
    for _ in range(20):
        x = x - np.linalg.solve(o.hessian(x), o.gradient(x))
    assert np.abs(o.gradient(x)).max() < 1e-9 * (1 + o.mass.sum()), "the oracle did not converge"
    return Fitted(o, x, covariance_of(o, x, covariance))


def covariance_of(o: Objective, x: Array, kind: str) -> Array:
    """The inverse of the observed information, or a sandwich, with log-skills centred in each component."""
    k = o.orders.n_items
    inverse = np.linalg.inv(o.hessian(x))
    if kind != "model":
        inverse = inverse @ score_covariance_of(o, x, kind) @ inverse
    centre = np.eye(len(x))
    centre[:k, :k] -= o.gauge.T @ (o.gauge / o.gauge.sum(axis=1, keepdims=True))
    return np.asarray(centre @ inverse @ centre.T)


def score_covariance_of(o: Objective, x: Array, kind: str) -> Array:
    """The middle of the sandwich: squared gradients of rankings, or of groups of rankings."""
    count, weight, s = o.orders.ones_or("count"), o.orders.ones_or("weight"), o.row_scores(x)
    if kind == "robust":
        return np.asarray(s.T @ ((count * weight**2)[:, None] * s))
    assert o.orders.group is not None
    names, of_row = np.unique(o.orders.group, return_inverse=True)
    sums = np.eye(len(names))[of_row].T @ ((count * weight)[:, None] * s)
    return np.asarray(sums.T @ sums * len(names) / (len(names) - 1))


def has_estimate(orders: Orders) -> bool:
    """Whether the likelihood has exactly one maximum, up to a shift of all skills.

    It has none if moving in some direction lowers no term z_S·x - z_T·x and raises one; the maximum is not
    unique if another direction than the shift changes no term.
    """
    o = Objective(orders)
    _, chosen, start, rows = o.choices
    stage = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(rows))))
    terms = chosen[stage] - rows
    if np.linalg.matrix_rank(terms) < o.size - 1:
        return False
    total, ones = terms.sum(axis=0), np.ones(len(terms))
    best = linprog(-total, np.vstack([terms, -terms]), np.append(ones, 0 * ones), bounds=(None, None))
    assert best.status == 0
    return bool(-best.fun < 1e-6)


# ---------------------------------------------------------------------------------------- normal skills


def marginal(o: Objective, s: float, log_ties: Array) -> tuple[float, Array]:
    """Laplace's approximation of the log-likelihood if log-skills are N(0, s²), and their mode.

    With skills s u and u ~ N(0, I) it is log-likelihood(s û) - ½ û·û - ½ log det(I + s² H).
    """
    k = o.orders.n_items
    u = np.zeros(k)
    for _ in range(200):
        x = np.append(s * u, log_ties)
        curvature = np.eye(k) + s**2 * o.information(x)[:k, :k]
        step = np.linalg.solve(curvature, s * (o.row_scores(x).T @ o.mass)[:k] - u)
        u = u + step / max(1.0, np.abs(s * step).max())
        if np.abs(step).max() < 1e-13:
            break
    log_det = np.linalg.slogdet(curvature)[1]
    return float(o.log_likelihood(x) - u @ u / 2 - log_det / 2), s * u


def fit_normal(orders: Orders) -> tuple[float, Array, Array]:
    """The s that maximises the marginal likelihood, together with the ties; the skills; the ties."""
    o = Objective(orders)
    start = np.append(np.log(0.7), np.zeros(len(o.tie_sizes)))
    options = {"xatol": 1e-8, "fatol": 1e-12, "maxiter": 4000, "maxfev": 4000}
    found = minimize(
        lambda z: -marginal(o, np.exp(z[0]), z[1:])[0], start, method="Nelder-Mead", options=options
    )
    s = float(np.exp(found.x[0]))
    return s, marginal(o, s, found.x[1:])[1], np.asarray(np.exp(found.x[1:]))


# ---------------------------------------------------------------------------------------- simulation


def drawn_order(
    skill: Array, ties: dict[int, float], pool: Array, rng: np.random.Generator, stages: int | None = None
) -> Order:
    """One ranking of the pool by the model; after the given number of stages, what is left is the rest."""
    left = sorted(pool.tolist())
    order: Order = []
    while left and (stages is None or len(order) < stages):
        sets = [T for d in (1, *ties) for T in combinations(left, d)]
        w = np.array([np.exp(skill[list(T)].mean()) * ties.get(len(T), 1.0) for T in sets])
        chosen = sets[rng.choice(len(sets), p=w / w.sum())]
        order.append(chosen)
        left = [item for item in left if item not in chosen]
    return [*order, tuple(left)] if left else order


def drawn_orders(
    seed: int,
    *,
    n: int = 80,
    n_items: int = 6,
    smallest: int = 2,
    largest: int = 5,
    ties: dict[int, float] | None = None,
    stages: int | None = None,
    weighted: bool = False,
    counted: bool = False,
    judges: int = 0,
) -> Orders:
    """Rankings of random pools, with a rest below the given number of stages."""
    rng = np.random.default_rng(seed)
    skill = np.linspace(-0.8, 0.8, n_items)
    pools = [rng.choice(n_items, rng.integers(smallest, largest + 1), replace=False) for _ in range(n)]
    levels = [drawn_order(skill, ties or {}, pool, rng, stages) for pool in pools]
    below = None if stages is None else np.array([len(order) > stages for order in levels])
    return Orders(
        levels,
        n_items,
        rest=below,
        count=rng.integers(1, 4, n).astype(float) if counted else None,
        weight=rng.uniform(0.2, 2, n) if weighted else None,
        group=rng.integers(judges, size=n) if judges else None,
    )
