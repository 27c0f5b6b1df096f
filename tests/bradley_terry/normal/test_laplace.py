"""The scale that errors come from, against the exact marginal likelihood of few items."""

import numpy as np
import pytest

import podium as pod
from podium.bradley_terry.normal import laplace
from tests.oracles.paired_rows import Array

NODE, WEIGHT = np.polynomial.hermite_e.hermegauss(40)


def exact(c: pod.Comparisons, scale: float) -> float:
    """The logarithm of the marginal likelihood of three items without ties, by Gauss and Hermite."""
    assert c.outcome is not None
    skills = scale * np.stack(np.meshgrid(NODE, NODE, NODE), axis=-1).reshape(-1, 3)
    weight = np.prod(np.stack(np.meshgrid(WEIGHT, WEIGHT, WEIGHT), axis=-1).reshape(-1, 3), axis=1)
    d: Array = (skills[:, c.right] - skills[:, c.left]) * c.outcome
    likelihood = np.exp(-np.logaddexp(0, -d).sum(axis=1))
    return float(np.log(weight @ likelihood / (2 * np.pi) ** 1.5))


def test_the_next_term_brings_the_marginal_likelihood_nearer() -> None:
    c = pod.Comparisons.from_arrays([0, 0, 1, 2, 0, 1], [1, 1, 2, 0, 2, 2], [-1, 1, -1, -1, -1, -1])
    fit = pod.BradleyTerry(prior="normal").fit(c).fit_
    assert fit.problem.normal is not None
    first, second = [], []
    for step in (0.0, 0.5):
        problem, x = laplace._at(fit.problem, fit.solution, step)
        assert problem.normal is not None
        scale = problem.normal.scale
        value = -3 * np.log(scale) - problem.objective(x) - laplace.log_determinant(problem, x) / 2
        first.append(exact(c, scale) - value)
        second.append(first[-1] - laplace._next_term(problem, x, 4_000))
    assert np.abs(second).max() < np.abs(first).max() / 2
    assert abs(np.diff(second)[0]) < abs(np.diff(first)[0]) / 2  # what moves the maximum


def test_errors_of_dense_data_hardly_change() -> None:
    c, _ = pod.datasets.make_games(10, 20_000, random_state=0)
    fit = pod.BradleyTerry(prior="normal").fit(c).fit_
    assert fit.problem.normal is not None
    problem, x = laplace.at_likely_scale(fit.problem, fit.solution)
    assert problem.normal is not None
    assert problem.normal.scale == pytest.approx(fit.prior_scale, rel=0.1)
    np.testing.assert_allclose(x, fit.solution, atol=0.02)
