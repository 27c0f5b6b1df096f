"""Skills drawn from N(X b, s²): the Laplace marginal likelihood with dense matrices, maximised by scipy.

With r = X b + s u and u ~ N(0, I), the marginal likelihood of s, b, g, h and t is, by Laplace's method,

    L = log-likelihood(X b + s û) - ½ û·û - ½ log det(I + s² H),

û the mode of u given the rest and H the information about r there. This is the same as -K log s -
½ |r̂ - X b|² / s² - ½ log det(H + I / s²), and it is also defined for s = 0, where all skills are X b.
The columns of X are centred. Derivatives of L are by complex steps, so they are exact to rounding.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import minimize

from tests.oracles.paired_rows import Array, Objective, Rows, logs_of_outcomes

STEP = 1e-30
NODES = np.polynomial.hermite_e.hermegauss(101)


@dataclass(frozen=True)
class Marginal:
    """L as a function of φ = (s, b, g, h, t)."""

    rows: Rows
    ties: str
    order_effect: bool

    @cached_property
    def objective(self) -> Objective:
        return Objective(self.rows, self.ties, self.order_effect)

    @cached_property
    def features(self) -> Array:
        X = np.zeros((self.rows.n_items, 0)) if self.rows.features is None else self.rows.features
        return np.asarray(X - X.mean(axis=0))

    @property
    def size(self) -> int:
        o = self.objective
        return int(1 + self.features.shape[1] + o.design.shape[1] - self.rows.n_items + o.has_tie)

    def parameters(self, phi: Array, r: Array) -> Array:
        """The parameters of `Objective`."""
        return np.concatenate([r, phi[1 + self.features.shape[1] :]])

    def mean(self, phi: Array) -> Array:
        """X b."""
        return np.asarray(self.features @ phi[1 : 1 + self.features.shape[1]])

    def skills(self, phi: Array) -> Array:
        """r̂, the mode given φ."""
        return np.asarray(self.mean(phi) + phi[0] * self._mode(phi, self._mode(phi.real)))

    def _mode(self, phi: Array, start: Array | None = None) -> Array:
        """û by Newton's method from ``start``; two steps differentiate it if φ has a complex step."""
        if start is not None and not np.iscomplexobj(phi):
            return start
        u: Array = np.zeros(self.rows.n_items) if start is None else start.astype(complex)
        for _ in range(500 if start is None else 2):
            u = u + (step := self._step(phi, u))
            if start is None and np.abs(step).max() < 1e-12:
                return u
        assert start is not None, "the oracle found no mode"
        return u

    def _step(self, phi: Array, u: Array) -> Array:
        """A Newton step for u that changes each skill by at most 1."""
        x = self.parameters(phi, self.mean(phi) + phi[0] * u)
        k = len(u)
        gradient = phi[0] * (self.objective.row_scores(x).T @ self.objective.mass)[:k] - u
        step: Array = np.linalg.solve(self._curvature(phi, x), gradient)
        return np.asarray(step / max(1.0, np.abs(phi[0] * step).max()))

    def _curvature(self, phi: Array, x: Array) -> Array:
        """I + s² H."""
        k = self.rows.n_items
        return np.asarray(np.eye(k) + phi[0] ** 2 * self.objective.information(x)[:k, :k])

    def value(self, phi: Array, start: Array | None = None) -> Any:
        u = self._mode(phi, self._mode(phi.real) if start is None else start)
        x = self.parameters(phi, self.mean(phi) + phi[0] * u)
        sign, log_size = np.linalg.slogdet(self._curvature(phi, x))
        log_det = log_size + 1j * np.angle(sign) if np.iscomplexobj(phi) else log_size
        return self.objective.log_likelihood(x) - u @ u / 2 - log_det / 2

    def gradient(self, phi: Array) -> Array:
        mode = self._mode(phi)
        return np.array([self.value(phi + 1j * STEP * unit, mode).imag / STEP for unit in np.eye(len(phi))])

    def hessian(self, phi: Array, h: float = 1e-5) -> Array:
        """Central differences of the gradient."""
        units = h * np.eye(len(phi))
        H = np.array([(self.gradient(phi + e) - self.gradient(phi - e)) / (2 * h) for e in units])
        return np.asarray((H + H.T) / 2)


