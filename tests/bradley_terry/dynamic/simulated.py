"""Games drawn from the model itself, with everything that a row can have."""

from typing import Any

import numpy as np

from tests.oracles.dynamic import Dynamics, Evidence, Games, chains, factor
from tests.oracles.paired_rows import Array
from tests.oracles.simulated import KAPPA, NU, drawn

MODEL = Dynamics(0.8, 0.6, ties="davidson", tie=NU)
EFFECTS = np.array([0.5, -0.3])


def teams_of(sizes: tuple[int, ...], n_items: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two teams without a common member."""
    a, b = rng.choice(sizes, 2)
    order = [int(item) for item in rng.permutation(n_items)]
    return tuple(order[:a]), tuple(order[a : a + b])


def random_games(
    seed: int,
    model: Dynamics = MODEL,
    *,
    n_items: int = 5,
    n: int = 60,
    moments: int = 12,
    years: float = 4.0,
    sizes: tuple[int, ...] = (1,),
    effects: bool = False,
    neutral: bool = False,
    massive: bool = False,
) -> tuple[Games, dict[Any, float]]:
    """Games, and the true skills by item and moment; the order effect starts at 0.4."""
    rng = np.random.default_rng(seed)
    left, right = zip(*(teams_of(sizes, n_items, rng) for _ in range(n)), strict=True)
    has: dict[str, Any] = {}
    if effects:
        has["covariates"] = rng.normal(size=(n, len(EFFECTS))) * [1.0, 3.0]
    if neutral:
        has["neutral"] = rng.random(n) < 0.3
    if massive:
        has["weight"] = rng.uniform(0.3, 2.0, size=n)
        has["count"] = rng.integers(1, 4, size=n).astype(float)
    days = np.sort(rng.integers(0, round(years * 365.25), size=moments))
    time = np.sort(rng.choice(days, n)) / 365.25
    games = Games(list(left), list(right), np.zeros(n, dtype=int), time, **has)
    keys = chains(games, model)
    x = factor(keys[: len(keys) - games.z.shape[1]], model) @ rng.normal(size=len(keys) - games.z.shape[1])
    x = np.concatenate([x, EFFECTS[: games.z.shape[1]]])
    x[[who == "order" for who, _ in keys]] += 0.4
    outcome = drawn(Evidence(games, model, keys).difference(x), model.ties, rng)
    return games.with_outcome(outcome), dict(zip(keys, x, strict=True))


def tie_of(ties: str) -> float:
    """The parameter with which ties are drawn."""
    return {"davidson": NU, "rao-kupper": KAPPA}.get(ties, 0.0)


def dates(time: Array) -> Array:
    """Years since 1999 as days."""
    return np.asarray(np.datetime64("1999-05-01") + np.round(time * 365.25).astype("timedelta64[D]"))
