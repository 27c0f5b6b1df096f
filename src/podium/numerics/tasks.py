"""Independent tasks on any backend of joblib: in this process, in threads, in processes, or on a cluster."""

import os
import platform
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeVar

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")


class Shared:
    """What all tasks have in common; joblib sends it to each worker of Dask once, not once per task.

    Dask recognises arguments worth sending ahead by their size, but cannot see into objects. Therefore this
    one says that it is large.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __sizeof__(self) -> int:
        return 1_000_000


def n_workers(n_jobs: int | None) -> int:
    """How many tasks run at a time; if this is 1, they run in this process, one after the other."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def run_tasks(
    work: Callable[[S, T], R],
    shared: S,
    tasks: Iterable[T],
    n_jobs: int | None = None,
    *,
    prefer: Literal["threads", "processes"] | None = None,
) -> Iterator[R]:
    """The results of ``work(shared, task)`` for each task, in order.

    The backend of ``joblib.parallel_config`` decides where the tasks run. Without one, ``n_jobs=None`` runs
    them here, and ``prefer`` chooses between threads and processes if ``n_jobs`` is larger. Warnings of other
    processes are given again in this one.
    """
    from joblib.parallel import get_active_backend
    from sklearn.utils.parallel import Parallel, delayed

    backend, _ = get_active_backend(prefer=prefer)
    as_they_come = "generator" if backend.supports_return_generator else "list"
    run, sent, home = delayed(_run), Shared(shared), _process()
    parallel = Parallel(n_jobs=n_jobs, prefer=prefer, return_as=as_they_come)
    for result, caught in parallel(run(work, sent, task, home) for task in tasks):
        for each in caught:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        yield result


def _run(
    work: Callable[[Any, T], R], shared: Shared, task: T, home: tuple[str, int]
) -> tuple[R, list[warnings.WarningMessage]]:
    """The result of one task, and its warnings if it does not run in the process of the caller."""
    if _process() == home:
        return work(shared.value, task), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return work(shared.value, task), caught


def _process() -> tuple[str, int]:
    return platform.node(), os.getpid()
