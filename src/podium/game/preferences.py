"""Preferences between labels: for an instance, one label is better than another."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.checks import check_present
from podium.comparisons.inputs import row_weights
from podium.comparisons.messages import first_true, quoted, row_name

Labels = NDArray[Any]


class Preferences(NamedTuple):
    """One row per preference: the instance, and the better and the worse label as positions in ``labels``."""

    labels: Labels
    instance: Positions
    better: Positions
    worse: Positions
    weight: Floats

    def __len__(self) -> int:
        return len(self.instance)

    @classmethod
    def from_classes(cls, y: Labels, weight: Floats) -> Self:
        """The class of an instance is better than every other class: n(m - 1) preferences, by instance."""
        labels, code = np.unique(y, return_inverse=True)
        if len(labels) < 2:
            raise ValueError("y has only one class, so there are no preferences; give at least two classes")
        m = len(labels)
        others = np.array([[label for label in range(m) if label != own] for own in range(m)])
        instance = np.repeat(np.arange(len(code)), m - 1)
        return cls(labels, instance, np.repeat(code, m - 1), others[code].ravel(), np.repeat(weight, m - 1))

    @classmethod
    def from_table(cls, rows: Any, n_instances: int, weight: ArrayLike | None) -> Self:
        """From rows (instance, better label, worse label); instances are rows of X, counting from 0."""
        instance, better, worse = _columns(rows)
        if not len(instance):
            raise ValueError("there are no preferences to learn from")
        place = _places(instance, n_instances)
        for name, column in (("the better label", better), ("the worse label", worse)):
            check_present(column, name)
        try:
            labels, code = np.unique(np.array([*better, *worse]), return_inverse=True)
        except TypeError:
            raise ValueError("the labels mix types; make them all strings or all numbers") from None
        first, second = code[: len(better)], code[len(better) :]
        if (same := first == second).any():
            row = first_true(same)
            raise ValueError(
                f"the label {quoted(labels[first[row]])} is preferred to itself at {row_name(row)}; remove it"
            )
        return cls(labels, place, first, second, row_weights(weight, len(place)))

    def named(self, row: int) -> str:
        """A preference in words."""
        better, worse = self.labels[self.better[row]], self.labels[self.worse[row]]
        return f"{quoted(better)} over {quoted(worse)} for {row_name(int(self.instance[row]))} of X"


def _columns(rows: Any) -> tuple[Any, Any, Any]:
    """The three columns of a frame, an array or a list of rows."""
    if hasattr(rows, "columns") or isinstance(rows, np.ndarray):
        table = np.asarray(rows)
        if table.ndim != 2 or table.shape[1] != 3:
            raise ValueError(
                f"preferences must have three columns (instance, better, worse), not the shape {table.shape}"
            )
        return tuple(table.T)
    rows = [tuple(row) for row in rows]
    for row, cells in enumerate(rows):
        if len(cells) != 3:
            raise ValueError(
                f"a preference is (instance, better, worse), but {row_name(row)} has {len(cells)} cells"
            )
    return tuple(zip(*rows, strict=True)) if rows else ((), (), ())  # type: ignore[return-value]


def _places(instance: Any, n: int) -> Positions:
    try:
        numbers = np.array(instance).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("the first column of preferences must hold numbers of rows of X") from None
    bad = ~((numbers >= 0) & (numbers < n) & (numbers == np.floor(numbers)))
    if bad.any():
        row = first_true(bad)
        raise ValueError(
            f"the instance {quoted(instance[row])} at {row_name(row)} is not a row of X; "
            f"give a number from 0 to {n - 1:,}"
        )
    return numbers.astype(np.intp)
