"""Errors from random draws, which are used if there are too many states for exact ones."""

from copy import copy
from dataclasses import replace

import numpy as np

from podium import DynamicBradleyTerry
from tests.bradley_terry.dynamic.simulated import random_games
from tests.bradley_terry.dynamic.states import bands, estimator
from tests.oracles.dynamic import Dynamics
from tests.oracles.paired_rows import Array
from tests.oracles.simulated import NU

WORLD = Dynamics(0.8, 0.4, tie=NU, order_effect=True, order_drift=0.2)


def of_differences(model: DynamicBradleyTerry) -> Array:
    """The errors of the differences of all pairs of items."""
    return np.asarray(model.pairwise_tests()["error"], dtype=float)


def with_draws(model: DynamicBradleyTerry) -> DynamicBradleyTerry:
    """The same model, as if exact errors took too long."""
    twin, fitted = copy(model), model.fit_.fitted
    twin._set_fitted(replace(fitted, posterior=replace(fitted.posterior, most_work=0)))
    return twin


def test_draws_have_the_errors_of_the_parameters() -> None:
    """Few games for many items, so that spread and drift are hardly known."""
    games = random_games(2, WORLD, n_items=20, n=100, moments=10)[0].comparisons()
    exact = DynamicBradleyTerry(reversion=0.0).fit(games)
    known = DynamicBradleyTerry(exact.spread_, drift=exact.drift_, reversion=0.0).fit(games)
    more = of_differences(exact) / of_differences(known) - 1
    assert more.min() >= 0
    assert more.max() > 0.2
    drawn = with_draws(exact)
    relative = of_differences(drawn) / of_differences(exact) - 1
    assert np.sqrt(np.mean(relative**2)) < 0.12
    np.testing.assert_allclose(drawn.standard_error_, exact.standard_error_, rtol=0.1)


def test_draws_are_close_to_exact_errors() -> None:
    games = random_games(1, WORLD, n_items=30, n=600, moments=20)[0].comparisons()
    exact = estimator(WORLD).fit(games)
    bands_of_exact, differences = bands(exact).error, of_differences(exact)
    drawn = with_draws(exact)
    np.testing.assert_allclose(bands(drawn).error, bands_of_exact, rtol=0.04)
    relative = of_differences(drawn) / differences - 1
    assert np.sqrt(np.mean(relative**2)) < 0.12
    assert abs(relative.mean()) < 0.05
    np.testing.assert_array_equal(drawn.log_skill_, exact.log_skill_)
    np.testing.assert_allclose(drawn.standard_error_, exact.standard_error_, rtol=0.12)
