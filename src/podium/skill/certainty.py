"""Intervals, tests of differences, ranks and chances of a top place, from the standard errors of a fit.

A usual 95 % interval covers the truth in 95 % of campaigns if you look once, at a time fixed in advance. If
you look after every vote and stop at a convenient moment, it covers far less often. A *confidence sequence*
covers the truth at all looks together. This one is Robbins' normal mixture; s is the standard error:

    estimate ± s √((1 + s²/τ²) (log(1 + τ²/s²) - 2 log α))

It is asymptotic: it treats the estimate as a mean of normal observations with the total information 1/s². τ
must not depend on the votes. It makes the interval tightest when the standard error reaches `PLANNED_ERROR`.
"""

from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import InputError
from podium.comparisons.random_states import generator
from podium.core.linear import EXACT_ITEMS
from podium.leaderboard.board import ELO_UNIT
from podium.numerics.parameters import check_whole
from podium.skill.anytime import check_anytime
from podium.skill.fit import SkillFit
from podium.skill.joint import Certain, Joint, certain, groups_of
from podium.skill.prediction import joint_of, positions
from podium.writing.label_text import one_line

FAR = 1 - 2e-9  # items whose intervals at this level are below the top places are not drawn
MOST_NUMBERS = 20_000_000  # random numbers that are in memory at once (160 MB)

# Of a log-skill or a difference; about 17 Elo points. A larger one narrows the intervals of small campaigns.
# But with 0.16, a rank of 20 equal items was wrong in 10 of 80 campaigns of 2,500 votes on chosen pairs; with
# 0.1, in 3 of them.
PLANNED_ERROR = 0.1


@dataclass(frozen=True)
class Difference:
    """How much better item ``a`` is than item ``b``.

    Attributes
    ----------
    a, b : label
        The items.
    difference : float
        The log-skill of a minus that of b: the log-odds that a beats b.
    standard_error : float
        The standard error of the difference.
    low, high : float
        The confidence interval of the difference.
    p_value : float
        The p-value of the two-sided test that a and b are equal.
    probability : float
        P(a is better), if the error of the difference is normal. If errors are clustered by G groups, it has
        Student's t distribution with G - 1 degrees of freedom.
    level : float
        The confidence level of the interval.
    anytime : bool
        Whether the interval and the p-value hold at all looks together, not only at one.
    """

    a: Any
    b: Any
    difference: float
    standard_error: float
    low: float
    high: float
    p_value: float
    probability: float
    level: float = 0.95
    anytime: bool = False

    def __str__(self) -> str:
        """Who is better, by how much, and how surely, in points of the Elo scale.

        >>> print(Difference("ann", "bob", -0.92, 0.33, -1.57, -0.27, 0.005, 0.003))  # doctest: +ELLIPSIS
        bob is better than ann by 160 points (95 % interval 47 to 273, p = 0.005); ranges on the board...
        """
        ahead = self.difference >= 0
        better, worse = map(one_line, (self.a, self.b) if ahead else (self.b, self.a))
        sign = ELO_UNIT if ahead else -ELO_UNIT
        ends = (self.low, self.high) if ahead else (self.high, self.low)
        points, low, high = (f"{sign * x:z,.0f}" for x in (self.difference, *ends))
        chance = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        looks = ", whenever you look" * self.anytime
        sure = f"({100 * self.level:g} % interval {low} to {high}, {chance}{looks})"
        if self.low <= 0 <= self.high:
            found = (
                f"the data cannot tell whether {better} is better than {worse}: "
                f"it is {points} points ahead {sure}"
            )
        else:
            found = f"{better} is better than {worse} by {points} points {sure}"
        return f"{found}; ranges on the board can differ, since they hold for all pairs together"


# ------------------------------------------------------------------------------------ intervals


def check_level(level: float) -> None:
    if not isinstance(level, Real) or not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")


def quantile(level: float, degrees: float = np.inf, n_tests: int = 1) -> float:
    """Half the width of a two-sided interval, in standard errors: normal, or of Student's t distribution.

    Each of several tests is made at level^(1/n), so that all hold together with at least the probability
    ``level`` [Šidák 1967].
    """
    from scipy.special import ndtri, stdtrit

    check_level(level)
    tail = -np.expm1(np.log(level) / n_tests) / 2
    return float(-(ndtri(tail) if np.isinf(degrees) else stdtrit(degrees, tail)))


