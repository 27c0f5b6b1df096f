"""LinearCompare on a device: what its directions and its certificate are made of."""

from typing import Any

import array_api_strict as xp
import numpy as np
import pytest

import podium as pod
from podium.comparers.primal.fit import fit_linear_pairs
from podium.comparers.primal.newton import Limits
from podium.comparers.primal.problem import linear_pairs


def pairs(n: int = 3_000, items: int = 400, p: int = 12) -> tuple[pod.Comparisons, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(items, p))
    left = rng.integers(items, size=n)
    right = (left + rng.integers(1, items, size=n)) % items
    d = (X[right] - X[left]) @ rng.normal(size=p) + rng.normal(size=n)
    outcome = np.where(np.abs(d) < 1.0, 0, np.sign(d)).astype(np.int8)
    return pod.Comparisons.from_codes(np.arange(items), left, right, outcome), X


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_conjugate_gradients_on_a_sample_reach_the_same_optimum(loss: Any) -> None:
    c, X = pairs()
    best = fit_linear_pairs(linear_pairs(c.with_features(X), None, 1.0, None), loss, tol=1e-7).objective
    there = linear_pairs(c.with_features(xp.asarray(X)), None, 1.0, None)
    found = fit_linear_pairs(there, loss, tol=1e-5, limits=Limits(hessian_rows=500, dense_on_device=2))
    assert found.converged
    assert best * (1 - 1e-6) <= found.objective <= best * (1 + 2e-5)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_the_certificate_of_float32_features_is_true(loss: Any) -> None:
    """The objective at the solution and the dual bound hold for the features as they are stored."""
    c, X = pairs()
    single = X.astype(np.float32)
    model = pod.LinearCompare(loss, tol=1e-4).fit(c.with_features(xp.asarray(single)))
    best = pod.LinearCompare(loss, tol=1e-10).fit(c.with_features(single.astype(np.float64)))
    assert model.result_.gap is not None
    assert model.result_.gap <= 1e-4
    assert model.result_.details["dual"] <= best.result_.objective * (1 + 1e-9)
    assert model.result_.objective >= best.result_.objective * (1 - 1e-9)


def test_the_interior_point_method_says_that_it_runs_in_numpy() -> None:
    c, X = pairs(n=40, items=60, p=30)
    with pytest.warns(UserWarning, match="interior point method runs in NumPy only"):
        found = pod.LinearCompare(tol=1e-6).fit(c.with_features(xp.asarray(X)))
    expected = pod.LinearCompare(tol=1e-6).fit(c.with_features(X))
    np.testing.assert_allclose(np.asarray(found.coef_), expected.coef_, atol=1e-6)


def test_features_that_are_missing_or_no_table_are_refused() -> None:
    c, X = pairs()
    X[4, 2] = np.nan
    with pytest.raises(ValueError, match="missing or infinite at row 5"):
        c.with_features(xp.asarray(X))
    with pytest.raises(ValueError, match="3 dimensions"):
        c.with_features(xp.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="complex"):
        c.with_features(xp.zeros((400, 2), dtype=xp.complex128))
