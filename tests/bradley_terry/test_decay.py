"""Weights that halve with age."""

from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons
from podium.bradley_terry.decay import decayed
from podium.datasets import make_games


def games(time: Any) -> Comparisons:
    c, _ = make_games(5, 300, random_state=0)
    return Comparisons.from_arrays(c.left, c.right, c.outcome, time=time)


def test_a_half_life_halves_weights() -> None:
    c = Comparisons.from_arrays(
        ["a"] * 3, ["b"] * 3, [1, 1, 1], time=[0.0, 5.0, 10.0], weight=[1.0, 2.0, 3.0]
    )
    np.testing.assert_allclose(decayed(c, 5).weight, [0.25, 1.0, 3.0])
    assert decayed(c, None) is c


@pytest.mark.parametrize(
    ("text", "days"),
    [("2y", 730.5), ("6mo", 182.625), ("3 w", 21), ("1.5d", 1.5), ("12h", 0.5), ("1 year", 365.25)],
)
def test_spans_of_dates(text: str, days: float) -> None:
    time = np.array(["2020-01-01", "2021-03-05"], dtype="datetime64[D]")
    c = Comparisons.from_arrays(["a", "b"], ["b", "a"], [1, 1], time=time)
    age = (time[1] - time[0]).astype(int)
    np.testing.assert_allclose(decayed(c, text).weight, [0.5 ** (age / days), 1.0])


def test_the_fit_is_that_of_the_weights_and_the_record_that_of_the_games() -> None:
    c = games(np.arange(300.0))
    model = BradleyTerry(half_life=100).fit(c)
    same = BradleyTerry().fit(c, sample_weight=0.5 ** ((299 - np.arange(300)) / 100))
    np.testing.assert_allclose(model.log_skill_, same.log_skill_, atol=1e-9)
    np.testing.assert_allclose(model.standard_error_, same.standard_error_, atol=1e-9)
    assert model.leaderboard().games.sum() == 600


def test_very_old_games_hardly_count_and_are_no_error() -> None:
    c = games(np.r_[np.full(150, -1e6), np.zeros(150)])
    new = BradleyTerry().fit(c[150:])
    np.testing.assert_allclose(BradleyTerry(half_life=1).fit(c).log_skill_, new.log_skill_, atol=1e-6)


@pytest.mark.parametrize("half_life", ["2 fortnights", "y", "-2y", 3, True])
def test_bad_spans_are_refused(half_life: Any) -> None:
    c = games(np.datetime64("2020-01-01") + np.arange(300))
    with pytest.raises(ValueError, match="half_life must be a span such as '2y'"):
        BradleyTerry(half_life=half_life).fit(c)


@pytest.mark.parametrize("half_life", ["2y", 0, -1, np.inf, True])
def test_bad_numbers_are_refused(half_life: Any) -> None:
    with pytest.raises(ValueError, match="half_life must be a number above 0"):
        BradleyTerry(half_life=half_life).fit(games(np.arange(300.0)))


def test_without_times_there_is_no_age() -> None:
    with pytest.raises(ValueError, match="half_life needs times"):
        BradleyTerry(half_life="2y").fit(games(None))


@pytest.mark.parametrize("half_life", [0.3, 0.5])
def test_too_short_a_half_life_is_refused_in_one_sentence(half_life: float) -> None:
    rng = np.random.default_rng(0)
    left = rng.integers(0, 5, 800)
    right, x = (left + rng.integers(1, 5, 800)) % 5, rng.normal(size=(800, 2))
    difference = (right - left) / 2 + x.sum(axis=1) / 2 - 0.3
    tied = rng.random(800) < 0.2
    outcome = np.where(tied, 0, np.where(rng.logistic(size=800) < difference, 1, -1))
    c = Comparisons.from_arrays(left, right, outcome, covariates=x, time=np.arange(800.0))
    with pytest.raises(ValueError, match="use a longer half_life"):
        BradleyTerry(half_life=half_life).fit(c)
