"""Items explained by features alone, with errors: BradleyTerry2 without random effects.

A huge prior makes all skills equal, so that covariates X_right - X_left explain everything.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from podium import BradleyTerry, Comparisons
from tests.oracles.paired_rows import Array

Oracle = Callable[[str], Any]


def features_only(left: Array, right: Array, outcome: Array, X: Array, count: Array | None = None) -> Any:
    c = Comparisons.from_arrays(left, right, outcome, count=count, covariates=X[right] - X[left])
    return BradleyTerry(prior=1e8, tol=1e-12).fit(c)


def test_flat_lizards(oracle: Oracle) -> None:
    """Number 096 won all its games and has features missing; R's skill for it diverges. Without its games
    the others stay as they are."""
    said = oracle("struct")["liz"]
    X = np.array(said["X"], dtype=np.float64)  # None becomes nan
    known = np.isfinite(X).all(axis=1, keepdims=True)
    own = np.eye(len(X))[:, said["levels"].index("lizard099"), None]
    features = np.hstack([own, np.where(known, X, 0.0)])
    winner, loser = (np.array([said["levels"].index(n) for n in said[k]]) for k in ("winner", "loser"))
    kept = winner != said["levels"].index("lizard096")
    turned = np.arange(kept.sum()) % 2 == 0
    left = np.where(turned, winner[kept], loser[kept])
    right = np.where(turned, loser[kept], winner[kept])
    model = features_only(left, right, np.where(turned, -1, 1), features)
    np.testing.assert_allclose(model.covariate_effect_, said["coef"][1:], atol=1e-6)
    np.testing.assert_allclose(model.covariate_error_, said["se"][1:], rtol=1e-5)


def test_springall_by_flavour_and_gel(oracle: Oracle) -> None:
    """R's ``win`` counts the wins of the column, ties as halves."""
    said = oracle("struct")["spr"]
    row, column = (np.array(said[k]) - 1 for k in ("row", "col"))
    left, right = np.concatenate([row, row]), np.concatenate([column, column])
    outcome = np.repeat([1, -1], len(row))
    counts = np.concatenate([said["win"], said["loss"]])
    model = features_only(left, right, outcome, np.array(said["X"], dtype=np.float64), counts)
    np.testing.assert_allclose(model.covariate_effect_, said["coef"], atol=1e-6)
