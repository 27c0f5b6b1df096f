"""Quasi-variances: one error per item that gives the error of every difference (Firth and de Menezes 2004).

The quasi-variances q of a component minimise Σ over pairs of (log(q_i + q_j) - log v_ij)², where v_ij is the
variance of the difference of the log-skills of i and j. Then √(q_i + q_j) is close to the error of that
difference, so a reader of a table can test any two items without the covariance.

The minimum is found by Gauss–Newton steps. They start from the q with Σ_j (q_i + q_j) = Σ_j v_ij.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats
from podium.core.linear import EXACT_ITEMS
from podium.skill.fit import SkillFit
from podium.skill.joint import groups_of

if TYPE_CHECKING:
    import pandas as pd

STEPS = 100  # at most
ENOUGH = 1e-10  # the search ends if no quasi-variance moves by more than this share of the largest


class Quasi(NamedTuple):
    """For each item its quasi-variance, and the largest relative error of its √(q_i + q_j)."""

    variance: Floats
    worst_error: Floats


def quasi_frame(fit: SkillFit) -> "pd.DataFrame":
    """One row per item: estimate, standard error, quasi-error and the worst relative error."""
    import pandas as pd

    found = quasi_variances(fit)
    columns = {
        "item": pd.Series(fit.items).array,
        "estimate": fit.log_skill,
        "error": fit.standard_error,
        "quasi_error": quasi_error(found),
        "worst_error": found.worst_error,
    }
    return pd.DataFrame(columns)


def quasi_error(found: Quasi) -> Floats:
    """The roots of the quasi-variances; nan if one is negative, which is possible but rare."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(found.variance)


def quasi_variances(fit: SkillFit, most: int = EXACT_ITEMS) -> Quasi:
    """The quasi-variances of all items, component by component; nan for an item that is alone."""
    q, worst = np.full(len(fit.items), np.nan), np.full(len(fit.items), np.nan)
    for members in groups_of(fit.component, np.arange(len(fit.items))):
        if len(members) > most:
            raise ValueError(
                f"quasi-variances need the errors of all pairs, so a group may have at most {most:,} "
                f"items, not {len(members):,}"
            )
        if len(members) > 1:
            joint = fit.joint.of(members)
            between = np.array([joint.variances_to(i) for i in range(len(members))])
            q[members] = _fitted(between) if np.isfinite(between).all() else np.inf
            worst[members] = _worst_errors(q[members], between)
    return Quasi(q, worst)


def _fitted(between: Floats) -> Floats:
    """The quasi-variances of one component, from the variances of all differences."""
    k = len(between)
    if k == 2:  # only the sum is determined
        return np.full(2, between[0, 1] / 2)
    sums = between.sum(axis=1)
    q = (sums - sums.sum() / (2 * k - 2)) / (k - 2)
    q = np.maximum(q, sums.min() / k / 100)
    value = _loss(q, between)
    for _ in range(STEPS):
        step = _gauss_newton(q, between)
        while (lower := _loss(q + step, between)) > value and not _is_small(step, q):
            step /= 2
        q, value = q + step, lower
        if _is_small(step, q):
            break
    return np.asarray(q)


def _is_small(step: Floats, q: Floats) -> bool:
    return bool(np.abs(step).max() <= ENOUGH * q.max())


def _loss(q: Floats, between: Floats) -> float:
    """Twice the sum of the squared errors of the logarithms; infinite if some q_i + q_j is not above 0."""
    pairs = _sums(q)
    if not pairs.min() > 0:
        return np.inf
    return float((_log_errors(pairs, between) ** 2).sum())


def _gauss_newton(q: Floats, between: Floats) -> Floats:
    pairs = _sums(q)
    weight = pairs**-2.0
    np.fill_diagonal(weight, 0.0)
    gradient = (_log_errors(pairs, between) / pairs).sum(axis=1)
    np.fill_diagonal(weight, weight.sum(axis=1))
    return np.linalg.solve(weight, -gradient)


def _sums(q: Floats) -> Floats:
    """All q_i + q_j; the diagonal is no pair and is set to 1."""
    pairs = q[:, None] + q
    np.fill_diagonal(pairs, 1.0)
    return pairs


def _log_errors(pairs: Floats, between: Floats) -> Floats:
    """log(q_i + q_j) - log v_ij, and 0 on the diagonal."""
    error = np.log(pairs) - np.log(between + np.eye(len(pairs)))
    np.fill_diagonal(error, 0.0)
    return np.asarray(error)


def _worst_errors(q: Floats, between: Floats) -> Floats:
    """For each item, the largest of |√((q_i + q_j) / v_ij) - 1| over the others."""
    if not np.isfinite(q).all():
        return np.full(len(q), np.nan)
    return np.asarray(np.abs(np.expm1(_log_errors(_sums(q), between) / 2)).max(axis=1))
