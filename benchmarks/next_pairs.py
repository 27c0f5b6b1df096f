"""How many votes a ranking needs, with pairs at random, by ASAP's criterion and by `next_pairs`.

    python benchmarks/next_pairs.py [--case PATTERN] [--full]

Every campaign is simulated. The log-skills are normal, the votes follow the Bradley–Terry model, and in the
last campaign Davidson's, with ties. The first votes pair every item with two others, in a random ring. Then
each method chooses batches of n_items - 1 pairs, and ``BradleyTerry(prior="normal")`` is fitted after each.
A campaign ends when Kendall's τ between the fitted and the true log-skills reaches .9. All methods have the
same skills and the same first votes in a run, so that their means can be compared.

ASAP is [Mikhailiuk et al. 2020]: the gain of a pair is the expected Kullback–Leibler divergence of the
posterior after the vote from the posterior now, and the batch is the minimum spanning tree of 1 / gain. The
posterior is the normal one of the fit, updated by moment matching. In the paper the items are independent in
the posterior, so that the divergence is a sum over items ("ASAP"). "ASAP, joint" takes the divergence of the
joint distribution instead. The gain of every pair is computed; the paper skips some at random to save time.

A note gives the votes used, with the standard error of their mean; the seconds are those of all campaigns,
fits included. The speed of `next_pairs` alone is processor time. The usual run has one small
campaign; ``--full`` has 10 runs of large ones and takes hours.

[Mikhailiuk et al. 2020] Mikhailiuk, Wilmot, Perez-Ortiz, Yue, Mantiuk: Active sampling for pairwise
comparisons via approximate message passing and information gain maximization. ICPR 2020.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import kendalltau

from measuring.cases import Case, Clocked, Contestant, unchanged
from measuring.turns import main
from podium import BradleyTerry, Comparisons

SPREADS = (1.0, 1.5, 3.0)  # the standard deviations of the log-skills
TIES = 1.0  # Davidson's ν of the campaign with ties
ENOUGH = 0.9  # Kendall's τ
MOST = 300  # votes per item after which a campaign is stopped
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Method = Callable[[BradleyTerry, int, np.random.Generator], Ints]  # returns a row for every pair


class Campaign(NamedTuple):
    """What is simulated; ``ties`` is Davidson's ν."""

    n_items: int
    spread: float
    ties: float = 0.0

    def __str__(self) -> str:
        return f"{self.n_items} items, spread {self.spread:g}" + (f", ν = {self.ties:g}" if self.ties else "")


# ------------------------------------------------------------------------------------ methods


def random_pairs(model: BradleyTerry, n: int, rng: np.random.Generator) -> Ints:
    k = len(model.items_)
    left = rng.integers(0, k, n)
    return np.column_stack([left, (left + rng.integers(1, k, n)) % k])


def podium_pairs(model: BradleyTerry, n: int, rng: np.random.Generator, **options: Any) -> Ints:
    frame = model.next_pairs(n, random_state=rng, **options)
    return np.asarray(frame[["left", "right"]], dtype=np.int64)


def asap_pairs(model: BradleyTerry, n: int, rng: np.random.Generator, joint: bool = False) -> Ints:
    """The minimum spanning tree of 1 / gain; it has n_items - 1 pairs. Ties are broken at random."""
    ties = model.fit_.tie if model.ties == "davidson" else 0.0
    gain = asap_gains(model.log_skill_, model.covariance_, ties, joint)
    gain *= 1 + 1e-9 * rng.random(gain.shape)
    tree = minimum_spanning_tree(np.triu(1 / np.maximum(gain, 1e-300), 1))
    pairs = np.column_stack(tree.nonzero())
    return rng.permuted(pairs, axis=1)[:n]


def asap_gains(skill: Floats, covariance: Floats, ties: float, joint: bool) -> Floats:
    """The expected divergence of the posterior after a vote from the posterior now, for every pair."""
    own = np.diag(covariance)
    variance = np.maximum(own[:, None] + own - 2 * covariance, 1e-12)
    difference = skill[:, None] - skill
    at = [chances(difference + x * np.sqrt(variance), ties) for x in NODES]
    weight = NODE_WEIGHTS / NODE_WEIGHTS.sum()
    gain = np.zeros_like(covariance)
    for result in range(2 if ties == 0 else 3):
        here = np.array([w * chance[result] for w, chance in zip(weight, at, strict=True)])
        chance = here.sum(axis=0)
        shift = np.tensordot(NODES, here, 1) / chance  # the new mean of the difference, in standard errors
        shrink = np.tensordot(NODES**2, here, 1) / chance - shift**2  # its new variance / the old one
        if joint:
            gain += chance * divergence(shrink, shift**2)
        else:
            gain += chance * sum_of_marginals(covariance, variance, shrink, shift**2)
    return gain


def chances(difference: Floats, ties: float) -> list[Floats]:
    """The probabilities of a win, a loss and a tie."""
    half = np.exp(np.clip(difference, -60, 60) / 2)
    total = half + 1 / half + ties
    return [half / total, 1 / (half * total), ties / total]


