"""Dask arrays and frames as partitions: what lies side by side becomes the arguments of one call."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from podium.arrays.partitions.rounds import Partitions

Number = TypeVar("Number", np.float64, np.int8)


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
