"""Newton's method where the second derivatives are useless."""

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.errors.information import Curved
from podium.bradley_terry.fit import fit_paired
from tests.bradley_terry.test_likelihood import problem_of

GAMES = Comparisons.from_arrays(["a", "a", "b", "b"], ["b", "c", "c", "c"], [-1, 1, -1, 1])


def test_newton_starts_where_rounding_makes_the_second_derivatives_singular() -> None:
    problem = problem_of(GAMES, prior=0.1)
    assert fit_paired(problem, "newton", 1e-9, 100, np.array([2.0, 388.0, 22.0])).converged


@pytest.mark.parametrize("far", [50.0, 2_000.0])
def test_newton_returns_from_one_skill_far_away(far: float) -> None:
    k = 2_000
    chain = np.arange(k - 1)
    left, right = np.concatenate([chain, chain]), np.concatenate([chain + 1, chain + 1])
    outcome = np.repeat([-1, 1], k - 1)
    problem = problem_of(Comparisons.from_arrays(left, right, outcome), prior=0.1)
    start = np.zeros(k)
    start[-1] = far
    result = fit_paired(problem, "newton", 1e-9, 300, start)
    assert result.converged
    np.testing.assert_allclose(result.solution, 0, atol=1e-6)


def test_a_diagonal_bounds_the_steps_where_the_objective_is_flat() -> None:
    """No entry of (H + E)⁻¹ g is larger than the largest of g / E."""
    problem = problem_of(GAMES, prior=0.1)
    x = np.array([40.0, 0.0, -40.0])
    gradient, scale = problem.derivatives(x).gradient, problem.scale()
    step = Curved(problem)(x, problem.derivatives(x), 0.01 * scale, 0.1).solve(gradient)
    assert 0 < np.abs(step).max() <= np.max(np.abs(gradient) / (0.01 * scale)) * (1 + 1e-9)
