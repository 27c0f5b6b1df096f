"""Simulated votes of judges with tastes of their own, with covariates, ties, weights and neutral ground."""

from typing import Any

import numpy as np

from podium import Comparisons


def make_votes(
    n: int = 2_000, n_items: int = 6, n_judges: int = 40, seed: int = 0, **options: Any
) -> Comparisons:
    """Votes by Davidson's model with effects 0.8 and -0.05 per unit; ``options`` replace columns."""
    rng = np.random.default_rng(seed)
    skill, taste = rng.normal(size=n_items), rng.normal(size=(n_judges, n_items))
    left = rng.integers(0, n_items, n)
    right = (left + rng.integers(1, n_items, n)) % n_items
    judge, neutral = rng.integers(0, n_judges, n), rng.random(n) < 0.3
    z = np.column_stack([rng.normal(size=n), rng.integers(-10, 11, n)])
    d = skill[right] - skill[left] + 0.5 * (taste[judge, right] - taste[judge, left]) + z @ [0.8, -0.05]
    d -= 0.4 * ~neutral
    p = np.column_stack([np.ones(n), 0.6 * np.exp(d / 2), np.exp(d)]).cumsum(axis=1)
    outcome = (rng.random(n)[:, None] * p[:, -1:] > p).sum(axis=1) - 1
    columns: dict[str, Any] = {"left": left, "right": right, "outcome": outcome, "group": judge}
    columns |= {"covariates": {"length": z[:, 0], "price": z[:, 1]}, "neutral": neutral}
    return Comparisons.from_arrays(**columns | options)
