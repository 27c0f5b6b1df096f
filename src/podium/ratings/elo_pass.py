"""Elo as one compiled pass over the games, in the order in which they were played.

The columns of the table, which have one entry per item, change in place. ``score`` is that of the right side:
1, ½ or 0. ``record`` has the total weight of the losses, ties and wins of each item.
"""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.ratings.table import Integers

NEWCOMER_GAMES, ELITE_RATING = 30, 2400.0
SPREAD, SMALLEST = 2.2, 0.22  # of the correction for favourites; the smallest divisor keeps it finite


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def elo_games(
    left: Integers,
    right: Integers,
    score: Floats,
    weight: Floats,
    stake: Floats,
    lead: Floats,
    clock: Floats,
    before: Floats,
    starts: Integers,
    members: Integers,
    rating: Floats,
    games: Integers,
    peak: Floats,
    record: Floats,
    rating_then: Floats,
    games_then: Integers,
    peak_then: Floats,
    last: Floats,
    base: Floats,
    steps: Floats,
    scale: float,
    at_once: bool,
    strict: bool,
    corrected: bool,
) -> None:
    """Elo's update, [Elo], times what is at stake in the game; at once for all games of a period.

        r' ← r' + w K' (s - e),   r ← r - w K (s - e),   e = 1 / (1 + 10^((r + lead - r') / scale))

    r is the mean rating and K the mean step of the team ``members[starts[side]:starts[side + 1]]``; all
    members move alike. w is the ``stake``, ``corrected`` for favourites or not. ``steps`` are the K of
    newcomers, of others, and of those who ever had 2400.

    ``clock`` is the time of each game, and ``last`` that of an item's last game. The columns ``*_then`` hold
    what an item had before the games of that time. They are kept only if they are needed: if games of one
    time are rated ``at_once``, by these values, or if they are to be returned (``strict``). ``base`` are the
    ratings that a game starts from: ``rating_then`` if ``at_once``, otherwise ``rating``.

    Writes the ratings of both sides to ``before``: those before each game, or, if ``strict``, those before
    all games of the same time.
    """
    for row in range(len(left)):
        a = members[starts[left[row]] : starts[left[row] + 1]]
        b = members[starts[right[row]] : starts[right[row] + 1]]
        if at_once or strict:
            _enter(a, clock[row], last, rating, games, peak, rating_then, games_then, peak_then)
            _enter(b, clock[row], last, rating, games, peak, rating_then, games_then, peak_then)
        rating_a, rating_b = _mean_rating(a, base), _mean_rating(b, base)
        difference = (rating_b - rating_a - lead[row]) / scale
        surprise = score[row] - logistic(difference * np.log(10))
        if corrected:
            surprise *= _correction(difference, score[row])
        step_a = _mean_step(a, games_then, peak_then, steps)
        step_b = _mean_step(b, games_then, peak_then, steps)
        _move(a, -step_a * surprise * stake[row], rating, games, peak, peak_then)
        _move(b, step_b * surprise * stake[row], rating, games, peak, peak_then)
        column = int(2 * score[row])
        for item in a:
            record[item, 2 - column] += weight[row]
        for item in b:
            record[item, column] += weight[row]
        if strict:
            rating_a, rating_b = _mean_rating(a, rating_then), _mean_rating(b, rating_then)
        before[row, 0], before[row, 1] = rating_a, rating_b


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _correction(difference: float, score: float) -> float:
    """Favourites win by more, so their wins count less: 2.2 / (2.2 + the winner's lead / 1000 points).

    ``difference`` is the lead of the right side divided by the scale, by default 400 points. A tie has no
    winner, and is not corrected.
    """
    lead = (2 * score - 1) * difference
    correction: float = SPREAD / max(SPREAD + 0.4 * lead, SMALLEST)
    return correction


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _enter(
    team: Integers,
    now: float,
    last: Floats,
    rating: Floats,
    games: Integers,
    peak: Floats,
    rating_then: Floats,
    games_then: Integers,
    peak_then: Floats,
) -> None:
    """Note what those who have not played at this time yet had before it."""
    for item in team:
        if last[item] != now:
            last[item], rating_then[item] = now, rating[item]
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
def logistic(x: float) -> float:
    probability: float = 1 / (1 + np.exp(-x))
    return probability
