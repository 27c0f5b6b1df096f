"""The link agrees with a general minimiser, with the truth, and with its own certificate."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from podium.comparers.calibrated import davidson_link
from podium.core.links import Link, outcome_probabilities


def drawn(a: float, nu: float, n: int = 40_000, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    d = 3 * rng.normal(size=n)
    table = outcome_probabilities(a * d, Link(nu))
    y = (rng.random(n)[:, None] > np.cumsum(table, axis=1)).sum(axis=1) - 1
    return d, y.astype(np.int8)


def test_link_finds_what_the_data_were_drawn_from() -> None:
    a, nu = davidson_link(*drawn(0.8, 1.5), np.ones(40_000)).solution
    assert a == pytest.approx(0.8, rel=0.05)
    assert nu == pytest.approx(1.5, rel=0.05)


def test_link_is_of_maximum_likelihood() -> None:
    d, y = drawn(0.5, 0.7, 300)
    w = np.random.default_rng(1).uniform(0.5, 2, 300)
    scale = np.sqrt(np.average(d**2, weights=w))

    def cost(x: Any) -> float:
        rows = outcome_probabilities(x[0] * d, Link(np.exp(x[1])))[np.arange(300), y + 1]
        extra = outcome_probabilities(np.array([x[0] * scale]), Link(np.exp(x[1])))[0]
        return -float(w @ np.log(rows) + np.log(extra).sum() / 3)

    best = minimize(cost, [0.1, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    found = davidson_link(d, y, w)
    a, nu = found.solution
    assert a == pytest.approx(best.x[0], rel=1e-5)
    assert nu == pytest.approx(np.exp(best.x[1]), rel=1e-5)
    assert found.objective == pytest.approx(best.fun, rel=1e-10)
    assert found.iterations < 12


@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.floats(-1e6, 1e6)), min_size=1, max_size=20))
def test_link_is_certain_finite_and_antisymmetric(rows: list[tuple[int, float]]) -> None:
    y, d = np.array([y for y, _ in rows], dtype=np.int8), np.array([d for _, d in rows])
    found = davidson_link(d, y, np.ones(len(d)))
    a, nu = found.solution
    assert found.converged
    assert found.gradient_norm is not None
    assert found.gradient_norm <= 1e-8
    assert np.isfinite(a)
    assert 0 < nu < np.inf
    mirrored = davidson_link(-d, -y, np.ones(len(d))).solution
    np.testing.assert_allclose(mirrored, (a, nu), rtol=1e-6, atol=1e-9)
