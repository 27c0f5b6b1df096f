"""Scikit-learn's base classes, with types: so a type checker knows the parameters of podium's estimators.

An estimator is a dataclass. Its fields are its parameters, which scikit-learn wants stored as they are given.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from podium.arrays.devices.boundary import validate_in_numpy
from podium.comparisons.checks import check_present, check_unmasked
from podium.comparisons.features import summed

if TYPE_CHECKING:

    class BaseEstimator:
        def __getattr__(self, name: str) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin: ...

    class MetaEstimatorMixin: ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin

__all__ = ["BaseEstimator", "ClassifierMixin", "MetaEstimatorMixin", "RowEstimator"]


class RowEstimator(BaseEstimator):
    """An estimator that takes rows of features, dense or sparse, or a square kernel matrix."""

    kernel: Any = "linear"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _rows_and_labels(self, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
        """X and y of a fit, checked and in NumPy."""
        check_present(y, "y")
        check_unmasked(X=X)
        X, y = validate_in_numpy(self, X, y, accept_sparse="csr", dtype=np.float64, **options)
        return summed(X), y

    def _rows(self, X: Any, *, fitted: bool = True) -> Any:
        """The X of a prediction or, if not yet ``fitted``, of a fit, checked and in NumPy."""
        if fitted:
            check_is_fitted(self)
        check_unmasked(X=X)
        return summed(validate_in_numpy(self, X, accept_sparse="csr", dtype=np.float64, reset=not fitted))
