"""Covariates in the summary and in the likelihood ratio."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from podium import BradleyTerry, Comparisons, likelihood_ratio


def simulated(seed: int = 0, n: int = 800) -> tuple[Comparisons, Comparisons, Comparisons]:
    """Comparisons without covariates, with the length, and with length and price."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 5, n)
    right = (left + rng.integers(1, 5, n)) % 5
    z = rng.normal(size=(n, 2)) * [200.0, 0.1]
    d = np.array([0.5, 0.2, 0, -0.2, -0.5])[right] - np.array([0.5, 0.2, 0, -0.2, -0.5])[left]
    d = d - 0.3 + z @ [0.003, 0.0]
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-d)), 1, -1)

    def table(names: list[str]) -> Comparisons:
        columns = {name: z[:, k] for k, name in enumerate(["length", "price"]) if name in names}
        return Comparisons.from_arrays(left, right, y, covariates=columns or None)

    return table([]), table(["length"]), table(["length", "price"])


def test_effects_are_in_the_units_of_the_user() -> None:
    model = BradleyTerry(order_effect=True).fit(simulated()[2])
    found = model.summary()
    assert found.parameter[5:].tolist() == ["length", "price", "order effect"]
    np.testing.assert_allclose(found.estimate[5:7], model.covariate_effect_)
    np.testing.assert_allclose(found.error[5:7], model.covariate_error_)
    assert found.estimate[7] == pytest.approx(model.order_effect_)
    assert found.n_parameters == 7


def test_a_covariate_is_tested() -> None:
    none, length, both = (BradleyTerry(order_effect=True, tol=1e-12).fit(c) for c in simulated())
    c = simulated()[2]
    assert c.covariates is not None

    def loss(x: Any, p: int) -> float:
        assert c.covariates is not None
        d = x[c.right] - x[c.left] - x[5] + c.covariates[:, :p] / [200.0, 0.1][:p] @ x[6 : 6 + p]
        return float(np.logaddexp(0, -np.asarray(c.outcome) * d).sum())

    value = [minimize(loss, np.zeros(6 + p), (p,), tol=1e-10).fun for p in (0, 1, 2)]
    for small, large, p, q in ((none, length, 0, 1), (length, both, 1, 2), (none, both, 0, 2)):
        found = likelihood_ratio(small, large)
        assert found.df == q - p
        assert found.statistic == pytest.approx(2 * (value[p] - value[q]), abs=1e-5)
    with pytest.raises(ValueError, match="lacks 'price' of the smaller one"):
        likelihood_ratio(both, length)
    other = replace(c, covariates=c.covariates * [2.0, 1.0])
    with pytest.raises(ValueError, match="fitted to different comparisons"):
        likelihood_ratio(length, BradleyTerry(order_effect=True).fit(other))


def test_robust_errors_are_named() -> None:
    none, length, _ = (BradleyTerry(covariance="robust").fit(c) for c in simulated())
    assert length.summary().covariance == "robust"
    assert "independent comparisons" in likelihood_ratio(none, length).notes[0]
