"""The bootstrap of a Bradley–Terry model: refit to resampled rows, or to resampled groups of rows."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.models.prior import WEAK
from podium.models.strengths import positions
from podium.models.uncertainty import share_at_the_top
from podium.random_states import generator

if TYPE_CHECKING:
    from podium.models.bradley_terry import BradleyTerry
    from podium.solvers.pair_counts import PairCounts
    from podium.solvers.paired import PairedProblem
    from podium.solvers.resample import Replicate

Floats = NDArray[np.float64]

TOL = 1e-5  # of the relative gradient: a thousandth of what another resample changes
CHORD_ITEMS = 1_500  # up to here one dense inverse serves all replicates


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
    resample = _groups(model, n, rng) if groups else _rows(model, n, rng)
    refit = _refitter(model)
    problem, x = model._problem, model.result_.solution
    solutions = np.empty((n, len(x)))
    with_prior, stopped_early = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)

    def work(chunk: NDArray[np.int64]) -> None:
        for r in chunk:
            replicate = resample(int(r))
            found = refit(replicate)
            if found is None:
                found, with_prior[r], stopped_early[r] = _carefully(problem, x, replicate)
            solutions[r] = problem.centred(found)

    from podium.solvers.one_thread import one_blas_thread

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
    from podium.solvers.result import NotConverged

    if n_early:
        message = f"{n_early:,} of the {n:,} refits stopped before they converged"
        warnings.warn(message, NotConverged, stacklevel=4)


def _n_threads(n_jobs: int | None) -> int:
    from podium.solvers.row_threads import n_cores

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


# ------------------------------------------------------------------------------------ resamples


def _rows(model: "BradleyTerry", n: int, rng: np.random.Generator) -> Any:
    """Resample r of single rows."""
    from podium.solvers.resample import cells_of, draw, empty_replicate

    counts = model._problem.counts
    cells = cells_of(counts)
    seeds = rng.integers(0, 2**63, size=n, dtype=np.uint64)

    def resample(r: int) -> "Replicate":
        replicate = empty_replicate(len(counts.partner))
        draw(seeds[r], *cells, *replicate)
        return replicate

    return resample


def _groups(model: "BradleyTerry", n: int, rng: np.random.Generator) -> Any:
    """Resample r of whole groups of rows: as many groups as there are, with replacement."""
    from podium.solvers.resample import Replicate

    tables = _tables_by_group(model)
    n_groups = tables[0].shape[1]
    if n_groups < 2:
        raise ValueError("all comparisons are in one group, which cannot be resampled")
    streams = rng.spawn(n)

    def resample(r: int) -> "Replicate":
        times = streams[r].multinomial(n_groups, np.full(n_groups, 1 / n_groups)).astype(np.float64)
        return Replicate(*(table @ times for table in tables))

    return resample


def _tables_by_group(model: "BradleyTerry") -> tuple[Any, Any, Any]:
    """Total, ties and margin of each pair (rows) in each group (columns)."""
    from scipy.sparse import coo_array

    c = model._comparisons
    if c is None or c.group is None or c.groups is None or c.outcome is None:
        raise ValueError("the comparisons have no groups to resample; read them with group=")
    counts = model._problem.counts
    left, right, sign = model._data.sides[c.left], model._data.sides[c.right], c.outcome.astype(np.float64)
    if not counts.ordered:
        turned = right < left
        left, right = np.where(turned, right, left), np.where(turned, left, right)
        sign = np.where(turned, -sign, sign)
    known = counts.first.astype(np.int64) * counts.n_sides + counts.partner
    order = np.argsort(known)
    pair = order[np.searchsorted(known, left.astype(np.int64) * counts.n_sides + right, sorter=order)]
    shape = (len(known), len(c.groups))
    weight = np.where((c.outcome == 0) & (model.ties == "ignore"), 0.0, c.weight)
    columns = (weight, weight * (sign == 0), weight * sign)
    total, ties, margin = (coo_array((values, (pair, c.group)), shape=shape).tocsr() for values in columns)
    return total, ties, margin


# ------------------------------------------------------------------------------------ refits


def _refitter(model: "BradleyTerry") -> Any:
    """The fast refit where there is one; None from it asks for the careful one."""
    problem, x = model._problem, model.result_.solution
    if problem.teams is not None or problem.n_items > CHORD_ITEMS:
        return lambda replicate: None
    from podium.solvers.covariance import exact_covariance
    from podium.solvers.resample import Refitter

    return Refitter(problem, x, exact_covariance(problem, x), TOL)


def _carefully(problem: "PairedProblem", x: Floats, replicate: "Replicate") -> tuple[Floats, bool, bool]:
    """Refit with a full solver; whether it took a prior, and whether it stopped early."""
    from podium.solvers.paired_fit import fit_paired

    counts = problem.counts.with_sums(*replicate)
    free_tie = problem.free_tie and bool(counts.ties.any())
    one_sided = _is_one_sided(counts, free_tie, problem.free_order)
    if one_sided:
        games = counts.total if counts.total.any() else problem.counts.total
        counts = counts.with_sums(counts.total + 2 * WEAK * games / games.sum(), counts.ties, counts.margin)
    same = replace(problem, counts=counts, rao_kupper=problem.rao_kupper and free_tie, free_tie=free_tie)
    exists = _exists(same)
    if not exists:
        same = replace(same, prior=np.maximum(problem.prior, WEAK))
    keep = np.ones(len(x), dtype=bool)
    if problem.free_tie:
        keep[problem.n_items] = free_tie
    result = fit_paired(same, "auto", TOL, 500, x[keep])
    solution = np.full(len(x), 0.0 if problem.rao_kupper else -np.inf)  # of a tie parameter without ties
    solution[keep] = result.solution
    return solution, one_sided or not exists, not result.converged


def _is_one_sided(counts: "PairCounts", free_tie: bool, free_order: bool) -> bool:
    """Whether nobody won or, if there is an order effect, one side never did; half a tie may be a win."""
    half_ties = 0.0 if free_tie else float(counts.ties.sum())
    wins = (counts.left_wins.sum() + half_ties, counts.right_wins.sum() + half_ties)
    return bool((min(wins) if free_order else max(wins)) == 0)


def _exists(problem: "PairedProblem") -> bool:
    """Whether the replicate has an estimate with the prior that the problem has."""
    from podium.solvers.existence import connected_groups, rest_is_finite, strong_classes

    if problem.teams is not None or problem.prior.min() > 0:
        return True
    loose = problem.prior == 0
    group = connected_groups(problem.counts)
    strong = strong_classes(problem.counts, group)
    apart = {(int(a), int(b)) for a, b in zip(problem.rank_group[loose], strong[loose], strict=True)}
    if len(apart) > len(np.unique(problem.rank_group[loose])):
        return False
    return rest_is_finite(problem.counts, free_tie=problem.free_tie, free_order=problem.free_order)
