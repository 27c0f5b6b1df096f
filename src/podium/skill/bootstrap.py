"""The result of a bootstrap of a model of skill: samples, with their intervals and ranks."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.skill.certainty import share_at_the_top
from podium.skill.joint import Certain, groups_of
from podium.skill.prediction import positions


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The estimates of a model refitted to resampled comparisons.

    Attributes
    ----------
    items : ndarray of shape (n_items,)
        The items.
    samples : ndarray of shape (n_replicates, n_items)
        The log-skills of each replicate, with mean 0 in each component.
    tie : ndarray of shape (n_replicates,)
        The tie parameter of each replicate.
    order_effect : ndarray of shape (n_replicates,)
        The order effect of each replicate.
    components : ndarray of shape (n_items,)
        The component of each item.
    with_prior : int
        How many replicates had no finite estimate without a prior. They get what a fit to them would get:
        about 1.5 pseudo-games per item, only between items that met, or a weak normal prior of the tie
        parameter or the order effect, which are then large but finite.
    covariate_effect : ndarray of shape (n_replicates, n_covariates)
        The effect of each covariate in each replicate.
    """

    items: NDArray[Any]
    samples: Floats
    tie: Floats
    order_effect: Floats
    components: NDArray[np.int32]
    with_prior: int = 0
    covariate_effect: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def __len__(self) -> int:
        return len(self.samples)

    def __repr__(self) -> str:
        n, k = self.samples.shape
        return f"<Bootstrap: {n:,} replicates of {k:,} items, {self.with_prior:,} with a prior>"

    @property
    def standard_error(self) -> Floats:
        """The standard deviation of the log-skill of each item over the replicates."""
        return np.asarray(self.samples.std(axis=0, ddof=1))

    def interval(self, level: float = 0.95) -> Floats:
        """Percentile intervals of log-skill.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level of each interval.

        Returns
        -------
        ndarray of shape (n_items, 2)
            Lower and upper bounds.
        """
        return np.asarray(np.quantile(self.samples, [(1 - level) / 2, (1 + level) / 2], axis=0).T)

    def difference(self, a: Any, b: Any) -> Floats:
        """The log-skill of item a minus that of item b, in every replicate.

        Parameters
        ----------
        a, b : label
            Two items of the same component.

        Returns
        -------
        ndarray of shape (n_replicates,)
        """
        i, j = positions(self.items, [a, b])
        if self.components[i] != self.components[j]:
            raise ValueError(
                f"{a!r} and {b!r} are in groups that were never compared; set prior to a number above 0"
            )
        return np.asarray(self.samples[:, i] - self.samples[:, j])

    def top_probability(self, k: int = 1) -> Floats:
        """The share of the replicates in which each item is among the k best of its component.

        Parameters
        ----------
        k : int, default=1
            The number of top places.

        Returns
        -------
        ndarray of shape (n_items,)
        """
        return share_at_the_top(self.samples, self.components, k)

    def rank_probability(self) -> Floats:
        """How often each item had each rank.

        Returns
        -------
        ndarray of shape (n_items, n_items)
            Entry (i, r) is the share of the replicates in which item i has rank r + 1 in its component.
        """
        k = len(self.items)
        table = np.zeros((k, k))
        for members in groups_of(self.components, np.arange(k)):
            ranks = np.argsort(np.argsort(-self.samples[:, members], axis=1), axis=1)
            np.add.at(table, (np.broadcast_to(members, ranks.shape), ranks), 1 / len(self))
        return table

    def shared_ranks(self, level: float, keep: NDArray[np.int64], together: bool = True) -> NDArray[np.int64]:
        """1 + the number of items of the component that are significantly better.

        Parameters
        ----------
        level : float
            The confidence level.
        keep : ndarray of int
            The positions of the items to rank.
        together : bool, default=True
            If False, an item is better if it is ahead in a share (1 + level) / 2 of the replicates. If
            True, all differences of a component hold at the same time: the largest standardised error of
            any difference is below the threshold in a share ``level`` of the replicates.

        Returns
        -------
        ndarray of int
            The rank of each item in ``keep``.
        """
        return 1 + self.certain_order(level, keep, together).better

    def certain_order(self, level: float, keep: NDArray[np.int64], together: bool = True) -> Certain:
        """How many items of the component are certainly better, and worse, in the sense of `shared_ranks`."""
        found = Certain(np.zeros(len(keep), dtype=np.int64), np.zeros(len(keep), dtype=np.int64))
        for members in groups_of(self.components, keep):
            samples = self.samples[:, keep[members]]
            is_better = (_better_together if together else _better_by_pairs)(samples, level)
            found.better[members], found.worse[members] = is_better.sum(axis=1), is_better.sum(axis=0)
        return found


def _better_by_pairs(samples: Floats, level: float) -> NDArray[np.bool_]:
    """Entry (i, j): item j is ahead of item i in enough replicates."""
    enough = (1 + level) / 2
    return np.array([(samples > own[:, None]).mean(axis=0) > enough for own in samples.T])


def _better_together(samples: Floats, level: float) -> NDArray[np.bool_]:
    """The same, by the bootstrap distribution of the largest |z| of all differences."""
    centre, largest, n = samples.mean(axis=0), np.zeros(len(samples)), samples.shape[1]
    z = np.zeros((n, n))
    for i in range(n):
        off = (samples - samples[:, [i]]) - (centre - centre[i])
        error = off.std(axis=0, ddof=1)
        error[i] = np.inf
        error = np.maximum(error, 1e-300)
        largest = np.maximum(largest, np.abs(off / error).max(axis=1))
        z[i] = (centre - centre[i]) / error
    return np.asarray(z > np.quantile(largest, level))
