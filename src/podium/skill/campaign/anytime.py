"""Intervals and tests that hold at every look, so that a campaign may stop whenever it likes.

A usual 95 % interval covers the truth in 95 % of campaigns if you look once, at a time fixed in advance. If
you look after every vote and stop at a convenient moment, it covers far less often. A *confidence sequence*
covers the truth at all looks together. This one is Robbins' normal mixture; s is the standard error:

    estimate ± s √((1 + s²/τ²) (log(1 + τ²/s²) - 2 log α))

It is asymptotic: it treats the estimate as a mean of normal observations with the total information 1/s². τ
must not depend on the votes. It makes the interval tightest when the standard error reaches `PLANNED_ERROR`.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError
from podium.core.linear import EXACT_ITEMS
from podium.leaderboard.leaderboard import Leaderboard
from podium.skill.certainty import Difference, difference, quantile
from podium.skill.fit import SkillFit
from podium.skill.joint import groups_of

# Of a log-skill or a difference; about 17 Elo points. A larger one narrows the intervals of small campaigns.
# But with 0.16, a rank of 20 equal items was wrong in 10 of 80 campaigns of 2,500 votes on chosen pairs; with
# 0.1, in 3 of them.
PLANNED_ERROR = 0.1
METHOD = "intervals hold whenever you look"
CHOSEN = f"the pairs were chosen by earlier results, so {METHOD}"
TOO_SHORT = (
    "the pairs were chosen by earlier results, so these intervals are too short and these tests too sure"
)


def check_anytime(fit: SkillFit, bootstrap: Any = None) -> None:
    """Raise an error if the intervals of this fit, or of a bootstrap, cannot hold at every look."""
    if bootstrap is not None:
        raise InputError("bootstrap intervals hold for one look only; leave out {@bootstrap} or {@anytime}")
    if fit.forgets:
        raise InputError(
            "{@anytime=True} needs skills that stay the same, but this model lets old comparisons count "
            "less; leave out {@anytime}"
        )
    fewest = 20  # with looks from the 5th group on, ranks were wrong in 13 % of campaigns
    if fit.degrees < fewest - 1:
        raise InputError(
            f"{{@anytime=True}} with clustered errors needs at least {fewest} groups, not "
            f"{fit.degrees + 1:,.0f}: errors of few groups are too uncertain to look at again and again; add "
            "groups or leave out {@anytime}"
        )
    if fit.has_normal_prior:  # its spread is estimated; while this is near 0, errors are far too small
        raise InputError(
            "{@anytime=True} needs errors that do not depend on an estimated prior, so {@prior}'normal' is "
            "not possible; use {@prior}'auto' or leave out {@anytime}"
        )


def half_width(error: Floats, level: float, planned: float = PLANNED_ERROR) -> Floats:
    """Half the width of an anytime interval, given the standard error.

    >>> half_width(np.array([0.1, 0.2, np.inf]), 0.95).round(3)  # at a fixed time: 0.196, 0.392, inf
    array([0.304, 0.65 ,   inf])
    """
    positive = np.where(error == 0, 1.0, error)
    ratio = positive**2 / _mixture_variance(level, planned)
    width = positive * np.sqrt((1 + ratio) * (np.log1p(1 / ratio) - 2 * np.log1p(-level)))
    return np.where(error == 0, 0.0, width)


def p_value(gap: float, error: float, level: float) -> float:
    """The smallest α whose anytime interval excludes 0, with the τ of this level."""
    if not error > 0:
        return 1.0
    information = _mixture_variance(level, PLANNED_ERROR) / error**2
    log_p = (np.log1p(information) - (gap / error) ** 2 * information / (1 + information)) / 2
    return float(np.exp(min(log_p, 0.0)))


def anytime_difference(fit: SkillFit, a: Any, b: Any, level: float) -> Difference:
    """Test the difference of two items with an interval and a p-value that hold at every look."""
    check_anytime(fit)
    found = difference(fit, a, b, level)
    width = float(half_width(np.array(found.standard_error), level))
    return replace(
        found,
        low=found.difference - width,
        high=found.difference + width,
        p_value=p_value(found.difference, found.standard_error, level),
        anytime=True,
    )


def anytime_ranks(
    fit: SkillFit, level: float, keep: NDArray[Any], together: bool, most: int = EXACT_ITEMS
) -> NDArray[np.int64]:
    """For the items to keep, 1 + the number of items of their component that are significantly better.

    With ``together`` each of the m pairs of a component is tested at the level 1 - α/m (Bonferroni).
    """
    rank = np.ones(len(keep), dtype=np.int64)
    for members in groups_of(fit.component, keep):
        n = len(members)
        if n > most:
            raise InputError(
                f"anytime ranks are for at most {most:,} items, but this board has {n:,}; leave out "
                "items with few games ({{@min_games}})"
            )
        n_pairs = max(n * (n - 1) // 2, 1) if together else 1
        joint, theta = fit.joint.of(keep[members]), fit.log_skill[keep[members]]
        for place, item in enumerate(members):
            width = half_width(np.sqrt(joint.variances_to(place)), 1 - (1 - level) / n_pairs)
            rank[item] += np.count_nonzero(theta - theta[place] > width)
    return rank


def board_of_chosen(model: Any, **how: Any) -> Leaderboard:
    """The leaderboard for pairs that were chosen by earlier results, with anytime intervals.

    The usual ones are too short: an item that was unlucky at first is asked about less often, so its bad luck
    stays. If the model or its options rule anytime intervals out, a note says this.
    """
    board: Leaderboard
    try:
        board = model.leaderboard(**how, anytime=True)
    except (
        TypeError,
        ValueError,
    ):  # ratings have no anytime=; any other mistake is an error below
        board = model.leaderboard(**how)
        told = (TOO_SHORT,) if np.isfinite(board.low).any() else ()
        return replace(board, notes=(*board.notes, *told))
    return replace(board, method=(*board.method[:-1], CHOSEN))


def _mixture_variance(level: float, planned: float) -> float:
    """The τ² for which the interval of this level is tightest at the planned error.

    With x = τ²/s², the derivative of the width with respect to τ is 0 if x = log((1 + x)/α²). Lambert's
    function W solves this equation.
    """
    from scipy.special import lambertw

    quantile(level)  # raises an error if it is not a level
    y = -float(np.real(lambertw(-np.exp(2 * np.log1p(-level) - 1), -1)))  # 1 + x
    return (y - 1) * planned**2
