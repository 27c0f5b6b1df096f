"""Leaderboard: who is best, how sure that is, and on how many games it rests. What every view reads."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.leaderboard.text import COLUMNS, SCALES, as_html, as_markdown, as_text
from podium.writing.atomic import checked_path, write_whole
from podium.writing.frames import as_csv, as_json, as_parquet
from podium.writing.label_text import one_line

if TYPE_CHECKING:
    import pandas as pd

Scale = Literal["elo", "log", "skill"]
Floats = NDArray[np.float64]


class OrderEffect(NamedTuple):
    """The advantage of the left side, with its interval; on the scale "skill" the factor of its odds."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Leaderboard:
    """A frozen table with a row an item, best first.

    Items that cannot be told apart may share a ``rank``. ``low`` and ``high`` bound the ``score`` at the
    confidence ``level``; all three are nan where nothing is known. ``games``, ``wins``, ``ties`` and
    ``losses`` are sums of weights. ``component`` numbers the groups of items that comparisons connect, 0
    being the largest: scores of different groups cannot be compared. ``notes`` are sentences that a reader
    of the numbers should see. ``order_effect`` is the advantage of the left side (home, White, shown first)
    if it was estimated: points on the scale of the scores, or with ``"skill"`` a factor of the odds.

    >>> board = Leaderboard(
    ...     rank=[1, 2, 2], item=["ann", "bob", "cat"],
    ...     score=[1581.2, 1490, 1428.8], low=[1520, 1420, 1350], high=[1642, 1560, 1508],
    ...     games=[12, 10, 8], wins=[8, 3, 1], ties=[2, 4, 2], losses=[2, 3, 5], component=[0, 0, 0],
    ... )
    >>> board
    Leaderboard: 3 items, Elo scale, 95 % intervals
    rank  item  score   low  high  games  wins  ties  losses
       1  ann    1581  1520  1642     12     8     2       2
       2  bob    1490  1420  1560     10     3     4       3
       2  cat    1429  1350  1508      8     1     2       5
    >>> board[board.rank == 2].item.tolist()
    ['bob', 'cat']
    """

    rank: NDArray[np.int64]
    item: NDArray[Any]
    score: Floats
    low: Floats
    high: Floats
    games: Floats
    wins: Floats
    ties: Floats
    losses: Floats
    component: NDArray[np.int64]
    scale: Scale = "elo"
    level: float = 0.95
    title: str | None = None
    notes: tuple[str, ...] = ()
    order_effect: OrderEffect | None = None

    def __post_init__(self) -> None:
        for name in COLUMNS:
            column = _column(getattr(self, name), name)
            if len(column) != len(self.item):
                raise ValueError(
                    f"'{name}' has {len(column):,} rows where {len(self.item):,} items are expected"
                )
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        object.__setattr__(self, "notes", (self.notes,) if isinstance(self.notes, str) else tuple(self.notes))
        if self.scale not in SCALES:
            raise ValueError(f"the scale {self.scale!r} is none of 'elo', 'log' and 'skill'")
        if not 0 < self.level < 1:
            raise ValueError(f"the level {self.level!r} is not between 0 and 1")
        _check_best_first(self)

    # ------------------------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return len(self.item)

    def __getitem__(self, key: Any) -> Self:
        """Rows by a slice, a mask, indices or one index; the ranks stay those of the whole table."""
        if not isinstance(key, slice):
            key = np.atleast_1d(np.asarray(key))
            key = key.astype(np.intp) if key.size == 0 and key.dtype != bool else key
        return replace(self, **{name: getattr(self, name)[key] for name in COLUMNS})

    # ------------------------------------------------------------------------------------ other forms

    def to_frame(self) -> "pd.DataFrame":
        """A pandas frame with the ten columns, a row an item.

        An order effect is in three further columns, the same in every row: order_effect, order_effect_low,
        order_effect_high. The files of `save` have them too.
        """
        import pandas as pd

        frame = pd.DataFrame({name: pd.Series(getattr(self, name)).array for name in COLUMNS})
        return frame.assign(**_constants(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all; its ending says which kind.

        - ``.csv``: every digit, a missing number is an empty cell. A text that a spreadsheet would run as a
          formula, because it starts with = + - @, a tab or a line break, gets an apostrophe in front.
        - ``.json``: a list with an object an item; a missing number is null, a team a list.
        - ``.parquet``: the columns of `to_frame`; a team is a list.
        - ``.md``: a table to read, numbers rounded as on the screen, with the title and the notes.

        In CSV and Markdown the members of a team are joined by " + ".
        """
        path = checked_path(path, WRITERS)
        write_whole(path, WRITERS[path.suffix.lower()](self))

    # ------------------------------------------------------------------------------------ as a value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Leaderboard):
            return NotImplemented
        names = [field.name for field in fields(self)]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def _column(values: Any, name: str) -> NDArray[Any]:
    """A copy of the values in the type that the column has."""
    if name == "item":
        labels = values.tolist() if hasattr(values, "tolist") else list(values)
        kinds = set(map(type, labels))
        if kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
            return np.array(labels)
        return np.fromiter(labels, dtype=object, count=len(labels))  # np.array would take teams for a table
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"'{name}' is not a column of numbers") from None
    if numbers.ndim != 1:
        raise ValueError(f"'{name}' has {numbers.ndim} dimensions; a column has one")
    if name not in ("rank", "component"):
        return numbers
    if not (np.isfinite(numbers) & (numbers == np.rint(numbers))).all():
        raise ValueError(f"'{name}' is not a column of whole numbers")
    return numbers.astype(np.int64)


def _same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, np.ndarray):
        return np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")
    return bool(mine == theirs)


def _check_best_first(board: Leaderboard) -> None:
    order = np.argsort(board.component, kind="stable")
    rises = (np.diff(board.rank[order]) < 0) & (np.diff(board.component[order]) == 0)
    if rises.any():
        row = int(order[1:][rises].min())
        label = one_line(board.item[row])
        raise ValueError(f"'{label}', rank {board.rank[row]}, comes after a worse rank; put the best first")


# ------------------------------------------------------------------------------------ files


def _constants(board: Leaderboard) -> dict[str, float]:
    """Further columns that are the same in every row."""
    names = ("order_effect", "order_effect_low", "order_effect_high")
    return {} if board.order_effect is None else dict(zip(names, board.order_effect, strict=True))


def _csv(board: Leaderboard) -> bytes:
    """A spreadsheet does not know what inf is: a bound that is not there is an empty cell."""
    return as_csv(board.to_frame().replace([np.inf, -np.inf], np.nan))


WRITERS: dict[str, Callable[[Leaderboard], bytes]] = {
    ".csv": _csv,
    ".json": lambda board: as_json(board.to_frame()),
    ".parquet": lambda board: as_parquet(board.to_frame()),
    ".md": lambda board: as_markdown(board).encode(),
}
