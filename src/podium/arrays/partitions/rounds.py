"""Values that stay on the workers of Dask, one per partition, and functions that run where they are.

A call of `each` or `total` is one *round*: the arguments travel to the workers, the function runs once on
each partition, and the results or their sum come back. Dask knows how each value was made. If a worker is
lost, Dask makes the lost values again. Arrays and frames of Dask become such values with `mapped`: what lies
side by side becomes the arguments of one call.

Without a cluster, the partitions lie in the memory of this process, and its threads run the functions.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

FEW = 8  # results that are added up at a time, on a worker
Number = TypeVar("Number", np.float64, np.int8)


class Partitions:
    """One value per partition: yet to be computed, or kept on the worker that computed it."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = list(values)  # of dask.delayed

    def __len__(self) -> int:
        return len(self.values)

    def persisted(self) -> "Partitions":
        """Compute the values once, and keep them on the workers as long as this object lives."""
        import dask

        return Partitions(dask.persist(*self.values))

    def kept(self, function: Callable[..., Any], *arguments: Any) -> "Partitions":
        """Run the function on every partition; its results stay on the workers."""
        return Partitions(self._calls(function, arguments)).persisted()

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Run the function on every partition and return the results."""
        import dask

        return list(dask.compute(*self._calls(function, arguments)))

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of the results, tuples of numbers and arrays; the workers add up most of it."""
        import dask

        summed = self._calls(function, arguments)
        while len(summed) > 1:
            add = dask.delayed(_added, pure=False)
            summed = [add(summed[k : k + FEW]) for k in range(0, len(summed), FEW)]
        return dask.compute(summed[0])[0]

    def chained(self, function: Callable[..., Any], state: Any) -> Any:
        """Call the function on the state and one partition after another; it returns the next state."""
        import dask

        call = dask.delayed(function, pure=False)
        for value in self.values:
            state = call(state, value)
        return dask.compute(state)[0]

    def chosen(self, keep: Sequence[bool]) -> "Partitions":
        return Partitions([value for value, kept in zip(self.values, keep, strict=True) if kept])

    def _calls(self, function: Callable[..., Any], arguments: Sequence[Any]) -> list[Any]:
        """One call per partition. Of an argument that is itself in partitions, it gets the same partition."""
        import dask

        call = dask.delayed(function, pure=False)
        return [
            call(value, *(a.values[k] if isinstance(a, Partitions) else a for a in arguments))
            for k, value in enumerate(self.values)
        ]


def _added(results: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(sum(parts[1:], start=parts[0]) for parts in zip(*results, strict=True))


class OneValue:
    """One value in this process that stands for all partitions, such as a sample of their rows."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __len__(self) -> int:
        return 1

    def kept(self, function: Callable[..., Any], *arguments: Any) -> "OneValue":
        return OneValue(self.total(function, *arguments))

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(self.value, *(a.value if isinstance(a, OneValue) else a for a in arguments))


# ------------------------------------------------------------------------------------ collections of Dask


def is_dask(X: Any) -> bool:
    """Whether X is an array, frame or series of Dask, without loading Dask to find out."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def mapped(function: Callable[..., Any], **collections: Any) -> Partitions:
    """Call the function on every partition, with a keyword for each collection that is not None.

    Nothing is computed yet. An error names the partition.
    """
    import dask

    given = {name: values for name, values in collections.items() if values is not None}
    blocks = {name: _blocks(values, name) for name, values in given.items()}
    _check_alike(given, {name: len(parts) for name, parts in blocks.items()})
    call = dask.delayed(_called, pure=False)
    names = list(blocks)
    rows = zip(*blocks.values(), strict=True)
    made = [call(function, k + 1, dict(zip(names, row, strict=True))) for k, row in enumerate(rows)]
    return Partitions(made)


def by_blocks(function: Callable[[Any], NDArray[Number]], X: Any, dtype: type[Number]) -> NDArray[Number]:
    """The function of each block of rows, one number per row, as a lazy Dask array."""
    if not hasattr(X, "chunks"):
        raise ValueError("predictions take Dask arrays; frame.to_dask_array() makes one of a Dask frame")
    others, meta = range(1, X.ndim), np.empty(0, dtype=dtype)

    def some(block: Any) -> NDArray[Number]:
        return function(block) if len(block) else meta

    lazy = X.rechunk(dict.fromkeys(others, -1)).map_blocks(some, drop_axis=list(others), meta=meta)
    return cast("NDArray[Number]", lazy)


def _called(function: Callable[..., Any], number: int, arguments: dict[str, Any]) -> Any:
    try:
        return function(**arguments)
    except ValueError as error:
        raise ValueError(f"in partition {number:,}: {error}") from None


def _blocks(values: Any, name: str) -> list[Any]:
    if not is_dask(values):
        raise ValueError(
            f"{name} is not a Dask array or frame, but the rest is; make it one, in the same partitions"
        )
    if hasattr(values, "chunks"):  # an array: blocks of whole rows
        values = values.rechunk(dict.fromkeys(range(1, values.ndim), -1))
        return list(values.to_delayed().ravel())
    return list(values.to_delayed())


def _check_alike(given: dict[str, Any], count: dict[str, int]) -> None:
    """Raise an error unless all have the same number of partitions and, where known, of rows in each."""
    first = next(iter(given))
    sizes = {name: values.chunks[0] for name, values in given.items() if hasattr(values, "chunks")}
    sizes = {name: rows for name, rows in sizes.items() if all(size == size for size in rows)}  # nan: unknown
    for name in given:
        if count[name] != count[first]:
            raise ValueError(
                f"{name} has {count[name]:,} partitions and {first} has {count[first]:,}; give both the same"
            )
        known = next(iter(sizes), name)
        if name in sizes and sizes[name] != sizes[known]:
            raise ValueError(
                f"{name} and {known} are cut at different rows; rechunk one of them like the other"
            )
