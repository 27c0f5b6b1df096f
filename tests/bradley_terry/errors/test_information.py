"""Newton's direction where the second derivatives are useless."""

import numpy as np

from podium import Comparisons
from podium.bradley_terry.errors.information import LONGEST_STEP, Newton
from podium.bradley_terry.fit import fit_paired
from tests.bradley_terry.test_likelihood import problem_of

GAMES = Comparisons.from_arrays(["a", "a", "b", "b"], ["b", "c", "c", "c"], [-1, 1, -1, 1])


def test_the_step_descends_even_without_a_factorization() -> None:
    problem = problem_of(GAMES, prior=0.1)
    far = np.array([2.0, 388.0, 22.0])
    slope = problem.slope(far)
    step = Newton(problem)(far, slope)
    assert np.isfinite(step).all()
    assert slope.gradient @ step < 0
    assert fit_paired(problem, "newton", 1e-9, 100, far).converged


def test_a_sparse_matrix_without_a_factorization_still_gives_a_step() -> None:
    """SuperLU raises other errors than LAPACK."""
    k = 2_000
    chain = np.arange(k - 1)
    problem = problem_of(Comparisons.from_arrays(chain, chain + 1, np.ones(k - 1)), prior=0.1)
    far = np.zeros(k)
    far[-1] = 2_000.0
    slope = problem.slope(far)
    assert slope.gradient @ Newton(problem)(far, slope) < 0


def test_steps_are_bounded_where_the_objective_is_flat() -> None:
    problem = problem_of(GAMES, prior=0.1)
    x = np.array([12.0, 0.0, -12.0])
    step = problem.centred(Newton(problem)(x, problem.slope(x)))
    assert 0 < np.abs(step).max() <= LONGEST_STEP * (1 + 1e-12)
