"""What rating systems have in common: they follow a stream of games, and the better rated side should win."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_length
from podium.comparisons.inputs import row_weights
from podium.comparisons.labels import as_column, encode
from podium.comparisons.messages import first_true, quoted, row_name
from podium.comparisons.outcomes import parse_outcomes
from podium.comparisons.table import Comparisons
from podium.leaderboard.leaderboard import Leaderboard
from podium.ratings.periods import Period, checked_period, start_of_period
from podium.ratings.table import Columns, Integers, Table


class RatingSystem(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Streams comparisons through a table of ratings; a subclass says what one game does to it."""

    start: float
    initial: Mapping[Any, Any] | None
    period: Period | None
    items_: NDArray[Any]
    rating_: Floats
    games_: Integers
    _table: Table

    # ------------------------------------------------------------------------------------ following games

    def fit(self, c: Comparisons, y: Any = None) -> Self:
        """Forget everything and follow these games; ``y`` replaces their outcomes, if it is given."""
        self._follow(c, y, anew=True)
        return self

    def update(self, c: Comparisons) -> Self:
        """Go on with these games from the present ratings; new items enter at ``start``.

        Cutting a stream into updates changes nothing. ``time`` must not go back behind games that are rated.
        """
        self._follow(c)
        return self

    def before(self, c: Comparisons) -> Floats:
        """Update with these games, and return the ratings of both sides before each: an array (n, 2).

        They know nothing of the game they stand beside, which makes them features to predict it from.
        """
        return self._follow(c)[0]

    def _follow(self, c: Comparisons, y: Any = None, *, anew: bool = False) -> tuple[Floats, ...]:
        """Play the rows in the order of time; if they cannot be played, nothing has changed."""
        self._check_parameters()
        checked_period(self.period)
        c = _checked_games(c, y)
        if self.period is not None:
            c = replace(c, time=start_of_period(c.time, self.period))
        table = self._first_table() if anew or not hasattr(self, "_table") else self._table
        order = slice(None) if c.time is None else np.argsort(c.time, kind="stable")
        c = c[order]
        periods = table.periods(c.time, len(c), at_once=self._rates_at_once())
        table = table.admit(c.items[c.appears], self._entry()).at(periods, c.time)
        seen = self._play(c, _positions(c, table), periods, table.columns)
        self._table, self.items_ = table, table.items
        self.classes_ = np.array([-1, 0, 1], dtype=np.int8)
        self._publish(table)
        before = tuple(np.empty_like(values) for values in seen)
        for values, in_order in zip(before, seen, strict=True):
            values[order] = in_order
        return before

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
        """r(right) - r(left) by the present ratings; an item never seen has the rating ``start``."""
        left, right = self._sides(c, "rating_", self.start)
        return right - left

    def predict(self, c: Comparisons) -> NDArray[np.int8]:
        """-1 or 1, the side with the higher rating; 0 only if the ratings are equal."""
        return np.sign(self.decision_function(c)).astype(np.int8)

    def predict_proba(self, c: Comparisons) -> Floats:
        """The expected score of the left side, 0 for the tie, and the expected score of the right side.

        A rating system models no ties: it expects a score, of which a tie gives both sides one half.
        """
        log_odds = self._log_odds(c)
        return np.column_stack([expit(-log_odds), np.zeros(len(c)), expit(log_odds)])

    def score(self, c: Comparisons, y: Any = None, sample_weight: Any = None) -> float:
        """The mean score of the sides that are predicted to be better: a win counts 1, a tie ½.

        Where the ratings are equal, no side is predicted, and the row counts ½. The mean is weighted by the
        weights of the comparisons, times ``sample_weight``.
        """
        c = _with_outcomes(c, y)
        if not len(c):
            raise ValueError("there are no comparisons to score predictions with")
        weight = c.weight * row_weights(sample_weight, len(c))
        return float(np.average(1 + self.predict(c) * np.asarray(c.outcome), weights=weight) / 2)

    def leaderboard(self, c: Comparisons, level: float = 0.95, min_games: float = 0) -> Leaderboard:
        """The items of these games, best rated first, with their record in them; nobody shares a rank."""
        check_is_fitted(self)
        record = _checked_games(c).record()
        shown = np.flatnonzero(c.appears & (record.games >= min_games))
        position = _positions(c, self._table)[shown]
        rating, half = np.append(self.rating_, self.start)[position], self._half_width(position, level)
        order = np.argsort(-rating, kind="stable")
        rating, half, shown = rating[order], half[order], shown[order]
        return Leaderboard(
            rank=np.arange(1, len(shown) + 1),
            item=c.items[shown],
            score=rating,
            low=rating - half,
            high=rating + half,
            games=record.games[shown],
            wins=record.wins[shown],
            ties=record.ties[shown],
            losses=record.losses[shown],
            component=np.zeros(len(shown), dtype=np.int64),
            level=level,
        )

    def _half_width(self, position: Integers, level: float) -> Floats:
        """Of the interval around each rating; nan for a system that says nothing of it."""
        return np.full(len(position), np.nan)

    def _sides(self, c: Comparisons, name: str, stranger: float) -> tuple[Floats, Floats]:
        """A fitted attribute of the left and right side of every row; of a team, the mean."""
        check_is_fitted(self)
        values = np.append(getattr(self, name), stranger)[_positions(c, self._table)]
        if c.teams is not None:
            values = c.teams.matrix(c.n_items) @ values / c.teams.sizes
        return values[c.left], values[c.right]

    # ------------------------------------------------------------------------------------ for subclasses

    def _check_parameters(self) -> None:
        raise NotImplementedError

    def _entry(self) -> dict[str, float]:
        """The columns of the table, and what a new item has in them: an int makes a column of integers."""
        raise NotImplementedError

    def _listed(self, item: Any, facts: Any) -> dict[str, float]:
        """What ``initial`` changes in the entry of an item."""
        raise NotImplementedError

    def _play(
        self, c: Comparisons, position: Integers, periods: Integers, columns: Columns
    ) -> tuple[Floats, ...]:
        """Play the games in the order of the rows, writing into the columns; what both sides had before.

        ``position`` tells where in the columns each item is, and ``periods`` the number of each row's period.
        """
        raise NotImplementedError

    def _rates_at_once(self) -> bool:
        """Whether games of one time are rated together; otherwise in the order of the rows."""
        return True

    def _publish(self, table: Table) -> None:
        """Set the fitted attributes."""
        raise NotImplementedError

    def _log_odds(self, c: Comparisons) -> Floats:
        """Of the right side."""
        raise NotImplementedError


