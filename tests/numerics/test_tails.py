from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, norm

from podium.comparisons.arrays import Floats
from podium.numerics.tails import upper_tail


@pytest.mark.parametrize(("n", "p"), [(10, 0.1), (50, 0.3), (200, 0.05)])
def test_the_tail_of_a_count_is_that_of_the_binomial_far_out(n: int, p: float) -> None:
    coins, chance = np.array([[0.0, 1.0]]), np.array([[1 - p, p]])
    for k in range(int(n * p) + 2, int(n * p) + 2 + n // 8):
        exact = binom.sf(k - 1, n, p)
        found = upper_tail(k - 0.5 - n * p, coins, chance, np.array([float(n)]))
        assert 0.95 * exact < found < 1.5 * exact


def unequal(n: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(3)
    return rng.normal(size=(n, 3)), rng.dirichlet([1.0, 1.0, 1.0], size=n)


def test_the_tail_of_unequal_terms_is_what_counting_all_results_gives() -> None:
    values, p = unequal(8)
    centred = values - (p * values).sum(axis=1, keepdims=True)
    every = list(product(range(3), repeat=8))
    total = np.array([sum(centred[i, o] for i, o in enumerate(row)) for row in every])
    chance = np.array([np.prod([p[i, o] for i, o in enumerate(row)]) for row in every])
    for x in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0):  # within a quarter, down to a hundred-thousandth
        assert upper_tail(x, values, p, np.ones(8)) == pytest.approx(chance[total >= x].sum(), rel=0.25)


def test_the_largest_value_has_its_exact_probability() -> None:
    values, p = unequal(8)
    largest = (values.max(axis=1) - (p * values).sum(axis=1)).sum()
    exact = np.prod(p[np.arange(8), values.argmax(axis=1)])
    assert upper_tail(largest, values, p, np.ones(8)) == pytest.approx(exact, rel=1e-6)


def test_copies_count_as_rows_and_noise_is_normal() -> None:
    values, p = unequal(5)
    twice = upper_tail(2.0, values, p, np.full(5, 2.0), 0.5)
    assert twice == pytest.approx(
        upper_tail(2.0, np.tile(values, (2, 1)), np.tile(p, (2, 1)), np.ones(10), 0.5)
    )
    still = np.zeros((1, 3)) + 1e-9 * values[:1]
    assert upper_tail(3.0, still, p[:1], np.ones(1), 1.0) == pytest.approx(norm.sf(3.0), rel=1e-3)


def test_half_of_the_sums_are_above_the_mean() -> None:
    values, p = unequal(5)
    assert upper_tail(0.0, values, p, np.ones(5)) == 0.5
    assert upper_tail(1e-9, values, p, np.ones(5)) == 0.5
