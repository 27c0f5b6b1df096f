"""Scikit-learn's base classes, with types: so a type checker knows the parameters of podium's estimators.

An estimator is a dataclass. Its fields are its parameters, which scikit-learn wants stored as they are given.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    class BaseEstimator:
        def __getattr__(self, name: str) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin: ...

    class MetaEstimatorMixin: ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin

__all__ = ["BaseEstimator", "ClassifierMixin", "MetaEstimatorMixin"]
