"""Rating periods: games of one period are rated at once, all by the ratings before it."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.messages import quoted

Period = Literal["day", "week", "month", "season"] | float
WORDS = ("day", "week", "month", "season")
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
        raise ValueError(f"period={period!r} needs the time of every game; name its column with time=")
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
    days = {"day": 1.0, "week": 7.0}.get(str(period)) or float(period)
    length = np.timedelta64(round(days * 86_400_000_000), "us")
    start = MONDAY + (time.astype("datetime64[us]") - MONDAY) // length * length
    return start.astype("datetime64[D]") if days % 1 == 0 else start
