"""Small matrices on one thread: for them the threads of BLAS cost more than they bring, above all when other
processes want the cores.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  its BLAS has to be loaded to be found
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


@contextmanager
def one_blas_thread(wanted: bool = True) -> Iterator[None]:
    """While it lasts, BLAS uses one thread."""
    if not wanted:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield
