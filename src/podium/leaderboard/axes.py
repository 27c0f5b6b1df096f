"""Axes of pictures: the range of scores that they show, and round numbers and dates on them."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from podium.comparisons.arrays import Floats
from podium.leaderboard.history import time_text

MOST = 8
MOST_HOURS = 4  # a date with a time of day is long
# Steps of dates from fine to coarse: unit and number of units. Days of a month would not be evenly spaced.
DATE_STEPS = [
    *(("m", n) for n in (1, 5, 15, 30)),
    *(("h", n) for n in (1, 3, 6, 12)),
    *(("D", n) for n in (1, 2, 7, 14)),
    *(("M", n) for n in (1, 2, 3, 6)),
    *(("Y", n) for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
]


def number_ticks(low: float, high: float, most: int = MOST) -> dict[float, str]:
    """Round numbers in a range, and how to write them.

    >>> list(number_ticks(1430, 1583).values())
    ['1440', '1460', '1480', '1500', '1520', '1540', '1560', '1580']
    """
    least = max(high - low, 1e-12) / most
    unit = 10.0 ** np.floor(np.log10(least))
    step = unit * next(factor for factor in (1, 2, 5, 10) if factor * unit >= least * (1 - 1e-9))
    numbers = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step + 0.0  # no -0.0
    return {float(number): f"{number:.12g}" for number in numbers}


def time_ticks(first: Any, last: Any, most_hours: int = MOST_HOURS) -> dict[Any, str]:
    """Round times from first to last, dates or numbers, and how to write them.

    >>> list(time_ticks(np.datetime64("2003-10-05"), np.datetime64("2022-12-22")).values())
    ['2005', '2010', '2015', '2020']
    """
    if not isinstance(first, np.datetime64):
        return dict(number_ticks(float(first), float(last)))
    if first == last:
        return {first: time_text(first)}
    for unit, step in DATE_STEPS:
        begin, end = (moment.astype(f"datetime64[{unit}]").astype(int) for moment in (first, last))
        if (end - begin) // step < (most_hours if unit in "mh" else MOST):
            break
    origin = 1970 if unit == "Y" else 0  # years are counted from 1970, and round years from 0
    numbers = np.arange(-(-(begin + origin) // step), (end + origin) // step + 1) * step - origin
    moments = numbers.astype(f"datetime64[{unit}]")
    if unit == "h":
        moments = moments.astype("datetime64[m]")
    return {moment: str(moment).replace("T", " ") for moment in moments if first <= moment <= last}


@dataclass(frozen=True)
class Span:
    """A range of scores, as an axis for intervals."""

    low: float
    high: float

    @classmethod
    def of(cls, *columns: Floats) -> Self:
        """From the lowest to the highest finite number of the columns; from 0 to 1 if there is none."""
        numbers = np.concatenate(columns)
        numbers = numbers[np.isfinite(numbers)]
        return cls(float(numbers.min()), float(numbers.max())) if len(numbers) else cls(0.0, 1.0)

    @property
    def length(self) -> float:
        """The length of the axis, which is 1 if all numbers are equal."""
        return self.high - self.low or 1.0

    def share(self, score: Floats) -> Floats:
        """Where scores are: 0 is the low end, 1 the high end."""
        return np.asarray((score - self.low) / self.length)

    def ticks(self, most: int = MOST) -> dict[float, str]:
        """Round numbers, and how to write them."""
        return number_ticks(self.low, self.low + self.length, most)
