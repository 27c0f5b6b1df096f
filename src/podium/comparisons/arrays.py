"""The arrays that most signatures name, numbers stored once for all rows, runs of positions, frozen rows."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import fields
from types import EllipsisType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]  # of items, teams, groups: positions in a table of them
Index = NDArray[np.int64]
Positions = NDArray[np.intp]  # as NumPy itself returns them
# Codes and their labels:
LABELLED = {"group": "groups", "category": "categories", "judge_kind": "judge_kinds"}


def constant(array: NDArray[Any]) -> float | None:
    """The one number of an array that stores it once; None for an array that stores every number.

    >>> constant(np.broadcast_to(1.0, 3)), constant(np.ones(3))
    (1.0, None)
    """
    return float(array[0]) if array.strides == (0,) and len(array) else None


def take(array: NDArray[Any], rows: Any) -> NDArray[Any]:
    """The chosen rows; a number that is stored once for all rows stays so."""
    if constant(array) is None or isinstance(rows, slice):
        return np.asarray(array[rows])
    return np.broadcast_to(array[0], len(rows))


def join(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Arrays end to end; a number that all of them store once stays so."""
    filled = [array for array in arrays if len(array)]
    numbers = {constant(array) for array in filled}
    if len(numbers) == 1 and None not in numbers:
        return np.broadcast_to(filled[0][0], sum(map(len, filled)))
    return np.concatenate(arrays)


def ranges(start: NDArray[np.integer[Any]], stop: NDArray[np.integer[Any]]) -> tuple[Index, Index]:
    """Every position of ``start[i]:stop[i]`` for each i in turn, and its i.

    >>> ranges(np.array([5, 1]), np.array([7, 4]))
    (array([0, 0, 1, 1, 1]), array([5, 6, 1, 2, 3]))
    """
    size = stop - start
    which = np.repeat(np.arange(len(size)), size)
    return which, np.arange(len(which)) + np.repeat(start - (np.cumsum(size) - size), size)


def bounds(is_start: NDArray[np.bool_]) -> tuple[Index, Index]:
    """For each position, where its run begins and ends, given where runs begin."""
    starts = np.flatnonzero(is_start)
    ends = np.append(starts[1:], len(is_start))
    run = np.cumsum(is_start) - 1
    return starts[run], ends[run]


# ------------------------------------------------------------------------------------ frozen tables


class FrozenTable(ABC):
    """A frozen dataclass of arrays: nobody can write to them, so copies are the table itself.

    ``_ROW_ARRAYS`` names the arrays that have one entry per row, or are None.
    """

    _ROW_ARRAYS: ClassVar[tuple[str, ...]]
    items: NDArray[Any]
    weight: Floats
    count: Floats

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, key: Any) -> Self: ...

    @abstractmethod
    def summary(self) -> Any: ...

    @property
    def n_items(self) -> int:
        return len(self.items)

    @property
    def mass(self) -> Floats:
        """What each row adds to a sum: its count times its weight."""
        return product(self.count, self.weight)

    def __iter__(self) -> Iterator[Self]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return str(self.summary().text())

    def _repr_html_(self) -> str:
        return str(self.summary().html())

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, frozen(value))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]

    __array_ufunc__ = None  # numpy leaves comparisons with == to us


def row_arrays(table: FrozenTable) -> dict[str, NDArray[Any]]:
    """The arrays of a table that have one entry per row."""
    return {name: array for name in table._ROW_ARRAYS if (array := getattr(table, name)) is not None}


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to."""
    array = array.view()
    array.flags.writeable = False
    return array


def rows_of_key(key: Any, n: int, noun: str) -> slice | Positions:
    """The rows that ``table[key]`` means: a mask, indices, a slice or one index; ``table[rows, ...]`` too."""
    if isinstance(key, tuple) and key:
        key, *rest = key
        if any(not isinstance(axis, EllipsisType) for axis in rest):
            letter = noun[0]
            raise IndexError(
                f"{noun} have one axis to choose from, their rows: {letter}[rows] or {letter}[rows, ...]"
            )
    if isinstance(key, slice):
        return key
    if isinstance(key, list) and not key:
        return slice(0)
    rows: Positions = np.atleast_1d(np.arange(n)[key])
    if rows.ndim != 1:
        raise IndexError("rows are chosen by a mask, a slice, or one or a list of indices")
    return rows


def product(count: NDArray[Any], weight: NDArray[Any]) -> Floats:
    """What each row adds to a sum; a 1 that is stored once for all rows is not multiplied."""
    if constant(count) == 1:
        return weight
    return count if constant(weight) == 1 else np.asarray(count * weight)
