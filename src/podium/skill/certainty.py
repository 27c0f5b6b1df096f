"""Tests of differences, ranks and chances of a top place, from the standard errors of a fit."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.random_states import generator
from podium.skill.fit import SkillFit
from podium.skill.joint import groups_of
from podium.skill.prediction import positions

FAR = 6.0  # items more than this many standard errors below the top places are not drawn
MOST_NUMBERS = 20_000_000  # random numbers that are in memory at once (160 MB)


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
        P(a is better), if the error of the difference is normal.
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


def normal_quantile(level: float) -> float:
    """Half the width of a two-sided normal interval, in standard errors."""
    from scipy.special import ndtri

    if not isinstance(level, Real) or not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")
    return float(ndtri((1 + level) / 2))


def half_width(error: Floats, level: float) -> Floats:
    """Half the width of a normal interval, given the standard error."""
    return normal_quantile(level) * error


def difference(fit: SkillFit, a: Any, b: Any, level: float) -> Difference:
    """Test the difference of two items."""
    from scipy.special import ndtr

    i, j = positions(fit.items, [a, b])
    if fit.component[i] != fit.component[j]:
        raise ValueError(
            f"{a!r} and {b!r} are in groups that were never compared; set prior to a number above 0"
        )
    gap = float(fit.log_skill[i] - fit.log_skill[j])
    error = float(np.sqrt(fit.variance_of_difference(i, j)))
    width = normal_quantile(level) * error
    z = gap / error if error > 0 else 0.0
    p_value, probability = float(2 * ndtr(-abs(z))), float(ndtr(z))
    return Difference(a, b, gap, error, gap - width, gap + width, p_value, probability, level)


def shared_ranks(fit: SkillFit, level: float, keep: NDArray[Any], together: bool) -> NDArray[np.int64]:
    """For the items to keep, 1 + the number of items of their component that are significantly better.

    Without ``together`` each difference is tested on its own at ``level``. With it, each of the m pairs of a
    component is tested at level^(1/m), so the largest |z| is below its quantile with at least the
    probability ``level`` [Šidák 1967].
    """
    from scipy.special import ndtri

    normal_quantile(level)  # raises an error if it is not a level
    rank = np.ones(len(keep), dtype=np.int64)
    for members in groups_of(fit.component, keep):
        items = keep[members]
        n_pairs = max(len(items) * (len(items) - 1) // 2, 1) if together else 1
        quantile = float(-ndtri(-np.expm1(np.log(level) / n_pairs) / 2))
        rank[members] = fit.joint.of(items).ranks(fit.log_skill[items], quantile)
    return rank


def top_probability(fit: SkillFit, k: int, n_draws: int, random_state: Any) -> Floats:
    """How often each item is among the k best of its component, in random draws around the estimate."""
    check_place(k)
    rng, share = generator(random_state), np.zeros(len(fit.items))
    error = np.where(np.isfinite(fit.standard_error), fit.standard_error, 1.0)
    for members in groups_of(fit.component, np.arange(len(fit.items))):
        low, high = (fit.log_skill[members] + side * FAR * error[members] for side in (-1, 1))
        rivals = members[high >= np.sort(low)[-min(k, len(low))]]  # all others have no chance
        joint, theta = fit.joint.of(rivals), fit.log_skill[rivals]
        rows = max(MOST_NUMBERS // len(rivals), 1)
        for start in range(0, n_draws, rows):
            samples = theta + joint.draws(min(rows, n_draws - start), rng)
            share[rivals] += _times_at_the_top(samples, k) / n_draws
    return share


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
