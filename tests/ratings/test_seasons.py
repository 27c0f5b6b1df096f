"""Elo as sports use it: home advantage, margin of victory, and regression between seasons."""

from dataclasses import replace
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from podium import Comparisons
from podium.ratings import Elo
from podium.ratings.periods import season_begins
from tests.ratings.games import named
from tests.ratings.test_elo import many_games

RNG = np.random.default_rng(0)
POINTS = RNG.integers(-20, 21, 300)
SEASON = np.sort(RNG.integers(0, 4, 300))
LEAGUE = replace(
    many_games(300, 8, time=1000 * SEASON + np.arange(300), neutral=RNG.random(300) < 0.2),
    outcome=np.sign(POINTS).astype(np.int8),
).with_covariates(POINTS[:, None], ["points"])
FOOTBALL = Elo(start=1500.0, advantage=65.0, margin="points", regression=1 / 3, season=100)


def oracle(c: Comparisons, k: float, advantage: float, regression: float) -> tuple[dict[Any, float], Any]:
    """FiveThirtyEight's formulas of American football: ratings, and the expected scores of the right side."""
    rating = dict.fromkeys(c.items.tolist(), 1500.0)
    expected, season = [], SEASON[0]
    for row in range(len(c)):
        if SEASON[row] != season:
            rating = {item: 1500 * regression + r * (1 - regression) for item, r in rating.items()}
        season = SEASON[row]
        left, right, outcome = c.items[c.left[row]], c.items[c.right[row]], int(c.outcome[row])  # type: ignore[index]
        lead = rating[right] - rating[left] - (0 if c.neutral[row] else advantage)  # type: ignore[index]
        expected.append(1 / (1 + 10 ** (-lead / 400)))
        multiplier = log(max(abs(POINTS[row]), 1) + 1) * 2.2 / (lead * outcome * 0.001 + 2.2)
        shift = k * multiplier * ((outcome + 1) / 2 - expected[-1])
        rating[right] += shift
        rating[left] -= shift
    return rating, np.array(expected)


def test_is_the_published_formula() -> None:
    rating, expected = oracle(LEAGUE, 20.0, 65.0, 1 / 3)
    np.testing.assert_allclose(clone(FOOTBALL).before(LEAGUE)[:, 2], expected)
    assert named(clone(FOOTBALL).fit(LEAGUE)) == pytest.approx(rating)


@pytest.mark.parametrize("period", [None, 10, "season"])
def test_a_stream_may_be_cut_anywhere(period: Any) -> None:
    whole, parts = clone(FOOTBALL).set_params(period=period), clone(FOOTBALL).set_params(period=period)
    seen = whole.ratings_before(LEAGUE)
    first_of_last_season = int(np.searchsorted(SEASON, 3))
    cuts = [0, 70, first_of_last_season, first_of_last_season + 1, 300]
    rows = [LEAGUE[i:j] for i, j in pairwise(cuts)]
    np.testing.assert_allclose(np.concatenate([parts.ratings_before(part) for part in rows]), seen)
    np.testing.assert_allclose(parts.rating_, whole.rating_)


def test_margins_by_hand() -> None:
    c = Comparisons.from_arrays(["a", "a"], ["b", "b"], [1, 0], time=[1, 1], covariates=[[-7.0], [0.0]])
    c = c.with_covariates(c.covariates, ["points"])
    elo = Elo(margin="points", initial={"a": 1300, "b": 1200}, period="season").fit(c[:1])
    lead, expected = -100, 1 / (1 + 10 ** (100 / 400))
    change = 20 * log(8) * 2.2 / (2.2 + lead / 1000) * (1 - expected)
    assert elo.rating_ == pytest.approx([1300 - change, 1200 + change])
    tie = Elo(margin="points", initial={"a": 1300, "b": 1200}).fit(c[1:])
    assert tie.rating_[1] == pytest.approx(1200 + 20 * log(2) * (0.5 - expected))
    far = Elo(margin="points", initial={"a": 1e7, "b": -1e7}).fit(c[:1])
    assert far.rating_[1] == pytest.approx(-1e7 + 20 * log(8) * 10)  # the correction is at most tenfold


