"""The states of a fitted `DynamicBradleyTerry`, as its history shows them."""

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from podium import DynamicBradleyTerry
from tests.oracles.dynamic import Dynamics
from tests.oracles.paired_rows import Array


class Bands(NamedTuple):
    """One entry per item and moment, sorted by item and time."""

    item: Array
    time: Array
    mean: Array
    error: Array


def bands(model: DynamicBradleyTerry) -> Bands:
    frame = model.history(scale="log")
    low, high = (frame[name].to_numpy(float) for name in ("low", "high"))
    mean = frame["score"].to_numpy(float)
    np.testing.assert_allclose((low + high) / 2, mean, atol=1e-9)
    return Bands(frame["item"].to_numpy(), frame["time"].to_numpy(), mean, (high - low) / 2 / norm.ppf(0.975))


def estimator(model: Dynamics, **other: Any) -> DynamicBradleyTerry:
    """With all hyperparameters of the oracle, except that of ties."""
    given: dict[str, Any] = {"drift": model.drift, "reversion": model.reversion, "ties": model.ties}
    given |= {"order_effect": model.order_effect, "order_drift": model.order_drift}
    return DynamicBradleyTerry(model.spread, **given | other)