def checked_number(value: Any, name: str, *, least: float = -np.inf, more_than: float = -np.inf) -> float:
    """A finite number within bounds, or a sentence that names the parameter."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if is_number and np.isfinite(value) and value >= least and value > more_than:
        return float(value)
    bound = f" more than {more_than:g}" if more_than > -np.inf else ""
    bound = f" of at least {least:g}" if least > -np.inf else bound
    raise ValueError(f"{name} is {quoted(value)}, where a number{bound} is expected")


def _checked_games(c: Comparisons, y: Any = None) -> Comparisons:
    """Comparisons a rating system can follow, with the outcomes ``y`` if they are given.

    A weight of 3 does not say when the three games were played, and a rating depends on that: weights are
    refused, not taken for games in a row.
    """
    c = _with_outcomes(c, y)
    if (weighted := c.weight != 1).any():
        row = first_true(weighted)
        raise ValueError(
            f"a rating system knows no weights, but {row_name(row)} weighs {c.weight[row]:g}; give every "
            "game a row of its own, in the order of play"
        )
    return c


def _with_outcomes(c: Comparisons, y: Any) -> Comparisons:
    if not isinstance(c, Comparisons):
        raise ValueError(f"a rating system follows podium.Comparisons, not {type(c).__name__}")
    if y is not None:
        check_length(len(c), y, "y")
        c = replace(c, outcome=parse_outcomes(y, "sign", name="y"))
    if c.outcome is None:
        raise ValueError("these comparisons have no outcomes, and a rating system needs them")
    return c


def _positions(c: Comparisons, table: Table) -> Integers:
    """Where the items of the rows stand in the table; -1 for strangers, and for items that no row has."""
    position = np.full(c.n_items, -1)
    position[c.appears] = table.find(c.items[c.appears])
    return position
