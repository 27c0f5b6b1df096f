"""Performance ratings: how well somebody played in some games against opponents of known ratings."""

from typing import Any, NamedTuple

import numpy as np

from podium.leaderboard.board import ELO_UNIT


class Performance(NamedTuple):
    """A rating that explains some results, and its standard error.

    Attributes
    ----------
    rating : float
        The rating at which the expected score is the score.
    error : float
        Its standard error.
    """

    rating: float
    error: float


def performance_rating(results: Any, opponents: Any, *, scale: float = 400.0) -> Performance:
    """The rating at which the expected score against these opponents is the score that was made.

    It is the maximum-likelihood estimate of one skill if all others are known: the r with
    Σ p_i = Σ results, where p_i = 1 / (1 + 10^((opponent_i - r) / scale)). Its standard error comes from the
    information Σ p_i (1 - p_i). The ratings of the opponents count as exact.

    Parameters
    ----------
    results : array-like of float
        The result of each game: 1 for a win, ½ for a tie, 0 for a loss.
    opponents : array-like of float
        The rating of each opponent.
    scale : float, default=400.0
        The difference in points that means odds of 10 to 1, as in `Elo`.

    Returns
    -------
    Performance
        A named tuple of ``rating`` and ``error``. There is none if all games were won, or all were lost,
        since no finite rating explains that; this is an error.

    See Also
    --------
    Elo : ratings that follow the games
    BradleyTerry : skills of everybody, with ``fixed`` ones if some are known

    Examples
    --------
    >>> found = performance_rating([1, 1, 0.5, 0], [1500, 1600, 1700, 1800])
    >>> print(f"{found.rating:.0f}, give or take {found.error:.0f}")
    1748, give or take 188
    """
    score, rating = (np.asarray(column, dtype=np.float64) for column in (results, opponents))
    if score.ndim != 1 or score.shape != rating.shape or not len(score):
        raise ValueError("performance_rating needs one result for each opponent, and at least one game")
    if not (np.isfinite(rating).all() and ((score >= 0) & (score <= 1)).all()):
        raise ValueError("results must be between 0 (loss) and 1 (win), and opponents finite ratings")
    if not 0 < score.mean() < 1:
        what = "won" if score.any() else "lost"
        raise ValueError(f"all games were {what}, so no finite rating explains the results; add other games")
    unit = ELO_UNIT * scale / 400.0
    middle = unit * np.log(score.mean() / (1 - score.mean()))
    low, high = rating.min() + middle, rating.max() + middle
    for _ in range(100):  # halvings, more than a number has digits
        at = (low + high) / 2
        p = 1 / (1 + np.exp((rating - at) / unit))
        low, high = (at, high) if p.sum() < score.sum() else (low, at)
    return Performance(float(at), float(unit / np.sqrt((p * (1 - p)).sum())))
