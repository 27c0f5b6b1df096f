"""Elo's ratings, by the rule of one K for all or by FIDE's: the first baseline of §4.3 of [SVMcompare]."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.ratings.periods import Period
from podium.ratings.system import RatingSystem, checked_number
from podium.ratings.table import Columns, Integers, Table

FIDE_STEPS = (40.0, 20.0, 10.0)  # newcomers, others, and who ever had 2400; since July 2014


class Elo(RatingSystem):
    """After every game the winner takes points from the loser, more if the win was unexpected.

    The expected score of the right side is 1 / (1 + 10^((r(left) - r(right)) / scale)); its rating changes by
    ``k`` times what it scored beyond that, a tie being half a point for each. ``k="fide"`` is 40 in the first
    30 games of an item, then 20, or 10 if its rating has ever reached 2400; FIDE's other rules (juniors,
    differences cut at 400, rounding) are left out. The rating of a team is the mean of its members',
    its k is the mean of theirs, and they all change alike.

    ``initial`` gives ratings to start from, ``{item: rating}``; other items enter at ``start``. Games are
    played in the order of their ``time``, or of the rows if there is none or times are equal. A row is one
    game: weights are refused, for they do not say what was played in between.

    ``period`` rates the games of a period at once, by the ratings before it. It is a ``"day"``, ``"week"`` or
    ``"month"`` of the dates in ``time``, a ``"season"`` (each distinct time), or a number of days (or of
    units of time, if it has numbers). ``None`` rates every game on its own.

    After `fit` or `update` there are ``items_`` (sorted) and beside them ``rating_``, ``games_`` (how many)
    and ``peak_`` (the highest rating so far).

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
        start: float = 1200.0,
        scale: float = 400.0,
        initial: Mapping[Any, float] | None = None,
        period: Period | None = None,
    ) -> None:
        self.k = k
        self.start = start
        self.scale = scale
        self.initial = initial
        self.period = period

    def _check_parameters(self) -> None:
        if isinstance(self.k, str) and self.k != "fide":
            raise ValueError(f"k is {self.k!r}, where a number or 'fide' is expected")
        if self.k != "fide":
            checked_number(self.k, "k", more_than=0)
        checked_number(self.start, "start")
        checked_number(self.scale, "scale", more_than=0)

    def _entry(self) -> dict[str, float]:
        from podium.ratings.passes import NEVER

        now = {"rating": float(self.start), "games": 0, "peak": float(self.start)}
        return now | {f"{name}_then": value for name, value in now.items()} | {"last": NEVER}

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
        score = (np.asarray(c.outcome) + 1) / 2
        at_once = self._rates_at_once()
        if not at_once:
            columns = columns | {f"{name}_then": columns[name] for name in ("rating", "games", "peak")}
        options = {"steps": steps, "scale": float(self.scale), "at_once": at_once}
        return (elo_games(*sides, score, periods, starts, members, **columns, **options),)

    def _rates_at_once(self) -> bool:
        return self.period is not None

    def _publish(self, table: Table) -> None:
        self.rating_, self.games_, self.peak_ = (table.columns[n] for n in ("rating", "games", "peak"))

    def _log_odds(self, c: Comparisons) -> Floats:
        return self.decision_function(c) * float(np.log(10) / self.scale)
