"""Errors of differences are the same from a covariance, from draws, and from independent errors."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.skill.joint import Dense, Drawn, Independent, groups_of

RNG = np.random.default_rng(0)
N = 80
FACTOR = RNG.normal(scale=0.1, size=(N, N))
COVARIANCE = FACTOR @ FACTOR.T / 4 + 0.5  # all errors have a large part in common
THETA = RNG.normal(size=N)


def drawn(n_draws: int) -> Drawn:
    errors = np.linalg.cholesky(COVARIANCE) @ np.random.default_rng(1).standard_normal((N, n_draws))
    return Drawn(errors.astype(np.float32))


def counts_of(variance: Any, quantile: float = 1.96) -> Any:
    """How many are better and worse, pair by pair from the variances of all differences."""
    better = THETA - THETA[:, None] > quantile * np.sqrt(variance)
    return np.array([better.sum(axis=1), better.sum(axis=0)])


def differences(covariance: Any) -> Any:
    own = np.diag(covariance)
    return own + own[:, None] - 2 * covariance


def test_certain_differences_of_a_covariance_are_the_tests_of_its_differences() -> None:
    found = Dense(COVARIANCE).certain(THETA, 1.96)
    np.testing.assert_array_equal(found, counts_of(differences(COVARIANCE)))
    assert len(set(found.better.tolist())) > 10
    assert len(set(found.worse.tolist())) > 10


@pytest.mark.parametrize("n", [N, 700])
def test_certain_independent_differences_are_the_tests_of_their_differences(n: int) -> None:
    theta, variance = RNG.normal(size=n), RNG.uniform(0.001, 0.3, size=n)
    ahead = theta - theta[:, None] > 1.96 * np.sqrt(variance + variance[:, None])
    found = Independent(variance).certain(theta, 1.96)
    np.testing.assert_array_equal(found, [ahead.sum(axis=1), ahead.sum(axis=0)])


def test_certain_drawn_differences_are_the_tests() -> None:
    """The same counts whether a quick bound decides or all draws are needed."""
    joint = drawn(1024)
    errors = joint.errors.astype(np.float64)
    variance = np.array([((errors - own) ** 2).mean(axis=1) for own in errors])
    exact = counts_of(variance)
    found = np.array(joint.certain(THETA, 1.96))
    assert np.abs(found - exact).max() <= 1
    assert np.mean(found == exact) > 0.95
    near = counts_of(differences(COVARIANCE))
    assert np.abs(found - near).max() <= 3


def test_drawn_errors_of_many_items_skip_whole_blocks() -> None:
    theta = np.random.default_rng(2).normal(scale=5, size=2_000)
    errors = np.random.default_rng(3).standard_normal((2_000, 1024)).astype(np.float32) * np.float32(0.3)
    found = np.array(Drawn(errors).certain(theta, 2.0))
    independent = np.array(Independent(np.full(2_000, 0.09)).certain(theta, 2.0))
    assert np.abs(found - independent).max() < 20
    assert np.abs(found - independent).mean() < 4


@given(st.integers(0, 10**6), st.sampled_from(["dense", "independent", "drawn"]), st.integers(1, 600))
def test_worse_is_better_seen_from_the_other_side(seed: int, kind: str, n: int) -> None:
    rng = np.random.default_rng(seed)
    theta, errors = rng.normal(scale=2, size=n), rng.normal(scale=0.3, size=(n, 64)).astype(np.float32)
    draws = Drawn(errors)
    kinds = {"dense": Dense(draws.covariance), "independent": Independent(draws.variances()), "drawn": draws}
    joint: Any = kinds[kind]
    found, turned = joint.certain(theta, 1.96), joint.certain(-theta, 1.96)
    np.testing.assert_array_equal(found.better, turned.worse)
    np.testing.assert_array_equal(found.worse, turned.better)
    assert found.better.sum() == found.worse.sum()
    assert (found.better + found.worse < n).all()


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
    assert not np.any(Drawn(errors).certain(theta, 5.3))
