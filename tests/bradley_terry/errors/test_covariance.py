"""The inverse of the information, compared with the pseudo-inverse of a plain dense matrix."""

from typing import Any

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.errors.covariance import exact_covariance, exact_variances
from podium.bradley_terry.errors.information import blocks, information, pair_terms, regular, whole
from podium.bradley_terry.likelihood import PairedProblem
from podium.bradley_terry.model import BradleyTerry
from podium.core.linear import factorized, mirrored
from podium.core.pair_pass import CROSS, PAIR_CURVATURE
from podium.datasets import make_games


def problem_and_point(**options: Any) -> tuple[PairedProblem, Any]:
    c, _ = make_games(70, 3_000, order_effect=0.2, random_state=0)
    model = BradleyTerry(**options).fit(c)
    return model.fit_.problem, model.result_.solution


def plain_information(problem: PairedProblem, x: Any) -> Any:
    """Σ over pairs of w (e_j - e_i)(e_j - e_i)ᵀ, bordered, plus the prior; one row per parameter."""
    k, c = problem.n_items, problem.counts
    terms = problem.no_terms()
    here = problem.derivatives(x, terms)
    full = np.zeros((len(x), len(x)))
    for i, j, curvature, cross in zip(c.first, c.partner, terms[PAIR_CURVATURE], terms[CROSS], strict=True):
        direction = np.zeros(len(x))
        direction[i], direction[j] = -1.0, 1.0
        if problem.free_order:
            direction[-1] = -1.0
        full += curvature * np.outer(direction, direction)
        if problem.free_tie:
            full[k] += cross * direction
            full[:, k] += cross * direction
    if problem.free_tie:
        full[k, k] = here.curvature[k]
    share, weight = problem.shares(x)
    full[:k, :k] += weight[0] * (np.diag(share) - np.outer(share, share))
    return full


def variances(problem: PairedProblem, x: Any) -> Any:
    found = exact_variances(problem, x)
    assert found is not None
    return found


@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "ignore"])
def test_variances_are_the_diagonal_of_the_pseudo_inverse(
    ties: Any, order_effect: bool, prior: float
) -> None:
    problem, x = problem_and_point(ties=ties, order_effect=order_effect, prior=prior)
    expected = np.linalg.pinv(plain_information(problem, x), hermitian=True)
    np.testing.assert_allclose(exact_covariance(problem, x), expected, atol=1e-10)
    np.testing.assert_allclose(variances(problem, x), np.diag(expected)[:70], rtol=1e-9)


@pytest.mark.parametrize("order_effect", [False, True])
def test_variances_in_groups_are_those_of_the_covariance(order_effect: bool) -> None:
    parts = [make_games(k, 40 * k, random_state=k)[0] for k in (30, 20, 5)]
    left = np.concatenate([part.left + 100 * part.n_items for part in parts])
    right = np.concatenate([part.right + 100 * part.n_items for part in parts])
    outcome = np.concatenate([part.outcome for part in parts])
    with pytest.warns(UserWarning, match="3 groups"):
        model = BradleyTerry(order_effect=order_effect).fit(Comparisons.from_arrays(left, right, outcome))
    problem, x = model.fit_.problem, model.result_.solution
    np.testing.assert_allclose(
        variances(problem, x), np.diag(exact_covariance(problem, x))[: problem.n_items], rtol=1e-9
    )


def solution(matrix: Any, right: Any) -> Any:
    factor = factorized(matrix)
    assert factor is not None
    return factor.solve(right)


@pytest.mark.parametrize("order_effect", [False, True])
def test_dense_and_sparse_matrices_give_the_same(order_effect: bool) -> None:
    problem, x = problem_and_point(order_effect=order_effect)
    right = np.random.default_rng(0).normal(size=70)
    dense = information(problem, x)
    solved = solution(regular(problem, x, dense.skills.copy()), right)
    sparse = blocks(problem, x, pair_terms(problem, x), dense_share=2.0)
    assert isinstance(dense.skills, np.ndarray)
    assert not isinstance(sparse.skills, np.ndarray)
    np.testing.assert_allclose(whole(dense.skills), sparse.skills.toarray(), atol=1e-12)
    np.testing.assert_allclose(dense.border, sparse.border, atol=1e-12)
    np.testing.assert_allclose(solved, solution(regular(problem, x, sparse.skills), right), rtol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 65])
def test_mirrored_ignores_everything_below_the_diagonal(k: int) -> None:
    full = np.random.default_rng(0).normal(size=(k, k))
    full += full.T
    half = np.where(np.tri(k, k, -1, dtype=bool), np.nan, full)
    np.testing.assert_array_equal(mirrored(half), full)
