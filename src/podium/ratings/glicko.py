"""Glickman's ratings with a deviation, Glicko-1: the second baseline of §4.3 of [SVMcompare]."""

from collections.abc import Mapping
from typing import Any, Literal, overload

import numpy as np
from scipy.stats import norm

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.ratings.periods import Period
from podium.ratings.system import RatingSystem, checked_number
from podium.ratings.table import Columns, Integers, Table


class Glicko(RatingSystem):
    """A rating and how sure it is: an uncertain rating moves more, and moves the other side's less.

    Ratings change after every period, by all its games at once; each distinct ``time`` is a period, and
    without time every game is one. From one period of an item to its next, t periods later, its deviation
    grows from RD to √(RD² + growth² t), at most ``max_deviation``: the formulas of [Glicko], in which
    ``growth`` is called c. Only periods with games are counted. Sides have to be items: there are no teams. A
    row is one game: weights are refused.

    ``period`` makes longer periods: a ``"day"``, ``"week"`` or ``"month"`` of the dates in ``time``, or a
    number of days, or of units of time if it has numbers. ``"season"`` is each distinct time, as ``None`` is,
    but refuses games without time.

    ``initial`` gives ratings to start from, ``{item: (rating, deviation)}``; other items enter at ``start``
    with ``deviation``.

    After `fit` or `update` there are ``items_`` (sorted) and beside them ``rating_``, ``deviation_`` (both at
    the end of the latest period) and ``games_`` (how many). A period that the next update goes on with is
    rated again as a whole.

    Glickman's own example, the first player's three games in one period:

    >>> games = Comparisons.from_arrays([1, 1, 1], [2, 3, 4], [-1, 1, 1], time=[0, 0, 0])
    >>> known = {1: (1500, 200), 2: (1400, 30), 3: (1550, 100), 4: (1700, 300)}
    >>> glicko = Glicko(initial=known).fit(games)
    >>> glicko.rating_[0].round(), glicko.deviation_[0].round(1)
    (np.float64(1464.0), np.float64(151.4))
    """

    deviation_: Floats

    def __init__(
        self,
        start: float = 1500.0,
        deviation: float = 350.0,
        growth: float = 0.0,
        max_deviation: float = 350.0,
        initial: Mapping[Any, tuple[float, float]] | None = None,
        period: Period | None = None,
    ) -> None:
        self.start = start
        self.deviation = deviation
        self.growth = growth
        self.max_deviation = max_deviation
        self.initial = initial
        self.period = period

    @overload
    def before(self, c: Comparisons, *, return_deviation: Literal[False] = False) -> Floats: ...
    @overload
    def before(self, c: Comparisons, *, return_deviation: Literal[True]) -> tuple[Floats, Floats]: ...
    def before(self, c: Comparisons, *, return_deviation: bool = False) -> Floats | tuple[Floats, Floats]:
        """Update with these games, and return the ratings of both sides before each game's period: (n, 2).

        With ``return_deviation`` also the deviations, in an array of the same shape.
        """
        rating, deviation = self._follow(c)
        return (rating, deviation) if return_deviation else rating

    def _check_parameters(self) -> None:
        checked_number(self.start, "start")
        checked_number(self.deviation, "deviation", more_than=0)
        checked_number(self.growth, "growth", least=0)
        if checked_number(self.max_deviation, "max_deviation") < self.deviation:
            raise ValueError(
                f"deviation={self.deviation:g} is more than max_deviation={self.max_deviation:g}"
            )

    def _entry(self) -> dict[str, float]:
        from podium.ratings.passes import NEVER

        prior = {"rating": float(self.start), "deviation": float(self.deviation)}
        return prior | {"information": 0.0, "surprise": 0.0, "last": NEVER, "games": 0}

    def _listed(self, item: Any, facts: Any) -> dict[str, float]:
        name = f"initial[{item!r}]"
        try:
            rating, deviation = facts
        except (TypeError, ValueError):
            raise ValueError(f"{name} is {facts!r}, where a rating and a deviation are expected") from None
        if checked_number(deviation, f"the deviation in {name}", more_than=0) > self.max_deviation:
            raise ValueError(f"the deviation in {name} is more than max_deviation={self.max_deviation:g}")
        return {"rating": checked_number(rating, f"the rating in {name}"), "deviation": deviation}

    def _play(
        self, c: Comparisons, position: Integers, periods: Integers, columns: Columns
    ) -> tuple[Floats, ...]:
        from podium.ratings.passes import glicko_games

        _check_no_teams(c)
        score = (np.asarray(c.outcome) + 1) / 2
        before: tuple[Floats, Floats] = glicko_games(
            position[c.left], position[c.right], score, periods, **columns, **self._growth()
        )
        return before

    def _growth(self) -> dict[str, float]:
        return {"growth": float(self.growth), "widest": float(self.max_deviation)}

    def _publish(self, table: Table) -> None:
        from podium.ratings.passes import glicko_ratings

        columns = dict(table.columns)
        self.games_ = columns.pop("games")
        self.rating_, self.deviation_ = glicko_ratings(**columns, period=table.period, **self._growth())

    def _half_width(self, position: Integers, level: float) -> Floats:
        width: Floats = norm.ppf((1 + level) / 2) * np.append(self.deviation_, self.deviation)[position]
        return width

    def _log_odds(self, c: Comparisons) -> Floats:
        """Glickman's expected outcome of a game to come, in which both deviations count."""
        from podium.ratings.passes import Q, attenuation

        _check_no_teams(c)
        left, right = self._sides(c, "deviation_", self.deviation)
        shrunk: Floats = Q * attenuation(np.hypot(left, right)) * self.decision_function(c)
        return shrunk


def _check_no_teams(c: Comparisons) -> None:
    if c.teams is not None:
        raise ValueError("Glicko rates items, not teams; rate teams by Elo or podium.BradleyTerry")
