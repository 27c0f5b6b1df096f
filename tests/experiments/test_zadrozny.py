"""The heuristic of Zadrozny fails where §5.2 of [GeneralizedBT] says, and is right for pairs."""

import numpy as np
import pytest

from experiments.zadrozny import couple_by_heuristic
from podium import couple, datasets
from podium.classes.codes import make_code
from podium.classes.coupling.couple import solve_coupling
from podium.classes.coupling.likelihood import likelihood

REST = make_code("one-vs-rest", 3)


def test_it_fails_where_the_paper_says() -> None:
    """One-vs-rest: its factors are one only if p_s = (1 + 2 r_s - Σ r)/2, which does not add up to one."""
    r = np.array([[0.9, 0.8, 0.1], [0.5, 0.3, 0.2]])
    wanted = (1 + 2 * r - r.sum(axis=1, keepdims=True)) / 2
    assert wanted[0].sum() != pytest.approx(1)
    found = couple_by_heuristic(REST, r)
    assert found.details["row_converged"].tolist() == [False, True]
    np.testing.assert_allclose(found.solution[1], r[1], atol=1e-9)  # if the r are consistent, both agree
    assert np.abs(found.solution[0] - couple(REST, r)[0]).max() > 0.01
    assert found.details["row_deviation"][0] > 0.1
    assert found.details["row_gradient"][0] > 0.01


def test_it_fails_for_dense_codes() -> None:
    """With unequal halves no p has all factors one. With equal halves one does, but it is not the optimum."""
    code = make_code("dense", 7, random_state=0)
    r, _ = datasets.make_coded_probabilities(code, "a", 20, random_state=0)
    assert not couple_by_heuristic(code, r).details["row_converged"].any()
    code = make_code("dense", 8, random_state=0)
    r, _ = datasets.make_coded_probabilities(code, "a", 20, random_state=0)
    heuristic = couple_by_heuristic(code, r)
    assert heuristic.converged
    assert heuristic.details["row_gradient"].min() > 1e-7
    best = solve_coupling(code, r, 1 - r, "generalized-bt", 1e-10, 1000)
    assert best.converged
    objective = likelihood(code, r, 1 - r)
    assert objective(best.solution) < objective(heuristic.solution)


def test_it_converges_to_the_optimum_for_pairs() -> None:
    code = make_code("one-vs-one", 5)
    r, _ = datasets.make_coded_probabilities(code, "a", 5, random_state=0)
    np.testing.assert_allclose(couple_by_heuristic(code, r).solution, couple(code, r), atol=1e-8)


@pytest.mark.parametrize("scale", [1e-310, 1e-155])
def test_r_may_be_tiny(scale: float) -> None:
    assert np.isfinite(couple_by_heuristic(REST, np.full((1, 3), scale)).solution).all()
