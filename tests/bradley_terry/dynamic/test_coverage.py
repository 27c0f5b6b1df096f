"""How often the bands of histories hold the true skill, and how well spread and drift are found.

The tests run few replications with fixed seeds. For more of them::

    python -m tests.bradley_terry.dynamic.test_coverage 200
"""

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

from podium import DynamicBradleyTerry
from tests.bradley_terry.dynamic.simulated import random_games
from tests.bradley_terry.dynamic.states import bands, estimator
from tests.oracles.dynamic import Dynamics
from tests.oracles.simulated import NU

WORLDS = {
    "slow": Dynamics(0.8, 0.2, tie=NU),
    "fast": Dynamics(0.8, 0.6, tie=NU),
    "narrow": Dynamics(0.4, 0.3, tie=NU),
    "wide": Dynamics(1.5, 0.6, tie=NU),
    "drawn back": Dynamics(0.8, 0.6, reversion=0.3, tie=NU),
    "order": Dynamics(0.8, 0.4, tie=NU, order_effect=True, order_drift=0.3),
}
SIZE: dict[str, Any] = {"n_items": 12, "n": 600, "moments": 30}


class Found(NamedTuple):
    """One replication: the share of bands that hold the truth, and the two estimates."""

    share: float
    spread: float
    drift: float


def share_covered(found: DynamicBradleyTerry, truth: dict[object, float]) -> float:
    """The share of 95 % bands that hold the truth."""
    said = bands(found)
    true = np.array([truth[key] for key in zip(said.item, said.time, strict=True)])
    return float((np.abs(said.mean - true) <= 1.96 * said.error).mean())


def replicate(world: Dynamics, repeats: int, *, estimate: bool) -> Found:
    """Mean coverage, and the medians of the estimates."""
    auto = {"spread": "auto", "drift": "auto"} if estimate else {}
    every = []
    for seed in range(repeats):
        games, truth = random_games(seed, world, **SIZE)
        found = estimator(world).set_params(**auto).fit(games.comparisons())
        every.append(Found(share_covered(found, truth), found.spread_, found.drift_))
    share, spread, drift = np.array(every).T
    return Found(share.mean(), float(np.median(spread)), float(np.median(drift)))


def test_bands_hold_the_truth() -> None:
    """Bands of one item at neighbouring moments go together, hence wide bounds for 8 replications."""
    assert 0.92 <= replicate(WORLDS["order"], 8, estimate=False).share <= 0.975


def test_spread_and_drift_are_found() -> None:
    world = WORLDS["fast"]
    found = replicate(world, 12, estimate=True)
    assert 0.91 <= found.share <= 0.975
    assert found.spread == pytest.approx(world.spread, rel=0.2)
    assert found.drift == pytest.approx(world.drift, rel=0.2)


if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for title, world in WORLDS.items():
        for estimate in (False, True):
            share, spread, drift = replicate(world, repeats, estimate=estimate)
            print(f"{title}, {'estimated' if estimate else 'given'}: {share:.3f} covered", end="")
            print(f", spread {spread:.3f} for {world.spread}, drift {drift:.3f} for {world.drift}" * estimate)
