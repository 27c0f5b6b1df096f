"""The columns of a leaderboard: checked and frozen."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.writing.label_text import one_line

COLUMNS = (
    "rank", "item", "score", "low", "high", "rank_low", "rank_high",
    "games", "wins", "ties", "losses", "component",
)  # fmt: skip
WHOLE = ("rank", "rank_low", "rank_high", "component")  # columns of whole numbers
SCALES: dict[str, str] = {"elo": "Elo scale", "log": "log-skill", "skill": "skill"}
SCORE_FORMATS = {"elo": "z.0f", "log": "z.2f", "skill": "#.3g"}
ELO_UNIT = 400 / np.log(10)  # 400 Elo points are odds of 10 to 1
RANKS = ("simultaneous", "pairwise")
ROUNDING = 1e-7  # equal items, in whatever order, differ in their last digits
NO_RANK = 0  # of an item about which hardly anything is known; shown as a dash
Scale = Literal["elo", "log", "skill"]


class OrderEffect(NamedTuple):
    """The advantage of the left side with its interval; on the scale "skill" a factor of the odds."""

    value: float
    low: float
    high: float


class CovariateEffect(NamedTuple):
    """What a side gains if it has ``per`` more of a covariate than the other side, with its interval.

    It is on the scale of the scores; on the scale "skill" it is a factor of the odds.
    """

    name: str
    per: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Board:
    """The data of a leaderboard; `Leaderboard` documents the columns and writes them as text and files."""

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
    ranks: Literal["simultaneous", "pairwise"] | None = None
    title: str | None = None
    notes: tuple[str, ...] = ()
    order_effect: OrderEffect | None = None
    covariate_effects: tuple[CovariateEffect, ...] = ()
    method: tuple[str, ...] = ()
    unpooled: Floats | None = None
    rank_low: NDArray[np.int64] = None  # type: ignore[assignment]  # None: there are no ranges
    rank_high: NDArray[np.int64] = None  # type: ignore[assignment]
    origin: Callable[[], dict[str, Any]] = dict  # what is needed to repeat it, computed when it is saved

    @property
    def provenance(self) -> dict[str, Any]:
        """How to repeat the board: version, options, rows read and left out, and a hash of the rows."""
        return self.origin()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; the unpooled score stands behind the interval of the score."""
        at = COLUMNS.index("games")
        return COLUMNS if self.unpooled is None else (*COLUMNS[:at], "unpooled", *COLUMNS[at:])

    def __post_init__(self) -> None:
        for name in ("rank_low", "rank_high"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.full(len(self.item), NO_RANK))
        for name in self.columns:
            column = _column(getattr(self, name), name)
            if len(column) != len(self.item):
                raise ValueError(f"'{name}' has {len(column):,} rows, but there are {len(self.item):,} items")
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        for name in ("notes", "method"):
            said = getattr(self, name)
            object.__setattr__(self, name, (said,) if isinstance(said, str) else tuple(said))
        effects = tuple(CovariateEffect(*effect) for effect in self.covariate_effects)
        object.__setattr__(self, "covariate_effects", effects)
        if self.scale not in SCALES:
            raise ValueError(f"scale must be 'elo', 'log' or 'skill', not {self.scale!r}")
        if not 0 < self.level < 1:
            raise ValueError(f"level must be between 0 and 1, not {self.level!r}")
        if self.ranks not in (None, *RANKS):
            raise ValueError(f"ranks must be {', '.join(map(repr, RANKS))} or None, not {self.ranks!r}")
        _check_best_first(self)

    @property
    def has_interval(self) -> NDArray[np.bool_]:
        """Which scores have an interval."""
        return np.asarray(~(np.isnan(self.low) | np.isnan(self.high)))

    @property
    def has_ranges(self) -> bool:
        """Whether any rank has a range."""
        return bool((self.rank_low != NO_RANK).any())

    @property
    def has_groups(self) -> bool:
        """Whether there are several groups of items that no comparison connects."""
        return len(set(self.component.tolist())) > 1

    # ------------------------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return len(self.item)

    def __getitem__(self, key: Any) -> Self:
        """Select rows by a slice, a mask or indices; ranks still refer to the whole board."""
        if not isinstance(key, slice):
            key = np.atleast_1d(np.asarray(key))
            key = key.astype(np.intp) if key.size == 0 and key.dtype != bool else key
        return replace(self, **{name: getattr(self, name)[key] for name in self.columns})

    # ------------------------------------------------------------------------------------ as a value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        names = [field.name for field in fields(self) if field.name != "origin"]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"origin": partial(dict, self.provenance)}  # without the comparisons

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


def _column(values: Any, name: str) -> NDArray[Any]:
    """A copy of the values with the type of the column."""
    if name == "item":
        labels = values.tolist() if hasattr(values, "tolist") else list(values)
        kinds = set(map(type, labels))
        if kinds and all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
            return np.array(labels)
        return np.fromiter(labels, dtype=object, count=len(labels))  # np.array would turn teams into a table
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"'{name}' is not a column of numbers") from None
    if numbers.ndim != 1:
        raise ValueError(f"'{name}' has {numbers.ndim} dimensions, but a column needs one")
    if name not in WHOLE:
        return numbers
    if not (np.isfinite(numbers) & (numbers == np.rint(numbers))).all():
        raise ValueError(f"'{name}' is not a column of whole numbers")
    return numbers.astype(np.int64)


def _same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, np.ndarray):
        return np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")
    return bool(mine == theirs)


def _check_best_first(board: Board) -> None:
    """Check the order within every component: by score, or by rank if ``ranks`` is None."""
    order = np.argsort(board.component, kind="stable")
    counted = np.where(board.rank == NO_RANK, np.iinfo(np.int64).max, board.rank)
    by = counted if board.ranks is None else -board.score
    allowed = ROUNDING * (np.abs(by) + (0.0 if board.scale == "skill" else ELO_UNIT))
    rises = (np.diff(by[order]) < -allowed[order][1:]) & (np.diff(board.component[order]) == 0)
    if rises.any():
        row = int(order[1:][rises].min())
        what = f", rank {board.rank[row]}, comes after a worse rank"
        what = what if board.ranks is None else " comes after a lower score"
        raise ValueError(f"'{one_line(board.item[row])}'{what}; put the best first")
