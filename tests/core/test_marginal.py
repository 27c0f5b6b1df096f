"""The marginal likelihood of normal skills: its slope by differences, and its maximum by points nearby."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry, PlackettLuce, Rankings
from podium.bradley_terry.normal.fit import PAIRED
from podium.comparisons.arrays import Floats
from podium.core.marginal import MarginalGradient, Model
from podium.numerics.descent import LBFGS, Derivatives, descend
from podium.rankings.fit import LISTED
from tests.oracles.simulated import random_rows
from tests.rankings.test_model import simulated


def paired(ties: Any, order: bool) -> tuple[Model, Any, Floats]:
    rows = random_rows(4, n_items=9, n=150, ties=ties, effects=(0.5,))
    features = np.random.default_rng(1).normal(size=(9, 1))
    c = rows.comparisons().with_features(features)
    fit = BradleyTerry(ties, prior="normal", order_effect=order).fit(c).fit_
    assert fit.prior_scale > 0.1
    return PAIRED, fit.problem, fit.solution


def listed(tied: float) -> tuple[Model, Any, Floats]:
    r = simulated(np.random.default_rng(0).normal(size=8), 60, 4)
    level = r.level.reshape(-1, 4) - (np.arange(60) < tied * 60)[:, None] * [0, 1, 1, 1]
    r = Rankings.from_codes(r.items, r.indptr, r.entries, level.ravel())
    fit = PlackettLuce(prior="normal").fit(r).fit_
    return LISTED, fit.problem, fit.solution


CASES = {
    "Davidson": lambda: paired("davidson", order=False),
    "Rao and Kupper, with an order effect": lambda: paired("rao-kupper", order=True),
    "half wins": lambda: paired("half", order=True),
    "rankings": lambda: listed(0.0),
    "rankings with ties": lambda: listed(0.2),
}


def value(model: Model, problem: Any, x: Floats, y: Floats) -> Any:
    """L at y = (log s, φ), with a mode found by another rule."""
    k, scale = problem.n_items, float(np.exp(y[0]))
    problem = replace(problem, normal=replace(problem.normal, scale=scale, tilt=0.0))

    def slope(theta: Floats) -> Derivatives:
        found = problem.derivatives(np.append(theta, y[1:]))
        return Derivatives(found.gradient[:k], found.curvature[:k])

    found = descend(slope, LBFGS(), x[:k], problem.scale()[:k], tol=1e-12, max_iter=500)
    at = np.append(found.x, y[1:])
    weight = problem.normal.power - k
    return -problem.objective(at) + weight * y[0] - model.log_determinant(problem, at) / 2


@pytest.mark.parametrize("case", CASES)
def test_the_slope(case: str) -> None:
    model, problem, x = CASES[case]()
    best = np.append(np.log(problem.normal.scale), x[problem.n_items :])
    y, h = best + 0.1, 1e-4
    slope = MarginalGradient(problem, model, x, (-9.0, 9.0))
    units = h * np.eye(len(y))
    expected = [(value(model, problem, x, y - u) - value(model, problem, x, y + u)) / (2 * h) for u in units]
    np.testing.assert_allclose(slope(y), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("case", CASES)
def test_the_fit_is_at_the_maximum(case: str) -> None:
    model, problem, x = CASES[case]()
    best = np.append(np.log(problem.normal.scale), x[problem.n_items :])
    top = value(model, problem, x, best)
    for unit in np.eye(len(best)):
        for step in (-0.03, 0.03):
            assert value(model, problem, x, best + step * unit) < top