def chance_below(z: Any, degrees: float) -> Any:
    """P(t < z) for Student's t, which is normal if its degrees are infinite."""
    from scipy.special import ndtr, stdtr

    return ndtr(z) if np.isinf(degrees) else stdtr(degrees, z)


def anytime_width(error: Floats, level: float, planned: float = PLANNED_ERROR) -> Floats:
    """Half the width of an anytime interval, given the standard error.

    >>> anytime_width(np.array([0.1, 0.2, np.inf]), 0.95).round(3)  # at a fixed time: 0.196, 0.392, inf
    array([0.304, 0.65 ,   inf])
    """
    positive = np.where(error == 0, 1.0, error)
    ratio = positive**2 / _mixture_variance(level, planned)
    width = positive * np.sqrt((1 + ratio) * (np.log1p(1 / ratio) - 2 * np.log1p(-level)))
    return np.where(error == 0, 0.0, width)


def anytime_p_value(gap: float, error: float, level: float) -> float:
    """The smallest α whose anytime interval excludes 0, with the τ of this level."""
    if not error > 0:
        return 1.0
    information = _mixture_variance(level, PLANNED_ERROR) / error**2
    log_p = (np.log1p(information) - (gap / error) ** 2 * information / (1 + information)) / 2
    return float(np.exp(min(log_p, 0.0)))


def _mixture_variance(level: float, planned: float) -> float:
    """The τ² for which the interval of this level is tightest at the planned error.

    With x = τ²/s², the derivative of the width with respect to τ is 0 if x = log((1 + x)/α²). Lambert's
    function W solves this equation.
    """
    from scipy.special import lambertw

    check_level(level)
    y = -float(np.real(lambertw(-np.exp(2 * np.log1p(-level) - 1), -1)))  # 1 + x
    return (y - 1) * planned**2


# ------------------------------------------------------------------------------------ tests and ranks


def difference(fit: SkillFit, a: Any, b: Any, level: float, *, anytime: bool = False) -> Difference:
    """Test the difference of two items."""
    if anytime:
        check_anytime(fit)
    i, j = positions(fit.items, [a, b])
    if fit.component[i] != fit.component[j]:
        raise ValueError(
            f"{a!r} and {b!r} are in groups that were never compared; set prior to a number above 0"
        )
    gap = float(fit.log_skill[i] - fit.log_skill[j])
    error = float(np.sqrt(fit.variance_of_difference(i, j)))
    z = gap / max(error, 1e-9)  # two known skills differ for certain
    if anytime:
        width, p_value = float(anytime_width(np.array(error), level)), anytime_p_value(gap, error, level)
    else:
        width, p_value = quantile(level, fit.degrees) * error, 2 * float(chance_below(-abs(z), fit.degrees))
    probability = float(chance_below(z, fit.degrees))
    return Difference(a, b, gap, error, gap - width, gap + width, p_value, probability, level, anytime)


