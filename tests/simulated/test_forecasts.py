"""Forecasts: the size of paired tests at the level of 5 %, and parameters that are learned again."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from podium import BradleyTerry, Comparisons, DynamicBradleyTerry
from podium.evaluation import walk_forward

TESTED = 1200


class Sure(BaseEstimator):  # type: ignore[misc]
    """Gives the right side the same chance in every game."""

    def __init__(self, chance: float) -> None:
        self.chance = chance

    def fit(self, c: Comparisons) -> "Sure":
        return self

    def before(self, c: Comparisons) -> Any:
        return np.tile([1 - self.chance, 0.0, self.chance], (len(c), 1))


def games(half_life: float, seed: int) -> Comparisons:
    """Games whose log-odds have standard deviation ½ and a correlation that halves in so many games."""
    rng, keeps = np.random.default_rng(seed), 0.5 ** (1 / half_life)
    noise = rng.normal(size=2 * TESTED) * np.sqrt(1 - keeps**2)
    odds = [rng.normal()]
    for each in noise[1:]:
        odds.append(keeps * odds[-1] + each)
    right = rng.random(2 * TESTED) < 1 / (1 + np.exp(-0.5 * np.array(odds)))
    return Comparisons.from_arrays(["a"] * len(right), ["b"] * len(right), np.where(right, 1, -1))


def size(half_life: float, blocks: int, runs: int) -> float:
    """How often the interval of the difference excludes 0; by symmetry both models are equally good."""
    found = []
    for seed in range(runs):
        c = games(half_life, seed)
        one, other = (walk_forward(Sure(p), c, test_share=0.5, refits=1, n_bootstrap=1) for p in (0.4, 0.6))
        table = one.compare(other, blocks=blocks, n_bootstrap=200).set_index("score")
        found.append(not table["low"]["log loss"] <= 0 <= table["high"]["log loss"])
    return float(np.mean(found))


@pytest.mark.slow
def test_the_size_of_paired_tests() -> None:
    """The numbers of `WalkForward.compare` and docs/evaluation.md; 400 runs have errors of up to 2.5 %."""
    assert 0.02 <= size(1, 20, 400) <= 0.08
    assert size(60, 20, 400) > 0.15
    assert size(60, 5, 400) <= 0.12
    assert size(200, 20, 400) > 0.4
    assert size(200, 3, 400) <= 0.17


def test_longer_blocks_mend_paired_tests() -> None:
    runs = 25
    assert size(1, 20, runs) <= 0.2
    assert size(200, 20, runs) >= size(200, 3, runs) + 0.1


def league(seed: int) -> Comparisons:
    """200 games of 8 equal items, then 1,000 games of 30 newcomers whose log-skills differ by 2."""
    rng = np.random.default_rng(seed)
    skill = np.append(np.zeros(8), 2 * rng.normal(size=30))
    first, n_items = np.repeat([0, 8], [200, 1000]), np.repeat([8, 30], [200, 1000])
    left = rng.integers(n_items)
    right = (left + rng.integers(1, n_items)) % n_items
    left, right = first + left, first + right
    wins = rng.random(1200) < 1 / (1 + np.exp(skill[left] - skill[right]))
    return Comparisons.from_arrays(left, right, np.where(wins, 1, -1), time=np.arange(1200) / 240)


def losses(runs: int) -> Any:
    """The log losses of one fit before the newcomers, of five fits, and of as many of static skills."""
    models = (DynamicBradleyTerry(), 1), (DynamicBradleyTerry(), 5), (BradleyTerry(prior="normal"), 5)
    every = [
        [
            walk_forward(model, league(seed), start=200 / 240, refits=n, n_bootstrap=1)
            .scores["log loss"]
            .value
            for model, n in models
        ]
        for seed in range(runs)
    ]
    return np.mean(every, axis=0)


@pytest.mark.slow
def test_parameters_are_estimated_again() -> None:
    once, again, static = losses(20)
    assert again < once - 0.1
    assert again < static - 0.005


def test_parameters_are_estimated_again_in_two_leagues() -> None:
    once, again, static = losses(1)
    assert again < min(once, static)
