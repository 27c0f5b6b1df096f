"""``scale=True``: features standardised by the items that a comparer learns from."""

from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np

from podium.arrays.devices.boundary import to_device_of
from podium.arrays.devices.features import moments
from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse, rows_at
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
        mean, scale = moments(rows_at(c.features, np.flatnonzero(c.appears)))
        if not np.isfinite(scale).all():
            raise ValueError(OVERFLOW)
        return cls(mean, scale)

    def table(self, X: Any) -> Any:
        """The rows of X, standardised."""
        if not is_sparse(X):
            return (X - to_device_of(self.mean, X, X.dtype)) / to_device_of(self.scale, X, X.dtype)
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
