"""What the standard errors of a fit say: tests of differences, shared ranks, chances of a place."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.random_states import generator
from podium.numerics.compiled import njit
from podium.skill.fit import SkillFit
from podium.skill.prediction import positions

BLOCK = 256  # items that are counted or left out together


@dataclass(frozen=True)
class Difference:
    """How much better ``a`` is than ``b``, in log-skill: the log of the odds that a beats b.

    ``p_value`` is that of the two-sided test that they are equal; ``probability`` is P(a is better) when the
    difference is normal around its estimate.
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


def normal_quantile(level: float) -> float:
    """Half the width of a two-sided interval, in standard errors."""
    from scipy.special import ndtri

    if not 0 < level < 1:
        raise ValueError(f"the level {level!r} is not between 0 and 1")
    return float(ndtri((1 + level) / 2))


def difference(fit: SkillFit, a: Any, b: Any, level: float) -> Difference:
    """The test of two items."""
    from scipy.special import ndtr

    i, j = positions(fit.items, [a, b])
    if fit.component[i] != fit.component[j]:
        raise ValueError(f"{a!r} and {b!r} are in groups that were never compared")
    gap = float(fit.log_skill[i] - fit.log_skill[j])
    error = float(np.sqrt(fit.variance_of_difference(i, j)))
    width = normal_quantile(level) * error
    z = gap / error if error > 0 else 0.0
    p_value, probability = float(2 * ndtr(-abs(z))), float(ndtr(z))
    return Difference(a, b, gap, error, gap - width, gap + width, p_value, probability, level)


def draws(fit: SkillFit, n: int, random_state: Any) -> Floats:
    """Log-skills drawn from the normal distribution around the estimate, a row a draw."""
    rng = generator(random_state)
    noise = rng.standard_normal((n, len(fit.items)))
    if np.isinf(fit.tie):
        return noise
    if not fit.is_exact:  # far apart in the graph, items are all but independent
        return np.asarray(fit.log_skill + noise * fit.standard_error)
    values, vectors = np.linalg.eigh(fit.covariance)
    root = (vectors * np.sqrt(values.clip(min=0))) @ vectors.T  # unlike the vectors, it has but one sign
    return np.asarray(fit.log_skill + noise @ root)


def share_at_the_top(samples: Floats, component: NDArray[np.int32], k: int) -> Floats:
    """In how many of the samples, a row each, an item is among the k best of its component."""
    if not k >= 1:
        raise ValueError(f"k is at least 1, not {k!r}")
    share = np.ones(samples.shape[1])
    for group in range(component.max() + 1):
        members = np.flatnonzero(component == group)
        if k >= len(members):
            continue
        part = samples[:, members]
        best = np.argpartition(-part, k - 1, axis=1)[:, :k]
        share[members] = np.bincount(best.ravel(), minlength=len(members)) / len(samples)
    return share


# ------------------------------------------------------------------------------------ shared ranks


def ranks_of_independent(
    theta: Floats, variance: Floats, component: NDArray[np.int32], quantile: float
) -> NDArray[np.int64]:
    """1 + the number of items of the same component with θ_j - θ_i > quantile · √(v_i + v_j)."""
    rank = np.ones(len(theta), dtype=np.int64)
    for group in range(component.max(initial=-1) + 1):
        members = np.flatnonzero(component == group)
        order = members[np.argsort(-theta[members], kind="stable")]
        rank[order] = _ranks_in_order(theta[order], variance[order], quantile)
    return rank


@njit(cache=True, nogil=True)
def _ranks_in_order(theta, variance, quantile):  # type: ignore[no-untyped-def]
    """Items best first. A block of them is counted or left out as a whole, unless it may be divided."""
    n = len(theta)
    n_blocks = (n + BLOCK - 1) // BLOCK
    least, most = np.empty(n_blocks), np.empty(n_blocks)
    for block in range(n_blocks):
        part = variance[block * BLOCK : (block + 1) * BLOCK]
        least[block], most[block] = part.min(), part.max()
    rank = np.ones(n, np.int64)
    for i in range(n):
        for block in range(i // BLOCK + 1):
            start, end = block * BLOCK, min((block + 1) * BLOCK, n)
            if theta[end - 1] > theta[i] + quantile * np.sqrt(variance[i] + most[block]):
                rank[i] += end - start
            elif theta[start] > theta[i] + quantile * np.sqrt(variance[i] + least[block]):
                for j in range(start, end):
                    rank[i] += theta[j] - theta[i] > quantile * np.sqrt(variance[i] + variance[j])
    return rank


def ranks_of_dependent(
    theta: Floats,
    covariance: Floats,
    component: NDArray[np.int32],
    keep: NDArray[np.int64],
    quantile: float,
) -> NDArray[np.int64]:
    """Of the items to keep, 1 + the number of those of the same component that are significantly better.

    Item j is better than i if θ_j - θ_i > quantile · √(v_i + v_j - 2 c_ij).
    """
    return np.asarray(_count_better(theta, covariance, component, keep, quantile**2))


@njit(cache=True, nogil=True)
def _count_better(theta, covariance, component, keep, square):  # type: ignore[no-untyped-def]
    variance = np.diag(covariance).copy()
    rank = np.ones(len(keep), np.int64)
    for p in range(len(keep)):
        i = keep[p]
        for q in range(p):
            j = keep[q]
            gap = theta[j] - theta[i]
            noise = variance[i] + variance[j] - 2.0 * covariance[i, j]
            apart = (gap * gap > square * noise) & (component[i] == component[j])  # no root, no branch
            rank[p] += apart & (gap > 0.0)
            rank[q] += apart & (gap < 0.0)
    return rank
