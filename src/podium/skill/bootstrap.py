"""What a bootstrap of a model of skill gave: samples, and what they say of intervals and ranks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.skill.certainty import share_at_the_top
from podium.skill.joint import groups_of
from podium.skill.prediction import positions


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

    def shared_ranks(self, level: float, keep: NDArray[np.int64], together: bool = True) -> NDArray[np.int64]:
        """1 + the number of items of the component that are certainly better.

        Pair by pair: in nearly all replicates. ``together``: by so many standard errors as no difference in a
        component is off its mean in a share ``level`` of the replicates.
        """
        rank = np.ones(len(keep), dtype=np.int64)
        for members in groups_of(self.components, keep):
            samples = self.samples[:, keep[members]]
            find = _ranks_together if together else _ranks_by_pairs
            rank[members] = find(samples, level)
        return rank


def _ranks_by_pairs(samples: Floats, level: float) -> NDArray[np.int64]:
    enough = (1 + level) / 2
    ahead = [np.count_nonzero((samples > own[:, None]).mean(axis=0) > enough) for own in samples.T]
    return 1 + np.array(ahead, dtype=np.int64)


def _ranks_together(samples: Floats, level: float) -> NDArray[np.int64]:
    """By the bootstrap of the largest |z| of all differences."""
    centre, largest, n = samples.mean(axis=0), np.zeros(len(samples)), samples.shape[1]
    z = np.zeros((n, n))
    for i in range(n):
        off = (samples - samples[:, [i]]) - (centre - centre[i])
        error = off.std(axis=0, ddof=1)
        error[i] = np.inf
        error = np.maximum(error, 1e-300)
        largest = np.maximum(largest, np.abs(off / error).max(axis=1))
        z[i] = (centre - centre[i]) / error
    return np.asarray(1 + np.count_nonzero(z > np.quantile(largest, level), axis=1))
