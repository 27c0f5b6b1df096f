"""What must not matter: the order of sides and rows, names, units of time, and later games."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium import BradleyTerry, Comparisons
from tests.bradley_terry.dynamic.simulated import dates, random_games
from tests.bradley_terry.dynamic.states import Bands, bands, estimator
from tests.oracles.dynamic import Dynamics, Games
from tests.oracles.paired_rows import Array

MODEL = Dynamics(0.8, 0.6, reversion=0.2, tie=0.8)
EXACT = 1e-9


def halves(games: Games) -> tuple[Games, Games]:
    early = games.time <= np.median(games.time)
    return games.part(early), games.part(~early)


def answers(first: Comparisons, later: Comparisons, model: Dynamics = MODEL) -> tuple[Bands, Array, float]:
    """Everything that a fit says: its states, the probabilities of later games, and its likelihood."""
    found = estimator(model, tol=1e-12).fit(first)
    return bands(found), found.before(later), found.log_likelihood_


def assert_same(a: tuple[Bands, Array, float], b: tuple[Bands, Array, float]) -> None:
    np.testing.assert_allclose(b[0].mean, a[0].mean, atol=EXACT)
    np.testing.assert_allclose(b[0].error, a[0].error, atol=EXACT)
    np.testing.assert_allclose(b[1], a[1], atol=EXACT)
    assert b[2] == pytest.approx(a[2], abs=EXACT)


few = settings(max_examples=8)
any_seed = given(seed=st.integers(0, 1000))


@few
@any_seed
def test_swapped_sides(seed: int) -> None:
    games = random_games(seed, MODEL, sizes=(1, 2), effects=True)[0]
    turned = np.random.default_rng(seed).random(len(games)) < 0.5
    sides = [(b, a) if swap else (a, b) for a, b, swap in zip(games.left, games.right, turned, strict=True)]
    sign = np.where(turned, -1, 1)
    left, right = (list(side) for side in zip(*sides, strict=True))
    z, outcome = games.z * sign[:, None], games.outcome * sign
    other = replace(games, left=left, right=right, covariates=z, outcome=outcome)
    a, b = (answers(*(half.comparisons() for half in halves(each))) for each in (games, other))
    late = turned[games.time > np.median(games.time)]
    b[1][late] = b[1][late, ::-1]
    assert_same(a, b)


@few
@any_seed
def test_shuffled_rows(seed: int) -> None:
    """Times say what came first, not rows."""
    model = replace(MODEL, order_effect=True, order_drift=0.3)
    games = random_games(seed, model, neutral=True, massive=True)[0]
    first, later = halves(games)
    rng = np.random.default_rng(seed)
    mixed, order = rng.permutation(len(first)), rng.permutation(len(later))
    a = answers(first.comparisons(), later.comparisons(), model)
    b = answers(first.part(mixed).comparisons(), later.part(order).comparisons(), model)
    a[1][:] = a[1][order]
    assert_same(a, b)


@few
@any_seed
def test_merged_rows(seed: int) -> None:
    """A count of 2, a weight of 2 and a row twice are the same."""
    first, later = halves(random_games(seed, MODEL, effects=True)[0])
    times = np.random.default_rng(seed).integers(1, 3, size=len(first))
    twice = first.part(np.repeat(np.arange(len(first)), times))
    tables = [twice, replace(first, count=times.astype(float)), replace(first, weight=times.astype(float))]
    a, *others = (answers(each.comparisons(), later.comparisons()) for each in tables)
    for b in others:
        assert_same(a, b)


@few
@any_seed
def test_a_later_game_does_not_change_earlier_probabilities(seed: int) -> None:
    model = replace(MODEL, order_effect=True, order_drift=0.3)
    first, later = halves(random_games(seed, model, effects=True)[0])
    found = estimator(model).fit(first.comparisons())
    moment = np.random.default_rng(seed).choice(later.time)
    flipped = np.where(later.time >= moment, -later.outcome, later.outcome)
    a, b = (found.before(each.comparisons()) for each in (later, later.with_outcome(flipped)))
    same = later.time <= moment
    np.testing.assert_array_equal(b[same], a[same])


def test_names_do_not_matter() -> None:
    """The sorted order of the new names is the reverse of the old one."""
    first, later = halves(random_games(5, MODEL, sizes=(1, 2))[0])

    def renamed(games: Games) -> Comparisons:
        sides = ([tuple("edcba"[i] for i in team) for team in side] for side in (games.left, games.right))
        return Comparisons.from_arrays(*sides, games.outcome, time=games.time)

    a = answers(first.comparisons(), later.comparisons())
    b = answers(renamed(first), renamed(later))
    order = np.lexsort([a[0].time, 4 - a[0].item])
    assert_same((Bands(*(column[order] for column in a[0])), *a[1:]), b)


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_dates_are_years_of_365_days_and_a_quarter(unit: str) -> None:
    first, later = halves(random_games(6, MODEL)[0])
    a = answers(first.comparisons(), later.comparisons())
    b = answers(*(part.comparisons(time=dates(part.time).astype(f"M8[{unit}]")) for part in (first, later)))
    assert_same(a, b)
    np.testing.assert_array_equal(np.unique(b[0].time), np.unique(dates(first.time)))


def test_the_unit_of_time() -> None:
    """Days instead of years, with drift and reversion per day."""
    first, later = halves(random_games(7, MODEL)[0])
    a = answers(first.comparisons(), later.comparisons())
    per_day = replace(MODEL, drift=MODEL.drift / np.sqrt(365.25), reversion=MODEL.reversion / 365.25)
    days = (part.comparisons(time=100 + part.time * 365.25) for part in (first, later))
    assert_same(a, answers(*days, per_day))


# ------------------------------------------------------------------------------------ without drift


def static(games: Games, ties: Any = "davidson") -> BradleyTerry:
    return BradleyTerry(ties, prior="normal", tol=1e-12).fit(games.comparisons())


@pytest.mark.parametrize("ties", ["half", "ignore"])
def test_without_drift_it_is_the_static_model(ties: str) -> None:
    games, _ = random_games(8, replace(MODEL, drift=0.0), n=150)
    said = static(games, ties)
    model = Dynamics(said.prior_scale_, 0.0, ties=ties)
    found = estimator(model, tol=1e-12).fit(games.comparisons())
    skill = found.log_skill_ - found.log_skill_.mean()
    np.testing.assert_allclose(skill, said.log_skill_ - said.log_skill_.mean(), atol=1e-6)


@pytest.mark.parametrize(("drift", "close"), [(1e-9, 1e-8), (1e-4, 1e-5)])
def test_small_drift_is_close_to_none(drift: float, close: float) -> None:
    games, _ = random_games(9, MODEL)
    model = Dynamics(0.8, 0.0, ties="half")
    none, some = (
        bands(estimator(each, tol=1e-12).fit(games.comparisons()))
        for each in (model, replace(model, drift=drift))
    )
    np.testing.assert_allclose(some.mean, none.mean, atol=close)
    np.testing.assert_allclose(some.error, none.error, atol=close)
