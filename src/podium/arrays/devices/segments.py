"""Sums by group on a device."""

from dataclasses import dataclass
from typing import Any, Self

from array_api_compat import device

from podium.arrays.devices.boundary import namespace


@dataclass(frozen=True)
class Segments:
    """Numbers in groups: the order that sorts them by group, and where each group begins and ends."""

    order: Any
    start: Any
    stop: Any

    @classmethod
    def of(cls, group: Any, n_groups: int) -> Self:
        xp = namespace(group)
        order = xp.argsort(group, stable=True)
        numbers = xp.arange(n_groups + 1, dtype=group.dtype, device=device(group))
        edges = xp.searchsorted(xp.take(group, order), numbers)
        return cls(order, edges[:-1], edges[1:])

    def sums(self, values: Any) -> Any:
        """The sum of the values of each group.

        It is a difference of running totals, since the standard has no sum by group. Totals in float64 keep
        enough digits.
        """
        xp = namespace(values)
        running = xp.cumulative_sum(xp.take(values, self.order), include_initial=True)
        return xp.take(running, self.stop) - xp.take(running, self.start)
