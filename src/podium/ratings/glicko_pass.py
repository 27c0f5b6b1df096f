"""Glicko and Glicko-2 as one compiled pass over the games, in the order in which they were played.

The columns of the table, which have one entry per item, change in place.
"""

from typing import NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.compiled import njit
from podium.ratings.elo_pass import logistic
from podium.ratings.table import NEVER, Integers

Q = np.log(10) / 400
CLOSE = 1e-10  # how precisely the logarithm of a squared volatility is found


class Games(NamedTuple):
    """The games, in the order in which they are played.

    ``score`` is that of the right side: 1, ½ or 0. ``clock`` is the time of a game in periods; games of one
    period have the same.
    """

    left: Integers
    right: Integers
    score: Floats
    weight: Floats
    lead: Floats
    clock: Floats


class Skills(NamedTuple):
    """Columns of the table: what an item had before its ``last`` period, and the evidence of this period.

    The evidence is applied only when the item enters its next period. So all games of a period see the
    ratings before it, nobody has to list its players, and a period may continue in another call.

        information = 1 / d² = q² Σ w g² e (1 - e),   surprise = Σ w g (s - e)

    with w the weight of a game and g = g(deviation of the other).
    """

    rating: Floats
    deviation: Floats
    volatility: Floats
    information: Floats
    surprise: Floats
    last: Floats


class Rule(NamedTuple):
    """The parameters of the system; that of [Glicko-2] has ``tau`` above 0 and no ``growth``."""

    growth: float
    tau: float
    widest: float


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def glicko_games(
    rows: Games, skills: Skills, games: Integers, record: Floats, rule: Rule
) -> tuple[Floats, Floats]:
    """The update of [Glicko] or [Glicko-2] after every period.

    ``games`` counts the games of each item, and ``record`` has the total weight of its losses, ties and wins.
    Returns the ratings and deviations of both sides before the period of each game.
    """
    left, right, score, weight, lead, clock = rows
    before, before_deviation = np.empty((len(left), 2)), np.empty((len(left), 2))
    in_period = 1.0 if rule.tau > 0 else 0.0  # Glicko-2 lets deviations grow within the period that is rated
    for row in range(len(left)):
        for k, item in enumerate((left[row], right[row])):
            if skills.last[item] != clock[row]:
                skills.rating[item], skills.deviation[item], skills.volatility[item] = _settled(
                    skills, item, clock[row] - in_period, rule
                )
                skills.information[item], skills.surprise[item] = 0.0, 0.0
                skills.last[item] = clock[row]
            games[item] += 1
            before[row, k], before_deviation[row, k] = skills.rating[item], skills.deviation[item]
        w = weight[row]
        for k, item in enumerate((left[row], right[row])):
            g = attenuation(before_deviation[row, 1 - k])
            ahead = before[row, k] - before[row, 1 - k] + (-lead[row] if k else lead[row])
            expected = logistic(Q * g * ahead)
            own = score[row] if k else 1 - score[row]
            skills.information[item] += w * Q**2 * g**2 * expected * (1 - expected)
            skills.surprise[item] += w * g * (own - expected)
            record[item, int(2 * own)] += w
    return before, before_deviation


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def glicko_ratings(skills: Skills, now: float, rule: Rule) -> tuple[Floats, Floats, Floats]:
    """Ratings, deviations and volatilities at the end of the period ``now``."""
    n = len(skills.last)
    rating, deviation, volatility = np.empty(n), np.empty(n), np.empty(n)
    for item in range(n):
        rating[item], deviation[item], volatility[item] = _settled(skills, item, now, rule)
    return rating, deviation, volatility


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _settled(skills: Skills, item: int, now: float, rule: Rule) -> tuple[float, float, float]:
    """What an item has after its last period; its deviation has grown since then, until ``now``."""
    rating, deviation, volatility = skills.rating[item], skills.deviation[item], skills.volatility[item]
    information, surprise, last = skills.information[item], skills.surprise[item], skills.last[item]
    if last == NEVER:
        return rating, deviation, volatility
    prior, growth = deviation**2, rule.growth
    if rule.tau > 0:
        volatility = new_volatility(Q * deviation, volatility, information / Q**2, surprise, rule.tau)
        growth = volatility / Q
        prior += growth**2
    variance = 1 / (1 / prior + information)
    grown = np.sqrt(variance + growth**2 * max(now - last, 0.0))
    return rating + Q * variance * surprise, min(grown, rule.widest), volatility


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def new_volatility(
    deviation: float, volatility: float, precision: float, surprise: float, tau: float
) -> float:
    """Step 5 of [Glicko-2]: the root of f by the Illinois algorithm, a variant of regula falsi.

    On the scale of Glicko-2. ``precision`` is 1 / v and ``surprise`` is Δ / v of the paper.
    """
    if precision < 1e-12:  # the outcomes were certain, so they say nothing about the volatility
        return volatility
    variance, excess = deviation**2 + 1 / precision, (surprise / precision) ** 2
    start = np.log(volatility**2)
    low = start
    if excess > variance:
        high = np.log(excess - variance)
    else:
        high = start - tau
        while _slope(high, start, variance, excess, tau) < 0:
            high -= tau
    f_low = _slope(low, start, variance, excess, tau)
    f_high = _slope(high, start, variance, excess, tau)
    while abs(high - low) > CLOSE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = _slope(middle, start, variance, excess, tau)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return float(np.exp(low / 2))


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _slope(x: float, start: float, variance: float, excess: float, tau: float) -> float:
    """f(x) of [Glicko-2]: the slope of the log-posterior of x = log σ²; ``variance`` is φ² + v."""
    whole = variance + np.exp(x)
    return float(np.exp(x) * (excess - whole) / (2 * whole**2) - (x - start) / tau**2)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def attenuation(deviation: float) -> float:
    """g(RD) of [Glicko]: how much less a result says if the other's rating is uncertain; also of arrays."""
    g: float = 1 / np.sqrt(1 + 3 * Q**2 / np.pi**2 * deviation**2)
    return g
