"""What rating systems share: they follow a stream of games, and predict that the better rated side wins."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import with_outcomes
from podium.comparisons.items import Record
from podium.comparisons.labels import as_column, encode
from podium.comparisons.messages import names_of, quoted
from podium.comparisons.table import Comparisons
from podium.core.links import Link, most_probable, outcome_probabilities
from podium.leaderboard.leaderboard import Leaderboard
from podium.numerics.estimators import BaseEstimator, ClassifierMixin
from podium.ratings.periods import checked_period, start_of_period
from podium.ratings.table import Integers, Table

NO_GAMES = {"games": 0, "record": (0.0, 0.0, 0.0)}  # rows, and the weights of losses, ties and wins


class RatingSystem(ClassifierMixin, BaseEstimator):
    """Streams comparisons through a table of ratings; a subclass defines what a game does to it."""

    # ------------------------------------------------------------------------------------ following games

    def fit(self, c: Comparisons | Iterable[Comparisons], y: Any = None, sample_weight: Any = None) -> Self:
        """Forget everything and follow these games.

        Parameters
        ----------
        c : Comparisons, or an iterable of them
            The games. An iterable has them in parts, in order of time, such as `podium.read_chunks` makes
            them from a file that is larger than memory. The result is the same as that of all games at once.
        y : array of shape (n,), optional
            Outcomes: -1 left is better, 0 no difference, 1 right is better; by default those of ``c``. Parts
            have outcomes and weights of their own.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``; a game of weight 0 is left out.

        Returns
        -------
        self
        """
        self._follow(c, y, sample_weight, anew=True)
        return self

    def update(self, c: Comparisons | Iterable[Comparisons], sample_weight: Any = None) -> Self:
        """Continue with these games from the present ratings; new items enter at ``start``.

        Cutting a stream into updates changes nothing.

        Parameters
        ----------
        c : Comparisons, or an iterable of them
            The games, with outcomes. Their ``time`` must not be before that of games already rated.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``; a game of weight 0 is left out.

        Returns
        -------
        self
        """
        self._follow(c, sample_weight=sample_weight)
        return self

    def before(self, c: Comparisons) -> Floats:
        """The probabilities of each game, by the ratings that were known before it.

        Game by game from where the model stands now. Each game knows what came strictly earlier, so games of
        equal time (or period) do not know each other. Without time each row is later than the row before it.
        The model does not change; `update` moves it on. A model that is not fitted starts from nothing.

        Parameters
        ----------
        c : Comparisons
            The games, with outcomes. Their ``time`` must not be before that of games already rated.

        Returns
        -------
        array of shape (n, 3)
            Columns in the order of ``classes_``: -1, 0, 1.
        """
        _, seen = self._played(_games(c), getattr(self, "_table", None), strict=True)
        return self._probabilities(c, *seen)

    def ratings_before(self, c: Comparisons) -> Floats:
        """Update with these games, and return the ratings of both sides before each: an array (n, 2).

        A row knows nothing of its own game or later ones, so it can serve as features to predict the game.
        """
        return self._follow(c)[0]

    def _follow(
        self,
        c: Comparisons | Iterable[Comparisons],
        y: Any = None,
        sample_weight: Any = None,
        *,
        anew: bool = False,
    ) -> tuple[Floats, ...]:
        """Play the games and keep the table; return the ratings before each game of the last part."""
        table: Table | None = None if anew else getattr(self, "_table", None)
        seen: tuple[Floats, ...] = ()
        for part in _parts(c, y, sample_weight):
            table, seen = self._played(part, table)
        if table is None:
            raise ValueError("there are no comparisons to learn from")
        self._table, self.items_ = table, table.items
        self.classes_, self.n_iter_ = np.array([-1, 0, 1], dtype=np.int8), 1
        self.games_ = table.columns["games"]
        self.losses_, self.ties_, self.wins_ = table.columns["record"].T
        self._publish(table)
        return seen

    def _played(
        self, c: Comparisons, table: Table | None, *, strict: bool = False
    ) -> tuple[Table, tuple[Floats, ...]]:
        """Play the rows in the order of time: the table after them, and the ratings before each.

        Without a ``table`` to go on from, they start from nothing.
        """
        self._check_parameters()
        checked_period(self.period)
        if self.period is not None:
            c = replace(c, time=start_of_period(c.time, self.period))
        table = self._first_table() if table is None else table
        sorted_already = c.time is None or bool((c.time[1:] >= c.time[:-1]).all())
        order = None if sorted_already else np.argsort(np.asarray(c.time), kind="stable")
        c = c if order is None else c[order]
        clock = table.clocks(c.time, len(c), self.period)
        table = table.admit(c.items[c.appears], self._entry())
        seen = self._play(c, _positions(c, table), clock, table, strict)
        return table.at(clock, c.time), tuple(_unsorted(values, order) for values in seen)

    def _first_table(self) -> Table:
        """The items of ``initial``, before any game."""
        initial = {} if self.initial is None else self.initial
        if not isinstance(initial, Mapping):
            raise ValueError(f"initial is a {type(initial).__name__}, where a mapping of items is expected")
        items, (codes,) = encode([as_column(list(initial), "initial")], ["initial"])
        table = Table.of(items, self._entry())
        for code, (item, facts) in zip(codes, initial.items(), strict=True):
            for name, value in self._listed(item, facts).items():
                table.columns[name][code] = value
        return table

    # ------------------------------------------------------------------------------------ predictions

    def decision_function(self, c: Comparisons) -> Floats:
        """The present lead r(right) - r(left) - advantage, in points; an unknown item has ``start``.

        Neutral rows have no advantage.
        """
        return self._lead_of_right(c, np.column_stack(self._sides(c, "rating_", self.start)))

    def predict(self, c: Comparisons) -> NDArray[np.int8]:
        """The most probable outcome by the present ratings; 0 too if both sides are equally probable."""
        return most_probable(self.predict_proba(c))

    def predict_proba(self, c: Comparisons) -> Floats:
        """The probabilities of the three outcomes by the present ratings.

        With ``tie=0`` these are the expected scores of both sides, and 0 for a tie: a tie is half a point
        for each side.

        Returns
        -------
        array of shape (n, 3)
            Columns in the order of ``classes_``.
        """
        return self._probabilities(c, *self._present(c))

    def _probabilities(self, c: Comparisons, rating: Floats, *others: Floats) -> Floats:
        """Davidson's, from what both sides of each row have: the rating first."""
        log_odds = self._log_odds(self._lead_of_right(c, rating), *others)
        return outcome_probabilities(log_odds, Link(self.tie))

    def _lead_of_right(self, c: Comparisons, rating: Floats) -> Floats:
        return rating[:, 1] - rating[:, 0] - self._lead(c)

    def _lead(self, c: Comparisons) -> Floats:
        """The advantage of the left side in each row."""
        lead = np.full(len(c), float(self.advantage))
        if c.neutral is not None:
            lead[c.neutral] = 0.0
        return lead

    def score(self, c: Comparisons, y: Any = None, sample_weight: Any = None) -> float:
        """The mean score of the sides in the lead: a win counts 1, a tie ½.

        If no side leads, the row counts ½. The mean is weighted by the weights of the comparisons times
        ``sample_weight``.
        """
        c = with_outcomes(c, y, sample_weight, "score predictions with")
        leader = np.sign(self.decision_function(c))
        return float(np.average(1 + leader * np.asarray(c.outcome), weights=c.mass) / 2)

    def leaderboard(
        self, c: Comparisons | None = None, *, level: float = 0.95, min_games: float = 0
    ) -> Leaderboard:
        """All items, best rated first; nobody shares a rank, and ranks have no ranges.

        Parameters
        ----------
        c : Comparisons, optional
            Show the items of these games, and their record in them. By default all items, with the record of
            the games that were followed.
        level : float, default=0.95
            The level of the intervals, if the system has any.
        min_games : float, default=0
            Leave out items with fewer games, which are summed by weight.

        Returns
        -------
        Leaderboard
        """
        check_is_fitted(self)
        if c is None:
            items, position = self.items_, np.arange(len(self.items_))
            record, seen = Record(self.wins_, self.ties_, self.losses_), np.ones(len(items), dtype=bool)
        else:
            c = _games(c)
            items, position, record, seen = c.items, _positions(c, self._table), c.record(), c.appears
        shown = np.flatnonzero(seen & (record.games >= min_games))
        rating = np.append(self.rating_, self.start)[position[shown]]
        order = np.argsort(-rating, kind="stable")
        rating, shown = rating[order], shown[order]
        half = self._half_width(position[shown], level)
        return Leaderboard(
            rank=np.arange(1, len(shown) + 1),
            item=items[shown],
            score=rating,
            low=rating - half,
            high=rating + half,
            **{name: getattr(record, name)[shown] for name in ("games", "wins", "ties", "losses")},
            component=np.zeros(len(shown), dtype=np.int64),
            level=level,
            notes=_without_games(items[shown[record.games[shown] == 0]]),
        )

    def _half_width(self, position: Integers, level: float) -> Floats:
        """Half the width of the interval around each rating; nan for a system without intervals."""
        return np.full(len(position), np.nan)

    def _sides(self, c: Comparisons, name: str, stranger: float) -> tuple[Floats, Floats]:
        """A fitted attribute of the left and right side of every row; for a team the mean of its members."""
        check_is_fitted(self)
        values = np.append(getattr(self, name), stranger)[_positions(c, self._table)]
        if c.teams is not None:
            values = c.teams.matrix(c.n_items) @ values / c.teams.sizes
        return values[c.left], values[c.right]

    # ------------------------------------------------------------------------------------ for subclasses

    def _check_parameters(self) -> None:
        checked_number(self.start, "start")
        checked_number(self.advantage, "advantage")
        checked_number(self.tie, "tie", least=0)

    def _entry(self) -> dict[str, Any]:
        """The entry of a new item in each column of the table; an int makes a column of integers."""
        raise NotImplementedError

    def _listed(self, item: Any, facts: Any) -> dict[str, float]:
        """What ``initial`` changes in the entry of an item."""
        raise NotImplementedError

    def _play(
        self, c: Comparisons, position: Integers, clock: Floats, table: Table, strict: bool
    ) -> tuple[Floats, ...]:
        """Play the games in the order of the rows, writing into the columns of the table.

        ``position`` is the place of each item in the columns, ``clock`` the time of each row in periods.
        Returns what both sides had before each game, arrays (n, 2): ratings, and what else predicts. If
        ``strict``, these are from before all games of the same time, even if games are rated one by one.
        """
        raise NotImplementedError

    def _publish(self, table: Table) -> None:
        """Set the fitted attributes that depend on the system."""
        raise NotImplementedError

    def _present(self, c: Comparisons) -> tuple[Floats, ...]:
        """What both sides of each row have now, as `_play` returns it."""
        return (np.column_stack(self._sides(c, "rating_", self.start)),)

    def _log_odds(self, lead: Floats, *others: Floats) -> Floats:
        """The log-odds that the right side wins, from its lead and what else `_present` returns."""
        raise NotImplementedError


