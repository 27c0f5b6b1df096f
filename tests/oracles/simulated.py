"""Comparisons drawn from the models themselves, with everything that a row can have."""

from typing import Any

import numpy as np

from tests.oracles.paired_rows import Array, Rows, logs_of_outcomes

NU, KAPPA = 0.8, 1.6  # of Davidson, and of Rao and Kupper


def drawn(d: Array, ties: str, rng: np.random.Generator) -> Array:
    """Outcomes for every d; without a model of ties, Davidson's are used."""
    t = np.log(KAPPA - 1) if ties == "rao-kupper" else np.log(NU)
    link = "rao-kupper" if ties == "rao-kupper" else "davidson"
    below = np.exp(logs_of_outcomes(d, t, link)).cumsum(axis=1)
    return np.asarray((rng.random((len(d), 1)) > below[:, :2]).sum(axis=1) - 1)


def random_rows(
    seed: int,
    *,
    n_items: int = 6,
    n: int = 150,
    ties: str = "davidson",
    effects: tuple[float, ...] = (0.5, -0.3),
    order: float = 0.4,
    neutral: bool = False,
    weighted: bool = False,
    counted: bool = False,
    judges: int = 0,
    features: int = 0,
) -> Rows:
    rng = np.random.default_rng(seed)
    left = rng.integers(n_items, size=n)
    right = (left + rng.integers(1, n_items, size=n)) % n_items
    has: dict[str, Any] = {}
    if effects:
        has["covariates"] = rng.normal(size=(n, len(effects)))
    if features:
        has["features"] = rng.normal(size=(n_items, features)) + 3.0
    if neutral:
        has["neutral"] = rng.random(n) < 0.3
    if weighted:
        has["weight"] = rng.uniform(0.3, 2.0, size=n)
    if counted:
        has["count"] = rng.integers(1, 4, size=n).astype(float)
    if judges:
        has["group"] = rng.permutation(np.arange(n) % judges)
    r = rng.normal(size=n_items) * 0.7 + has.get("features", np.zeros((n_items, 0))).sum(axis=1) * 0.4
    d = r[right] - r[left] - order * ~has.get("neutral", np.zeros(n, dtype=bool))
    d = d + (has["covariates"] @ np.array(effects) if effects else 0.0)
    return Rows(left, right, drawn(d, ties, rng), n_items, **has)
