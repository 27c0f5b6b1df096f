"""One driver on hard graphs: the certificate, and answers that are known without it."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import podium as pod
from podium.bradley_terry.errors.information import Curved
from podium.bradley_terry.fit import fit_paired
from podium.core.smooth import minimise


def scattered(k: int, n: int) -> pod.Comparisons:
    """Random games, hardly more than items."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, k, n)
    return pod.Comparisons.from_arrays(left, (left + rng.integers(1, k, n)) % k, rng.choice([-1, 1], n))


def met(left: Any, right: Any) -> pod.Comparisons:
    """Six games per pair, with ties; both sides win once."""
    rng, n = np.random.default_rng(0), len(left)
    outcome = rng.choice([-1, 0, 1], 6 * n)
    outcome[:n], outcome[n : 2 * n] = -1, 1
    return pod.Comparisons.from_arrays(np.tile(left, 6), np.tile(right, 6), outcome)


def ring(k: int) -> pod.Comparisons:
    return met(np.arange(k), (np.arange(k) + 1) % k)


@pytest.mark.parametrize("prior", [1e-3, 1e-4])
@pytest.mark.parametrize("solver", ["auto", "newton"])
def test_random_games_with_a_weak_prior(prior: float, solver: Any) -> None:
    """Skills run over a hundred units of log-skill, so most second derivatives are 0 by rounding."""
    result = pod.BradleyTerry(prior=prior, solver=solver).fit(scattered(2_000, 2_400)).result_
    assert result.converged
    assert result.history[-1] <= 1e-9


def test_the_objective_is_that_of_another_solver() -> None:
    model = pod.BradleyTerry(prior=1e-2).fit(scattered(80, 100))
    problem = model.fit_.problem
    found = minimize(
        problem.objective,
        problem.start(),
        jac=lambda x: problem.derivatives(x).gradient,
        method="BFGS",
        options={"gtol": 1e-8, "maxiter": 5_000},
    )
    assert model.result_.objective <= found.fun + 1e-7
    assert model.result_.objective == pytest.approx(found.fun, rel=1e-6)


@pytest.mark.parametrize("order_effect", [False, True])
def test_a_long_ring_has_exact_errors(order_effect: bool) -> None:
    """In a ring of equal pairs all items have the same variance, that of a sum over the eigenvalues."""
    k = 4_000
    place = np.arange(k)
    left, right = np.tile(place, 2), np.tile((place + 1) % k, 2)
    c = pod.Comparisons.from_arrays(left, right, np.repeat([-1, 1], k), count=np.full(2 * k, 4.0))
    model = pod.BradleyTerry(order_effect=order_effect).fit(c)
    eigenvalues = 2.0 * (2 - 2 * np.cos(2 * np.pi * place[1:] / k))  # 8 games of a pair at even odds
    np.testing.assert_allclose(model.standard_error_, np.sqrt((1 / eigenvalues).mean()), rtol=1e-3 * 2)


def test_newton_takes_over_on_a_ring() -> None:
    result = pod.BradleyTerry(order_effect=True).fit(ring(2_500)).result_
    assert result.converged
    assert result.solver == "lbfgs, then newton"
    assert result.iterations < 170


def test_conjugate_gradients_replace_a_factorization_that_costs_too_much() -> None:
    c = scattered(400, 900)
    exact = pod.BradleyTerry(prior=0.1, solver="newton", order_effect=True).fit(c)
    problem = exact.fit_.problem
    found = minimise(problem, Curved(problem, per_step=0.0), exact.tol, exact.max_iter, None, 0)
    assert found.converged
    np.testing.assert_allclose(found.solution[: problem.n_items], exact.log_skill_, atol=1e-6)


def test_teams_stay_with_lbfgs_and_go_down() -> None:
    problem = pod.BradleyTerry().fit(pod.datasets.load_doubles_league()).fit_.problem
    heights = [fit_paired(problem, "auto", 0.0, n).objective for n in (1, 3, 5)]
    assert (np.diff(heights) <= 0).all()
    assert fit_paired(problem, "auto", 1e-9, 400).solver == "lbfgs"
