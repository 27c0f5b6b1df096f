"""A history as arrays, one path per item, for questions about it and for pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.checks import checked_order
from podium.comparisons.messages import first_true, quoted, row_name

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("time", "item", "score", "low", "high")
YEAR = np.timedelta64(365, "D")
RECENT = 0.1  # of the time span, if times are numbers
MOST_POINTS = 400  # of a line; more are not visible


class SkillPath(NamedTuple):
    """The scores of one item, with their intervals, by time."""

    item: Any
    time: NDArray[Any]
    score: Floats
    low: Floats
    high: Floats

    def thinned(self) -> "SkillPath":
        """As many moments as a picture can show, spread evenly over time, with the last and the highest."""
        n = len(self.time)
        if n <= MOST_POINTS:
            return self
        past = elapsed(self.time, self.time[0])
        nearest = np.searchsorted(past, np.linspace(0, past[-1], MOST_POINTS))
        kept = np.unique([*nearest, int(np.argmax(self.score))])
        return SkillPath(self.item, *(column[kept] for column in self[1:]))


@dataclass(frozen=True, eq=False)
class Paths:
    """The paths of all items; item k has the rows from ``bounds[k]`` up to ``bounds[k + 1]``."""

    items: NDArray[Any]
    bounds: Positions
    time: NDArray[Any]
    score: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, history: "pd.DataFrame") -> Self:
        """Check a history and sort it: items in the order in which they appear, each by time."""
        import pandas as pd

        if missing := [name for name in COLUMNS if name not in history]:
            raise ValueError(
                f"a history has the columns {', '.join(COLUMNS)}; {quoted(missing[0])} is not there"
            )
        if not len(history):
            raise ValueError("the history has no rows; give at least one")
        score = history["score"].to_numpy(dtype=np.float64)
        if (bad := ~np.isfinite(score)).any():
            where = row_name(first_true(bad))
            raise ValueError(f"the score at {where} is missing or infinite; leave the row out")
        time = checked_order(history["time"].to_numpy(), len(history), "time")
        code, items = pd.factorize(history["item"].to_numpy())
        order = np.lexsort((time, code))
        bounds = np.concatenate([[0], np.cumsum(np.bincount(code))])
        numbers = (history[name].to_numpy(dtype=np.float64)[order] for name in COLUMNS[2:])
        return cls(items, bounds, time[order], *numbers)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, k: int) -> SkillPath:
        rows = slice(self.bounds[k], self.bounds[k + 1])
        return SkillPath(self.items[k], self.time[rows], self.score[rows], self.low[rows], self.high[rows])

    @property
    def last(self) -> Positions:
        """The row of the last moment of each item."""
        return self.bounds[1:] - 1

    @property
    def recent(self) -> Any:
        """When the recent past begins: a year before the last day.

        If times are numbers, these are the last tenth of the time span, or the last unit of time if that is
        longer.
        """
        first, last = self.time.min(), self.time.max()
        if self.time.dtype.kind == "M":
            return last.astype("datetime64[D]") - YEAR
        return last - max(RECENT * (last - first), 1)

    def moment(self, value: Any) -> Any:
        """A date or a number, whichever the times are."""
        are_dates = self.time.dtype.kind == "M"
        try:
            return np.datetime64(value) if are_dates else float(value)
        except (TypeError, ValueError):
            kind = "a date such as '2022-09-05'" if are_dates else "a number"
            raise ValueError(f"since must be {kind}, like the times of the history, not {value!r}") from None

    def score_at(self, moment: Any) -> Floats:
        """The score of each item at a moment, on the line between its own moments.

        Before its first moment it is the first score, and after its last the last.
        """
        past = elapsed(self.time, moment)
        rows = map(slice, self.bounds[:-1], self.bounds[1:])
        return np.array([np.interp(0.0, past[own], self.score[own]) for own in rows])

    def drawn(self, items: Sequence[Any] | None, max_items: int) -> list[SkillPath]:
        """What a picture shows: the given items, or the best at the end among those that played recently."""
        return [self[k].thinned() for k in self._chosen(items, max_items)]

    def _chosen(self, items: Sequence[Any] | None, max_items: int) -> list[int]:
        if max_items < 1:
            raise ValueError(f"max_items must be at least 1, not {max_items}")
        if items is not None:
            if not len(items):
                raise ValueError("items is empty; name at least one item, or leave it out")
            place = {item: k for k, item in enumerate(self.items.tolist())}
            if unknown := [item for item in items if item not in place]:
                raise ValueError(f"the history has no item {quoted(unknown[0])}; choose from its items")
            return [place[item] for item in items][:max_items]
        active = np.flatnonzero(self.time[self.last] >= self.recent)
        best = np.argsort(-self.score[self.last[active]], kind="stable")
        found: list[int] = active[best[:max_items]].tolist()
        return found


def elapsed(time: NDArray[Any], start: Any) -> Floats:
    """The time since a moment as numbers: in seconds if times are dates."""
    past = np.asarray(time - start)
    return np.asarray(past / np.timedelta64(1, "s") if past.dtype.kind == "m" else past, dtype=np.float64)


def apart(wanted: Floats, gap: float) -> Floats:
    """Positions as near to the wanted ones as possible, in the same order, and at least ``gap`` apart.

    >>> apart(np.array([0.0, 3.0, 3.5]), 1.0)
    array([0.  , 2.75, 3.75])
    """
    from scipy.optimize import isotonic_regression

    order, spaces = np.argsort(wanted, kind="stable"), gap * np.arange(len(wanted))
    placed = np.empty(len(wanted))
    placed[order] = isotonic_regression(wanted[order] - spaces).x + spaces
    return placed
