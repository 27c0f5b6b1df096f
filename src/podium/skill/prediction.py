"""The difference between the two sides of new comparisons, from fitted skills.

A model may know how skills are distributed (`SkillFit.newcomers`). The skill of an item that it has not seen
is then normal, and so is the difference; probabilities are means over it.
"""

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.inputs import check_comparisons
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import names_of
from podium.comparisons.table import Comparisons
from podium.core.links import grade_probabilities
from podium.skill.fit import ExistenceWarning, SkillFit
from podium.skill.joint import DRAWS, Dense, Joint

Unseen = Literal["error", "average"] | None


class Forecast(NamedTuple):
    """The difference of the two sides of every comparison, and its variance because of new items."""

    difference: Floats
    variance: Floats


def positions(known: NDArray[Any], labels: Any) -> NDArray[np.int64]:
    """The position of each label among the known items; an unknown label is an error."""
    labels = [label.item() if isinstance(label, np.generic) else label for label in labels]
    found = find_labels(known, labels)
    if (found < 0).any():
        raise ValueError(_not_seen([labels[row] for row in np.flatnonzero(found < 0)]))
    return found


def differences(fit: SkillFit, c: Comparisons, unseen: Unseen = None) -> Floats:
    """The difference log q_right - log q_left plus covariates and order effect; nan between components."""
    return forecast(fit, c, unseen).difference


def probabilities(
    fit: SkillFit, c: Comparisons, unseen: Unseen = None, *, uncertainty: bool = False, grades: bool = False
) -> Floats:
    """The probabilities of the three outcomes, or of all grades, as means over the skills of new items.

    With ``uncertainty`` they are means over the errors of all differences, by quadrature.
    """
    d, variance = forecast(fit, c, unseen)
    if uncertainty and not np.isposinf(fit.tie):
        variance = variance + difference_variances(fit, c)
    return grade_probabilities(d, fit.link, np.sqrt(variance)) if grades else fit.outcomes(c, d, variance)


def accuracy(predicted: NDArray[np.int8], c: Comparisons, *, half: bool) -> float:
    """The mean accuracy of predicted outcomes; with ``half``, a tie on one side or both is half right."""
    happened = np.asarray(c.outcome)
    right = (1 + predicted * happened) / 2 if half else predicted == happened
    return float(np.average(right, weights=c.mass))


def joint_of(fit: SkillFit) -> Joint:
    """The joint errors of the solution; of many items, those of the skills, and the rest counts as known."""
    if np.isinf(fit.tie):
        raise ValueError("there were only ties, which determine no differences, so there is nothing to draw")
    return Dense(fit.joint_covariance) if fit.is_exact else fit.joint


def difference_variances(fit: SkillFit, c: Comparisons) -> Floats:
    """The variance of the difference of every row because estimates are uncertain, 0 for new items.

    With the slopes A of the differences by all parameters and a root R of their covariance it is the sum of
    the squares of A R. The strength of a team counts as linear.
    """
    joint, n, columns = joint_of(fit), len(fit.solution), fit.columns(c)
    place, rng = find_labels(fit.items, c.items), np.random.default_rng(0)
    root = joint.root if isinstance(joint, Dense) else joint.draws(DRAWS, rng).T / np.sqrt(DRAWS)
    root = np.pad(root, ((0, n + 1 - len(root)), (0, 0)))  # the last row is that of new items
    side, tail = root[place], root[n - columns.shape[1] : n]
    if c.teams is not None:
        share = c.teams.matrix(c.n_items) * np.exp(np.append(fit.log_skill, 0.0)[place])
        side = (share @ side) / share.sum(axis=1)[:, None]
    parts = np.array_split(np.arange(len(c)), len(c) // 1000 + 1)  # of rows, to save memory
    moved = (side[c.right[at]] - side[c.left[at]] + columns[at] @ tail for at in parts)
    return np.concatenate([(part**2).sum(axis=1) for part in moved])


def forecast(fit: SkillFit, c: Comparisons, unseen: Unseen = None) -> Forecast:
    """The differences, as in `differences`, and their variances.

    An item that the fit has not seen has the skill that the fit expects of new items, if it has such an
    expectation; otherwise it is an error. With ``unseen="average"`` it has log-skill 0, the mean of the
    largest component, and a warning names it. With ``unseen="error"`` it is always an error.
    """
    check_comparisons(c)
    if unseen not in (None, "error", "average"):
        raise ValueError(f"unseen must be 'error' or 'average', not {unseen!r}")
    strength, variance, component = _strengths(fit, c, unseen)
    d = strength[c.right] - strength[c.left] + fit.offsets(c)
    apart = (component[c.left] != component[c.right]) | (component[c.left] < 0)
    if apart.any():
        warnings.warn(
            f"{int(apart.sum()):,} of {len(c):,} comparisons are between groups that were never compared; "
            "their difference is nan",
            ExistenceWarning,
            stacklevel=5,
        )
        d[apart] = np.nan
    return Forecast(np.asarray(d), variance[c.left] + variance[c.right])


def _strengths(fit: SkillFit, c: Comparisons, unseen: Unseen) -> tuple[Floats, Floats, NDArray[np.int32]]:
    """The log q of every side of c, its variance, and its component (-1 if a team has several).

    A team with new members has the strength of their mean log-skills, and the variance of its linear
    approximation there: the sum of share² times variance over the new members.
    """
    place, theta, variance = skills(fit, c, unseen)
    component = np.append(fit.component, np.int32(0))[place]
    if c.teams is None:
        return theta, variance, component
    top = theta.max()
    members = c.teams.matrix(c.n_items)
    start, code = members.indptr[:-1], component[c.teams.members]
    mixed = np.minimum.reduceat(code, start) != np.maximum.reduceat(code, start)
    q = members @ np.exp(theta - top)
    spread = (members @ (np.exp(2 * (theta - top)) * variance)) / q**2
    return np.log(q) + top, spread, np.where(mixed, -1, code[start]).astype(np.int32)


def skills(fit: SkillFit, c: Comparisons, unseen: Unseen) -> tuple[NDArray[np.int64], Floats, Floats]:
    """For each item of c: its position among the known items (-1 if it is new), log-skill and variance.

    Items without a comparison do not matter.
    """
    if len(fit.items) == c.n_items and (fit.items is c.items or np.array_equal(fit.items, c.items)):
        return np.arange(c.n_items), fit.log_skill, np.zeros(c.n_items)
    place = find_labels(fit.items, c.items)
    theta, variance = np.append(fit.log_skill, 0.0)[place], np.zeros(c.n_items)
    strangers = (place < 0) & c.appears
    if not strangers.any():
        return place, theta, variance
    labels = c.items[strangers].tolist()
    expected = fit.newcomers(c) if unseen is None else None
    if expected is not None:
        mean, scale = expected
        theta[strangers], variance[strangers] = mean[strangers], scale**2
    elif unseen == "average":
        warnings.warn(f"{_not_seen(labels)} and counted as average", ExistenceWarning, stacklevel=7)
    else:
        raise ValueError(_not_seen(labels))
    return place, theta, variance


def _not_seen(labels: list[Any]) -> str:
    names = np.empty(len(labels), dtype=object)
    names[:] = labels
    kind, verb = ("item", "was") if len(labels) == 1 else ("items", "were")
    return f"the {kind} {names_of(names)} {verb} not seen in fit"
