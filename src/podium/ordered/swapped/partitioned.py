"""The ranking machine for items in partitions that hold whole queries.

Pairs are formed within a query only, so the loss, its slopes and its second derivatives are sums over the
partitions. The method and its certificate are those of `newton`. The items stay on the workers: a worker gets
w and returns the sums of its items, so a point takes one round. As the method sees it, the scores are w.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from podium.comparisons.arrays import Floats
from podium.comparisons.features import column_names, stacked
from podium.comparisons.labels import as_column
from podium.comparisons.messages import quoted
from podium.comparisons.partitions.rounds import Partitions
from podium.numerics.centre import centre_of, subtracted
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.smoothed_newton import Loss, Point
from podium.numerics.swapped.counts import OrderedItems
from podium.ordered.labelled_items import LabelledItems, labelled_items
from podium.ordered.swapped.metric import Factored, Metric, Operator
from podium.ordered.swapped.newton import (
    DENSE_FEATURES,
    HESSIAN_PAIRS,
    SAMPLE,
    AllPairs,
    curvature,
    solved,
    times_curvature,
)
from podium.ordered.swapped.problem import SwappedPairs


class Described(NamedTuple):
    """What one partition tells about itself."""

    rows: int
    n_features: int
    names: list[str] | None
    heaviest: float
    queries: Any
    centre: Floats | None


class PartitionedItems(AllPairs):
    """All pairs of items in partitions. ``problem`` is a sample of the items, which is here."""

    def __init__(self, parts: Partitions, n: int, sample: SwappedPairs, rng: np.random.RandomState) -> None:
        super().__init__(sample, rng)
        self.parts, self.n = parts, n

    def scores(self, w: Floats) -> Floats:
        return w

    def pull(self, alpha: Floats) -> Floats:
        return alpha

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        value, rounding, v, gain = self.parts.total(_loss, score, width)
        return Loss(value, rounding, v, offsets, gain)

    def _second_derivatives(self, point: Point) -> Metric:
        if len(point.w) > DENSE_FEATURES:
            return Operator(partial(self._times, point.w, point.width))
        most = HESSIAN_PAIRS // len(self.parts) if self.estimated else None
        seed = int(self.rng.randint(2**31))
        return Factored(self.parts.total(_curvature, point.w, point.width, most, seed)[0])

    def _times(self, w: Floats, width: float, q: Floats) -> Floats:
        return np.asarray(self.parts.total(_times_curvature, w, width, q)[0])

    def can_be_formed(self) -> bool:
        return False

    def part(self) -> AllPairs | None:
        if len(self.problem.items) > self.n // 2 or not self.problem.items.n_pairs > 0:
            return None
        self.sampled = AllPairs(self.problem, self.rng, sample=True)
        return self.sampled


def fit_partitioned_items(
    parts: Partitions, C: float, tol: float, max_iter: int, rng: np.random.RandomState
) -> tuple[SolverResult, Described]:
    """Solve for partitions of `labelled_block`; also return what one of them tells about its features."""
    parts, found = _described(parts.persisted())
    n, first = sum(part.rows for part in found), found[0]
    problems = parts.kept(_problem, first.centre, max(part.heaviest for part in found))
    del parts  # the workers may forget them
    pairs = np.array(problems.each(_n_pairs))
    if not pairs.sum() > 0:
        raise ValueError("y has no two rows with different labels within a qid; there is nothing to rank")
    problems = problems.chosen(list(pairs > 0)).kept(_with_cost, C / float(pairs.sum()))
    share, seed = min(1.0, (SAMPLE + 2 * first.n_features) / n), int(rng.randint(2**31))
    sample = _joined(problems.each(_sample, share, seed), C)
    rows = PartitionedItems(problems, n, sample, rng)
    return solved(rows, n, first.n_features, Bounds(tol, max_iter)), first


def _described(parts: Partitions) -> tuple[Partitions, list[Described]]:
    """The partitions that have rows, and what they tell; an error unless they fit together."""
    every = parts.each(_describe)
    found = [part for part in every if part is not None]
    if not found:
        raise ValueError("there are no two rows in one partition; there is nothing to rank")
    for part in found:
        if (part.n_features, part.names) != (found[0].n_features, found[0].names):
            raise ValueError("the partitions have different features; give all the same, in one order")
    queries = pa.concat_arrays([part.queries for part in found]).to_pandas()
    if (twice := queries.duplicated()).any():
        raise ValueError(
            f"the query {quoted(queries[twice].iloc[0])} has rows in several partitions; keep its rows "
            "together, for example with frame.set_index('qid')"
        )
    return parts.chosen([part is not None for part in every]), found


def _joined(samples: list[SwappedPairs], C: float) -> SwappedPairs:
    X = stacked([sample.X for sample in samples])
    return SwappedPairs(X, OrderedItems.joined([sample.items for sample in samples]), C)


# ------------------------------------------------------------------------------------ on the workers


@dataclass(frozen=True)
class Block:
    """The checked rows of one partition."""

    items: LabelledItems
    names: list[str] | None
    queries: Any


def labelled_block(estimator: Any, X: Any, y: Any, qid: Any, sample_weight: Any = None) -> Block | None:
    """The rows of one partition; None if they cannot form a pair. The estimator is a copy, and is changed."""
    if len(y) < 2 or (sample_weight is not None and not np.any(sample_weight)):
        return None
    items = labelled_items(estimator, X, y, qid, sample_weight)
    return Block(items, column_names(X), as_column(qid, "qid").unique())


def _describe(block: Block | None) -> Described | None:
    if block is None:
        return None
    items = block.items
    n, d = items.X.shape
    return Described(n, d, block.names, float(items.weight.max()), block.queries, centre_of(items.X))


def _problem(block: Block, centre: Floats | None, heaviest: float) -> SwappedPairs:
    items = block.items
    ordered = OrderedItems.of(items.y, items.group, items.weight / heaviest)
    return SwappedPairs(subtracted(items.X, centre), ordered, 1.0)


def _n_pairs(problem: SwappedPairs) -> float:
    return problem.items.n_pairs


def _with_cost(problem: SwappedPairs, cost: float) -> SwappedPairs:
    """The problem, with its share of C."""
    return replace(problem, C=cost * problem.items.n_pairs)


def _loss(problem: SwappedPairs, w: Floats, width: float) -> tuple[float, float, Floats, float | None]:
    found = AllPairs(problem, np.random.RandomState(0)).loss(problem.scores(w), width, np.empty(0))
    return found.value, found.rounding, problem.pull(found.alpha), found.gain


def _curvature(problem: SwappedPairs, w: Floats, width: float, most: int | None, seed: int) -> tuple[Floats]:
    return (curvature(problem, problem.scores(w), width, most, np.random.RandomState(seed)),)


def _times_curvature(problem: SwappedPairs, w: Floats, width: float, q: Floats) -> tuple[Floats]:
    return (times_curvature(problem, problem.scores(w), width, q),)


def _sample(problem: SwappedPairs, share: float, seed: int) -> SwappedPairs:
    size = int(np.ceil(share * len(problem.items)))
    return problem.sample(problem.items.sample(size, np.random.RandomState(seed)))
