"""Products with features that may live on a device, and sums by group there.

Features in float32 are multiplied in float32. ``exact`` products are computed in float64, one block of rows
at a time. They take several times as long, so the certificate uses them, but not every step.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from array_api_compat import device

from podium.comparisons.arrays import Floats
from podium.comparisons.devices.arrays import beside, namespace, on_device, to_floats
from podium.comparisons.features import is_sparse

AT_ONCE = 1 << 27  # features that are converted to float64 at once: 1 GiB


def items_times(X: Any, u: Floats, exact: bool = False, at_once: int = AT_ONCE) -> Any:
    """The product Xu in float64, where X is."""
    if not on_device(X):
        return X @ u
    xp = namespace(X)
    if exact and X.dtype != xp.float64:
        return xp.concat([items_times(block, u) for _, block in _blocks(X, at_once)])
    return xp.astype(X @ beside(u, X, X.dtype), xp.float64)


def times_items(a: Any, X: Any, exact: bool = False, at_once: int = AT_ONCE) -> Floats:
    """The product aX in NumPy; ``a`` is one row or several, where X is."""
    if not on_device(X):
        return np.asarray((X.T @ a.T).T)
    xp = namespace(X)
    if exact and X.dtype != xp.float64:
        blocks = _blocks(X, at_once)
        sums: Floats = np.sum([times_items(a[..., part], block) for part, block in blocks], axis=0)
        return sums
    return to_floats(xp.astype(a, X.dtype) @ X)


def linear_scores(X: Any, coef: Any) -> Any:
    """coef·x of every row, where X is."""
    coef = to_floats(coef)
    if is_sparse(X) or on_device(X):
        return items_times(X, coef)
    # Unlike BLAS, einsum gives equal rows equal results wherever they are: ties stay ties, and predictions
    # are antisymmetric.
    return np.asarray(np.einsum("ij,j->i", X, coef))


def _blocks(X: Any, at_once: int) -> Iterator[tuple[slice, Any]]:
    """Rows in float64, as many at a time as fit."""
    (n, p), xp = X.shape, namespace(X)
    size = max(at_once // max(p, 1), 1)
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        yield part, xp.astype(X[part, :], xp.float64)


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
