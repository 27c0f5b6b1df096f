"""What linear models do with a table of features, in NumPy, sparse, or on a device where it stays.

The operations are products with the table (`times`), with its transpose (`transpose_times`) and the moments
of its columns (`moments`). Vectors with one number per row are where the table is, and those with one number
per feature are in NumPy. `podium.comparisons.features` has the checks of a table, its rows and equal rows.

Features in float32 are multiplied in float32. ``exact`` products are computed in float64, one block of rows
at a time. They take several times as long, so the certificate uses them, but not every step.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray

from podium.arrays.devices.boundary import Floats, namespace, on_device, to_device_of, to_floats, to_numpy

AT_ONCE = 1 << 27  # features that are converted to float64 at once: 1 GiB


def times(X: Any, u: Floats, exact: bool = False, at_once: int = AT_ONCE) -> Any:
    """The product Xu in float64, where X is."""
    if not on_device(X):
        return X @ u
    xp = namespace(X)
    if exact and X.dtype != xp.float64:
        return xp.concat([times(block, u) for _, block in _blocks(X, at_once)])
    return xp.astype(X @ to_device_of(u, X, X.dtype), xp.float64)


def transpose_times(a: Any, X: Any, exact: bool = False, at_once: int = AT_ONCE) -> Floats:
    """The product aX in NumPy; ``a`` is one row or several, where X is."""
    if not on_device(X):
        return np.asarray((X.T @ a.T).T)
    xp = namespace(X)
    if exact and X.dtype != xp.float64:
        blocks = _blocks(X, at_once)
        sums: Floats = np.sum([transpose_times(a[..., part], block) for part, block in blocks], axis=0)
        return sums
    return to_floats(xp.astype(a, X.dtype) @ X)


def linear_scores(X: Any, coef: Any) -> Any:
    """coef·x of every row, where X is."""
    coef = to_floats(coef)
    # Unlike BLAS, einsum gives equal rows equal results wherever they are: ties stay ties, and predictions
    # are antisymmetric.
    return np.einsum("ij,j->i", X, coef) if isinstance(X, np.ndarray) else times(X, coef)


def _blocks(X: Any, at_once: int) -> Iterator[tuple[slice, Any]]:
    """Rows in float64, as many at a time as fit."""
    (n, p), xp = X.shape, namespace(X)
    size = max(at_once // max(p, 1), 1)
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        yield part, xp.astype(X[part, :], xp.float64)


def moments(X: Any) -> tuple[Floats, Floats]:
    """The mean and the standard deviation of every column; 1 for the deviation of a constant one.

    The columns of a sparse table stay where they are: their mean is taken to be 0.
    """
    if on_device(X):
        xp = namespace(X)
        mean, scale = (to_floats(values) for values in (xp.mean(X, axis=0), xp.std(X, axis=0)))
        constant = scale <= 10 * float(xp.finfo(X.dtype).eps) * np.abs(mean)
        return mean, np.where(constant, 1.0, scale)
    from sklearn.preprocessing import StandardScaler

    with np.errstate(over="ignore", invalid="ignore"):
        scaler = StandardScaler(with_mean=isinstance(X, np.ndarray)).fit(X)
    return (scaler.mean_ if scaler.with_mean else np.zeros(X.shape[1])), scaler.scale_


def extremes(X: Any) -> tuple[float, float]:
    """The smallest and the largest value, without a temporary array; nan if there is one."""
    if not on_device(X):
        return float(X.min()), float(X.max())
    xp = namespace(X)
    return float(xp.min(X)), float(xp.max(X))


# ------------------------------------------------------------------------------------ only on a device


def device_table(X: Any, name: str) -> Any:
    """Features on a device, in float32 or float64. They are not copied, since they may be large."""
    xp = namespace(X)
    X = X.detach() if hasattr(X, "detach") else X
    if getattr(X, "is_sparse", False):
        raise ValueError(f"{name} is sparse; sparse features are matrices of scipy")
    if X.ndim != 2:
        raise ValueError(f"{name} has {X.ndim} dimensions; features are a table with one row per item")
    if xp.isdtype(X.dtype, "complex floating"):
        raise ValueError(f"{name} has complex numbers; features are real")
    if X.dtype not in (xp.float32, xp.float64):  # whole numbers and bools, or half precision
        X = xp.astype(X, xp.float32 if xp.isdtype(X.dtype, "real floating") else xp.float64)
    return X


def device_rows(X: Any, rows: Any) -> Any:
    """Some rows of a table on a device; their numbers are there too, or in NumPy."""
    return namespace(X).take(X, rows if on_device(rows) else to_device_of(rows, X), axis=0)


def rows_not_finite(X: Any) -> NDArray[np.intp]:
    """The rows with a value that is missing or infinite."""
    if not (X.shape[0] and X.shape[1]) or np.isfinite(extremes(X)).all():
        return np.zeros(0, dtype=np.intp)
    xp = namespace(X)
    return np.flatnonzero(~to_numpy(xp.all(xp.isfinite(X), axis=1)))


def joined_tables(tables: Sequence[Any]) -> Any:
    """The rows of all tables, which have to be on one device."""
    places = [(type(table), getattr(table, "device", None)) for table in tables]
    if places.count(places[0]) < len(places):
        raise ValueError("not all features are on one device and of one library; move them to one")
    return namespace(tables[0]).concat(tables, axis=0)


def rows_changed(X: Any, others: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether each row differs from another one, whose number is given."""
    return to_numpy(namespace(X).any(device_rows(X, others) != X, axis=1))


def equal_tables(A: Any, B: Any) -> bool:
    """Whether two tables of one shape, one of them on a device, are on the same one and equal there."""
    together = type(A) is type(B) and A.device == B.device
    return together and bool(namespace(A).all(A == B))


# ------------------------------------------------------------------------------------ sums by group


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
