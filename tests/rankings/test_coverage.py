"""How often 95 % intervals hold the truth, by simulation.

The tests run few replications with fixed seeds. For more of them::

    python -m tests.rankings.test_coverage 2000
"""

import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
from scipy.special import roots_hermitenorm
from scipy.stats import norm

from podium import PlackettLuce, Rankings
from tests.oracles.rankings import Array, Order, Orders, drawn_order, fit_orders

QUANTILE = norm.ppf(0.975)
SKILL = np.array([-0.9, -0.3, 0.0, 0.4, 0.8])
TASTE = 0.8  # how much judges differ


class Estimate(NamedTuple):
    """What a simulation compares: estimates, their errors, and the truth."""

    found: Array
    error: Array
    truth: Array


Simulation = Callable[[np.random.Generator], Estimate]


def coverage(simulate: Simulation, replications: int) -> float:
    """The share of intervals that hold the truth."""
    drawn = (simulate(np.random.default_rng([19, i])) for i in range(replications))
    hits = [np.abs(each.found - each.truth) <= QUANTILE * each.error for each in drawn]
    return float(np.concatenate(hits).mean())


def estimate(rankings: Rankings, truth: Array, **parameters: Any) -> Estimate:
    model = PlackettLuce(**parameters).fit(rankings)
    return Estimate(model.log_skill_, model.standard_error_, truth - truth.mean())


def pools(n: int, length: int, rng: np.random.Generator) -> Array:
    """Random sets of items, one per row."""
    return np.argsort(rng.random((n, len(SKILL))), axis=1)[:, :length]


def ordered(pool: Array, skill: Array, rng: np.random.Generator) -> Array:
    """Rankings by the model: log-skills plus Gumbel noise, in falling order."""
    return np.take_along_axis(pool, np.argsort(-skill - rng.gumbel(size=pool.shape), axis=1), axis=1)


# ------------------------------------------------------------------------------------ independent rankings


def orders(rng: np.random.Generator) -> Estimate:
    pool = pools(80, 4, rng)
    return estimate(Rankings.from_lists(ordered(pool, SKILL[pool], rng)), SKILL)


def choices(rng: np.random.Generator) -> Estimate:
    pool = pools(150, 4, rng)
    chosen = ordered(pool, SKILL[pool], rng)
    return estimate(Rankings.from_choices(chosen[:, 0], chosen), SKILL)


def tied(rng: np.random.Generator) -> Estimate:
    """Ties of two and three, and a rest below the second place."""
    drawn = [drawn_order(SKILL, {2: 0.6, 3: 0.4}, pool, rng, 2) for pool in pools(120, 4, rng)]
    rest = np.array([len(order) > 2 for order in drawn])
    return estimate(Orders(drawn, len(SKILL), rest=rest).rankings(), SKILL)


# ------------------------------------------------------------------------------------ rankings of judges


def judged(covariance: str) -> Simulation:
    """Each of 40 judges has a taste of their own and ranks three items, eight times."""

    def simulate(rng: np.random.Generator) -> Estimate:
        judge = np.repeat(np.arange(40), 8)
        taste = SKILL + TASTE * rng.normal(size=(40, len(SKILL)))
        pool = pools(len(judge), 3, rng)
        rankings = Rankings.from_lists(ordered(pool, taste[judge[:, None], pool], rng), group=judge)
        return estimate(rankings, average_judge(), covariance=covariance)

    return simulate


@cache
def average_judge() -> Array:
    """What infinitely many judges would give: the fit to the mean probability of every order of three."""
    node, weight = roots_hermitenorm(15)
    noise = TASTE * np.array(list(product(node, repeat=3)))
    share = np.array(list(product(weight / weight.sum(), repeat=3))).prod(axis=1)
    triples = list(permutations(range(len(SKILL)), 3))
    e = np.exp(SKILL[np.array(triples)][:, None, :] + noise)  # triples, nodes, places
    chance = e[..., 0] / e.sum(axis=2) * e[..., 1] / e[..., 1:].sum(axis=2)
    levels: list[Order] = [[(item,) for item in triple] for triple in triples]
    return fit_orders(Orders(levels, len(SKILL), weight=chance @ share)).skill


# ------------------------------------------------------------------------------------ tests


def test_orders() -> None:
    assert 0.93 <= coverage(orders, 200) <= 0.97


def test_choices() -> None:
    assert 0.93 <= coverage(choices, 200) <= 0.975


def test_ties() -> None:
    assert 0.93 <= coverage(tied, 80) <= 0.975


def test_rankings_of_judges() -> None:
    assert 0.925 <= coverage(judged("cluster"), 200) <= 0.965
    assert coverage(judged("model"), 100) < 0.9


def simulations() -> Iterator[tuple[str, Simulation]]:
    yield "orders of four", orders
    yield "choices of four", choices
    yield "ties of two and three", tied
    for kind in ("model", "robust", "cluster"):
        yield f"40 judges, covariance={kind!r}", judged(kind)


if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for title, one in simulations():
        print(f"{title}: {coverage(one, repeats):.3f}")
