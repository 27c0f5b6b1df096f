"""Which fits have intervals that hold at every look, and boards of pairs that earlier results chose."""

from dataclasses import replace
from typing import Any

import numpy as np

from podium.comparisons.messages import InputError
from podium.leaderboard.leaderboard import Leaderboard
from podium.skill.fit import SkillFit

METHOD = "intervals hold whenever you look"
CHOSEN = f"the pairs were chosen by earlier results, so {METHOD}"
TOO_SHORT = (
    "the pairs were chosen by earlier results, so these intervals are too short and these tests too sure"
)


def check_anytime(fit: SkillFit, bootstrap: Any = None) -> None:
    """Raise an error if the intervals of this fit, or of a bootstrap, cannot hold at every look."""
    if bootstrap is not None:
        raise InputError("bootstrap intervals hold for one look only; leave out {@bootstrap} or {@anytime}")
    if fit.no_anytime:
        raise InputError(fit.no_anytime)
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
            "not possible, nor are kinds of judges; use {@prior}'auto' or leave out {@anytime}"
        )


def board_of_chosen(model: Any, **how: Any) -> Leaderboard:
    """The leaderboard for pairs that were chosen by earlier results, with anytime intervals.

    The usual ones are too short: an item that was unlucky at first is asked about less often, so its bad luck
    stays. If the model or its options rule anytime intervals out, a note says this.
    """
    board: Leaderboard
    try:
        board = model.leaderboard(**how, anytime=True)
    except (TypeError, ValueError):  # ratings have no anytime=; any other mistake is an error below
        board = model.leaderboard(**how)
        told = (TOO_SHORT,) if np.isfinite(board.low).any() else ()
        return replace(board, notes=(*board.notes, *told))
    return replace(board, method=(*board.method[:-1], CHOSEN))
