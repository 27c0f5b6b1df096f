"""The bootstrap of a Bradley–Terry model: refit to resampled rows, or to resampled groups of rows."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.bootstrap.refits import careful_refit, quick_refit
from podium.bradley_terry.bootstrap.resamples import resample_groups, resample_rows
from podium.comparisons.random_states import generator
from podium.skill.certainty import share_at_the_top
from podium.skill.prediction import positions

if TYPE_CHECKING:
    from podium.bradley_terry.model import BradleyTerry

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """What refits to resamples gave: ``samples`` of log-skill (a row a replicate, mean 0 in each component),
    of the ``tie`` parameter and of the ``order_effect``.

    ``with_prior`` counts the replicates that had no finite estimate without a prior: 0.1 for the skills, as
    in eq. (7) of [GeneralizedBT]; and where all games were ties, or one of the sides that an order effect
    tells apart never won, a tenth of a win for each side, spread over the pairs as the games are. Such a
    replicate says nothing of the skills, so they are equal, and its order effect is large but finite.
    """

    items: NDArray[Any]
    samples: Floats
    tie: Floats
    order_effect: Floats
    components: NDArray[np.int32]
    with_prior: int = 0

    def __len__(self) -> int:
        return len(self.samples)

    def __repr__(self) -> str:
        n, k = self.samples.shape
        return f"<Bootstrap: {n:,} replicates of {k:,} items, {self.with_prior:,} with a prior>"

    @property
    def standard_error(self) -> Floats:
        return np.asarray(self.samples.std(axis=0, ddof=1))

    def interval(self, level: float = 0.95) -> Floats:
        """Percentile intervals of log-skill, a row an item."""
        return np.asarray(np.quantile(self.samples, [(1 - level) / 2, (1 + level) / 2], axis=0).T)

    def difference(self, a: Any, b: Any) -> Floats:
        """The samples of the log-skill of item a less that of item b."""
        i, j = positions(self.items, [a, b])
        if self.components[i] != self.components[j]:
            raise ValueError(f"{a!r} and {b!r} are in groups that were never compared")
        return np.asarray(self.samples[:, i] - self.samples[:, j])

    def top_probability(self, k: int = 1) -> Floats:
        """The share of the replicates in which each item is among the k best of its component."""
        return share_at_the_top(self.samples, self.components, k)

    def rank_probability(self) -> Floats:
        """The share of the replicates in which item i has rank r + 1 in its component: entry (i, r)."""
        k = len(self.items)
        table = np.zeros((k, k))
        for group in range(self.components.max() + 1):
            members = np.flatnonzero(self.components == group)
            ranks = np.argsort(np.argsort(-self.samples[:, members], axis=1), axis=1)
            np.add.at(table, (np.broadcast_to(members, ranks.shape), ranks), 1 / len(self))
        return table

    def shared_ranks(self, level: float, keep: NDArray[np.int64]) -> NDArray[np.int64]:
        """1 + the number of items of the component that are better in nearly all replicates."""
        samples, component = self.samples[:, keep], self.components[keep]
        enough = (1 + level) / 2
        ahead = ((samples > samples[:, [i]]).mean(axis=0) for i in range(len(keep)))
        return np.array(
            [
                1 + np.count_nonzero((share > enough) & (component == component[i]))
                for i, share in enumerate(ahead)
            ],
            dtype=np.int64,
        )


def run_bootstrap(
    model: "BradleyTerry", n: int, random_state: Any, n_jobs: int | None, groups: bool
) -> Bootstrap:
    """Replicate r depends on the random state, on r, and on the comparisons, in whatever order they are.

    It is the same however many threads share the work.
    """
    if not n >= 2:
        raise ValueError(f"a bootstrap takes at least 2 replicates, not {n!r}")
    if np.isinf(model.tie_):
        raise ValueError("there are only ties, so a bootstrap has nothing to resample")
    rng = generator(random_state)
    resample = resample_groups(model, n, rng) if groups else resample_rows(model, n, rng)
    problem, x = model._problem, model.result_.solution
    refit = quick_refit(problem, x)
    solutions = np.empty((n, len(x)))
    with_prior, stopped_early = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)

    def work(chunk: NDArray[np.int64]) -> None:
        for r in chunk:
            replicate = resample(int(r))
            found = refit(replicate)
            if found is None:
                found, with_prior[r], stopped_early[r] = careful_refit(problem, x, replicate)
            solutions[r] = problem.centred(found)

    from podium.numerics.one_thread import one_blas_thread

    jobs = _n_threads(n_jobs)
    with one_blas_thread():
        if jobs == 1:
            work(np.arange(n))
        else:
            with ThreadPoolExecutor(jobs) as pool:
                list(pool.map(work, np.array_split(np.arange(n), 4 * jobs)))
    _warn_of(int(stopped_early.sum()), n)
    return _result(model, solutions, int(with_prior.sum()))


def _warn_of(n_early: int, n: int) -> None:
    from podium.numerics.result import NotConverged

    if n_early:
        message = f"{n_early:,} of the {n:,} refits stopped before they converged"
        warnings.warn(message, NotConverged, stacklevel=4)


def _n_threads(n_jobs: int | None) -> int:
    from podium.numerics.row_threads import n_cores

    if n_jobs is None:
        return 1
    return max(1, n_jobs if n_jobs > 0 else n_cores() + 1 + n_jobs)


def _result(model: "BradleyTerry", solutions: Floats, with_prior: int) -> Bootstrap:
    problem, k, n = model._problem, len(model.items_), len(solutions)
    tie, order = np.full(n, model.tie_), np.zeros(n)
    if problem.free_tie:
        tie = np.exp(solutions[:, k])
    if problem.free_order:
        order = solutions[:, -1].copy()
    return Bootstrap(model.items_, solutions[:, :k].copy(), tie, order, model.components_, with_prior)
