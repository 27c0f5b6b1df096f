"""The difference between the two sides of new comparisons, from fitted skills."""

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import names_of
from podium.comparisons.table import Comparisons
from podium.skill.fit import ExistenceWarning, SkillFit

Unseen = Literal["error", "average"]


def positions(known: NDArray[Any], labels: Any) -> NDArray[np.int64]:
    """The position of each label among the known items; an unknown label is an error."""
    labels = [label.item() if isinstance(label, np.generic) else label for label in labels]
    found = find_labels(known, labels)
    if (found < 0).any():
        _refuse([labels[row] for row in np.flatnonzero(found < 0)])
    return found


def differences(fit: SkillFit, c: Comparisons, unseen: Unseen = "error") -> Floats:
    """The difference log q_right - log q_left plus covariates and order effect; nan between components.

    With ``unseen="average"`` an item that the fit does not know has log-skill 0, the mean of the largest
    component, and a warning names it; otherwise it is an error.
    """
    if not isinstance(c, Comparisons):
        raise ValueError(
            f"comparisons are expected, not {type(c).__name__}; make them with podium.read_comparisons or "
            "podium.Comparisons.from_arrays"
        )
    if unseen not in ("error", "average"):
        raise ValueError(f"unseen must be 'error' or 'average', not {unseen!r}")
    strength, component = _strengths(fit, c, unseen)
    d = strength[c.right] - strength[c.left] + fit.offsets(c)
    apart = (component[c.left] != component[c.right]) | (component[c.left] < 0)
    if apart.any():
        warnings.warn(
            f"{int(apart.sum()):,} of {len(c):,} comparisons are between groups that were never compared; "
            "their difference is nan",
            ExistenceWarning,
            stacklevel=4,
        )
        d[apart] = np.nan
    return np.asarray(d)


def _strengths(fit: SkillFit, c: Comparisons, unseen: Unseen) -> tuple[Floats, NDArray[np.int32]]:
    """The log q of every side of c, and its component; -1 if a team has members of several components."""
    place = _places(fit.items, c, unseen)
    theta = np.append(fit.log_skill, 0.0)[place]  # the last entry is an average item
    component = np.append(fit.component, np.int32(0))[place]
    if c.teams is None:
        return theta, component
    top = theta.max()
    members = c.teams.matrix(c.n_items)
    start, code = members.indptr[:-1], component[c.teams.members]
    mixed = np.minimum.reduceat(code, start) != np.maximum.reduceat(code, start)
    return np.log(members @ np.exp(theta - top)) + top, np.where(mixed, -1, code[start]).astype(np.int32)


def _places(known: NDArray[Any], c: Comparisons, unseen: Unseen) -> NDArray[np.int64]:
    """The position of each item of c among the known items, -1 if it is not among them.

    Items without a comparison do not matter.
    """
    if len(known) == c.n_items and (known is c.items or np.array_equal(known, c.items)):
        return np.arange(c.n_items)
    place = find_labels(known, c.items)
    strangers = (place < 0) & c.appears
    if strangers.any():
        labels = c.items[strangers].tolist()
        if unseen == "error":
            _refuse(labels)
        warnings.warn(f"{_not_seen(labels)} and counted as average", ExistenceWarning, stacklevel=6)
    return place


def _refuse(labels: list[Any]) -> None:
    raise ValueError(_not_seen(labels))


def _not_seen(labels: list[Any]) -> str:
    names = np.empty(len(labels), dtype=object)
    names[:] = labels
    kind, verb = ("item", "was") if len(labels) == 1 else ("items", "were")
    return f"the {kind} {names_of(names)} {verb} not seen in fit"
