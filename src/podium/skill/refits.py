"""The refits of a bootstrap, in this process or on a backend of joblib."""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.numerics.parallel.tasks import n_workers, run_tasks
from podium.numerics.progress import Progress
from podium.numerics.result import NotConverged
from podium.numerics.threads import one_blas_thread

CHUNKS = 4  # per worker, so that none waits long for the others
STEPS = 100  # chunks at least, if progress is followed


class Refit(NamedTuple):
    """The estimate for one resample, whether it needed a prior, and whether the solver stopped early."""

    solution: Floats
    with_prior: bool
    early: bool


def refit_resamples(
    refit: Callable[[int], Refit], n: int, n_jobs: int | None, progress: Progress | None = None
) -> tuple[Floats, int]:
    """The estimates for resamples 0 to n - 1, one row each, and how many needed a prior.

    ``refit`` must give the same result for a resample wherever and in whatever order it is called. It holds
    all the data, and is sent to each worker. ``progress`` is called with the number of refits done and n.
    """
    workers = n_workers(n_jobs)
    n_chunks = max(CHUNKS * workers if workers > 1 else 1, STEPS if progress else 1)
    chunks, parts, done = np.array_split(np.arange(n), min(n, n_chunks)), [], 0
    with one_blas_thread():
        for part in run_tasks(_refit_chunk, refit, chunks, n_jobs, prefer="threads"):
            parts.append(part)
            done += len(part[0])
            if progress is not None:
                progress(done, n)
    solutions, with_prior, early = (np.concatenate(column) for column in zip(*parts, strict=True))
    if early.any():
        message = f"{int(early.sum()):,} of the {n:,} refits stopped before they converged"
        warnings.warn(message, NotConverged, stacklevel=4)
    return solutions, int(with_prior.sum())


def _refit_chunk(
    refit: Callable[[int], Refit], chunk: NDArray[np.int64]
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    with one_blas_thread():  # again, since this may be another process
        solutions, with_prior, early = zip(*(refit(int(r)) for r in chunk), strict=True)
    return np.array(solutions), np.array(with_prior), np.array(early)
