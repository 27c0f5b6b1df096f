"""Preferences between labels: for this instance that label is better than this one."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.features import distinct_rows
from podium.kernels import Floats, Kernel, dense
from podium.messages import first_true, quoted, row_name
from podium.rows import row_weights

if TYPE_CHECKING:
    from podium.solvers.game_rows import GameKernel

Index = NDArray[np.intp]
Labels = NDArray[Any]


class Preferences(NamedTuple):
    """A row a preference: the instance, and the better and the worse label as places in ``labels``."""

    labels: Labels
    instance: Index
    better: Index
    worse: Index
    weight: Floats

    def __len__(self) -> int:
        return len(self.instance)

    @classmethod
    def from_classes(cls, y: Labels, weight: Floats) -> Self:
        """The class of an instance is better than every other: n(m - 1) preferences, those of an instance
        together.
        """
        labels, code = np.unique(y, return_inverse=True)
        if len(labels) < 2:
            raise ValueError("y has one class, and no label is better than another; give two classes or more")
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
        try:
            labels, code = np.unique(np.array([*better, *worse]), return_inverse=True)
        except TypeError:
            raise ValueError("the labels mix types; make them all strings or all numbers") from None
        first, second = code[: len(better)], code[len(better) :]
        if (same := first == second).any():
            row = first_true(same)
            raise ValueError(
                f"the label {quoted(labels[first[row]])} is preferred to itself at {row_name(row)}"
            )
        return cls(labels, place, first, second, row_weights(weight, len(place)))

    def named(self, row: int) -> str:
        """A preference in words."""
        better, worse = self.labels[self.better[row]], self.labels[self.worse[row]]
        return f"{quoted(better)} over {quoted(worse)} for {row_name(int(self.instance[row]))} of X"


def _columns(rows: Any) -> tuple[Any, Any, Any]:
    """Three columns, from a table of any kind."""
    if hasattr(rows, "columns") or isinstance(rows, np.ndarray):
        table = np.asarray(rows)
        if table.ndim != 2 or table.shape[1] != 3:
            raise ValueError(
                f"preferences have three columns (instance, better, worse), not the shape {table.shape}"
            )
        return tuple(table.T)
    rows = [tuple(row) for row in rows]
    for row, cells in enumerate(rows):
        if len(cells) != 3:
            raise ValueError(
                f"preferences are rows (instance, better, worse), and {row_name(row)} has {len(cells)} cells"
            )
    return tuple(zip(*rows, strict=True)) if rows else ((), (), ())  # type: ignore[return-value]


def _places(instance: Any, n: int) -> Index:
    try:
        numbers = np.array(instance).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("the first column of preferences is not the number of a row of X") from None
    bad = ~((numbers >= 0) & (numbers < n) & (numbers == np.floor(numbers)))
    if bad.any():
        row = first_true(bad)
        raise ValueError(
            f"the instance {quoted(instance[row])} at {row_name(row)} is not a row of X; "
            f"they are numbered from 0 to {n - 1:,}"
        )
    return numbers.astype(np.intp)


class Game(NamedTuple):
    """Distinct preferences between distinct instances, ready for a solver.

    ``kind`` says which of them every row is, and is -1 for a row of weight 0; ``rows_of_items`` are the rows
    of X that the instances are.
    """

    kernel: "GameKernel"
    kind: Index
    weight: Floats
    rows_of_items: Index

    def spread(self, p: Floats) -> Floats:
        """A strategy over the rows from one over the distinct preferences: equal rows share by weight."""
        inside = self.kind >= 0
        total = np.bincount(self.kind[inside], self.weight[inside], len(p))
        out = np.zeros(len(self.kind))
        out[inside] = (p / total)[self.kind[inside]] * self.weight[inside]
        return out


def make_game(
    make_kernel: Callable[[Any], Kernel], X: Any, preferences: Preferences, ridge: float, precomputed: bool
) -> Game:
    """Rows that say the same are one preference with the sum of their weights; so are equal instances one.

    ``make_kernel`` is told the instances in use, on which γ may depend.
    """
    from podium.solvers.game_rows import GameKernel

    labels, instance, better, worse, weight = preferences
    used = np.flatnonzero(weight > 0)
    rows, item = np.arange(X.shape[0]), instance[used]
    if not precomputed:
        rows, item = np.unique(item, return_inverse=True)
        first, kind_of_row = distinct_rows(X[rows])
        rows, item = rows[first], np.asarray(kind_of_row, dtype=np.intp)[item]
    m = len(labels)
    distinct, kind_of = np.unique((item * m + better[used]) * m + worse[used], return_inverse=True)
    total = np.bincount(kind_of, weight[used])
    items = dense(X) if precomputed else X[rows]
    parts = (distinct // (m * m), distinct // m % m, distinct % m)
    kind = np.full(len(preferences), -1, dtype=np.intp)
    kind[used] = kind_of
    kernel = GameKernel(make_kernel(items), items, *parts, m, ridge / total)
    with np.errstate(over="ignore"):
        large = ~np.isfinite(kernel.diagonal)
    if large.any():
        row = int(rows[kernel.instance[first_true(large)]])
        raise ValueError(f"the kernel of {row_name(row)} of X with itself overflows; scale the features")
    return Game(kernel, kind, weight, rows)
