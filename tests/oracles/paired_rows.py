"""Paired comparisons from the formulas alone, with dense matrices: slow, plain and independent of podium.

Row i has d = r_right - r_left - h (1 - neutral) + z·g, which is linear in x = (r, g, h); the last entry of
the parameters is t, for ties. Every function of a row depends on d and t only, so the likelihood, its
gradient and its Hessian are sums over rows of scores and of 2 × 2 curvatures.

All functions take complex numbers, so that a complex step differentiates them without cancellation.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from podium import Comparisons

Array = NDArray[Any]


@dataclass(frozen=True)
class Rows:
    """The data of one fit; items are 0, ..., n_items - 1."""

    left: Array
    right: Array
    outcome: Array
    n_items: int
    count: Array | None = None
    weight: Array | None = None
    covariates: Array | None = None
    neutral: Array | None = None
    group: Array | None = None
    features: Array | None = None

    def comparisons(self) -> Comparisons:
        """The same as podium's table; what this lacks is not passed on."""
        names = ("count", "group", "covariates", "neutral")
        extra = {name: value for name in names if (value := getattr(self, name)) is not None}
        c = Comparisons.from_arrays(self.left, self.right, self.outcome, self.weight, **extra)
        return c if self.features is None else c.with_features(self.features)

    def without_ties(self) -> "Rows":
        return self.part(self.outcome != 0)

    def part(self, which: Array) -> "Rows":
        rows = ("left", "right", "outcome", "count", "weight", "covariates", "neutral", "group")
        given = {name: value for name in rows if (value := getattr(self, name)) is not None}
        return replace(self, **{name: value[which] for name, value in given.items()})

    def ones_or(self, name: str) -> Array:
        value = getattr(self, name)
        return np.ones(len(self.left)) if value is None else np.asarray(value, dtype=float)


# ---------------------------------------------------------------------------------------- one row


def logs_of_outcomes(d: Array, t: Any, ties: str) -> Array:
    """The logarithm of the (pseudo-)likelihood of a left win, a tie and a right win: shape (n, 3)."""
    if ties == "davidson":
        logits = np.stack([-d / 2, t + 0 * d, d / 2], axis=1)
        top = logits.real.max(axis=1, keepdims=True)
        return np.asarray(logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True)))
    kappa = 1 + np.exp(t) if ties == "rao-kupper" else 1.0
    left, right = -np.log1p(kappa * np.exp(d)), -np.log1p(kappa * np.exp(-d))
    if ties == "rao-kupper":
        return np.stack([left, np.log(kappa**2 - 1) + left + right, right], axis=1)
    return np.stack([left, (left + right) / 2, right], axis=1)


def scores(d: Array, t: Any, outcome: Array, ties: str) -> tuple[Array, Array]:
    """The derivatives of the logarithm of the likelihood of each row by d and by t."""
    if ties == "davidson":
        p = np.exp(logs_of_outcomes(d, t, ties))
        return (outcome - (p[:, 2] - p[:, 0])) / 2, (outcome == 0) - p[:, 1]
    kappa = 1 + np.exp(t) if ties == "rao-kupper" else 1.0
    lost = kappa / (kappa + np.exp(-d))  # 1 - P(left wins)
    won = kappa / (kappa + np.exp(d))  # 1 - P(right wins)
    left, right = outcome <= 0, outcome >= 0
    by_d = right * won - left * lost
    if ties != "rao-kupper":
        return np.where(outcome == 0, by_d / 2, by_d), 0 * d
    by_kappa = -(left * lost + right * won) / kappa + (outcome == 0) * 2 * kappa / (kappa**2 - 1)
    return by_d, by_kappa * np.exp(t)


