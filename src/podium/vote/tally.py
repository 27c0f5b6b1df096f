"""The votes that count, added up by the database. A vote that both are bad counts as a tie."""

from dataclasses import dataclass
from time import localtime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, ColumnElement, Connection, and_, case, cast, func, or_, select

from podium.vote.database.tables import IS_COUNTED, contents, items, votes

MOST_BARS = 60
MINUTE, HOUR, DAY = 60, 3600, 86_400
STEPS = (
    *(n * MINUTE for n in (1, 2, 5, 10, 15, 30)),
    *(n * HOUR for n in (1, 2, 3, 6, 12)),
    *(n * DAY for n in (1, 2, 7, 14, 28, 91, 364)),
)


@dataclass(frozen=True, eq=False)
class VotesOverTime:
    """The number of votes in each of several equal stretches of time.

    Attributes
    ----------
    times : array of datetime64[s]
        When each stretch begins, in the server's local time.
    counts : array of int
        The votes in it.
    step : int
        Its length in seconds.
    """

    times: NDArray[np.datetime64]
    counts: NDArray[np.int64]
    step: int


@dataclass(frozen=True, eq=False)
class Tally:
    """The results of every pair that was voted on.

    Attributes
    ----------
    pairs : array of shape (n_pairs, 2)
        The ids of the two items.
    results : array of shape (n_pairs, 3)
        How often the first item won, how often they tied, how often the second item won.
    judges : int
        The number of judges.
    over_time : VotesOverTime or None
        When the votes were cast; None without votes.
    """

    pairs: NDArray[np.int64]
    results: NDArray[np.int64]
    judges: int
    over_time: VotesOverTime | None

    @property
    def votes(self) -> int:
        """The number of votes."""
        return int(self.results.sum())


def stamp_of(connection: Connection) -> tuple[Any, ...]:
    """Numbers that change whenever the board may change.

    No row is ever deleted, so counts are enough for votes, undone votes, items and contents. The time of the
    last withdrawal is there in case one item is restored and another one withdrawn.
    """
    parts = (
        select(func.count(), func.count(votes.c.undone)).select_from(votes),
        select(func.count(), func.count(items.c.withdrawn), func.max(items.c.withdrawn)).select_from(items),
        select(func.count()).select_from(contents),
    )
    return tuple(tuple(connection.execute(part).one()) for part in parts)


def read_tally(connection: Connection) -> Tally:
    """Add up the votes that count."""
    low, high, tied = votes.c.low, votes.c.high, votes.c.answer.in_(("tie", "both bad"))
    rows = connection.execute(
        select(low, high, *(func.sum(case((is_so, 1), else_=0)) for is_so in (_won(low), tied, _won(high))))
        .where(IS_COUNTED)
        .group_by(low, high)
    ).all()
    table = np.array([tuple(row) for row in rows], dtype=np.int64).reshape(-1, 5)
    judges = connection.scalar(select(func.count(votes.c.judge.distinct())).where(IS_COUNTED))
    return Tally(table[:, :2], table[:, 2:], judges or 0, _over_time(connection))


def _won(item: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether this one of the two items won."""
    return or_(
        and_(votes.c.answer.in_(("left", "much left")), votes.c.left == item),
        and_(votes.c.answer.in_(("right", "much right")), votes.c.right == item),
    )


def _over_time(connection: Connection) -> VotesOverTime | None:
    ends = select(func.min(votes.c.time), func.max(votes.c.time)).where(IS_COUNTED)
    first, last = connection.execute(ends).one()
    if first is None:
        return None
    shift = localtime(last).tm_gmtoff  # so that days begin at midnight
    step = _step(first + shift, last + shift)
    bar = (cast(votes.c.time, BigInteger) + shift) // step  # SQLite cuts off fractions, PostgreSQL rounds
    rows = connection.execute(select(bar.label("bar"), func.count()).where(IS_COUNTED).group_by("bar")).all()
    places, counts = np.array([tuple(row) for row in rows], dtype=np.int64).T
    bars = np.arange(places.min(), places.max() + 1)
    filled = np.zeros_like(bars)
    filled[places - bars[0]] = counts
    return VotesOverTime((bars * step).astype("datetime64[s]"), filled, step)


def _step(first: float, last: float) -> int:
    """The finest step with few enough bars."""
    fine = (step for step in STEPS if last // step - first // step < MOST_BARS - 1)  # one more by rounding
    return next(fine, int((last - first) // (MOST_BARS - 2)) + 1)
