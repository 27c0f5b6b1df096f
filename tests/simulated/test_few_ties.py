"""Few ties help LinearCompare, or cost nothing: with them it predicts no worse than without them."""

import warnings
from typing import NamedTuple

import numpy as np
import pytest

from podium import Comparisons, LinearCompare
from podium.comparisons.arrays import Floats


class Errors(NamedTuple):
    """Shares of wrong predictions on new comparisons, one per run."""

    with_ties: Floats
    without: Floats

    @property
    def gain(self) -> Floats:
        return self.without - self.with_ties


def compared(rng: np.random.Generator, n: int, utility: Floats, noise: float, ties: float) -> Comparisons:
    """Comparisons of n pairs of new items, in which the smallest differences are ties."""
    X = rng.normal(size=(2, n, len(utility)))
    d = (X[1] - X[0]) @ utility + noise * rng.normal(size=n)
    outcome = np.where(np.abs(d) <= np.quantile(np.abs(d), ties), 0, np.sign(d)).astype(np.int8)
    return Comparisons.from_features(X[0], X[1], outcome)


def simulate(runs: int, n: int, p: int, noise: float, ties: float = 0.12) -> Errors:
    errors = np.empty((runs, 2))
    for run in range(runs):
        rng = np.random.default_rng(run)
        utility = rng.normal(size=p) / np.sqrt(2 * p)  # differences have a variance of about 1
        train, test = (compared(rng, size, utility, noise, ties) for size in (n, 10_000))
        assert train.outcome is not None
        for k, c in enumerate((train, train[train.outcome != 0])):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "the best bias", UserWarning)
                errors[run, k] = 1.0 - LinearCompare(C=0.1).fit(c).score(test)
    return Errors(*errors.T)


@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_few_ties_do_not_mislead(noise: float) -> None:
    found = simulate(3, n=1_000, p=16, noise=noise)
    assert found.gain.mean() > -0.01


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_few_ties_help_or_cost_nothing(noise: float) -> None:
    found = simulate(10, n=10_000, p=128, noise=noise)
    print(f"{found.with_ties.mean():.4f} with ties, {found.without.mean():.4f} without")
    error = found.gain.std(ddof=1) / np.sqrt(len(found.gain))
    assert found.gain.mean() > -2 * error
    if noise < 1.0:  # ties are predicted
        assert found.gain.mean() > 0.03
