"""Errors of differences are the same from a covariance, from draws, and from independent errors."""

from typing import Any

import numpy as np
import pytest

from podium.skill.joint import Dense, Drawn, Independent, groups_of

RNG = np.random.default_rng(0)
N = 80
FACTOR = RNG.normal(scale=0.1, size=(N, N))
COVARIANCE = FACTOR @ FACTOR.T / 4 + 0.5  # all errors have a large part in common
THETA = RNG.normal(size=N)


def drawn(n_draws: int) -> Drawn:
    errors = np.linalg.cholesky(COVARIANCE) @ np.random.default_rng(1).standard_normal((N, n_draws))
    return Drawn(errors.astype(np.float32))


def ranks_of(variance: Any, quantile: float = 1.96) -> Any:
    """Ranks computed pair by pair from the variances of all differences."""
    return 1 + (THETA - THETA[:, None] > quantile * np.sqrt(variance)).sum(axis=1)


def differences(covariance: Any) -> Any:
    own = np.diag(covariance)
    return own + own[:, None] - 2 * covariance


def test_ranks_of_a_covariance_are_the_tests_of_its_differences() -> None:
    found = Dense(COVARIANCE).ranks(THETA, 1.96)
    np.testing.assert_array_equal(found, ranks_of(differences(COVARIANCE)))
    assert len(set(found.tolist())) > 10


@pytest.mark.parametrize("n", [N, 700])
def test_independent_ranks_are_the_tests_of_their_differences(n: int) -> None:
    theta, variance = RNG.normal(size=n), RNG.uniform(0.001, 0.3, size=n)
    ahead = theta - theta[:, None] > 1.96 * np.sqrt(variance + variance[:, None])
    np.testing.assert_array_equal(Independent(variance).ranks(theta, 1.96), 1 + ahead.sum(axis=1))


def test_drawn_ranks_are_the_tests_of_drawn_differences() -> None:
    """The same ranks whether a quick bound decides or all draws are needed."""
    joint = drawn(1024)
    errors = joint.errors.astype(np.float64)
    variance = np.array([((errors - own) ** 2).mean(axis=1) for own in errors])
    exact = ranks_of(variance)
    found = joint.ranks(THETA, 1.96)
    assert np.abs(found - exact).max() <= 1
    assert np.mean(found == exact) > 0.95
    near = ranks_of(differences(COVARIANCE))
    assert np.abs(found - near).max() <= 3


def test_drawn_ranks_of_many_items_skip_whole_blocks() -> None:
    theta = np.random.default_rng(2).normal(scale=5, size=2_000)
    errors = np.random.default_rng(3).standard_normal((2_000, 1024)).astype(np.float32) * np.float32(0.3)
    found = Drawn(errors).ranks(theta, 2.0)
    independent = Independent(np.full(2_000, 0.09)).ranks(theta, 2.0)
    assert np.abs(found - independent).max() < 20
    assert np.abs(found - independent).mean() < 4


@pytest.mark.parametrize("joint", [Dense(COVARIANCE), drawn(1024)], ids=["dense", "drawn"])
def test_draws_and_differences_have_the_covariance(joint: Any) -> None:
    samples = joint.draws(40_000, np.random.default_rng(0))
    np.testing.assert_allclose(np.cov(samples.T), COVARIANCE, atol=0.12)
    expected = differences(COVARIANCE)[7]
    found = np.delete(joint.variances_to(7), 7)
    np.testing.assert_allclose(found, np.delete(expected, 7), rtol=0.2)
    assert joint.variances_to(7)[7] == 0


def test_some_of_the_items() -> None:
    keep = np.array([5, 3, 60])
    dense = Dense(COVARIANCE)
    np.testing.assert_array_equal(dense.of(keep).variances_to(1), dense.variances_to(3)[keep])
    np.testing.assert_array_equal(drawn(64).of(keep).variances_to(1), drawn(64).variances_to(3)[keep])
    variance = np.linspace(1.0, N, N)
    assert Independent(variance).of(keep).variances_to(0).tolist() == [0, 10, 67]


def test_groups() -> None:
    component = np.array([0, 1, 0, 2, 1], dtype=np.int32)
    found = [members.tolist() for members in groups_of(component, np.array([4, 1, 0]))]
    assert found == [[2], [0, 1]]


def test_errors_from_draws_do_not_make_equal_items_differ() -> None:
    """Errors from draws are themselves uncertain, which matters at the quantiles for many pairs."""
    n = 3_000
    errors = np.random.default_rng(0).standard_normal((n, 64)).astype(np.float32)
    theta = np.random.default_rng(1).standard_normal(n)
    assert (Drawn(errors).ranks(theta, 5.3) == 1).all()
