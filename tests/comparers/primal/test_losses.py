"""The best threshold of the logistic loss, also far from where the search starts."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit

from podium.comparers.primal.losses import PairLoss


@pytest.mark.parametrize("far", [0.0, 30.0, 37.0, 300.0])
def test_the_slope_is_zero_at_the_best_threshold(far: float) -> None:
    rng = np.random.default_rng(0)
    f, cost = far + rng.normal(size=20_000), rng.uniform(0.5, 2.0, 20_000)
    loss, _, alpha, found = PairLoss("logistic", cost, 12_000).at(f, 0.0, 0.0, fixed=False)

    def slope(b: float) -> float:
        return float(cost[12_000:] @ expit(b - f[12_000:]) - cost[:12_000] @ expit(f[:12_000] - b))

    assert found == pytest.approx(brentq(slope, far - 20, far + 20, xtol=1e-12), abs=1e-9)
    assert abs(alpha.sum()) < 1e-9 * cost.sum()
    m = np.where(np.arange(20_000) < 12_000, found - f, f - found)
    assert loss == pytest.approx(cost @ np.logaddexp(0, -m), rel=1e-12)
