"""A linear ranking function r(x) = coef_·x, for many items and many pairs."""

from typing import Any

import numpy as np

from podium.comparers.comparer import Comparer
from podium.comparisons.arrays import Floats
from podium.comparisons.features import is_sparse
from podium.comparisons.table import Comparisons


class LinearRanking(Comparer):
    """What a model predicts that has a ``coef_`` and a ``threshold_``."""

    coef_: Floats

    def _ranks(self, X: Any) -> Floats:
        return linear_ranks(X, self.coef_)

    def _differences(self, c: Comparisons) -> Floats:
        return linear_differences(c, self.coef_)


def linear_ranks(X: Any, coef: Floats) -> Floats:
    # Unlike BLAS, einsum treats equal rows equally wherever they stand: predictions are antisymmetric.
    return np.asarray(X @ coef if is_sparse(X) else np.einsum("ij,j->i", X, coef))


@np.errstate(over="ignore", invalid="ignore")
def linear_differences(c: Comparisons, coef: Floats) -> Floats:
    """r(x') - r(x) of every comparison."""
    if 2 * len(c) < c.n_items:  # a few comparisons of many items
        used, place = np.unique(np.concatenate([c.left, c.right]), return_inverse=True)
        left, right = np.split(linear_ranks(c.features[used], coef)[place], 2)
    else:
        r = linear_ranks(c.features, coef)
        left, right = r[c.left], r[c.right]
    return np.asarray(right - left)
