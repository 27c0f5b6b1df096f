"""Games of one period are rated at once."""

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date, timedelta
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from podium import Comparisons
from podium.ratings import Elo, Glicko
from podium.ratings.periods import start_of_period
from podium.ratings.system import RatingSystem
from tests.ratings.games import named, played
from tests.ratings.test_elo import many_games
from tests.ratings.test_glicko import oracle as glicko_oracle

FIRST = date(2021, 12, 20)
DAYS = np.sort(np.random.default_rng(3).integers(0, 120, 600))
DATES = np.array([FIRST + timedelta(days=int(day)) for day in DAYS], dtype="datetime64[D]")
GAMES = many_games(600, time=DATES)
KEYS: dict[Any, Callable[[date], Any]] = {
    "day": lambda day: day,
    "week": lambda day: day.isocalendar()[:2],
    "month": lambda day: (day.year, day.month),
    "season": lambda day: day,
    14: lambda day: (day - date(1970, 1, 5)).days // 14,
}
# How many periods without games come before each one with games; every week and month has games.
FREE_DAYS = [0, *(np.diff(np.unique(DAYS)) - 1).tolist()]
IDLE: dict[Any, list[int]] = {"day": FREE_DAYS, "season": [], "week": [], "month": [], 14: []}


def elo_by_period(c: Comparisons, key: Any, k: Any, start: float) -> dict[Any, float]:
    """Elo in plain Python: all games of a period by the ratings, games and peaks before it."""
    rating: dict[Any, float] = {}
    peak: dict[Any, float] = {}
    n_games: Counter[Any] = Counter()
    for _, rows in groupby(played(c), key=lambda row: key(row[0].date())):
        change: dict[Any, float] = defaultdict(float)
        count: Counter[Any] = Counter()
        for _, (left,), (right,), score in rows:
            for item in (left, right):
                rating.setdefault(item, start)
                peak.setdefault(item, start)
            expected = 1 / (1 + 10 ** ((rating[right] - rating[left]) / 400))
            for item, surprise in ((left, score - expected), (right, expected - score)):
                fide = 40 if n_games[item] < 30 else 10 if peak[item] >= 2400 else 20
                change[item] += (fide if k == "fide" else k) * surprise
                count[item] += 1
        for item, points in change.items():
            rating[item] += points
            peak[item] = max(peak[item], rating[item])
        n_games.update(count)
    return rating


@pytest.mark.parametrize("period", KEYS)
@pytest.mark.parametrize(("k", "start"), [(20.0, 1200.0), ("fide", 2390.0)])
def test_elo_is_the_formulas(period: Any, k: Any, start: float) -> None:
    expected = elo_by_period(GAMES, KEYS[period], k, start)
    assert named(Elo(k=k, start=start, period=period).fit(GAMES)) == pytest.approx(expected)


@pytest.mark.parametrize("period", KEYS)
def test_glicko_is_the_formulas(period: Any) -> None:
    keys = [KEYS[period](day) for day in DATES.tolist()]
    number = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    numbered = many_games(600, time=[number[key] for key in keys])
    rating, spread, _ = glicko_oracle(numbered, growth=20.0, idle=IDLE[period])
    glicko = Glicko(growth=20.0, period=period).fit(GAMES)
    assert named(glicko) == pytest.approx(rating)
    assert named(glicko, "deviation_") == pytest.approx(spread)


@pytest.mark.parametrize(
    "system", [Elo(period="month"), Elo(k="fide", period=10), Glicko(period="week")], ids=str
)
def test_a_period_goes_on_in_the_next_update(system: RatingSystem) -> None:
    whole, parts = clone(system).fit(GAMES), clone(system).fit(GAMES[:250])
    parts.update(GAMES[250:251]).update(GAMES[251:])
    np.testing.assert_allclose(parts.rating_, whole.rating_)
    assert parts.games_.tolist() == whole.games_.tolist()


@pytest.mark.parametrize("system", [Elo(period="week"), Glicko(period="week")], ids=str)
def test_the_order_within_a_period_is_of_no_matter(system: RatingSystem) -> None:
    shuffled = GAMES[np.random.default_rng(0).permutation(len(GAMES))]
    np.testing.assert_allclose(clone(system).fit(shuffled).rating_, clone(system).fit(GAMES).rating_)


def test_an_unfinished_period_makes_no_peak() -> None:
    c = Comparisons.from_arrays(["a", "a"], ["b", "b"], [-1, 1], time=[1, 2])
    elo = Elo(period=10).fit(c)
    assert elo.rating_.tolist() == elo.peak_.tolist() == [1200, 1200]
    assert Elo().fit(c).peak_[0] == 1210


def test_numbers_are_lengths_in_their_own_unit() -> None:
    assert start_of_period(np.array([0.0, 0.4, 0.6, 1.1]), 0.5).tolist() == [0, 0, 0.5, 1]
    assert start_of_period(np.array([-1, 0, 6, 7]), 7).tolist() == [-7, 0, 0, 7]
    noon = np.array(["2022-09-05T11:59", "2022-09-05T12:00"], dtype="datetime64[m]")
    assert len(set(start_of_period(noon, 0.5).tolist())) == 2


@pytest.mark.parametrize("kind", [Elo, Glicko])
@pytest.mark.parametrize(
    ("period", "time", "message"),
    [
        ("fortnight", [1], "period is 'fortnight', where None, 'day', 'week', 'month', 'season' or a number"),
        (0, [1], "period is 0, where"),
        (float("nan"), [1], "period is nan, where"),
        ("month", None, "period='month' needs the time of every game"),
        ("season", None, "period='season' needs the time of every game"),
        ("month", [1], "period='month' is for dates, and 'time' has numbers; give the length"),
    ],
)
def test_refused(kind: Any, period: Any, time: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(period=period).fit(Comparisons.from_arrays(["a"], ["b"], [1], time=time))
