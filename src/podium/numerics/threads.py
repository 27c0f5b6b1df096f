"""How many threads work: a few share a pass over many pairs; BLAS has one for small matrices.

For small matrices the threads of BLAS cost more than they bring, above all when other processes want the
cores.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

SHARED_PAIRS = 500_000  # from here on two or more threads share a pass
MOST_THREADS = 4


def over_rows(indptr: NDArray[Any], work: Callable[[int, int], T]) -> list[T]:
    """What ``work(start, end)`` returns for ranges of rows that hold about as many pairs each.

    Few pairs are one range. The work must release the interpreter and write to nothing that is shared.
    """
    n_rows, n_pairs = len(indptr) - 1, int(indptr[-1])
    n_threads = min(MOST_THREADS, n_cores()) if n_pairs >= SHARED_PAIRS else 1
    if n_threads == 1:
        return [work(0, n_rows)]
    ends = np.searchsorted(indptr, np.linspace(0, n_pairs, n_threads + 1)[1:-1])
    bounds = [0, *ends.tolist(), n_rows]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, bounds[:-1], bounds[1:]))


def in_threads(work: Callable[[int], T], tasks: Iterable[int]) -> Iterator[T]:
    """What ``work`` returns for each task, in their order; it must release the interpreter, as above."""
    with ThreadPoolExecutor(min(MOST_THREADS, n_cores())) as pool:
        yield from pool.map(work, tasks)


def n_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