def divergence(ratio: Floats, squared_shift: Floats) -> Floats:
    """The divergence of a normal distribution from one with variance 1, given its variance and mean²."""
    return np.asarray(0.5 * (ratio - 1 - np.log(ratio) + squared_shift))


def sum_of_marginals(covariance: Floats, variance: Floats, shrink: Floats, squared_shift: Floats) -> Floats:
    """The sum of the divergences of all items, for every pair i, j; the others follow i - j by regression."""
    own = np.maximum(np.diag(covariance), 1e-12)
    total = np.empty_like(covariance)
    for i, row in enumerate(covariance):
        explained = (row - covariance) ** 2 / (variance[i][:, None] * own)  # the share of an item's variance
        ratio = 1 - explained * (1 - shrink[i][:, None])
        total[i] = divergence(ratio, explained * squared_shift[i][:, None]).sum(axis=1)
    return total


METHODS: dict[str, Method] = {
    "podium": podium_pairs,
    "podium, explore=0": partial(podium_pairs, explore=0.0),
    "random": random_pairs,
    "ASAP": asap_pairs,
    "ASAP, joint": partial(asap_pairs, joint=True),
}


# ------------------------------------------------------------------------------------ campaigns


class Votes:
    """Votes on items with known skills."""

    def __init__(self, campaign: Campaign, rng: np.random.Generator) -> None:
        self.skill = campaign.spread * rng.normal(size=campaign.n_items)
        self.ties, self.rng = campaign.ties, rng
        self.pairs, self.outcome = np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64)

    def ask(self, pairs: Ints) -> None:
        win, loss, _ = chances(self.skill[pairs[:, 0]] - self.skill[pairs[:, 1]], self.ties)
        place = self.rng.random(len(pairs))
        self.pairs = np.concatenate([self.pairs, pairs])
        self.outcome = np.append(self.outcome, np.where(place < win, -1, np.where(place < win + loss, 1, 0)))

    def fit(self) -> BradleyTerry:
        c = Comparisons.from_arrays(self.pairs[:, 0], self.pairs[:, 1], self.outcome)
        return BradleyTerry(prior="normal", ties="davidson" if self.ties else "ignore").fit(c)


def votes_used(campaign: Campaign, method: Method, seed: int) -> int:
    """The number of votes after which τ is reached, or the largest number allowed."""
    rng = np.random.default_rng(seed)
    votes = Votes(campaign, rng)
    ring = rng.permutation(campaign.n_items)
    votes.ask(np.column_stack([ring, np.roll(ring, 1)]))
    while True:
        model = votes.fit()
        used = len(votes.outcome)
        tau = kendalltau(model.log_skill_, votes.skill).statistic
        if tau >= ENOUGH or used >= MOST * campaign.n_items:
            return used
        votes.ask(method(model, campaign.n_items - 1, rng))


def simulated(method: Method, runs: int, campaign: Campaign) -> Clocked:
    """The seconds and the votes of several runs; in every run, all methods see the same skills."""
    start = time.perf_counter()
    used = np.array([votes_used(campaign, method, seed) for seed in range(runs)])
    stopped = np.count_nonzero(used >= MOST * campaign.n_items)
    note = f"{used.mean():,.0f} ± {used.std(ddof=1) / np.sqrt(runs):,.0f} votes, {stopped} runs stopped"
    return Clocked(time.perf_counter() - start, note=note)


def case(campaign: Campaign, runs: int, patience: float) -> Case:
    who = {
        name: Contestant(partial(simulated, one, runs), patience=patience) for name, one in METHODS.items()
    }
    return Case(f"votes, {campaign}, {runs} runs", partial(unchanged, campaign), who, repeat=1)


# ------------------------------------------------------------------------------------ speed


def model_of(n_items: int) -> BradleyTerry:
    """Twenty votes per item."""
    votes = Votes(Campaign(n_items, 1.5), np.random.default_rng(0))
    ring = np.arange(n_items)
    for step in range(1, 21):
        votes.ask(np.column_stack([ring, np.roll(ring, step)]))
    return votes.fit()


def choose(n: int, model: BradleyTerry) -> Clocked:
    """The processor time, so that other processes do not count; the covariance is known already."""
    model.next_pairs(1, random_state=0)
    start = time.process_time()
    model.next_pairs(n, random_state=0)
    return Clocked(time.process_time() - start)


def speed() -> Iterator[Case]:
    who = {
        "podium, the best pair": Contestant(partial(choose, 1)),
        "podium, 50 pairs": Contestant(partial(choose, 50)),
    }
    for n_items in (50, 200, 2_000):
        yield Case(f"speed, {n_items:,} items", partial(model_of, n_items), who)


if __name__ == "__main__":
    large = [Campaign(n_items, spread) for n_items in (50, 200) for spread in SPREADS]
    main(
        list(speed()),
        [case(campaign, 10, 600.0) for campaign in [*large, Campaign(50, 1.5, TIES)]],
    )
