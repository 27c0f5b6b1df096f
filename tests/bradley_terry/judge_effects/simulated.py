"""Votes of judges who differ in sharpness, tie habit and side preference."""

from typing import Any

import numpy as np

from podium import Comparisons


def log_probabilities(d: Any, log_tie: Any) -> Any:
    """Davidson's model: the logarithms of P(left), P(tie) and P(right)."""
    p = np.stack([-d / 2, log_tie + np.zeros_like(d), d / 2], axis=-1)
    return p - np.logaddexp.reduce(p, axis=-1, keepdims=True)


def judged_votes(
    n_judges: int = 12,
    n: int = 25,
    spread: tuple[float, float, float] = (0.7, 1.0, 0.4),
    seed: int = 0,
    n_items: int = 5,
    tie: float = 0.6,
    order_effect: float = 0.3,
) -> tuple[Comparisons, Any, Any]:
    """The votes, the skills, and the effects of every judge."""
    rng = np.random.default_rng(seed)
    skill, u = rng.normal(size=n_items), rng.normal(size=(n_judges, 3)) * spread
    skill -= skill.mean()
    judge = np.repeat(np.arange(n_judges), n)
    left = rng.integers(0, n_items, len(judge))
    right = (left + rng.integers(1, n_items, len(judge))) % n_items
    eta = np.exp(u[judge, 0]) * (skill[right] - skill[left]) - order_effect - u[judge, 2]
    p = np.exp(log_probabilities(eta, np.log(tie) + u[judge, 1])).cumsum(axis=1)
    outcome = (rng.random(len(judge))[:, None] * p[:, -1:] > p).sum(axis=1) - 1
    return Comparisons.from_arrays(left, right, outcome, group=judge), skill, u
