"""The smoother and the filter against dense matrices and brute force, all hyperparameters given."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium import DynamicBradleyTerry
from podium.skill.fit import ExistenceWarning
from tests.bradley_terry.dynamic.simulated import dates, random_games, tie_of
from tests.bradley_terry.dynamic.states import bands, estimator
from tests.oracles.dynamic import (
    Dynamics,
    Evidence,
    Games,
    Posterior,
    chains,
    log_score,
    predictions,
    run_filter,
    smooth,
)
from tests.oracles.laplace import Marginal
from tests.oracles.paired_rows import Array, Rows

CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "reversion": {"reversion": 0.5},
    "order": {"order_effect": True},
    "order drifts": {"order_effect": True, "order_drift": 0.4, "neutral": True},
    "teams": {"sizes": (1, 2, 3), "n_items": 7},
    "covariates": {"effects": True},
    "mass": {"massive": True},
    "everything": {
        "reversion": 0.3, "order_effect": True, "order_drift": 0.3, "neutral": True,
        "sizes": (1, 2), "n_items": 6, "effects": True, "massive": True,
    },
}  # fmt: skip
EVERY_CASE = [("davidson", name) for name in CASES]
EVERY_CASE += [(ties, name) for ties in ("rao-kupper", "half", "ignore") for name in ("plain", "everything")]


def drawn(case: str, ties: str, seed: int = 1) -> tuple[Games, Dynamics]:
    given = dict(CASES[case])
    names = ("reversion", "order_effect", "order_drift")
    model = Dynamics(0.8, 0.6, ties=ties, tie=tie_of(ties), **{n: given.pop(n) for n in names if n in given})
    return random_games(seed, model, **given)[0], model


def fitted(games: Games, model: Dynamics) -> tuple[DynamicBradleyTerry, Dynamics]:
    """The estimator, and the model with the parameter of ties that it found."""
    found = estimator(model).fit(games.comparisons())
    return found, replace(model, tie=found.tie_)


def means_and_errors(said: Posterior, who: Any) -> tuple[Array, Array]:
    """Of all states of some ``who``."""
    which = [i for i, (name, _) in enumerate(said.keys) if who(name)]
    return said.mean[which], np.sqrt(said.covariance.diagonal()[which])


def check_smoother(model: DynamicBradleyTerry, said: Posterior) -> None:
    """All states and their errors; the ends are those of the board and of the effects."""
    mean, error = means_and_errors(said, lambda who: not isinstance(who, str))
    found = bands(model)
    np.testing.assert_allclose(found.mean, mean, atol=1e-6)
    np.testing.assert_allclose(found.error, error, atol=1e-6)
    mean, error = means_and_errors(said, lambda who: str(who).startswith("effect"))
    if len(mean):
        np.testing.assert_allclose(model.covariate_effect_, mean, atol=1e-6)
        np.testing.assert_allclose(model.covariate_error_, error, atol=1e-6)
    if model.order_effect:
        assert model.order_effect_ == pytest.approx(said.last()["order"].mean, abs=1e-6)


@pytest.mark.parametrize(("ties", "case"), EVERY_CASE)
def test_the_smoother(ties: str, case: str) -> None:
    games, model = drawn(case, ties)
    found, model = fitted(games, model)
    check_smoother(found, smooth(games, model))


@pytest.mark.parametrize(("ties", "case"), EVERY_CASE)
def test_the_filter_from_nothing(ties: str, case: str) -> None:
    games, model = drawn(case, ties, seed=2)
    found, model = fitted(games, model)
    chance, _ = run_filter(games, model)
    assert found.log_likelihood_ == pytest.approx(log_score(chance, games, model), rel=1e-7)


@pytest.mark.parametrize(("ties", "case"), EVERY_CASE)
def test_the_filter_goes_on_from_the_smoother(ties: str, case: str) -> None:
    games, model = drawn(case, ties, seed=3)
    early = games.time <= np.median(games.time)
    first, later = games.part(early), games.part(~early)
    found, model = fitted(first, model)
    scaled = replace(model, effect_scale=first.effect_scale)
    chance, _ = run_filter(later, scaled, start=smooth(first, model).last())
    before = found.before(later.comparisons())
    np.testing.assert_allclose(before, chance, atol=1e-6)
    np.testing.assert_array_equal(found.before(later.comparisons()), before)


@pytest.mark.parametrize("case", ["reversion", "order drifts", "everything"])
def test_the_board(case: str) -> None:
    """At the end and in between: skills are relative to the prior, errors to the mean of the items."""
    games, model = drawn(case, "davidson", seed=4)
    found, model = fitted(games, model)
    last = float(games.time.max())
    items = sorted({item for team in games.left + games.right for item in team})
    said = smooth(games, model, [(item, last) for item in items]).at(last)
    centred = said.covariance - said.covariance.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(found.log_skill_, said.mean, atol=1e-6)
    np.testing.assert_allclose(found.covariance_, centred, atol=1e-6)
    np.testing.assert_allclose(found.standard_error_, np.sqrt(centred.diagonal()), atol=1e-6)
    half = last / 2
    said = smooth(games, model, [(item, half) for item in items]).at(half)
    board = found.leaderboard(scale="log", at=half).to_frame().set_index("item")
    np.testing.assert_allclose(board["score"].loc[items], said.mean, atol=1e-6)


@pytest.mark.parametrize("case", ["reversion", "order drifts", "everything"])
def test_predictions_at_any_time(case: str) -> None:
    """Between the games, at them, and later: the states around a time tell the skill at it."""
    games, model = drawn(case, "davidson", seed=5)
    found, model = fitted(games, model)
    asked = games.part(np.arange(0, len(games), 10))
    asked = replace(asked, time=np.linspace(games.time.mean(), games.time.max() + 2, len(asked)))
    asked.time[0] = games.time[len(games) // 2]
    scaled = replace(model, effect_scale=games.effect_scale)
    keys = chains(asked, scaled)
    said = smooth(games, model, keys)
    place = [said.keys.index(key) for key in keys]
    m, V = said.mean[place], said.covariance.diagonal()[place]
    chance = predictions(Evidence(asked, scaled, keys), m, V)
    np.testing.assert_allclose(found.predict_proba(asked.comparisons()), chance, atol=1e-6)


def test_the_beginning_is_the_prior() -> None:
    """An item that has not played yet, or never plays, has the skill of the prior."""
    games, model = drawn("plain", "davidson")
    found, model = fitted(games, model)
    asked = Games([(0,), (0,)], [(1,), (99,)], np.zeros(2, dtype=int), games.time[0] - np.ones(2))
    keys = chains(asked, model)
    prior = np.zeros(len(keys)), np.full(len(keys), model.spread**2)
    chance = predictions(Evidence(asked, model, keys), *prior)
    with pytest.warns(ExistenceWarning, match="the items 0, 1 and 99 have no comparison up to the time of"):
        found_chance = found.predict_proba(asked.comparisons())
    np.testing.assert_allclose(found_chance, chance, atol=1e-6)


@pytest.mark.parametrize("case", ["plain", "everything"])
def test_update_is_a_fit_of_all_games(case: str) -> None:
    """With the same hyperparameters; covariates keep their first scale, so there are none here."""
    games, model = drawn(case, "davidson", seed=6)
    games = replace(games, covariates=None)
    early = games.time <= np.median(games.time)
    found, model = fitted(games.part(early), model)
    check_smoother(found.update(games.part(~early).comparisons()), smooth(games, model))


@pytest.mark.parametrize("drift", [0.0, 3.0])
@pytest.mark.parametrize("spread", [0.05, 5.0])
def test_extreme_hyperparameters(spread: float, drift: float) -> None:
    model = Dynamics(spread, drift, tie=tie_of("davidson"))
    games, _ = random_games(4, model)
    found, model = fitted(games, model)
    check_smoother(found, smooth(games, model))
    chance, _ = run_filter(games, model)
    assert found.log_likelihood_ == pytest.approx(log_score(chance, games, model), rel=1e-7)


def test_dates_are_years() -> None:
    games, model = drawn("plain", "davidson")
    found = estimator(model).fit(games.comparisons(time=dates(games.time)))
    check_smoother(found, smooth(games, replace(model, tie=found.tie_)))


def test_the_oracle_at_one_moment_is_the_static_one() -> None:
    """Of the oracles alone: they were written apart."""
    games, model = drawn("plain", "davidson")
    games, model = replace(games, time=np.zeros(len(games))), replace(model, drift=0.0)
    rows = Rows(np.ravel(games.left), np.ravel(games.right), games.outcome, 5)
    skill = Marginal(rows, "davidson", order_effect=False).skills(np.array([model.spread, model.t]))
    np.testing.assert_allclose(smooth(games, model).mean, skill, atol=1e-9)
