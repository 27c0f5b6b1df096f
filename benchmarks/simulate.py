"""The rest of a league, many times: `pod.simulate` against the loop that a user would write.

    python benchmarks/simulate.py [--case PATTERN] [--full]

Twenty clubs play a double round robin, and a model of last season plays this one. The loop draws the skills
once per season, as `pod.simulate` does, and goes through the games with NumPy's random numbers; it has no tie
breaks and no decisive games. It plays 1,000 seasons, `pod.simulate` 100,000.
"""

from itertools import permutations
from typing import NamedTuple

import numpy as np

import podium as pod
from measuring.cases import Case, Contestant
from measuring.turns import main


class League(NamedTuple):
    """A model and the games of a season."""

    model: pod.BradleyTerry
    fixtures: pod.Comparisons


def league(n_clubs: int = 20) -> League:
    left, right = np.array(list(permutations(range(n_clubs), 2))).T
    rng = np.random.default_rng(0)
    skill = 0.6 * rng.standard_normal(n_clubs)
    x = np.exp((skill[right] - skill[left] - 0.3) / 2)
    chance = np.stack([np.ones_like(x), 0.7 * x, x * x]) / (1 + 0.7 * x + x * x)
    outcome = (rng.random(len(x)) > np.cumsum(chance, axis=0)[:2]).sum(axis=0) - 1
    games = pod.Comparisons.from_arrays(left, right, outcome)
    model = pod.BradleyTerry(prior="normal", order_effect=True).fit(games)
    return League(model, pod.Comparisons.from_arrays(left, right))


def with_podium(data: League, n: int = 100_000) -> None:
    pod.simulate(data.model, data.fixtures, n=n, random_state=0)


def with_a_loop(data: League, n: int = 1_000) -> None:
    draws, c = data.model.draws(n, 0), data.fixtures
    skills, rng = draws[data.model.items_].to_numpy(), np.random.default_rng(0)
    places = np.zeros((c.n_items, c.n_items))
    for season in range(n):
        home, tie = draws["order_effect"][season], draws["tie"][season]
        points = np.zeros(c.n_items)
        for left, right in zip(c.left, c.right, strict=True):
            x = np.exp((skills[season, right] - skills[season, left] - home) / 2)
            u = rng.random() * (1 + tie * x + x * x)
            if u < 1:
                points[left] += 3
            elif u < 1 + tie * x:
                points[[left, right]] += 1
            else:
                points[right] += 3
        places[np.argsort(-points), np.arange(c.n_items)] += 1


if __name__ == "__main__":
    contestants = {"podium, 100,000 seasons": Contestant(with_podium)}
    contestants["a loop, 1,000 seasons"] = Contestant(with_a_loop)
    main([Case("20 clubs, 380 games", league, contestants, reference="a loop, 1,000 seasons")])
