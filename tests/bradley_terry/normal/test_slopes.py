"""Derivatives of the information of pairs, and of the log-determinant, by differences."""

from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry
from podium.bradley_terry.errors.information import pair_terms
from podium.bradley_terry.normal.search import Search
from podium.bradley_terry.normal.slopes import third_derivatives
from tests.oracles.simulated import random_rows


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
def test_third_derivatives(ties: Any) -> None:
    rows = random_rows(4, n_items=6, ties=ties, effects=())
    found = BradleyTerry(ties, prior="normal", order_effect=True).fit(rows.comparisons()).fit_
    problem, x, step = found.problem, found.solution, 1e-5

    def slope(entry: int) -> Any:
        unit = step * np.eye(len(x))[entry]
        return (pair_terms(problem, x + unit).bend - pair_terms(problem, x - unit).bend) / (2 * step)

    by_difference, by_tie = third_derivatives(problem, x)
    np.testing.assert_allclose(by_difference, -slope(-1), atol=1e-7)  # the order effect lowers differences
    if problem.free_tie:
        np.testing.assert_allclose(by_tie, slope(6), atol=1e-7)


@pytest.mark.parametrize("noise", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("truth", [1e-4, 0.3, 50.0])
def test_the_search_finds_the_variance_of_normal_errors(noise: float, truth: float) -> None:
    """Estimates y ~ N(0, v + noise): the maximum is the mean square minus the noise."""
    search, square = Search(1.0, 1e-10, 1e6), truth + noise
    for _ in range(10):
        v = search.v
        share = v / (v + noise)
        search.move(share * noise, share**2 * square + share * noise)
    assert search.v == pytest.approx(truth, rel=1e-6)