def curvatures(d: Array, t: Any, outcome: Array, ties: str) -> tuple[Array, Array, Array]:
    """The second derivatives, with opposite sign: by d twice, by d and t, by t twice."""
    if ties == "davidson":
        p = np.exp(logs_of_outcomes(d, t, ties))
        mean = (p[:, 2] - p[:, 0]) / 2
        return (p[:, 0] + p[:, 2]) / 4 - mean**2, -mean * p[:, 1], p[:, 1] * (1 - p[:, 1])
    kappa = 1 + np.exp(t) if ties == "rao-kupper" else 1.0
    lost, won = kappa / (kappa + np.exp(-d)), kappa / (kappa + np.exp(d))
    left, right = outcome <= 0, outcome >= 0
    a, b = left * lost * (1 - lost), right * won * (1 - won)
    if ties != "rao-kupper":
        return np.where(outcome == 0, (a + b) / 2, a + b), 0 * d, 0 * d
    tied, e = outcome == 0, np.exp(t)  # κ = 1 + e; d log κ / dt = e / κ, and lost and won are functions of
    ratio = e / kappa  # log κ + d and log κ - d
    by_tt = (a + b) * ratio**2 + (left * lost + right * won) * ratio / kappa
    # log(κ² - 1) = t + log(2 + e): its second derivative by t is 2 e / (2 + e)²
    return a + b, (a - b) * ratio, by_tt - tied * 2 * e / (2 + e) ** 2


# ---------------------------------------------------------------------------------------- all rows


@dataclass(frozen=True)
class Objective:
    """The negative log-likelihood, plus eq. (7) of the paper: -μ Σ log(p_s / Σ p) with p = exp r.

    The parameters are r, g, h (if there is an order effect) and t (if ties have a parameter). A quadratic in
    the sum of r, within each component, removes the freedom to shift skills and leaves the optimum as it is.
    """

    rows: Rows
    ties: str
    order_effect: bool
    prior: float = 0.0
    component: Array | None = None

    @cached_property
    def data(self) -> Rows:
        return self.rows.without_ties() if self.ties == "ignore" else self.rows

    @property
    def has_tie(self) -> bool:
        return self.ties in ("davidson", "rao-kupper") and bool((self.rows.outcome == 0).any())

    @property
    def link(self) -> str:
        """Without ties, Davidson's model and Rao and Kupper's are the plain one."""
        return self.ties if self.has_tie else "half"

    @cached_property
    def mass(self) -> Array:
        return self.data.ones_or("count") * self.data.ones_or("weight")

    @cached_property
    def design(self) -> Array:
        """The matrix of d: one row per comparison, one column per entry of (r, g, h)."""
        n, k = len(self.data.left), self.data.n_items
        skills = np.zeros((n, k))
        skills[np.arange(n), self.data.right] += 1
        skills[np.arange(n), self.data.left] -= 1
        neutral = np.zeros(n) if self.data.neutral is None else self.data.neutral.astype(float)
        covariates = np.zeros((n, 0)) if self.data.covariates is None else self.data.covariates
        return np.hstack([skills, covariates, -(1 - neutral)[:, None][:, : int(self.order_effect)]])

    @cached_property
    def gauge(self) -> Array:
        """One row per component: 1 for its items."""
        k = self.rows.n_items
        component = np.zeros(k, dtype=int) if self.component is None else self.component
        return np.eye(component.max() + 1)[component].T

    def split(self, x: Array) -> tuple[Array, Any]:
        """Every d, and t."""
        q = self.design.shape[1]
        return self.design @ x[:q], x[q] if self.has_tie else 0.0

    def log_likelihood(self, x: Array) -> Any:
        logs = logs_of_outcomes(*self.split(x), self.link)
        return self.mass @ logs[np.arange(len(logs)), self.data.outcome + 1]

    def row_scores(self, x: Array) -> Array:
        """The gradient of the log-likelihood of one observation of each row."""
        by_d, by_t = scores(*self.split(x), self.data.outcome, self.link)
        return np.hstack([by_d[:, None] * self.design, by_t[:, None][:, : int(self.has_tie)]])

    def information(self, x: Array) -> Array:
        """The observed information of the data alone."""
        dd, dt, tt = curvatures(*self.split(x), self.data.outcome, self.link)
        skills = self.design.T @ ((self.mass * dd)[:, None] * self.design)
        if not self.has_tie:
            return np.asarray(skills)
        across = self.design.T @ (self.mass * dt)
        return np.block([[skills, across[:, None]], [across[None], np.array([[self.mass @ tt]])]])

    def value(self, x: Array) -> float:
        total = self.gauge @ x[: self.rows.n_items]
        return float(-self.log_likelihood(x) + self._prior(x)[0] + total @ total / 2)

    def gradient(self, x: Array) -> Array:
        result: Array = -self.row_scores(x).T @ self.mass
        k = self.rows.n_items
        result[:k] += self._prior(x)[1] + self.gauge.T @ (self.gauge @ x[:k])
        return result

    def hessian(self, x: Array) -> Array:
        result = self.information(x)
        k = self.rows.n_items
        result[:k, :k] += self._prior(x)[2] + self.gauge.T @ self.gauge
        return result

    def _prior(self, x: Array) -> tuple[Any, Array, Array]:
        return prior_of_skills(x[: self.rows.n_items], self.prior)


