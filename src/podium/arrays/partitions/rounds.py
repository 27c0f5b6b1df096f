"""Values that stay on the workers of Dask, one per partition, and functions that run where they are.

A call of `each` or `total` is one *round*: the arguments travel to the workers, the function runs once on
each partition, and the results or their sum come back. Dask knows how each value was made. If a worker is
lost, Dask makes the lost values again.

Without a cluster, the partitions lie in the memory of this process, and its threads run the functions.
"""

from collections.abc import Callable, Sequence
from typing import Any

FEW = 8  # results that are added up at a time, on a worker


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


class Here:
    """One value in this process that stands for all partitions, such as a sample of their rows."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __len__(self) -> int:
        return 1

    def kept(self, function: Callable[..., Any], *arguments: Any) -> "Here":
        return Here(self.total(function, *arguments))

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(self.value, *(a.value if isinstance(a, Here) else a for a in arguments))
