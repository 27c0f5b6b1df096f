"""Glickman's ratings with a deviation, Glicko-1: the second baseline of §4.3 of [SVMcompare]."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.ratings.periods import Period
from podium.ratings.system import NO_GAMES, RatingSystem, checked_number
from podium.ratings.table import NEVER, Integers, Table
from podium.skill.certainty import quantile

if TYPE_CHECKING:
    from podium.ratings.glicko_pass import Rule, Skills


class DeviationSystem(RatingSystem):
    """What Glicko and Glicko-2 share: ratings with deviations, rated period by period."""

    @overload
    def ratings_before(self, c: Comparisons, *, return_deviation: Literal[False] = False) -> Floats: ...
    @overload
    def ratings_before(self, c: Comparisons, *, return_deviation: Literal[True]) -> tuple[Floats, Floats]: ...
    def ratings_before(
        self, c: Comparisons, *, return_deviation: bool = False
    ) -> Floats | tuple[Floats, Floats]:
        """Update with these games, and return the ratings of both sides before the period of each game.

        Parameters
        ----------
        c : Comparisons
            The games, with outcomes.
        return_deviation : bool, default=False
            Return the deviations too.

        Returns
        -------
        array of shape (n, 2), or two such arrays
        """
        rating, deviation = self._follow(c)
        return (rating, deviation) if return_deviation else rating

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checked_number(self.deviation, "deviation", more_than=0)
        if checked_number(self.max_deviation, "max_deviation") < self.deviation:
            raise ValueError(
                f"deviation={self.deviation:g} is more than max_deviation={self.max_deviation:g}"
            )

    def _entry(self) -> dict[str, Any]:
        prior = {"rating": float(self.start), "deviation": float(self.deviation), "volatility": 0.0}
        return prior | {"information": 0.0, "surprise": 0.0, "last": NEVER} | NO_GAMES

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
        self, c: Comparisons, position: Integers, clock: Floats, table: Table, strict: bool
    ) -> tuple[Floats, ...]:
        from podium.ratings.glicko_pass import Games, glicko_games

        self._check_no_teams(c)
        score, weight = (np.asarray(c.outcome) + 1) / 2, np.array(c.mass)
        rows = Games(position[c.left], position[c.right], score, weight, self._lead(c), clock)
        skills, rule = self._known(table)
        before: tuple[Floats, Floats] = glicko_games(
            rows, skills, table.columns["games"], table.columns["record"], rule
        )
        return before

    def _known(self, table: Table) -> tuple["Skills", "Rule"]:
        """What the present ratings are made of, and the parameters, for the pass."""
        from podium.ratings.glicko_pass import Rule, Skills

        skills = Skills(*(table.columns[name] for name in Skills._fields))
        has = self.get_params()  # Glicko has growth, and Glicko-2 tau
        return skills, Rule(*(float(has.get(name, 0)) for name in ("growth", "tau", "max_deviation")))

    def _settled(self, table: Table) -> tuple[Floats, Floats, Floats]:
        """Ratings, deviations and volatilities after the latest period."""
        from podium.ratings.glicko_pass import glicko_ratings

        skills, rule = self._known(table)
        settled: tuple[Floats, Floats, Floats] = glicko_ratings(skills, table.clock, rule)
        return settled

    def _publish(self, table: Table) -> None:
        self.rating_, self.deviation_, _ = self._settled(table)

    def _half_width(self, position: Integers, level: float) -> Floats:
        return quantile(level) * np.append(self.deviation_, self.deviation)[position]

    def _present(self, c: Comparisons) -> tuple[Floats, ...]:
        self._check_no_teams(c)
        return *super()._present(c), np.column_stack(self._sides(c, "deviation_", self.deviation))

    def _log_odds(self, lead: Floats, *others: Floats) -> Floats:
        """Glickman's expected outcome of a future game, which depends on both deviations."""
        from podium.ratings.glicko_pass import Q, attenuation

        (deviation,) = others
        return np.asarray(Q * attenuation(np.hypot(*deviation.T)) * lead)

    def _check_no_teams(self, c: Comparisons) -> None:
        if c.teams is not None:
            name = type(self).__name__
            raise ValueError(f"{name} rates items, not teams; rate teams by Elo or podium.BradleyTerry")


