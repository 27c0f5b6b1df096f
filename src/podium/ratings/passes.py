"""Rating systems as one compiled pass over the games, in the order in which they were played.

The columns of a rating system, which have one entry per item, change in place; the ratings of both sides
before each game are returned. ``score`` is that of the right side: 1, ½ or 0. ``record`` has the total weight
of the losses, ties and wins of each item.
"""

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit

Integers = NDArray[np.int64]

Q = np.log(10) / 400
NEVER = -1  # the last period of an item that has not played
NEWCOMER_GAMES, ELITE_RATING = 30, 2400.0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def elo_games(
    left: Integers,
    right: Integers,
    score: Floats,
    weight: Floats,
    period: Integers,
    starts: Integers,
    members: Integers,
    rating: Floats,
    games: Integers,
    peak: Floats,
    record: Floats,
    rating_then: Floats,
    games_then: Integers,
    peak_then: Floats,
    last: Integers,
    steps: Floats,
    scale: float,
    at_once: bool,
) -> Floats:
    """Elo's update, [Elo], times the weight w of the game; at once for all games of a ``period``.

        r' ← r' + w K' (s - e),   r ← r - w K (s - e),   e = 1 / (1 + 10^((r - r') / scale))

    r is the mean rating and K the mean step of the team ``members[starts[side]:starts[side + 1]]``; all
    members move alike. ``steps`` are the K of newcomers, of others, and of those who ever had 2400. r and K
    are those at the start of the period: the columns ``*_then`` have what an item had then, and ``last`` the
    number of its last period. If every game is a period (not ``at_once``), they are the columns themselves.
    """
    before = np.empty((len(left), 2))
    for row in range(len(left)):
        a = members[starts[left[row]] : starts[left[row] + 1]]
        b = members[starts[right[row]] : starts[right[row] + 1]]
        if at_once:
            _enter(a, period[row], last, rating, games, peak, rating_then, games_then, peak_then)
            _enter(b, period[row], last, rating, games, peak, rating_then, games_then, peak_then)
        rating_a, rating_b = _mean_rating(a, rating_then), _mean_rating(b, rating_then)
        surprise = score[row] - _logistic((rating_b - rating_a) * np.log(10) / scale)
        step_a = _mean_step(a, games_then, peak_then, steps)
        step_b = _mean_step(b, games_then, peak_then, steps)
        _move(a, -step_a * surprise * weight[row], rating, games, peak, peak_then)
        _move(b, step_b * surprise * weight[row], rating, games, peak, peak_then)
        column = int(2 * score[row])
        for item in a:
            record[item, 2 - column] += weight[row]
        for item in b:
            record[item, column] += weight[row]
        before[row, 0], before[row, 1] = rating_a, rating_b
    return before


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _enter(
    team: Integers,
    period: int,
    last: Integers,
    rating: Floats,
    games: Integers,
    peak: Floats,
    rating_then: Floats,
    games_then: Integers,
    peak_then: Floats,
) -> None:
    """Note what those who have not played in this period bring to it."""
    for item in team:
        if last[item] != period:
            last[item], rating_then[item] = period, rating[item]
            games_then[item], peak_then[item] = games[item], peak[item]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _mean_rating(team: Integers, rating: Floats) -> float:
    total = 0.0
    for item in team:
        total += rating[item]
    return total / len(team)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _mean_step(team: Integers, games: Integers, peak: Floats, steps: Floats) -> float:
    total = 0.0
    for item in team:
        established = 2 if peak[item] >= ELITE_RATING else 1
        total += steps[0 if games[item] < NEWCOMER_GAMES else established]
    return total / len(team)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _move(
    team: Integers, change: float, rating: Floats, games: Integers, peak: Floats, peak_then: Floats
) -> None:
    for item in team:
        rating[item] += change
        games[item] += 1
        peak[item] = max(peak_then[item], rating[item])  # half a period makes no peak


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def glicko_games(
    left: Integers,
    right: Integers,
    score: Floats,
    weight: Floats,
    period: Integers,
    rating: Floats,
    deviation: Floats,
    information: Floats,
    surprise: Floats,
    last: Integers,
    games: Integers,
    record: Floats,
    growth: float,
    widest: float,
) -> tuple[Floats, Floats]:
    """Glicko's update after every period, [Glicko]; ``period`` numbers the period of each game.

    ``rating`` and ``deviation`` are those before the ``last`` period of an item. The evidence of its games is
    summed beside them, and applied only when the item enters its next period. So all games of a period see
    the ratings before it, nobody has to list its players, and a period may continue in another call.

        information = 1 / d² = q² Σ w g² e (1 - e),   surprise = Σ w g (s - e)

    with w the weight of a game and g = g(deviation of the other).
    """
    before, before_deviation = np.empty((len(left), 2)), np.empty((len(left), 2))
    for row in range(len(left)):
        for k, item in enumerate((left[row], right[row])):
            if last[item] != period[row]:
                rating[item], deviation[item] = _settled(
                    rating[item], deviation[item], information[item], surprise[item],
                    last[item], period[row], growth, widest,
                )  # fmt: skip
                information[item], surprise[item], last[item] = 0.0, 0.0, period[row]
            games[item] += 1
            before[row, k], before_deviation[row, k] = rating[item], deviation[item]
        w = weight[row]
        for k, item in enumerate((left[row], right[row])):
            g = attenuation(before_deviation[row, 1 - k])
            expected = _logistic(Q * g * (before[row, k] - before[row, 1 - k]))
            own = score[row] if k else 1 - score[row]
            information[item] += w * Q**2 * g**2 * expected * (1 - expected)
            surprise[item] += w * g * (own - expected)
            record[item, int(2 * own)] += w
    return before, before_deviation


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def glicko_ratings(
    rating: Floats,
    deviation: Floats,
    information: Floats,
    surprise: Floats,
    last: Integers,
    period: int,
    growth: float,
    widest: float,
) -> tuple[Floats, Floats]:
    """Ratings and deviations after all games up to the end of ``period``."""
    ratings, deviations = np.empty(len(rating)), np.empty(len(rating))
    for item in range(len(rating)):
        ratings[item], deviations[item] = _settled(
            rating[item], deviation[item], information[item], surprise[item],
            last[item], period, growth, widest,
        )  # fmt: skip
    return ratings, deviations


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _settled(
    rating: float,
    deviation: float,
    information: float,
    surprise: float,
    last: int,
    period: int,
    growth: float,
    widest: float,
) -> tuple[float, float]:
    """An item's rating and deviation after its last period; the deviation has grown since, to ``period``."""
    if last == NEVER:
        return rating, deviation
    variance = 1 / (1 / deviation**2 + information)
    grown = np.sqrt(variance + growth**2 * (period - last))
    return rating + Q * variance * surprise, min(grown, widest)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def attenuation(deviation: float) -> float:
    """g(RD) of [Glicko]: how much less a result says if the other's rating is uncertain; also of arrays."""
    g: float = 1 / np.sqrt(1 + 3 * Q**2 / np.pi**2 * deviation**2)
    return g


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _logistic(x: float) -> float:
    probability: float = 1 / (1 + np.exp(-x))
    return probability
