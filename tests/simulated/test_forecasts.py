"""Paired tests of forecasts: how often two equally good models differ significantly, at the level of 5 %."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from podium import Comparisons
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
