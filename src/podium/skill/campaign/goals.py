"""What a vote is for: weights on the differences that matter.

If the difference of two items has estimate δ and standard error s, and they are put in the order of their
estimates, the expected size of the error is s φ(z) - |δ| Φ(-z), z = δ / s. Its derivative by the variance s²,

    ω = φ(z) / (2 s),

says how much a smaller error of this difference helps. It is large if the order is open.
"""

import re
from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats
from podium.skill.prediction import positions

GOALS = "'ranking', 'best', 'top-k' such as 'top-5', or a pair of items"


def importance(goal: Any, items: Any, skill: Floats, variance: Floats) -> Floats:
    """The weight ω of every difference for a goal, from the log-skills and the variances of differences."""
    if isinstance(goal, tuple | list):
        return _of_pair(goal, items)
    error = np.sqrt(variance)
    np.fill_diagonal(error, 1.0)
    weight = np.exp(-0.5 * ((skill[:, None] - skill) / error) ** 2) / (np.sqrt(8 * np.pi) * error)
    np.fill_diagonal(weight, 0.0)
    if goal == "ranking":
        return np.asarray(weight)
    top = np.zeros(len(skill), dtype=bool)
    top[np.argsort(-skill, kind="stable")[: _top(goal, len(skill))]] = True
    return np.where(top[:, None] != top, weight, 0.0)


def _top(goal: Any, n_items: int) -> int:
    """The number of top places of a goal."""
    found = re.fullmatch(r"top-(\d+)", goal) if isinstance(goal, str) else None
    if goal != "best" and not found:
        raise ValueError(f"goal must be {GOALS}, not {goal!r}")
    k = int(found[1]) if found else 1
    if not 0 < k < n_items:
        raise ValueError(
            f"goal is {goal!r}, but only 1 to {n_items - 1} of {n_items} items can be at the top"
        )
    return k


def _of_pair(goal: Any, items: Any) -> Floats:
    if len(goal) != 2 or goal[0] == goal[1]:
        raise ValueError(f"goal must be {GOALS}, not {goal!r}")
    a, b = positions(items, goal)
    weight = np.zeros((len(items), len(items)))
    weight[a, b] = weight[b, a] = 1.0
    return weight
