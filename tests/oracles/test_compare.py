"""SVMcompare by its authors' package (rankSVMcompare, on kernlab and quadprog), and skills from features.

kernlab stops at its tolerance of 1e-3, and the package adds 1e-10 to the diagonal of quadprog's kernel, so
their numbers are good to four or five digits. podium solves to a gap of 1e-9. Not compared, because podium
does not have them: the standard errors of coefficients of features (BradleyTerry2), and its bias-reduced fit.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import LinearCompare, SVMCompare, SVMCompareLP
from podium.comparisons.arrays import Floats

Oracle = Callable[[str], Any]
POLY = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}
# How R was called: rbfdot(sigma), vanilladot() or polydot(2, 1, 1).
SEPARABLE: dict[str, dict[str, Any]] = {
    "rbf1": {"gamma": 1.0},
    "rbf10": {"gamma": 0.3},
    "lin": {"kernel": "linear"},
    "lin1000": {"kernel": "linear"},
    "poly": POLY,
}
NOISY: dict[str, dict[str, Any]] = {"a": {"gamma": 0.5}, "b": {"gamma": 0.5}, "c": POLY}


def scaled_pairs(said: Any) -> tuple[Floats, Any]:
    """Pairs of features in R's units, and which side is better."""
    left, right = ((np.array(said[side]) - said["center"]) / said["scale"] for side in ("Xi", "Xip"))
    return np.stack([left, right], axis=1), np.array(said["yi"])


@pytest.mark.parametrize(
    ("data", "name", "kernel"),
    [*(("separable", *case) for case in SEPARABLE.items()), *(("noisy", *case) for case in NOISY.items())],
)
def test_the_soft_margin_is_that_of_kernlab(
    oracle: Oracle, data: str, name: str, kernel: dict[str, Any]
) -> None:
    """ksvm has f(x) = u·x - b, so its b is -β."""
    said = oracle("compare")
    said = said["noisy"] if data == "noisy" else said
    X, y = scaled_pairs(said)
    soft = said["soft"][name]
    model = SVMCompare(C=soft["C"], tol=1e-9, max_iter=1_000_000, **kernel).fit(X, y)
    assert -model.bias_ == pytest.approx(soft["b"], rel=1e-4)
    difference = np.subtract(soft["r2"], soft["r1"]).ravel()
    np.testing.assert_allclose(model.decision_function(X), difference, atol=3e-4)
    assert model.predict(X).tolist() == np.ravel(soft["pred"]).tolist()


@pytest.mark.parametrize("C", [1e6, np.inf])
def test_the_hard_margin_is_that_of_quadprog(oracle: Oracle, C: float) -> None:
    """The weights are those of the unscaled features.

    R's margin is 3e-6 above the largest possible one, that of the linear program, so R is the one that is
    off.
    """
    said = oracle("compare")
    X, y = scaled_pairs(said)
    model = SVMCompare(kernel="linear", C=C, tol=1e-9, max_iter=1_000_000).fit(X, y)
    assert model.margin_ == pytest.approx(said["hardQP"]["margin"], rel=2e-5)
    np.testing.assert_allclose(model.coef_ / said["scale"], said["hardQP"]["weight"], rtol=2e-5)
    assert model.margin_ <= SVMCompareLP().fit(X, y).margin_ + 1e-12 < said["hardQP"]["margin"]


def test_flat_lizards(oracle: Oracle) -> None:
    """Skill from four measurements. Two lizards lack some, and R gives each of them a separate skill.

    Number 096 won all its games, so its skill in R is diverging, with an error of 70 times its size. Its
    games say nothing about the others and are left out here.
    """
    said = oracle("struct")["liz"]
    X: Floats = np.array(said["X"], dtype=np.float64)  # None becomes nan
    known = np.isfinite(X).all(axis=1, keepdims=True)
    own = np.eye(len(X))[:, said["levels"].index("lizard099"), None]
    features = np.hstack([own, np.where(known, X, 0.0)])
    winner, loser = (np.array([said["levels"].index(n) for n in said[k]]) for k in ("winner", "loser"))
    undefeated = said["levels"].index("lizard096")
    assert undefeated not in loser
    kept = winner != undefeated
    pairs = np.stack([features[loser], features[winner]], axis=1)[kept]
    model = LinearCompare(loss="logistic", C=1e8, tol=1e-12).fit(pairs, np.ones(kept.sum(), dtype=int))
    np.testing.assert_allclose(model.coef_, said["coef"][1:], atol=1e-7)


def test_springall_by_flavour_and_gel(oracle: Oracle) -> None:
    """R's ``win`` counts the wins of the column, ties as halves."""
    said = oracle("struct")["spr"]
    X = np.array(said["X"], dtype=np.float64)
    row, column = (X[np.array(said[k]) - 1] for k in ("row", "col"))
    pairs = np.concatenate([np.stack([row, column], axis=1), np.stack([column, row], axis=1)])
    weight = np.concatenate([said["win"], said["loss"]])
    right_is_better = np.ones(len(pairs), dtype=int)
    model = LinearCompare(loss="logistic", C=1e8, tol=1e-12).fit(pairs, right_is_better, weight)
    np.testing.assert_allclose(model.coef_, said["coef"], atol=1e-7)
