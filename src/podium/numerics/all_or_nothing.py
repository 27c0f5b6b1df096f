"""A fit that fails leaves its model as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Restore the attributes if the block raises: an error, a warning turned into an error, or Ctrl-C.

    The block must set attributes anew, not change them in place. This is a context manager and not a
    decorator, so that warnings still point at the line that called ``fit``.

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
