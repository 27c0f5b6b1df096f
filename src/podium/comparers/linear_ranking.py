"""A linear ranking function r(x) = coef_·x, for many items and many pairs.

Only differences of r matter. If the training features are far from 0, r is shifted to 0 at their centre,
since a large offset would use up the digits of coef_·x.
"""

from typing import Any

import numpy as np

from podium.arrays.devices.features import linear_scores
from podium.comparers.comparer import Comparer
from podium.comparisons.arrays import Floats
from podium.comparisons.features import rows_at
from podium.comparisons.table import Comparisons
from podium.numerics.centre import subtracted


class LinearRanking(Comparer):
    """Predictions of a model with a ``coef_`` and a ``threshold_``."""

    _centre: Floats | None = None

    def _ranks(self, X: Any) -> Any:
        return linear_scores(subtracted(X, self._centre), self._coef)

    def _differences(self, c: Comparisons) -> Any:
        return linear_differences(c, self._coef, self._centre)


@np.errstate(over="ignore", invalid="ignore")
def linear_differences(c: Comparisons, coef: Any, centre: Floats | None) -> Any:
    """r(x') - r(x) of every comparison, where the features are."""
    X, sides = c.features, [c.left, c.right]
    if 2 * len(c) < c.n_items:  # a few comparisons of many items
        used, place = np.unique(np.concatenate(sides), return_inverse=True)
        X, sides = rows_at(X, used), np.split(place, 2)
    r = linear_scores(subtracted(X, centre), coef)
    left, right = (rows_at(r, side) for side in sides)
    return right - left
