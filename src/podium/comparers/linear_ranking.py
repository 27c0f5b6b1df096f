"""A linear ranking function r(x) = coef_·x, for many items and many pairs.

Only differences of r matter. If the training features are far from 0, r is shifted to 0 at their centre,
since a large offset would use up the digits of coef_·x.
"""

from typing import Any

import numpy as np

from podium.comparers.comparer import Comparer
from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse
from podium.comparisons.table import Comparisons
from podium.numerics.centre import subtracted


class LinearRanking(Comparer):
    """Predictions of a model with a ``coef_`` and a ``threshold_``."""

    _centre: Floats | None = None

    def _ranks(self, X: Any) -> Floats:
        return linear_ranks(subtracted(X, self._centre), self._coef)

    def _differences(self, c: Comparisons) -> Floats:
        return linear_differences(c, self._coef, self._centre)


def linear_ranks(X: Any, coef: Floats) -> Floats:
    # Unlike BLAS, einsum gives equal rows equal results wherever they are, so predictions are antisymmetric.
    return np.asarray(X @ coef if is_sparse(X) else np.einsum("ij,j->i", X, coef))


@np.errstate(over="ignore", invalid="ignore")
def linear_differences(c: Comparisons, coef: Floats, centre: Floats | None) -> Floats:
    """r(x') - r(x) of every comparison."""
    if 2 * len(c) < c.n_items:  # a few comparisons of many items
        used, place = np.unique(np.concatenate([c.left, c.right]), return_inverse=True)
        left, right = np.split(linear_ranks(subtracted(c.features[used], centre), coef)[place], 2)
    else:
        r = linear_ranks(subtracted(c.features, centre), coef)
        left, right = r[c.left], r[c.right]
    return np.asarray(right - left)
