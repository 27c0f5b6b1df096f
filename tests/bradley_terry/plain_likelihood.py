"""The likelihoods as printed in the papers, row by row, minimised by scipy: slow and independent."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from podium import Comparisons

Floats = NDArray[np.float64]
STEP = 1e-30  # a complex step gives derivatives without cancellation


def plain_fit(c: Comparisons, ties: str, prior: float, order_effect: bool) -> tuple[Floats, float, float]:
    """Log-skill with mean 0, ν or θ, and the order effect, at the minimum that BFGS finds."""
    k = c.n_items
    free_tie = ties in ("davidson", "rao-kupper")
    start = np.zeros(k + free_tie + order_effect)

    def loss(x: Any) -> Any:
        tie = np.exp(x[k]) if free_tie else 0.0
        return negative_log_likelihood(c, x[:k], ties, tie, x[-1] if order_effect else 0.0, prior)

    def gradient(x: Floats) -> Floats:
        return np.array([loss(x + 1j * STEP * unit).imag / STEP for unit in np.eye(len(x))])

    x = minimize(loss, start, jac=gradient, method="BFGS", options={"gtol": 1e-7, "maxiter": 2000}).x
    tie = np.exp(x[k]) if free_tie else np.nan
    return x[:k] - x[:k].mean(), float(tie + (ties == "rao-kupper")), float(x[-1]) if order_effect else 0.0


def negative_log_likelihood(c: Comparisons, theta: Any, ties: str, tie: Any, order: Any, prior: float) -> Any:
    """Eq. (4) with ties and order effect; ``tie`` is ν, or θ - 1 of Rao and Kupper; plus eq. (7)."""
    p = np.exp(theta)
    q = p if c.teams is None else c.teams.matrix(c.n_items).toarray() @ p
    left, right = q[c.left] * np.exp(order), q[c.right]
    probability = np.choose(np.asarray(c.outcome) + 1, _probabilities(left, right, ties, tie))
    return -(c.mass * np.log(probability)).sum() - prior * np.log(p / p.sum()).sum()


def _probabilities(q: Any, other: Any, ties: str, tie: Any) -> list[Any]:
    """The probabilities of a left win, a tie and a right win, or their substitutes."""
    if ties == "davidson":
        middle = tie * np.sqrt(q * other)
        whole = q + middle + other
        return [q / whole, middle / whole, other / whole]
    if ties == "rao-kupper":
        kappa = 1 + tie
        left, right = q / (q + kappa * other), other / (other + kappa * q)
        return [left, (kappa**2 - 1) * left * right, right]
    left, right = q / (q + other), other / (q + other)
    return [left, left**0 if ties == "ignore" else np.sqrt(left * right), right]
