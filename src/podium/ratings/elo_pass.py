"""Elo as one compiled pass over the games, in the order in which they were played.

The columns of the table, which have one entry per item, change in place.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.ratings.table import Integers

NEWCOMER_GAMES, ELITE_RATING = 30, 2400.0
SPREAD, SMALLEST = 2.2, 0.22  # of the correction for favourites; the smallest divisor keeps it finite


class Games(NamedTuple):
    """The games, in the order in which they are played, and the members of their sides.

    The members of a side are ``members[starts[side]:starts[side + 1]]``. ``score`` is that of the right side:
    1, ½ or 0. ``stake`` multiplies K. ``clock`` is the time of a game; ``begins`` says that a season begins
    with it.
    """

    left: Integers
    right: Integers
    score: Floats
    weight: Floats
    stake: Floats
    lead: Floats
    clock: Floats
    begins: NDArray[np.bool_]
    starts: Integers
    members: Integers


class Skills(NamedTuple):
    """Columns of the table, on which K and the expected score depend."""

    rating: Floats
    games: Integers
    peak: Floats


class Rule(NamedTuple):
    """The parameters of the system."""

    steps: Floats  # the K of newcomers, of others, and of those who ever had 2400
    scale: float
    corrected: bool  # for favourites
    regression: float  # the share by which ratings are drawn back to ``start`` when a season begins
    start: float


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def elo_games(
    games: Games,
    now: Skills,
    then: Skills,
    base: Skills,
    shown: Skills,
    last: Floats,
    record: Floats,
    rule: Rule,
) -> Floats:
    """Elo's update, [Elo], times what is at stake in the game.

        r' ← r' + w K' (s - e),   r ← r - w K (s - e),   e = 1 / (1 + 10^((r + lead - r') / scale))

    r is the mean rating and K the mean step of a team; all members move alike. w is the ``stake``, corrected
    for favourites or not.

    ``last`` is the time of an item's last game, ``record`` the total weight of its losses, ties and wins.
    ``now`` is what an item has, ``then`` what it had before the games of this time. Either is the ``base``
    that r and K come from: ``then`` if the games of one time are rated at once. Either is what is ``shown``:
    the ratings of both sides before each game, which are returned.
    """
    before = np.empty((len(games.left), 2))
    for row in range(len(games.left)):
        if games.begins[row]:
            for item in range(len(now.rating)):
                now.rating[item] += rule.regression * (rule.start - now.rating[item])
        a = games.members[games.starts[games.left[row]] : games.starts[games.left[row] + 1]]
        b = games.members[games.starts[games.right[row]] : games.starts[games.right[row] + 1]]
        _enter(a, games.clock[row], last, now, then)
        _enter(b, games.clock[row], last, now, then)
        before[row, 0], before[row, 1] = _mean_rating(a, shown), _mean_rating(b, shown)
        score = games.score[row]
        ahead = (_mean_rating(b, base) - _mean_rating(a, base) - games.lead[row]) / rule.scale
        surprise = score - logistic(ahead * np.log(10))
        if (
            rule.corrected
        ):  # favourites win by more: 2.2 / (2.2 + the winner's lead / 1000 points); 1 for a tie
            surprise *= SPREAD / max(SPREAD + 0.4 * (2 * score - 1) * ahead, SMALLEST)
        step_a, step_b = _mean_step(a, base, rule.steps), _mean_step(b, base, rule.steps)
        _move(a, -step_a * surprise * games.stake[row], now, base)
        _move(b, step_b * surprise * games.stake[row], now, base)
        column = int(2 * score)
        for item in a:
            record[item, 2 - column] += games.weight[row]
        for item in b:
            record[item, column] += games.weight[row]
    return before


# What gets named tuples is inlined: a call would count the references to each of their arrays.
@njit(cache=True, nogil=True, inline="always")  # type: ignore[untyped-decorator]
def _enter(team: Integers, time: float, last: Floats, now: Skills, then: Skills) -> None:
    """Note what those who have not played at this time yet had before it."""
    for item in team:
        if last[item] != time:
            last[item], then.rating[item] = time, now.rating[item]
            then.games[item], then.peak[item] = now.games[item], now.peak[item]


@njit(cache=True, nogil=True, inline="always")  # type: ignore[untyped-decorator]
def _mean_rating(team: Integers, skills: Skills) -> float:
    total = 0.0
    for item in team:
        total += skills.rating[item]
    return total / len(team)


@njit(cache=True, nogil=True, inline="always")  # type: ignore[untyped-decorator]
def _mean_step(team: Integers, skills: Skills, steps: Floats) -> float:
    total = 0.0
    for item in team:
        established = 2 if skills.peak[item] >= ELITE_RATING else 1
        total += steps[0 if skills.games[item] < NEWCOMER_GAMES else established]
    return total / len(team)


@njit(cache=True, nogil=True, inline="always")  # type: ignore[untyped-decorator]
def _move(team: Integers, change: float, now: Skills, base: Skills) -> None:
    for item in team:
        now.rating[item] += change
        now.games[item] += 1
        now.peak[item] = max(base.peak[item], now.rating[item])  # half a period makes no peak


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def logistic(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))
