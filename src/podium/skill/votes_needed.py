"""How many more votes it takes until tests tell items apart."""

from typing import TYPE_CHECKING, Any

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.parameters import check_whole
from podium.skill.certainty import difference, quantile
from podium.skill.fit import SkillFit
from podium.writing.label_text import one_line

if TYPE_CHECKING:
    import pandas as pd

# A board gets its votes in portions: each time the most needy pair gets this share of what it lacks. The
# votes of one pair also help the others, so serving one pair at a time would give the first pair too many.
PORTION = 0.1


def votes_for_pair(fit: SkillFit, a: Any, b: Any, power: float, level: float) -> float:
    """The number of votes between a and b that are still missing; 0 if there are enough."""
    reach = _reach(power, level, fit.degrees)
    found = difference(fit, a, b, level)
    gap, variance = np.array([found.difference]), np.array([found.standard_error**2])
    return float(_missing(gap, variance, fit.information(gap), reach)[0])


def votes_for_top(fit: SkillFit, top: int, power: float, level: float) -> "pd.DataFrame":
    """The votes that separate the first ``top`` items from each other and from the next one."""
    import pandas as pd

    reach = _reach(power, level, fit.degrees)
    check_whole("top", top)
    if (fit.component > 0).any():
        raise ValueError(
            "the items are in groups that were never compared, so there is no common order; set prior to a "
            "number above 0"
        )
    first = np.argsort(-fit.log_skill, kind="stable")[: int(top) + 1]
    gap = -np.diff(fit.log_skill[first])
    of_gaps = np.diff(np.diff(fit.joint.of(first).covariance, axis=0), axis=1)
    votes = _shared_votes(gap, of_gaps, fit.information(gap), reach)
    labels = fit.items[first]
    frame = pd.DataFrame(
        {"a": pd.Series(labels[:-1]).array, "b": pd.Series(labels[1:]).array, "votes": votes}
    )
    frame.attrs |= {"top": int(top), "total": float(votes.sum()), "power": power, "level": level}
    return frame


def pair_text(a: Any, b: Any, votes: float, kind: str | None = None) -> str:
    """One sentence about the votes of `votes_for_pair`, which are those of judges of this kind."""
    names = f"{one_line(a)} and {one_line(b)}"
    if np.isinf(votes):
        return f"{names} have equal scores, which no number of votes separates"
    if votes:
        who = f" of '{one_line(kind)}' judges" if kind else ""
        return f"to separate {names}: about {votes:,.0f} more votes{who} between them"
    return f"{names} are separated, by a test for one look"


def _reach(power: float, level: float, degrees: float) -> float:
    """How many standard errors a difference must have so that a test finds it with this probability."""
    from scipy.special import ndtri

    if not 0 < power < 1:
        raise ValueError(f"power must be between 0 and 1, not {power!r}")
    return max(quantile(level, degrees) + float(ndtri(power)), 0.0)


def _missing(gap: Floats, variance: Floats, information: Floats, reach: float) -> Floats:
    """The votes of each pair until its gap has enough standard errors; infinitely many if the gap is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        votes = ((reach / gap) ** 2 - 1 / variance) / information
        return np.where(gap == 0, np.inf, np.ceil(votes - 1e-9).clip(min=0))


def _shared_votes(gap: Floats, covariance: Floats, information: Floats, reach: float) -> Floats:
    """The votes of every pair, given to the most needy pair first and in portions.

    n votes of a pair with information w each change the covariance C to C - c c' n w / (1 + n w v), with its
    column c and its variance v.
    """
    votes = np.zeros(len(gap))
    while len(gap):
        missing = _missing(gap, np.diag(covariance), information, reach)
        votes[np.isinf(missing)] = np.inf
        missing[np.isinf(missing)] = 0.0
        pair = int(missing.argmax())
        if missing[pair] == 0:
            break
        votes[pair] += (more := np.ceil(PORTION * missing[pair]))
        added = more * information[pair]
        column = covariance[:, pair].copy()
        covariance = covariance - np.outer(column, column) * added / (1 + added * column[pair])
    return votes