def prior_of_skills(r: Array, mu: float) -> tuple[Any, Array, Array]:
    """-μ Σ log(p_s / Σ p) of eq. (7) with p = exp(r): value, gradient and Hessian."""
    share = np.exp(r - r.max())
    share /= share.sum()
    k = len(r)
    return -mu * np.log(share).sum(), mu * (k * share - 1), mu * k * (np.diag(share) - np.outer(share, share))


@dataclass(frozen=True)
class Fitted:
    objective: Objective
    x: Array
    covariance: Array = field(repr=False)  # of all parameters, log-skills with mean 0

    @property
    def skill(self) -> Array:
        return self.x[: self.objective.rows.n_items]

    @property
    def effects(self) -> Array:
        """g."""
        return self.x[self._effects]

    @property
    def effect_errors(self) -> Array:
        return np.asarray(np.sqrt(np.diag(self.covariance)[self._effects]))

    @property
    def skill_errors(self) -> Array:
        return np.asarray(np.sqrt(np.diag(self.covariance)[: self.objective.rows.n_items]))

    @property
    def order(self) -> float:
        return float(self.x[self.objective.design.shape[1] - 1]) if self.objective.order_effect else 0.0

    @property
    def order_error(self) -> float:
        return float(np.sqrt(self.covariance.diagonal()[self.objective.design.shape[1] - 1]))

    @property
    def tie(self) -> float:
        """ν of Davidson, or κ of Rao and Kupper."""
        if self.objective.has_tie:
            return float(np.exp(self.x[-1])) + (self.objective.ties == "rao-kupper")
        return {"davidson": 0.0, "rao-kupper": 1.0}.get(self.objective.ties, np.nan)

    @property
    def _effects(self) -> slice:
        o = self.objective
        return slice(o.rows.n_items, o.design.shape[1] - o.order_effect)


def fit_rows(
    rows: Rows,
    ties: str,
    *,
    order_effect: bool = False,
    prior: float = 0.0,
    covariance: str = "model",
    component: Array | None = None,
) -> Fitted:
    """The optimum to about 1e-12 and the covariance of all parameters."""
    o = Objective(rows, ties, order_effect, prior, component)
    x = minimizer(o)
    return Fitted(o, x, covariance_of(o, x, covariance))


def minimizer(o: Objective) -> Array:
    start = np.zeros(o.design.shape[1] + o.has_tie)
    x: Array = minimize(o.value, start, jac=o.gradient, hess=o.hessian, method="trust-exact").x
    for _ in range(20):
        x = x - np.linalg.solve(o.hessian(x), o.gradient(x))
    assert np.abs(o.gradient(x)).max() < 1e-9 * (1 + o.mass.sum()), "the oracle did not converge"
    return x


def covariance_of(o: Objective, x: Array, kind: str) -> Array:
    """The inverse of the observed information, or a sandwich, with log-skills centred in each component."""
    k = o.rows.n_items
    inverse = np.linalg.inv(o.hessian(x))
    if (score_covariance := score_covariance_of(o, x, kind)) is not None:
        inverse = inverse @ score_covariance @ inverse
    centre = np.eye(len(x))
    centre[:k, :k] -= o.gauge.T @ (o.gauge / o.gauge.sum(axis=1, keepdims=True))
    return centre @ inverse @ centre.T


def score_covariance_of(o: Objective, x: Array, kind: str) -> Array | None:
    """The middle of the sandwich; None stands for the information itself."""
    count, weight, s = o.data.ones_or("count"), o.data.ones_or("weight"), o.row_scores(x)
    if kind == "cluster":
        assert o.data.group is not None
        names, of_row = np.unique(o.data.group, return_inverse=True)
        sums = np.eye(len(names))[of_row].T @ ((count * weight)[:, None] * s)
        return np.asarray(sums.T @ sums * len(names) / (len(names) - 1))
    if kind == "robust":
        return np.asarray(s.T @ ((count * weight**2)[:, None] * s))
    if o.ties == "half":  # a tie is one observation, and weights act like counts
        return np.asarray(s.T @ ((count * weight)[:, None] * s))
    return None
