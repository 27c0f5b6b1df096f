"""A centre to subtract from the features, so that differences of items keep their digits.

A kernel of pairs is computed from products of items, where a common offset of the features costs twice its
digits. A time in milliseconds, 1.7e12 plus or minus an hour, has none left. Sparse rows stay sparse: only
columns in which every row has an entry are moved.
"""

from typing import Any, NamedTuple

import numpy as np

from podium.arrays.devices.boundary import to_device_of, to_floats
from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.features import is_sparse

SOME_ROWS = 1024  # evenly spread sample that gives the centre: any point among the rows will do
FAR = 10.0  # features are moved if their centre is this many spreads from 0: nearer costs at most two digits


class Offset(NamedTuple):
    """The centre of the rows, and its largest entry in units of their spread around it."""

    centre: Floats
    spreads: float


def offset(X: Any) -> Offset:
    some = X[:: max(1, X.shape[0] // SOME_ROWS), :]
    some = some if is_sparse(X) else to_floats(some)
    with np.errstate(over="ignore", invalid="ignore"):
        centre = _sparse_middle(X, some) if is_sparse(X) else some.mean(axis=0)
        rest = subtracted(some, centre)
        squares = np.square(rest.data if is_sparse(rest) else rest)  # a BLAS norm may wait for its threads
        spread = float(np.sqrt(squares.sum() / some.shape[0]))
    largest = float(np.abs(centre).max(initial=0.0))
    return Offset(centre, largest / spread if spread > 0 else np.inf if largest else 0.0)


def centre_of(X: Any) -> Floats | None:
    """What to subtract from the rows; None if they are near 0, as usual."""
    centre, spreads = offset(X)
    return centre if spreads > FAR else None


def subtracted(X: Any, centre: Floats | None) -> Any:
    """X with the centre subtracted from every row."""
    if centre is None:
        return X
    if not is_sparse(X):
        return X - to_device_of(centre, X, X.dtype)
    from scipy.sparse import csr_array

    n, moved = X.shape[0], np.flatnonzero(centre)
    entries = np.tile(centre[moved], n), np.tile(moved, n), len(moved) * np.arange(n + 1)
    return csr_array(X - csr_array(entries, shape=X.shape))


def _sparse_middle(X: Any, some: Any) -> Floats:
    """The centre of the columns in which every row has an entry; empty if there are none, as usual."""
    if not len(_full_columns(some)) or not len(full := _full_columns(X)):
        return np.zeros(0)
    centre = np.zeros(X.shape[1])
    centre[full] = some[:, full].toarray().mean(axis=0)
    return centre


def _full_columns(X: Any) -> Positions:
    column, count = np.unique(X.indices, return_counts=True)
    return np.asarray(column[count == X.shape[0]], dtype=np.intp)
