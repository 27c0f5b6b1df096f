"""Elo's ratings, by the rule of one K for all or by FIDE's: the first baseline of §4.3 of [SVMcompare]."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.ratings.periods import Period
from podium.ratings.system import NO_GAMES, RatingSystem, checked_number
from podium.ratings.table import Columns, Integers, Table

FIDE_STEPS = (40.0, 20.0, 10.0)  # newcomers, others, and those who ever had 2400; since July 2014


class Elo(RatingSystem):
    """After every game the winner takes points from the loser, more if the win was unexpected.

    Use it if games come as a stream and a rating is needed after each. The right side is expected to score

        e = 1 / (1 + 10^((r(left) - r(right)) / scale)),

    and its rating changes by k times its score minus e; a tie is half a point for each side. The rating of a
    team is the mean of its members', its k is the mean of theirs, and they all change alike.

    Games are played in the order of their ``time``, or of the rows if there is none or times are equal. The
    weight of a row multiplies k. This is not the same as the row twice, since the second game would start
    from the ratings after the first.

    Parameters
    ----------
    k : float or "fide", default=20.0
        The points at stake. ``"fide"`` is 40 in the first 30 games of an item, then 20, or 10 if its rating
        has ever reached 2400. FIDE's other rules (juniors, differences cut at 400, rounding) are left out.
    start : float, default=1200.0
        The rating of a new item.
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

    Examples
    --------
    >>> games = Comparisons.from_arrays(["ann", "bob", "ann"], ["bob", "cat", "cat"], [-1, 0, -1])
    >>> elo = Elo().fit(games)
    >>> dict(zip(elo.items_, elo.rating_.round(1).tolist()))
    {'ann': 1219.7, 'bob': 1190.3, 'cat': 1190.0}
    >>> elo.before(Comparisons.from_arrays(["cat"], ["dan"], [1])).round(1)
    array([[1190., 1200.]])
    >>> elo.predict_proba(Comparisons.from_arrays(["cat"], ["dan"])).round(3)
    array([[0.458, 0.   , 0.542]])
    """

    def __init__(
        self,
        k: float | Literal["fide"] = 20.0,
        *,
        start: float = 1200.0,
        initial: Mapping[Any, float] | None = None,
        period: Period | None = None,
        scale: float = 400.0,
    ) -> None:
        self.k = k
        self.start = start
        self.initial = initial
        self.period = period
        self.scale = scale

    def _check_parameters(self) -> None:
        if isinstance(self.k, str) and self.k != "fide":
            raise ValueError(f"k is {self.k!r}, where a number or 'fide' is expected")
        if self.k != "fide":
            checked_number(self.k, "k", more_than=0)
        checked_number(self.start, "start")
        checked_number(self.scale, "scale", more_than=0)

    def _entry(self) -> dict[str, Any]:
        from podium.ratings.passes import NEVER

        now = {"rating": float(self.start), "games": 0, "peak": float(self.start)}
        return now | {f"{name}_then": value for name, value in now.items()} | {"last": NEVER} | NO_GAMES

    def _listed(self, item: Any, facts: Any) -> dict[str, float]:
        rating = checked_number(facts, f"initial[{item!r}]")
        return {"rating": rating, "peak": rating}

    def _play(
        self, c: Comparisons, position: Integers, periods: Integers, columns: Columns
    ) -> tuple[Floats, ...]:
        from podium.ratings.passes import elo_games

        starts, members = np.arange(c.n_items + 1), position  # an item is a team of one
        if c.teams is not None:
            starts, members = c.teams.indptr.copy(), position[c.teams.members]
        sides = c.left.astype(np.int64), c.right.astype(np.int64)
        steps = np.array(FIDE_STEPS if self.k == "fide" else (self.k,) * 3, dtype=np.float64)
        score, weight = (np.asarray(c.outcome) + 1) / 2, np.array(c.mass)
        at_once = self._rates_at_once()
        if not at_once:
            columns = columns | {f"{name}_then": columns[name] for name in ("rating", "games", "peak")}
        options = {**columns, "steps": steps, "scale": float(self.scale), "at_once": at_once}
        return (elo_games(*sides, score, weight, periods, starts, members, **options),)

    def _rates_at_once(self) -> bool:
        return self.period is not None

    def _publish(self, table: Table) -> None:
        self.rating_, self.peak_ = table.columns["rating"], table.columns["peak"]

    def _log_odds(self, c: Comparisons) -> Floats:
        return self.decision_function(c) * float(np.log(10) / self.scale)
