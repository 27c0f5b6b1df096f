"""A fit that fails leaves its model as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Put the attributes back if the block raises: an error, a warning turned into one, or Ctrl-C.

    Attributes must be set anew in the block, not changed in place. It is a context and not a decorator, so
    that warnings still point at the line that called ``fit``.

    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(C=1.0)
    >>> with all_or_nothing(model):
    ...     model.coef_ = 1 / 0
    Traceback (most recent call last):
    ZeroDivisionError: division by zero
    >>> model
    namespace(C=1.0)
    """
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
