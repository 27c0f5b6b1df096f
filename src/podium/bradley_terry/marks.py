"""Marks of scripts, from the skills that comparative judgement gives them.

From a mean and a spread, mark = mean + spread (r - mean of r) / (standard deviation of r). From anchors,
whose marks are known, r = a + b mark by least squares with the weights 1 / error², and mark = (r - a) / b,
since the marks of anchors are exact, and their skills are not. The errors of marks include those of a and b.
"""

from collections.abc import Mapping

import numpy as np

from podium.comparisons.arrays import Floats, Index


def marks_by_spread(skill: Floats, error: Floats, mean: float, spread: float) -> tuple[Floats, Floats]:
    """Marks and their errors, from the mean and the standard deviation that they should have."""
    slope = spread / skill.std(ddof=1)
    return mean + slope * (skill - skill.mean()), slope * error


def marks_by_anchors(skill: Floats, error: Floats, at: Index, known: Floats) -> tuple[Floats, Floats]:
    """Marks and their errors, from the known marks of the anchors, which are at these positions."""
    if len(np.unique(known)) < 2:
        raise ValueError("anchors need at least two scripts of the session with different marks")
    (slope, start), V = np.polyfit(known, skill[at], 1, w=1 / error[at], cov="unscaled")
    if slope <= 0:
        raise ValueError("scripts with high marks among the anchors were judged worse; check the anchors")
    mark = (skill - start) / slope
    line = V[0, 0] * mark**2 + 2 * V[0, 1] * mark + V[1, 1]
    return mark, np.sqrt(error**2 + line) / slope


def grade_chances(mark: Floats, error: Floats, boundaries: Mapping[str, float]) -> dict[str, Floats]:
    """The probability of each grade, best first, and of a mark below all boundaries."""
    from scipy.special import ndtr

    best_first = sorted(boundaries, key=lambda grade: -boundaries[grade])
    reached = [ndtr((mark - boundaries[grade]) / error) for grade in best_first]
    ends = np.diff([np.zeros_like(mark), *reached, np.ones_like(mark)], axis=0)
    return dict(zip([*best_first, f"below {best_first[-1]}"], ends, strict=True)) if boundaries else {}
