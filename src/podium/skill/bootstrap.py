"""What a bootstrap of a model of skill gave: samples, and what they say of intervals and ranks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.skill.certainty import share_at_the_top
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
