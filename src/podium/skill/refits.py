"""The refits of a bootstrap: how one is solved, and where many run, here or on a backend of joblib."""

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.core.smooth import Smooth
from podium.numerics.progress import Progress
from podium.numerics.result import NotConverged
from podium.numerics.tasks import n_workers, run_tasks
from podium.numerics.threads import one_blas_thread

TOL = 1e-5  # the relative gradient of a refit to a resample; its error is a thousandth of what resamples vary
DENSE_ITEMS = 1_500  # with more items there is no quick refit, since A⁻¹ is a dense matrix
CHUNKS = 4  # per worker, so that none waits long for the others
STEPS = 100  # chunks at least, if progress is followed


class Refit(NamedTuple):
    """The estimate for one resample, whether it needed a prior, and whether the solver stopped early."""

    solution: Floats
    with_prior: bool
    early: bool


class Near(NamedTuple):
    """What is known at the estimate of a fit: its A⁻¹, and the scale of its gradient."""

    inverse: Floats
    scale: Floats


def quick_refit(
    problem: Smooth, x: Floats, near: Near, tol: float, slowest: float = 0.7, farthest: float = 2.0
) -> Floats | None:
    """Iterate x ← x - D A⁻¹ D g until the gradient g is small; None if it falls too slowly.

    A⁻¹ is the inverse of the information at the estimate, the same for all resamples. With D² = n / n', the
    games n of each item by those n' of the resample, fewer steps are needed. The gradient falls by about the
    same factor with every step, and the last step is the one after which it should be small enough.
    If more than the share ``slowest`` of it is left, a full solver takes less time. Parameters move at most
    ``farthest`` in one step.
    """
    scale, before = problem.scale(), np.nan
    fewer = np.sqrt(near.scale / scale)
    while True:
        gradient = problem.derivatives(x).gradient
        worst = float(np.abs(gradient / scale).max())
        if worst <= tol:
            return x
        if worst > slowest * before or not worst < np.inf:
            return None
        step = -fewer * (near.inverse @ (fewer * gradient))
        far = float(np.abs(step).max())
        step *= farthest / max(far, farthest)
        if problem.longest(x, step) < 1:
            return None
        x = x + step
        if worst * (worst / before) <= tol:
            return x
        before = worst


def check_replicates(n: Any) -> None:
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 2:
        raise ValueError(f"a bootstrap needs at least 2 replicates, not {n!r}")


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
