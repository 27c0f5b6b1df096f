"""Rating periods, whose games are all rated at once by the ratings before, and seasons."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError, quoted

Period = Literal["day", "week", "month", "season"] | float
Season = Literal["year"] | float
WORDS = ("day", "week", "month", "season")
DAYS: dict[Any, float] = {"day": 1.0, "week": 7.0, None: 1.0}
MONDAY = np.datetime64("1970-01-05", "us")


def checked_period(period: Any) -> None:
    is_number = isinstance(period, int | float | np.integer | np.floating) and np.isfinite(period)
    if period is not None and period not in WORDS and not (is_number and period > 0):
        wanted = "None, 'day', 'week', 'month', 'season' or a number above 0"
        raise ValueError(f"period is {quoted(period)}, where {wanted} is expected")


def start_of_period(time: NDArray[Any] | None, period: Period) -> NDArray[Any]:
    """When the period of each game begins.

    Weeks begin on Monday. A season is a distinct value of time. A number is a length: of days if time has
    dates, otherwise in the units of time; such periods are counted from Monday 5 January 1970, or from 0.

    >>> start_of_period(np.array(["2022-09-05", "2022-09-11", "2022-09-12"], dtype="datetime64[D]"), "week")
    array(['2022-09-05', '2022-09-05', '2022-09-12'], dtype='datetime64[D]')
    >>> start_of_period(np.array([0, 9, 10, 25]), 10)
    array([ 0,  0, 10, 20])
    """
    if time is None:
        raise InputError(f"period={period!r} needs the time of every game; name its column with {{@time}}")
    if period == "season":
        return time
    if time.dtype.kind != "M":
        if isinstance(period, str):
            raise ValueError(
                f"period={period!r} is for dates, and 'time' has numbers; give the length of a period, such "
                "as period=10, or period='season' for one period per number"
            )
        return np.asarray(time // period * period)
    if period == "month":
        return time.astype("datetime64[M]").astype("datetime64[D]")
    length = _span(DAYS.get(period, period))
    start = MONDAY + (time.astype("datetime64[us]") - MONDAY) // length * length
    return start.astype("datetime64[D]") if length % _span(1) == 0 else start


def elapsed(starts: NDArray[Any], period: Period | None) -> Floats:
    """How many periods pass from the start of one to the next, whether they have games or not.

    Without ``period``, dates are counted in days. Numbers may count anything, so each distinct number is one
    period; so is each distinct time if the period is a season.

    >>> elapsed(np.array(["2022-01-01", "2022-02-01", "2022-05-01"], dtype="datetime64[D]"), "month")
    array([1., 3.])
    >>> elapsed(np.array([2001, 2001, 2010]), None)
    array([0., 1.])
    """
    dates = starts.dtype.kind == "M"
    if dates and period == "month":
        return np.diff(starts.astype("datetime64[M]").astype(np.int64)).astype(np.float64)
    if dates and period != "season":
        return np.asarray(np.diff(starts.astype("datetime64[us]")) / _span(DAYS.get(period, period)))
    if not (dates or period is None or period == "season"):
        return np.round(np.diff(starts) / float(period))
    return np.asarray(starts[1:] != starts[:-1], dtype=np.float64)


def checked_season(season: Any) -> None:
    is_number = isinstance(season, int | float | np.integer | np.floating) and np.isfinite(season)
    if season is not None and season != "year" and not (is_number and season >= 0):
        raise ValueError(f"season is {quoted(season)}, where 'year' or a number of at least 0 is expected")


def season_begins(
    time: NDArray[Any] | None, latest: NDArray[Any], season: Season | None
) -> NDArray[np.bool_]:
    """Whether each game is the first of a new season; ``latest`` is the time of the game before, if any.

    >>> season_begins(np.array([0, 5, 5, 7, 20]), np.zeros(0), 10)
    array([False, False, False, False,  True])
    """
    if season is None:
        raise ValueError("regression needs season: 'year', or the pause after which a season begins")
    if time is None:
        raise InputError("regression needs the time of every game; name its column with {@time}")
    moments = np.concatenate([latest if len(latest) else time[:1], time])
    dates = moments.dtype.kind == "M"
    if season == "year":
        if not dates:
            raise ValueError(
                "season='year' is for dates, and 'time' has numbers; give the pause after which a season "
                "begins, such as season=0 if every number is a season"
            )
        return np.asarray(np.diff(moments.astype("datetime64[Y]").astype(np.int64)) > 0)
    if dates:
        return np.asarray(np.diff(moments.astype("datetime64[us]")) > _span(season))
    return np.asarray(np.diff(moments) > season)


def _span(days: Any) -> np.timedelta64:
    return np.timedelta64(round(days * 86_400_000_000), "us")
