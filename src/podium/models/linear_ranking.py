"""Predictions of a linear ranking function r(x) = coef_·x with a threshold for ties."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from podium.comparisons import Comparisons
from podium.features import as_features, is_sparse
from podium.metrics import comparison_error
from podium.models.featured_pairs import featured_pairs

Floats = NDArray[np.float64]


class LinearRanking(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What a model predicts that has a ``coef_`` and a ``threshold_``: eq. (5) of [SVMcompare]."""

    coef_: Floats
    threshold_: float
    n_features_in_: int

    def utility(self, X: Any) -> Floats:
        """r(x) of every row."""
        check_is_fitted(self, "coef_")
        X = as_features(X, "X")
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features where {self.n_features_in_} were learned from")
        return self._ranks(X)

    def _ranks(self, X: Any) -> Floats:
        # Unlike BLAS, einsum treats equal rows equally wherever they stand: predictions are antisymmetric.
        return np.asarray(X @ self.coef_ if is_sparse(X) else np.einsum("ij,j->i", X, self.coef_))

    def decision_function(self, pairs: Any) -> Floats:
        """r(x') - r(x): above 0 if the right side is better."""
        check_is_fitted(self, "coef_")
        c = featured_pairs(pairs)
        if c.features.shape[1] != self.n_features_in_:
            raise ValueError(
                f"the pairs have {c.features.shape[1]} features where {self.n_features_in_} were learned from"
            )
        return self._differences(c)

    def _differences(self, c: Comparisons) -> Floats:
        if 2 * len(c) < c.n_items:  # a few comparisons of many items
            used, place = np.unique(np.concatenate([c.left, c.right]), return_inverse=True)
            left, right = np.split(self._ranks(c.features[used])[place], 2)
        else:
            r = self._ranks(c.features)
            left, right = r[c.left], r[c.right]
        return np.asarray(right - left)

    def predict(self, pairs: Any) -> NDArray[np.int8]:
        """(5): 0 where |r(x') - r(x)| ≤ ``threshold_``, else the sign."""
        d = self.decision_function(pairs)
        return np.where(np.abs(d) <= self.threshold_, 0, np.sign(d)).astype(np.int8)

    def score(self, pairs: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of comparisons that are predicted right."""
        c = learnable(featured_pairs(pairs, y, sample_weight))
        assert c.outcome is not None
        return 1.0 - comparison_error(c.outcome, self.predict(c), c.weight)


def learnable(c: Comparisons) -> Comparisons:
    if c.outcome is None:
        raise ValueError("these comparisons have no outcome to learn from; give it as y")
    if not len(c):
        raise ValueError("there are no comparisons to learn from")
    return c