@dataclass(frozen=True)
class NormalFit:
    """The maximum of L."""

    marginal: Marginal
    phi: Array
    value: float

    @property
    def scale(self) -> float:
        """The standard deviation s of the prior."""
        return float(self.phi[0])

    @property
    def feature_effects(self) -> Array:
        return self.phi[1 : 1 + self.marginal.features.shape[1]]

    @cached_property
    def skill(self) -> Array:
        return self.marginal.skills(self.phi)

    @property
    def effects(self) -> Array:
        """g."""
        o = self.marginal.objective
        return self.parameters[o.rows.n_items : o.design.shape[1] - o.order_effect]

    @property
    def order(self) -> float:
        o = self.marginal.objective
        return float(self.parameters[o.design.shape[1] - 1]) if o.order_effect else 0.0

    @property
    def tie(self) -> float:
        o = self.marginal.objective
        if o.has_tie:
            return float(np.exp(self.phi[-1])) + (o.ties == "rao-kupper")
        return {"davidson": 0.0, "rao-kupper": 1.0}.get(o.ties, np.nan)

    @property
    def parameters(self) -> Array:
        return self.marginal.parameters(self.phi, self.skill)

    @cached_property
    def covariance_given_scale(self) -> Array:
        """The inverse of the joint information about (r, g, h, t, b), s as if known.

        Henderson's equations; the covariance of b, g, h and t is the one that lme4 calls RX.
        """
        o, X = self.marginal.objective, self.marginal.features
        k, (q, m) = o.rows.n_items, (len(self.parameters), X.shape[1])
        A = np.zeros((q + m, q + m))
        A[:q, :q] = o.information(self.parameters)
        precision = self.scale**-2
        A[:k, :k] += precision * np.eye(k)
        A[:k, q:], A[q:, :k] = -precision * X, -precision * X.T
        A[q:, q:] = precision * X.T @ X
        return np.linalg.inv(A)

    @property
    def covariance_of_effects(self) -> Array:
        """The inverse of the observed information of L about all of (s, b, g, h, t)."""
        return np.linalg.inv(-self.marginal.hessian(self.phi))

    def probabilities(self, d: float, variance: float) -> Array:
        """Of a left win, a tie and a right win, if the difference is N(d, variance)."""
        o, (node, weight) = self.marginal.objective, NODES
        t = self.phi[-1] if o.has_tie else 0.0
        p = np.exp(logs_of_outcomes(d + np.sqrt(variance) * node, t, o.link))
        if not o.has_tie:
            p[:, 1] = 0.0
        return np.asarray(weight @ p / weight.sum())


def fit_normal(rows: Rows, ties: str, *, order_effect: bool = False) -> NormalFit:
    """The best of several starts; s = 0 is one of the candidates."""
    marginal = Marginal(rows, ties, order_effect)
    at_zero = np.zeros(marginal.size)
    at_zero[1:] = _climb(marginal, at_zero[1:], fixed=np.zeros(1))
    fits = [NormalFit(marginal, at_zero, float(marginal.value(at_zero)))]
    for s in (0.2, 1.0):
        phi = _climb(marginal, np.concatenate([[s], at_zero[1:]]))
        phi[0] = abs(phi[0])
        if phi[0] > 1e-4:  # L is even in s, so s = 0 is always stationary
            fits.append(NormalFit(marginal, phi, float(marginal.value(phi))))
    return max(fits, key=lambda fit: fit.value)


def _climb(marginal: Marginal, start: Array, fixed: Array | None = None) -> Array:
    """Maximise L from ``start`` by BFGS and then Newton's method, the first entries fixed."""
    head = np.zeros(0) if fixed is None else fixed
    m = len(head)
    if not len(start):
        return start

    def whole(x: Array) -> Array:
        return np.concatenate([head, x])

    def loss(x: Array) -> float:
        return -float(marginal.value(whole(x)))

    def slope(x: Array) -> Array:
        return np.asarray(-marginal.gradient(whole(x))[m:])

    x: Array = minimize(loss, start, jac=slope, method="BFGS", options={"gtol": 1e-6}).x
    if m == 0 and abs(x[0]) < 1e-4:
        return x
    for _ in range(3):
        x = x + np.linalg.solve(marginal.hessian(whole(x))[m:, m:], slope(x))
    assert np.abs(slope(x)).max() < 1e-6, "the oracle did not converge"
    return x
