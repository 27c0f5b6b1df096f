"""What the standard errors of a fit say: intervals, tests of differences, chances of a place."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.random_states import generator
from podium.skill.prediction import positions

if TYPE_CHECKING:
    from podium.bradley_terry.model import BradleyTerry

Floats = NDArray[np.float64]

EXACT_ITEMS = 3_000  # up to here the covariance is a dense inverse


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


def difference(model: "BradleyTerry", a: Any, b: Any, level: float) -> Difference:
    """The test of two items."""
    from scipy.special import ndtr

    i, j = positions(model.items_, [a, b])
    if model.components_[i] != model.components_[j]:
        raise ValueError(f"{a!r} and {b!r} are in groups that were never compared")
    gap = float(model.log_skill_[i] - model.log_skill_[j])
    error = float(np.sqrt(_variance_of_difference(model, i, j)))
    width = normal_quantile(level) * error
    z = gap / error if error > 0 else 0.0
    p_value, probability = float(2 * ndtr(-abs(z))), float(ndtr(z))
    return Difference(a, b, gap, error, gap - width, gap + width, p_value, probability, level)


def variances(model: "BradleyTerry") -> Floats:
    """Of every log-skill, less the mean of its component."""
    if "_joint_covariance" in model.__dict__ or np.isinf(model.tie_):
        return np.diag(model.covariance_).clip(min=0)
    problem, x = model._problem, model.result_.solution
    if len(model.items_) > EXACT_ITEMS:
        from podium.bradley_terry.errors.series import approximate_variances

        return approximate_variances(problem, x, sandwich=model._is_pseudo)
    if model._is_pseudo:
        return np.diag(model.covariance_).clip(min=0)
    from podium.bradley_terry.errors.covariance import exact_variances

    return exact_variances(problem, x).clip(min=0)


def variances_to(model: "BradleyTerry", i: int) -> Floats:
    """Of the difference of every log-skill to that of item i; among very many, as if independent."""
    own: Floats = model.standard_error_**2
    found = own + own[i]
    if has_covariance(model):
        with np.errstate(invalid="ignore"):
            found = found - 2 * model.covariance_[i]
    found[i] = 0.0
    return np.asarray(found.clip(min=0))


def has_covariance(model: "BradleyTerry") -> bool:
    """Whether the covariance is at hand, or cheap."""
    return "_joint_covariance" in model.__dict__ or len(model.items_) <= EXACT_ITEMS


def _variance_of_difference(model: "BradleyTerry", a: int, b: int) -> float:
    if len(model.items_) > EXACT_ITEMS:
        return _variance_of_contrast(model, {a: 1.0, b: -1.0})
    v = model.covariance_[np.ix_([a, b], [a, b])]
    return float(max(v[0, 0] + v[1, 1] - 2 * v[0, 1], 0.0))


def order_effect_variance(model: "BradleyTerry") -> float:
    """Of the advantage of the left side, which is the last parameter."""
    if has_covariance(model):
        return float(max(model._joint_covariance[-1, -1], 0.0))
    return _variance_of_contrast(model, {-1: 1.0})


def _variance_of_contrast(model: "BradleyTerry", entries: dict[int, float]) -> float:
    from podium.bradley_terry.errors.series import variance_of_contrast

    contrast = np.zeros(len(model.result_.solution))
    contrast[list(entries)] = list(entries.values())
    return variance_of_contrast(model._problem, model.result_.solution, contrast, sandwich=model._is_pseudo)


def draws(model: "BradleyTerry", n: int, random_state: Any) -> Floats:
    """Log-skills drawn from the normal distribution around the estimate, a row a draw."""
    rng = generator(random_state)
    noise = rng.standard_normal((n, len(model.items_)))
    if np.isinf(model.tie_):
        return noise
    if len(model.items_) > EXACT_ITEMS:  # far apart in the graph, items are all but independent
        return np.asarray(model.log_skill_ + noise * model.standard_error_)
    values, vectors = np.linalg.eigh(model.covariance_)
    root = (vectors * np.sqrt(values.clip(min=0))) @ vectors.T  # unlike the vectors, it has but one sign
    return np.asarray(model.log_skill_ + noise @ root)


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
