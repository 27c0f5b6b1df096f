"""``scale=True``: features standardised by the items that a comparer learns from."""

from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.devices.arrays import beside, namespace, on_device, rows_at, to_floats
from podium.comparisons.features import is_sparse
from podium.comparisons.table import Comparisons

OVERFLOW = "the squares of the features overflow; divide the features by a large number"


class Scaling(NamedTuple):
    """What is subtracted from each feature, and what it is then divided by.

    A constant feature is not divided. Sparse features stay sparse: nothing is subtracted from them.
    """

    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, c: Comparisons) -> Self:
        """Mean and standard deviation over the items that appear in the comparisons, each counted once."""
        from sklearn.preprocessing import StandardScaler

        X = rows_at(c.features, np.flatnonzero(c.appears))
        if on_device(X):
            return cls._of_device(X)
        with np.errstate(over="ignore", invalid="ignore"):
            scaler = StandardScaler(with_mean=not is_sparse(X)).fit(X)
        if not np.isfinite(scaler.scale_).all():
            raise ValueError(OVERFLOW)
        return cls(np.zeros(X.shape[1]) if is_sparse(X) else scaler.mean_, scaler.scale_)

    @classmethod
    def _of_device(cls, X: Any) -> Self:
        xp = namespace(X)
        mean, scale = (to_floats(values) for values in (xp.mean(X, axis=0), xp.std(X, axis=0)))
        if not np.isfinite(scale).all():
            raise ValueError(OVERFLOW)
        constant = scale <= 10 * float(xp.finfo(X.dtype).eps) * np.abs(mean)
        return cls(mean, np.where(constant, 1.0, scale))

    def table(self, X: Any) -> Any:
        """The rows of X, standardised."""
        if not is_sparse(X):
            return (X - beside(self.mean, X, X.dtype)) / beside(self.scale, X, X.dtype)
        from scipy.sparse import csr_array

        if self.mean.any():
            raise ValueError(
                "these features are sparse, but scale=True was fitted to dense ones; make these dense, too"
            )
        X = csr_array(X)
        return csr_array((X.data / self.scale[X.indices], X.indices, X.indptr), X.shape)

    def comparisons(self, c: Comparisons) -> Comparisons:
        """The comparisons, with standardised features."""
        return replace(c, features=self.table(c.features))


def learned_scaling(scale: Any, c: Comparisons) -> Scaling | None:
    """The standardisation of these comparisons if ``scale`` is True, otherwise None."""
    if not isinstance(scale, bool | np.bool_):
        raise ValueError(f"scale must be True or False, not {scale!r}")
    return Scaling.of(c) if scale else None
