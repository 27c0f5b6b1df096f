"""The table behind a rating system: items, what is known of each, and how far time has gone."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.labels import find_labels
from podium.ratings.periods import Period, elapsed

Integers = NDArray[np.int64]
Columns = dict[str, NDArray[Any]]
NEVER = -1.0  # the time of the last game of an item that has not played; clocks start at 1


@dataclass(frozen=True, eq=False)
class Table:
    """Columns with one entry per item; a stream of comparisons turns one table into another.

    The items stay sorted, so the table is the same however the stream was cut. ``clock`` is how many periods
    have passed, and ``latest`` the time of the latest games, in an array that is empty if there is none.
    """

    items: NDArray[Any]
    columns: Columns
    clock: float = 0.0
    latest: NDArray[Any] = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, items: NDArray[Any], entry: dict[str, Any]) -> Self:
        """A table in which every item has the same ``entry``."""
        return cls(items, {name: _repeated(value, len(items)) for name, value in entry.items()})

    def find(self, items: NDArray[Any]) -> Integers:
        """The position of each item; -1 for an unknown one.

        >>> Table.of(np.array([10, 30]), {}).find(np.array([30, 20, 10]))
        array([ 1, -1,  0])
        """
        if np.array_equal(self.items, items):
            return np.arange(len(items))
        if not len(self.items) or not len(items):
            return np.full(len(items), -1)
        if _are_integers(self.items) != _are_integers(items):
            _check_text_is_numbers(self.items, items)
            return find_labels(self.items, items)
        at = np.minimum(np.searchsorted(self.items, items), len(self.items) - 1)
        return np.where(self.items[at] == items, at, -1)

    def admit(self, items: NDArray[Any], entry: dict[str, Any]) -> Self:
        """A copy to write into, with an ``entry`` for each new item.

        If integers and text come together, all items become text.

        >>> Table.of(np.array([10, 30]), {"games": 7}).admit(np.array([30, 20]), {"games": 0}).columns
        {'games': array([7, 0, 7])}
        """
        new = np.unique(items[self.find(items) < 0])
        if not len(new):
            return replace(self, columns={name: column.copy() for name, column in self.columns.items()})
        old = self.items
        if len(old) and _are_integers(old) != _are_integers(new):
            old, new = (labels.astype(str).astype(object) for labels in (old, new))
        every = np.concatenate([old, new]) if len(old) else new
        order = np.argsort(every, kind="stable")
        columns = {
            name: np.concatenate([column, _repeated(entry[name], len(new)).astype(column.dtype)])[order]
            for name, column in self.columns.items()
        }
        return replace(self, items=every[order], columns=columns)

    def clocks(self, time: NDArray[Any] | None, n: int, period: Period | None) -> Floats:
        """How many periods have passed at each row; equal for rows of equal ``time``, which is in order.

        Without time every row is one period later than the row before it.
        """
        if time is None or not n:
            return self.clock + 1 + np.arange(n, dtype=np.float64)
        steps = np.ones(n)
        if len(self.latest):
            self._check_goes_on(time[0])
            steps[:] = elapsed(np.concatenate([self.latest, time]), period)
        else:
            steps[1:] = elapsed(time, period)
        steps[0] += self.clock
        return np.cumsum(steps)

    def at(self, clock: Floats, time: NDArray[Any] | None) -> Self:
        """The same table, after the games of these times."""
        if not len(clock):
            return self
        latest = np.zeros(0) if time is None else time[-1:].copy()
        return replace(self, clock=float(clock[-1]), latest=latest)

    def _check_goes_on(self, time: Any) -> None:
        latest = self.latest[0]
        if (time.dtype.kind == "M") != (latest.dtype.kind == "M"):
            raise ValueError(
                f"'time' is {time} here and was {latest} before; make all of it dates or all numbers"
            )
        if time < latest:
            raise ValueError(f"'time' goes back to {time}, but games up to {latest} are already rated")


def _repeated(entry: Any, n: int) -> NDArray[Any]:
    """A column of n equal entries, which are numbers or rows of numbers."""
    return np.full((n, *np.shape(entry)), entry)


def _are_integers(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "iu"


def _check_text_is_numbers(known: NDArray[Any], new: NDArray[Any]) -> None:
    """Refuse text without any number in it if the known items are integers, and the reverse."""
    text = new if _are_integers(known) else known
    if not any(str(label).removeprefix("-").isdecimal() for label in text.tolist()):
        of_known, of_new = ("integers" if _are_integers(each) else "strings" for each in (known, new))
        raise ValueError(f"the items known so far are {of_known} and these are {of_new}; make them alike")
