"""SwappedPairsSVM proves its answer in whatever units the features are, and whatever rows it starts from."""

import warnings
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from podium import SwappedPairsSVM
from podium.comparisons.arrays import Floats
from podium.numerics.result import SolverResult

PER_QUERY = 100


class Search(NamedTuple):
    """Search results with grades from 0 to 4, which are rare if they are high."""

    X: Floats
    y: Floats
    qid: NDArray[np.int64]


def search_results(rng: np.random.Generator, n: int, p: int) -> Search:
    """Correlated features with heavy tails, in units that differ by seven orders of magnitude."""
    mix = np.eye(p) + 0.5 * rng.normal(size=(p, p)) / np.sqrt(p)
    latent = rng.normal(size=(n, p)) @ mix
    utility = latent @ rng.normal(size=p) / np.sqrt(p) + rng.normal(size=n)
    X = np.exp(rng.uniform(0, 3, p) * latent) * 10.0 ** rng.uniform(-3, 4, p)
    y = np.digitize(utility, np.quantile(utility, [0.5, 0.8, 0.93, 0.98]))
    return Search(X, y.astype(float), np.arange(n) // PER_QUERY)


def simulate(runs: int, n: int, p: int) -> list[tuple[SolverResult, SolverResult]]:
    """Two fits per run; only the random state of the solver differs."""
    found = []
    for run in range(runs):
        data = search_results(np.random.default_rng(run), n, p)
        with warnings.catch_warnings(action="ignore"):
            one, other = (SwappedPairsSVM(random_state=seed).fit(data.X, data.y, data.qid) for seed in (0, 1))
        found.append((one.result_, other.result_))
    return found


def check(found: list[tuple[SolverResult, SolverResult]]) -> None:
    for one, other in found:
        assert one.converged
        assert other.converged
        assert other.objective == pytest.approx(one.objective, rel=1e-3)


def test_features_in_different_units_are_certified() -> None:
    check(simulate(2, n=9_000, p=30))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [(5_000, 136), (10_000, 60)])
def test_features_in_different_units_are_certified_in_all_runs(n: int, p: int) -> None:
    check(simulate(12, n, p))
