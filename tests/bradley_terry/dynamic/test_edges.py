"""Data at the edge: little of it, one-sided, all at one time, or on strange scales."""

from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from podium import Comparisons, DynamicBradleyTerry
from tests.oracles.paired_rows import Array


def games(n: int = 60, n_items: int = 6, time: Array | None = None, **columns: Any) -> Comparisons:
    """Random outcomes of random pairs."""
    rng = np.random.default_rng(11)
    left = rng.integers(n_items, size=n)
    right = (left + rng.integers(1, n_items, size=n)) % n_items
    time = np.sort(rng.random(n)) * 4 if time is None else time
    return Comparisons.from_arrays(left, right, rng.integers(-1, 2, size=n), time=time, **columns)


def round_robin(outcome: int, n: int = 30) -> Comparisons:
    rounds = n // 3
    return Comparisons.from_arrays(
        ["a", "b", "c"] * rounds, ["b", "c", "a"] * rounds, [outcome] * n, time=range(n)
    )


EDGES: dict[str, Comparisons] = {
    "one game": Comparisons.from_arrays(["a"], ["b"], [-1], time=[0.0]),
    "one tie": Comparisons.from_arrays(["a"], ["b"], [0], time=[0.0]),
    "only ties": round_robin(0),
    "no ties": round_robin(1),
    "one winner": Comparisons.from_arrays(["a"] * 30, ["b", "c", "d"] * 10, [-1] * 30, time=range(30)),
    "one winner at one time": Comparisons.from_arrays(["a"] * 3, ["b", "c", "d"], [-1] * 3, time=[0] * 3),
    "one winner by length": games(time=np.zeros(60), covariates=games().outcome),
    "one time": games(time=np.zeros(60)),
    "a million years apart": games(time=np.arange(60) * 1e6),
    "microseconds apart": games(time=np.datetime64("2020-01-01", "us") + np.arange(60)),
    "before 1970": games(time=np.datetime64("1850-01-01") + np.arange(60) * 30),
    "light": games(weight=np.full(60, 1e-9)),
    "heavy": games(weight=np.full(60, 1e9)),
    "neutral ground only": games(neutral=np.ones(60, dtype=bool)),
}


@pytest.mark.parametrize("name", EDGES)
def test_fits_are_finite(name: str) -> None:
    c = EDGES[name]
    model = DynamicBradleyTerry(order_effect=True).fit(c)
    numbers = model.history()[["score", "low", "high"]].to_numpy(float)
    assert np.isfinite(numbers).all()
    assert np.isfinite([model.log_likelihood_, model.spread_, model.drift_, model.tie_]).all()
    assert np.isfinite(model.standard_error_).all()
    np.testing.assert_allclose(model.predict_proba(c).sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "value"), [("reversion", 1e6), ("drift", 1e-300), ("drift", 5.0), ("spread", 20.0)]
)
def test_strange_parameters(name: str, value: float) -> None:
    model = DynamicBradleyTerry().set_params(**{name: value}).fit(games())
    assert np.isfinite(model.log_likelihood_)
    assert np.isfinite(model.history()["score"]).all()


def test_reversion_without_drift() -> None:
    with pytest.raises(ValueError, match="reversion without drift"):
        DynamicBradleyTerry(drift=0.0, reversion=0.5).fit(games())


def test_one_time_does_not_choose_the_spread_by_games_that_do_not_know_each_other() -> None:
    """Games of one time are predicted alone, which says nothing about the spread."""
    rng = np.random.default_rng(12)
    skill = np.linspace(-2, 2, 6)
    left = rng.integers(6, size=400)
    right = (left + rng.integers(1, 6, size=400)) % 6
    wins = rng.random(400) < 1 / (1 + np.exp(skill[left] - skill[right]))
    c = Comparisons.from_arrays(left, right, np.where(wins, 1, -1), time=np.zeros(400))
    assert 0.7 < DynamicBradleyTerry(drift=0.5).fit(c).spread_ < 3.0


def test_ignored_ties_teach_nothing() -> None:
    c = games()
    model = DynamicBradleyTerry(0.8, drift=0.5, reversion=0.0, ties="ignore").fit(c)
    later = Comparisons.from_arrays([0, 0, 0], [1, 1, 1], [0, 0, 1], time=[5.0, 6.0, 7.0])
    alone = Comparisons.from_arrays([0], [1], [1], time=[7.0])
    np.testing.assert_allclose(model.before(later)[2], model.before(alone)[0], atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"order_effect": "yes"}, "order_effect must be true or false, not 'yes'"),
        ({"tol": "small"}, "tol is a number above 0, not 'small'"),
        ({"max_iter": 1.5}, "max_iter is a whole number of at least 1, not 1.5"),
        ({"spread": 1e200}, "spread=1e\\+200 lets log-skills reach 1e\\+200; make it smaller$"),
        ({"drift": 1e9}, "drift=1e\\+09 lets log-skills reach .*, or write the times in a larger unit"),
    ],
)
def test_parameters_of_a_wrong_type_or_size_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DynamicBradleyTerry(**parameters).fit(games())


def test_what_is_not_determined_is_noted() -> None:
    few = DynamicBradleyTerry(drift=0.5).fit(games(n=3))
    assert "3 comparisons are too few to estimate spread, reversion; set" in few.notes_[0]
    same = DynamicBradleyTerry(1.0, drift=0.5, reversion=0.0).fit(games(covariates={"x": np.zeros(60)}))
    assert same.notes_ == ("covariate 'x' is the same on both sides of every comparison; left out",)


def test_what_is_no_time_is_refused() -> None:
    day = np.datetime64("2020-01-01") + np.arange(60)
    model = DynamicBradleyTerry(1.0, drift=0.5, reversion=0.0).fit(games(time=day))
    for at in (np.datetime64("NaT"), "soon", 3, float("nan")):
        with pytest.raises(ValueError, match="at must be a date such as '2015-01-01'"):
            model.leaderboard(at=at)
    with pytest.raises(ValueError, match="the first comparison is from 2020-01-01; choose a later time"):
        model.leaderboard(at="2019-01-01")
    berlin = datetime(2020, 2, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    assert repr(model.leaderboard(at=berlin)) == repr(model.leaderboard(at="2020-02-01"))
    with pytest.raises(ValueError, match="items is empty; name at least one item"):
        model.history([])


def test_fast_skills_of_teams_converge() -> None:
    """Far from even odds the curvature of log Σ e^r is too large to leave out."""
    rng = np.random.default_rng(1)
    sides = [rng.permutation(8) for _ in range(150)]
    left, right = [tuple(p[:2]) for p in sides], [tuple(p[2:4]) for p in sides]
    time = np.sort(rng.random(150)) * 2.5
    c = Comparisons.from_arrays(left, right, rng.integers(-1, 2, size=150), time=time)
    for drift in (2.7, 6.0):
        result = DynamicBradleyTerry(3.0, drift=drift, reversion=0.0).fit(c).result_
        assert result.converged
        assert result.iterations < 60