def certain_order(
    fit: SkillFit,
    level: float,
    keep: NDArray[Any],
    together: bool,
    *,
    anytime: bool = False,
    most: int = EXACT_ITEMS,
) -> Certain:
    """For the items to keep, how many items of their component are certainly better and certainly worse.

    Without ``together`` each difference is tested on its own at ``level``. With it, all differences of a
    component hold together: each of m is tested at level^(1/m), or at 1 - (1 - level) / m if the tests hold
    at every look (Šidák, Bonferroni).
    """
    check_level(level)
    found = Certain(np.zeros(len(keep), dtype=np.int64), np.zeros(len(keep), dtype=np.int64))
    for members in groups_of(fit.component, keep):
        n = len(members)
        joint, theta = fit.joint.of(keep[members]), fit.log_skill[keep[members]]
        n_pairs = max(n * (n - 1) // 2, 1) if together else 1
        if not anytime:
            one = joint.certain(theta, quantile(level, fit.degrees, n_pairs))
        elif n > most:
            raise InputError(
                f"anytime ranks are for at most {most:,} items, but this board has {n:,}; leave out "
                "items with few games ({{@min_games}})"
            )
        else:
            one = certain(joint, theta, partial(anytime_width, level=1 - (1 - level) / n_pairs))
        found.better[members], found.worse[members] = one
    return found


def top_probability(fit: SkillFit, k: int, n_draws: int, random_state: Any) -> Floats:
    """How often each item is among the k best of its component, in random draws around the estimate."""
    check_place(k)
    rng, share = generator(random_state), np.zeros(len(fit.items))
    error = np.where(np.isfinite(fit.standard_error), fit.standard_error, 1.0)
    reach = quantile(FAR, fit.degrees) * error
    for members in groups_of(fit.component, np.arange(len(fit.items))):
        low, high = (fit.log_skill[members] + side * reach[members] for side in (-1, 1))
        rivals = members[high >= np.sort(low)[-min(k, len(low))]]  # all others have no chance
        joint, theta = fit.joint.of(rivals), fit.log_skill[rivals]
        rows = max(MOST_NUMBERS // len(rivals), 1)
        for start in range(0, n_draws, rows):
            samples = theta + drawn_errors(joint, min(rows, n_draws - start), fit.degrees, rng)
            share[rivals] += _times_at_the_top(samples, k) / n_draws
    return share


def drawn_errors(joint: Joint, n: int, degrees: float, rng: np.random.Generator) -> Floats:
    """Random errors, one row per draw: normal, or of a multivariate t distribution."""
    errors = joint.draws(n, rng)
    return errors if np.isinf(degrees) else errors * np.sqrt(degrees / rng.chisquare(degrees, (n, 1)))


def solutions(fit: SkillFit, n: int, rng: np.random.Generator, items: Any = slice(None)) -> Floats:
    """Draws of the skills of some items, then of all other parameters, one per row.

    If the fit has many items, only their skills are drawn.
    """
    k, joint = len(fit.items), joint_of(fit)
    keep = np.append(np.arange(k)[items], np.arange(k, len(fit.solution)))
    errors = drawn_errors(joint.of(keep if fit.is_exact else keep[keep < k]), n, fit.degrees, rng)
    return np.asarray(fit.solution[keep] + np.pad(errors, ((0, 0), (0, len(keep) - errors.shape[1]))))


def tie_parameters(fit: SkillFit, drawn: Floats) -> Floats:
    """The parameter of ties in every draw; the same in all if it was not estimated with the skills."""
    link, at = fit.link, fit.tie_at
    fixed = np.full(len(drawn), getattr(link, "tie", np.nan_to_num(fit.tie)))
    found = fixed if at is None else np.exp(drawn[:, at - len(fit.solution)])
    return np.asarray(found.clip(min=float(link.rao_kupper)))


def draws(fit: SkillFit, n: int, random_state: Any) -> Any:
    """Draws as a frame, one column per item, then the order effect and the tie parameter."""
    import pandas as pd

    check_whole("n", n)
    found = solutions(fit, n, generator(random_state))
    others = {"order_effect": found[:, -1]} if fit.has_order_effect else {}
    if fit.ties not in ("half", "ignore"):
        others["tie"] = tie_parameters(fit, found)
    if clash := set(others) & set(fit.items.tolist()):
        raise ValueError(f"an item is called {min(clash)!r}, like the column of a parameter; rename the item")
    return pd.DataFrame(dict(zip(fit.items.tolist(), found.T, strict=False)) | others)


def check_place(k: int) -> None:
    if not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"k must be a whole number of at least 1, not {k!r}")


def _times_at_the_top(samples: Floats, k: int) -> Floats:
    """In how many samples (rows) each column is among the k largest."""
    n = samples.shape[1]
    if k >= n:
        return np.full(n, float(len(samples)))
    best = np.argpartition(-samples, k - 1, axis=1)[:, :k]
    return np.bincount(best.ravel(), minlength=n).astype(np.float64)


def share_at_the_top(samples: Floats, component: Codes, k: int) -> Floats:
    """The share of the samples (rows) in which each item is among the k best of its component."""
    check_place(k)
    share = np.empty(samples.shape[1])
    for members in groups_of(component, np.arange(samples.shape[1])):
        share[members] = _times_at_the_top(samples[:, members], k) / len(samples)
    return share