@dataclass(eq=False, repr=False)
class Glicko(DeviationSystem):
    """Ratings with a deviation, which says how sure they are: an uncertain rating moves more.

    Use it if games come as a stream, items play unequally often, and skills may drift. Glicko-1 of [Glicko]:
    a game also moves the other side's rating less, the less sure its own is.

    Ratings change after every period, by all its games at once. Each distinct ``time`` is a period; without
    time every game is one. From one period of an item to its next, t periods later, its deviation grows from
    RD to √(RD² + growth² t), at most ``max_deviation``. Periods count whether they have games or not: t is
    in units of ``period``, or in days if ``time`` has dates and there is no ``period``. Numbers without a
    ``period``, and seasons, are counted one by one, so t is the number of distinct times.

    Sides have to be items: there are no teams. The weight of a row multiplies the evidence of the game, so
    within a period a row of weight 2 is the same as two equal rows.

    Parameters
    ----------
    start : float, default=1500.0
        The rating of a new item.
    deviation : float, default=350.0
        The deviation of a new item.
    growth : float, default=0.0
        How much deviations grow in one period; called c by Glickman.
    max_deviation : float, default=350.0
        The largest deviation.
    advantage : float, default=0.0
        The advantage of the left side (the home team, White) in rating points; neutral rows have none.
    tie : float, default=0.0
        Davidson's ν: two equal sides tie with odds of ν to 2. It changes predictions, not ratings. With 0,
        ties have probability 0.
    initial : dict or None, default=None
        Ratings to start from, ``{item: (rating, deviation)}``. An item that has not played yet keeps its
        rating; it is in ``items_`` with 0 games, and a note of the leaderboard names it.
    period : {"day", "week", "month", "season"}, float or None, default=None
        The length of a period: a day, week or month of the dates in ``time``, or a number of days (units of
        time, if it has numbers). ``"season"`` makes each distinct time a period, and refuses games without
        time.

    Attributes
    ----------
    items_ : array of shape (n_items,)
        The items so far, sorted.
    rating_ : array of shape (n_items,)
        Their ratings at the end of the latest period. If the next update continues this period, it is rated
        again as a whole.
    deviation_ : array of shape (n_items,)
        Their deviations at the end of the latest period.
    games_ : array of int
        How many rows each item has played.
    wins_ : array of shape (n_items,)
        The sum of the weights of the games that each item won.
    ties_ : array of shape (n_items,)
        The same of its ties.
    losses_ : array of shape (n_items,)
        The same of its losses.
    classes_ : array of int
        -1, 0, 1.
    n_iter_ : int
        1: a stream is passed once.

    See Also
    --------
    Glicko2 : ratings with deviations and volatilities
    Elo : one rating per item, updated after every game
    DynamicBradleyTerry : skills that move through time

    Examples
    --------
    Glickman's own example, the first player's three games in one period:

    >>> games = Comparisons.from_arrays([1, 1, 1], [2, 3, 4], [-1, 1, 1], time=[0, 0, 0])
    >>> known = {1: (1500, 200), 2: (1400, 30), 3: (1550, 100), 4: (1700, 300)}
    >>> glicko = Glicko(initial=known).fit(games)
    >>> glicko.rating_[0].round(), glicko.deviation_[0].round(1)
    (np.float64(1464.0), np.float64(151.4))
    """

    start: float = 1500.0
    _: KW_ONLY
    deviation: float = 350.0
    growth: float = 0.0
    max_deviation: float = 350.0
    advantage: float = 0.0
    tie: float = 0.0
    initial: Mapping[Any, tuple[float, ...]] | None = None
    period: Period | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checked_number(self.growth, "growth", least=0)
