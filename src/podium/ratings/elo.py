"""Elo's ratings, by the rule of one K for all or by FIDE's: the first baseline of §4.3 of [SVMcompare]."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.ratings.periods import Period, Season, checked_season, season_begins
from podium.ratings.system import NO_GAMES, RatingSystem, checked_number
from podium.ratings.table import NEVER, Integers, Table

FIDE_STEPS = (40.0, 20.0, 10.0)  # newcomers, others, and those who ever had 2400; since July 2014


@dataclass(eq=False, repr=False)
class Elo(RatingSystem):
    """After every game the winner takes points from the loser, more if the win was unexpected.

    Use it if games come as a stream and a rating is needed after each. The right side is expected to score

        e = 1 / (1 + 10^((r(left) + advantage - r(right)) / scale)),

    and its rating changes by k times its score minus e; a tie is half a point for each side. The rating of a
    team is the mean of its members', its k is the mean of theirs, and they all change alike.

    Games are rated in the order of their ``time``, or of the rows if there is none or times are equal. The
    weight of a row multiplies k. This is not the same as the row twice, since the second game would start
    from the ratings after the first.

    Parameters
    ----------
    k : float or "fide", default=20.0
        The points at stake. ``"fide"`` is 40 in the first 30 games of an item, then 20, or 10 if its rating
        has ever reached 2400. FIDE's other rules (juniors, differences cut at 400, rounding) are left out.
    start : float, default=1200.0
        The rating of a new item.
    advantage : float, default=0.0
        The advantage of the left side (the home team, White) in rating points; neutral rows have none.
    tie : float, default=0.0
        Davidson's ν: P(-1) : P(0) : P(1) = e^{-x/2} : ν : e^{x/2}, where x is the log-odds of the right side.
        So two equal sides tie with odds of ν to 2. It changes predictions, not ratings. With 0, ties have
        probability 0.
    margin : str or None, default=None
        The covariate of the comparisons that is the margin of victory, such as the difference in points. It
        multiplies k by ``ln(1 + max(|margin|, 1))``. Favourites win by more, so a win also multiplies k by
        2.2 / (2.2 + lead / 1000), where lead is the winner's lead in points before the game, including the
        advantage. Predictions do not need the covariate.
    regression : float, default=0.0
        The share, from 0 to 1, by which all ratings are drawn back towards ``start`` when a season begins.
    season : {"year"}, float or None, default=None
        When a season begins: with the year of the dates in ``time``, or after a pause of more than this
        number of days (units of time, if it has numbers) without any game. 0 if ``time`` is the season.
    initial : dict or None, default=None
        Ratings to start from, ``{item: rating}``. An item that has not played yet keeps its rating; it is in
        ``items_`` with 0 games, and a note of the leaderboard names it.
    period : {"day", "week", "month", "season"}, float or None, default=None
        Rates the games of a period at once, by the ratings before it: of a day, week or month of the dates in
        ``time``, of a season (each distinct time), or of a number of days (units of time, if it has numbers).
        None rates every game on its own.
    scale : float, default=400.0
        The difference in points that means odds of 10 to 1.

    Attributes
    ----------
    items_ : array of shape (n_items,)
        The items so far, sorted.
    rating_ : array of shape (n_items,)
        Their ratings after the last game.
    peak_ : array of shape (n_items,)
        Their highest ratings so far.
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
    Glicko : ratings with deviations
    Glicko2 : ratings with deviations and volatilities
    DynamicBradleyTerry : skills that move through time
    BradleyTerry : constant skills of items or teams

    Examples
    --------
    >>> games = Comparisons.from_arrays(["ann", "bob", "ann"], ["bob", "cat", "cat"], [-1, 0, -1])
    >>> elo = Elo().fit(games)
    >>> dict(zip(elo.items_, elo.rating_.round(1).tolist()))
    {'ann': 1219.7, 'bob': 1190.3, 'cat': 1190.0}
    >>> new = Comparisons.from_arrays(["cat", "cat"], ["dan", "dan"], [1, 1])
    >>> elo.before(new).round(3)  # the second row knows the first
    array([[0.486, 0.   , 0.514],
           [0.458, 0.   , 0.542]])
    >>> elo.ratings_before(new).round(1)
    array([[1190. , 1200. ],
           [1180.3, 1209.7]])
    """

    k: float | Literal["fide"] = 20.0
    _: KW_ONLY
    start: float = 1200.0
    advantage: float = 0.0
    tie: float = 0.0
    margin: str | None = None
    regression: float = 0.0
    season: Season | None = None
    initial: Mapping[Any, float] | None = None
    period: Period | None = None
    scale: float = 400.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.k, str) and self.k != "fide":
            raise ValueError(f"k is {self.k!r}, where a number or 'fide' is expected")
        if self.k != "fide":
            checked_number(self.k, "k", more_than=0)
        if checked_number(self.regression, "regression", least=0) > 1:
            raise ValueError(f"regression is {self.regression}, where a share from 0 to 1 is expected")
        checked_season(self.season)
        checked_number(self.scale, "scale", more_than=0)

    def _entry(self) -> dict[str, Any]:
        now = {"rating": float(self.start), "games": 0, "peak": float(self.start)}
        return now | {f"{name}_then": value for name, value in now.items()} | {"last": NEVER} | NO_GAMES

    def _listed(self, item: Any, facts: Any) -> dict[str, float]:
        rating = checked_number(facts, f"initial[{item!r}]")
        return {"rating": rating, "peak": rating}

    def _play(
        self, c: Comparisons, position: Integers, clock: Floats, table: Table, strict: bool
    ) -> tuple[Floats, ...]:
        from podium.ratings.elo_pass import Games, Rule, Skills, elo_games

        starts, members = np.arange(c.n_items + 1), position  # an item is a team of one
        if c.teams is not None:
            starts, members = c.teams.indptr.copy(), position[c.teams.members]
        score, weight = (np.asarray(c.outcome) + 1) / 2, np.array(c.mass)
        left, right = (side.astype(np.int64) for side in (c.left, c.right))
        stake, lead, begins = self._stake(c, weight), self._lead(c), self._season_begins(c, table)
        games = Games(left, right, score, weight, stake, lead, clock, begins, starts, members)
        now, then = (
            Skills(*(table.columns[name + when] for name in Skills._fields)) for when in ("", "_then")
        )
        if self.period is None:  # K depends on the games so far, and only ratings are noted
            then = Skills(then.rating, now.games, now.peak)
        steps = np.array(FIDE_STEPS if self.k == "fide" else (self.k,) * 3, dtype=np.float64)
        rule = Rule(
            steps, float(self.scale), self.margin is not None, float(self.regression), float(self.start)
        )
        base = now if self.period is None else then
        last, record = table.columns["last"], table.columns["record"]
        return (elo_games(games, now, then, base, then if strict else base, last, record, rule),)

    def _stake(self, c: Comparisons, weight: Floats) -> Floats:
        """What multiplies k: the weight of a game, and its margin of victory."""
        if self.margin is None or not len(c):
            return weight
        if self.margin not in c.covariate_names:
            raise ValueError(
                f"margin={self.margin!r} is no covariate of these games; name its columns, for example "
                f"covariates={{{self.margin!r}: ('home_points', 'away_points')}}"
            )
        margin = np.asarray(c.covariates)[:, c.covariate_names.index(self.margin)]
        return np.asarray(weight * np.log1p(np.maximum(np.abs(margin), 1.0)))

    def _season_begins(self, c: Comparisons, table: Table) -> NDArray[np.bool_]:
        if self.regression == 0 or not len(c):
            return np.zeros(len(c), dtype=bool)
        return season_begins(c.time, table.latest, self.season)

    def _publish(self, table: Table) -> None:
        self.rating_, self.peak_ = table.columns["rating"], table.columns["peak"]

    def _log_odds(self, lead: Floats, *others: Floats) -> Floats:
        return lead * float(np.log(10) / self.scale)
