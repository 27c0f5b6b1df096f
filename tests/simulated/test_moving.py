"""Skills that move: how often bands, boards and differences of DynamicBradleyTerry hold the truth."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from podium import Comparisons, DynamicBradleyTerry

YEARS = 5.0


class Drawn(NamedTuple):
    """Games, the true skills of both sides of each, and those of all items at the time of the last game."""

    games: Comparisons
    sides: Any
    last: Any


@dataclass(frozen=True)
class World:
    """Skills that start as N(0, spread²) at an item's first game, and then move as Wiener processes."""

    n_items: int
    n: int
    spread: float = 1.0
    drift: float = 0.5
    tie: float = 0.0  # Davidson's ν
    order_effect: float = 0.0

    def draw(self, seed: int) -> Drawn:
        """Games of random items at random times."""
        rng = np.random.default_rng(seed)
        left = rng.integers(self.n_items, size=self.n)
        right = (left + rng.integers(1, self.n_items, size=self.n)) % self.n_items
        time = np.sort(rng.random(self.n)) * YEARS
        sides, last = np.empty((self.n, 2)), np.empty(self.n_items)
        for item in range(self.n_items):
            row, side = np.nonzero(np.column_stack([left, right]) == item)
            size = self.drift * np.sqrt(np.diff([*time[row], time[-1]], prepend=0.0))
            size[0] = self.spread
            *sides[row, side], last[item] = np.cumsum(size * rng.normal(size=len(size)))
        d = sides[:, 1] - sides[:, 0] - self.order_effect
        odds = np.cumsum([np.exp(-d / 2), np.full(self.n, self.tie), np.exp(d / 2)], axis=0)
        outcome = (rng.random(self.n) * odds[-1] > odds[:2]).sum(axis=0) - 1
        return Drawn(Comparisons.from_arrays(left, right, outcome, time=time), sides, last)


FEW_ITEMS, FEW_GAMES = World(10, 1000), World(10, 300, tie=0.6, order_effect=0.3)
MANY_ITEMS, STILL = World(30, 600), World(10, 300, drift=0.0)


def coverage(world: World, runs: int) -> Any:
    """The shares of 95 % bands, relative bands, intervals of the board and of all differences at its time."""
    every = []
    for seed in range(runs):
        drawn = world.draw(seed)
        model = DynamicBradleyTerry(order_effect=world.order_effect > 0).fit(drawn.games)
        bands, relative = (
            model.history(scale="log", relative=relative).pivot(index="time", columns="item")
            for relative in (False, True)
        )
        skill = np.full(bands["score"].shape, np.nan)
        for codes, values in zip((drawn.games.left, drawn.games.right), drawn.sides.T, strict=True):
            skill[np.arange(len(codes)), codes] = values
        true = pd.DataFrame(skill, bands.index, bands["score"].columns)
        wrong = bands["score"] - true
        common = bands["score"].ffill().mean(axis=1) - true.ffill().mean(axis=1)
        half = (bands["high"] - bands["low"]) / 2, (relative["high"] - relative["low"]) / 2
        inside = wrong.abs() <= half[0], wrong.sub(common, axis=0).abs() <= half[1]
        places = np.argsort(drawn.games.items)
        off = model.log_skill_ - drawn.last[places]
        off -= off.mean()
        V = model.covariance_
        i, j = np.triu_indices(len(off), 1)
        of_pairs = np.abs(off[i] - off[j]) <= norm.ppf(0.975) * np.sqrt(V[i, i] + V[j, j] - 2 * V[i, j])
        on_board = np.abs(off) <= norm.ppf(0.975) * model.standard_error_
        shares = [np.asarray(some)[bands["score"].notna()].mean() for some in inside]
        every.append([*shares, on_board.mean(), of_pairs.mean()])
    return np.mean(every, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("world", [FEW_ITEMS, FEW_GAMES, MANY_ITEMS, STILL], ids=repr)
def test_bands_and_boards_hold_the_truth(world: World) -> None:
    """The bands of ``history`` share the error of the level, so their share varies most between runs."""
    bands, relative, board, pairs = coverage(world, 60)
    assert bands > 0.88
    assert min(relative, board, pairs) > 0.91


def test_bands_and_boards_of_few_games_hold_the_truth() -> None:
    assert coverage(FEW_GAMES, 6).min() > 0.85