def test_weights_multiply_k_but_the_record_has_no_margins() -> None:
    elo = clone(FOOTBALL).fit(LEAGUE, sample_weight=np.full(300, 2.0))
    np.testing.assert_allclose(elo.rating_, clone(FOOTBALL).set_params(k=40.0).fit(LEAGUE).rating_)
    assert elo.leaderboard().games.sum() == 2 * 2 * 300


def test_predictions_do_not_need_the_margin() -> None:
    elo = clone(FOOTBALL).fit(LEAGUE)
    bare = replace(LEAGUE, covariates=None, covariate_names=())
    np.testing.assert_array_equal(elo.predict_proba(bare), elo.predict_proba(LEAGUE))
    before = named(elo)
    for method in (elo.fit, elo.update, elo.before):
        with pytest.raises(ValueError, match="margin='points' is no covariate of these games; name its col"):
            method(replace(bare, time=np.asarray(bare.time) + 1e6))
    assert named(elo) == before


@pytest.mark.parametrize(
    ("season", "time", "expected"),
    [
        ("year", ["2020-12-30", "2020-12-31", "2021-01-01", "2023-06-01"], [0, 0, 1, 1]),
        (60, ["2020-12-01", "2021-01-30", "2021-04-01", "2023-06-01"], [0, 0, 1, 1]),
        (0.5, ["2020-12-01T10", "2020-12-01T22", "2020-12-02T11", "2020-12-02T12"], [0, 0, 1, 0]),
        (0, [2001, 2001, 2002, 2005], [0, 0, 1, 1]),
        (2, [2001, 2001, 2002, 2005], [0, 0, 0, 1]),
    ],
)
def test_when_a_season_begins(season: Any, time: list[Any], expected: list[int]) -> None:
    moments = np.array(time, dtype=None if isinstance(time[0], int) else "datetime64[h]")
    assert season_begins(moments, np.zeros(0), season).tolist() == [bool(each) for each in expected]
    assert season_begins(moments[2:], moments[:2][-1:], season).tolist() == [bool(e) for e in expected[2:]]


def test_everyone_is_drawn_back_once_and_initial_ratings_wait() -> None:
    first = Comparisons.from_arrays(["a"], ["b"], [1], time=[2001])
    later = Comparisons.from_arrays(["c"], ["d"], [0], time=[2003])
    elo = Elo(regression=0.25, season=0, initial={"e": 1600.0}).fit(first)
    assert elo.rating_.tolist() == [1190, 1210, 1600]
    expected = {"a": 1192.5, "b": 1207.5, "c": 1200, "d": 1200, "e": 1500}
    assert named(elo.update(later)) == pytest.approx(expected)
    assert elo.peak_.tolist() == [1200, 1210, 1200, 1200, 1600]


def test_a_quiet_week_changes_nothing() -> None:
    elo = clone(FOOTBALL).fit(LEAGUE)
    rating = elo.rating_
    np.testing.assert_array_equal(elo.update(Comparisons.from_arrays([], [], [])).rating_, rating)


@pytest.mark.parametrize(
    ("parameters", "time", "message"),
    [
        (
            {"regression": 0.3},
            [1],
            "regression needs season: 'year', or the pause after which a season begins",
        ),
        ({"regression": 0.3, "season": 9}, None, "regression needs the time of every game"),
        ({"regression": 0.3, "season": "year"}, [1], "season='year' is for dates, and 'time' has numbers"),
        ({"regression": 1.3}, [1], "regression is 1.3, where a share from 0 to 1"),
        ({"regression": -1}, [1], "regression is -1, where a number of at least 0"),
        ({"season": "autumn"}, [1], "season is 'autumn', where 'year' or a number of at least 0"),
        ({"season": -1}, [1], "season is -1, where 'year' or a number"),
    ],
)
def test_refused(parameters: dict[str, Any], time: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Elo(**parameters).fit(Comparisons.from_arrays(["a"], ["b"], [1], time=time))