def checked_number(value: Any, name: str, *, least: float = -np.inf, more_than: float = -np.inf) -> float:
    """A finite number within bounds, or a sentence that names the parameter."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if is_number and np.isfinite(value) and value >= least and value > more_than:
        return float(value)
    bound = f" more than {more_than:g}" if more_than > -np.inf else ""
    bound = f" of at least {least:g}" if least > -np.inf else bound
    raise ValueError(f"{name} is {quoted(value)}, where a number{bound} is expected")


def _unsorted(values: Floats, order: Integers | None) -> Floats:
    """Rows in the order that they had before they were sorted."""
    if order is None:
        return values
    rows = np.empty_like(values)
    rows[order] = values
    return rows


def _games(c: Comparisons, y: Any = None, sample_weight: Any = None) -> Comparisons:
    """Games with outcomes; unlike in other models there may be none, since a stream may be quiet."""
    if isinstance(c, Comparisons) and not len(c) and y is None:
        return replace(c, outcome=np.zeros(0, dtype=np.int8))
    return with_outcomes(c, y, sample_weight)


def _parts(c: Any, y: Any, sample_weight: Any) -> Iterator[Comparisons]:
    """The games as they are, or in the parts that an iterable of comparisons has."""
    if isinstance(c, Comparisons) or not isinstance(c, Iterator | list | tuple):
        yield _games(c, y, sample_weight)
        return
    if y is not None or sample_weight is not None:
        raise ValueError("y and sample_weight are for comparisons in one piece; give them to each part")
    yield from map(_games, c)


def _without_games(items: NDArray[Any]) -> tuple[str, ...]:
    """A note on items of ``initial`` that have not played."""
    if not len(items):
        return ()
    have = "has its" if len(items) == 1 else "have their"
    return (f"{names_of(items)} {have} initial rating and no game yet",)


def _positions(c: Comparisons, table: Table) -> Integers:
    """The position of each item in the table; -1 for unknown items, and for items without a row."""
    position = np.full(c.n_items, -1)
    position[c.appears] = table.find(c.items[c.appears])
    return position
