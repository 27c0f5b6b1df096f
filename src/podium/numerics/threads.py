"""Threads: several for a pass over many pairs, one for BLAS on small matrices.

On small matrices the threads of BLAS cost more than they save, above all if other processes use the cores.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

S = TypeVar("S")
T = TypeVar("T")

SHARED_PAIRS = 500_000  # from this many pairs on, threads share a pass
MOST_THREADS = 4  # per pass


def row_ranges(n_rows: int) -> list[tuple[int, int]]:
    """About equal ranges of rows, one per thread; few rows are one range."""
    n_threads = min(MOST_THREADS, n_cores()) if n_rows >= SHARED_PAIRS else 1
    ends = np.linspace(0, n_rows, n_threads + 1).astype(np.int64).tolist()
    return list(pairwise(ends))


def over_rows(
    indptr: NDArray[Any], work: Callable[[int, int], T], shared_pairs: int = SHARED_PAIRS
) -> list[T]:
    """The results of ``work(start, end)`` for ranges of rows with about equally many pairs.

    Few pairs are one range. ``work`` must release the interpreter lock; no two ranges may write to the same
    memory.
    """
    n_rows, n_pairs = len(indptr) - 1, int(indptr[-1])
    if n_pairs < shared_pairs:  # a refit of a bootstrap takes less time than to share it
        return [work(0, n_rows)]
    n_threads = min(MOST_THREADS, n_cores())
    ends = np.searchsorted(indptr, np.linspace(0, n_pairs, n_threads + 1)[1:-1])
    bounds = [0, *ends.tolist(), n_rows]
    return list(in_threads(lambda part: work(*part), list(pairwise(bounds))))


def in_threads(work: Callable[[S], T], tasks: Sequence[S]) -> Iterator[T]:
    """The results of ``work`` for each task, in order; it must release the interpreter lock.

    The first task runs in this thread, since starting a thread may take longer than a short task.
    """
    with ThreadPoolExecutor(min(MOST_THREADS, n_cores())) as pool:
        rest = pool.map(work, tasks[1:])
        yield work(tasks[0])
        yield from rest


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
    """BLAS uses one thread in this context."""
    with _controller().limit(limits=1, user_api="blas") if wanted else nullcontext():
        yield
