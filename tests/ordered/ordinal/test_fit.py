from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from podium.numerics.result import SolverResult
from podium.numerics.smoothed_newton import WIDEST
from podium.ordered.ordinal.fit import Inputs, fit_ordinal, newton
from podium.ordered.ordinal.interior import interior
from podium.ordered.ordinal.kernel import fit_ordinal_kernel
from podium.ordered.ordinal.problem import best_thresholds, sorted_by_class

Floats = NDArray[np.float64]
Levels = NDArray[np.intp]


def simulated(
    n: int = 60, p: int = 3, r: int = 4, noise: float = 0.5, seed: int = 0
) -> tuple[Floats, Levels, Floats]:
    """Inputs, equally frequent classes of a noisy linear score, and costs."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, p)), rng.normal(size=p)
    z = X @ w + noise * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(z, np.arange(1, r) / r), z), rng.uniform(0.5, 2.0, n)


def hinges(level: Levels, explicit: bool) -> list[tuple[int, int, float]]:
    """Every (input, threshold, sign) of the problem, one by one."""
    k = int(level.max())
    return [
        (i, j, 1.0 if y > j else -1.0)
        for i, y in enumerate(level)
        for j in (range(max(y - 1, 0), min(y + 1, k)) if explicit else range(k))
    ]


def plain_objective(X: Any, level: Levels, cost: Floats, explicit: bool, w: Floats, b: Floats) -> float:
    f = X @ w
    slack = [cost[i] * max(0.0, 1.0 - s * (f[i] - b[j])) for i, j, s in hinges(level, explicit)]
    return float(0.5 * w @ w + sum(slack))


def oracle(X: Floats, level: Levels, cost: Floats, explicit: bool) -> float:
    """The optimum by sequential quadratic programming in w, b and the slacks."""
    rows, p, k = hinges(level, explicit), X.shape[1], int(level.max())
    A = np.zeros((len(rows), p + k + len(rows)))
    for row, (i, j, s) in enumerate(rows):
        A[row, :p], A[row, p + j], A[row, p + k + row] = s * X[i], -s, 1.0
    c = np.append(np.zeros(p + k), [cost[i] for i, _, _ in rows])
    order = np.zeros((k - 1, A.shape[1]))
    order[:, p : p + k] = np.diff(np.eye(k), axis=0)
    G, h = np.vstack([A, order]), np.append(np.ones(len(rows)), np.zeros(k - 1))
    start = np.concatenate([np.zeros(p), np.linspace(-1, 1, k), np.full(len(rows), 2.0)])
    unit = float(cost.mean())  # the objective is of the order of 1
    found = minimize(
        lambda x: (0.5 * x[:p] @ x[:p] + c @ x) / unit,
        start,
        jac=lambda x: (np.append(x[:p], np.zeros(len(x) - p)) + c) / unit,
        constraints={"type": "ineq", "fun": lambda x: G @ x - h, "jac": lambda x: G},
        bounds=[(None, None)] * (p + k) + [(0.0, None)] * len(rows),
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-11},
    )
    assert found.success, found.message
    return float(found.fun * unit)


def solve(method: str, X: Floats, level: Levels, cost: Floats, explicit: bool, tol: float) -> SolverResult:
    if method == "kernel":
        return fit_ordinal_kernel(X @ X.T, level, cost, explicit=explicit, tol=tol)
    problem, _ = sorted_by_class(X, level, cost, explicit)
    return (newton if method == "newton" else interior)(problem, tol, 500)


@pytest.mark.parametrize("method", ["newton", "interior", "kernel"])
@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_optimum_is_that_of_a_general_solver(method: str, explicit: bool, C: float) -> None:
    X, level, cost = simulated(25, 2, 3)
    best = oracle(X, level, C * cost, explicit)
    result = solve(method, X, level, C * cost, explicit, 1e-6)
    assert result.converged
    assert result.objective == pytest.approx(best, rel=1e-5)
    assert result.details["dual"] <= best * (1 + 1e-7)
    b = result.solution[-2:]
    assert b[0] <= b[1]
    w = X.T @ result.details["coefficients"] if method == "kernel" else result.solution[:2]
    assert plain_objective(X, level, C * cost, explicit, w, b) == pytest.approx(result.objective, rel=1e-9)


@pytest.mark.parametrize("method", ["newton", "interior", "kernel"])
def test_thresholds_that_the_order_makes_equal(method: str) -> None:
    """The middle class is rare, and the others overlap: without the constraint b_2 would be below b_1."""
    rng = np.random.default_rng(1)
    level = np.repeat([0, 1, 2], [20, 2, 20])
    X = (0.75 * level + rng.normal(size=42))[:, None]
    cost = np.ones(42)
    result = solve(method, X, level, cost, True, 1e-6)
    assert result.objective == pytest.approx(oracle(X, level, cost, True), rel=1e-5)
    first, second = result.solution[-2:]
    assert first == second
    w = X.T @ result.details["coefficients"] if method == "kernel" else result.solution[:1]
    alone = []
    for j in (0, 1):
        both = (level == j) | (level == j + 1)
        problem, order = sorted_by_class(X[both], level[both] - j, cost[both], True)
        alone.append(best_thresholds(problem, X[both][order] @ w)[0])
    assert alone[0] > first > alone[1]


@pytest.mark.parametrize("explicit", [False, True])
def test_certificate_holds_where_no_oracle_goes(explicit: bool) -> None:
    X, level, cost = simulated(3_000, 10, 6)
    problem, _ = sorted_by_class(X, level, cost, explicit)
    rough, fine = newton(problem, 1e-3, 100), interior(problem, 1e-7, 100)
    assert rough.converged
    assert fine.converged
    assert rough.details["dual"] <= fine.objective <= rough.objective
    assert rough.objective <= fine.details["dual"] * (1 + 1e-3) * (1 + 1e-7)
    assert np.all(np.diff(fine.solution[-5:]) > 0)


@pytest.mark.parametrize("explicit", [False, True])
def test_large_samples_start_from_a_part(explicit: bool) -> None:
    X, level, cost = simulated(9_000, 4, 3)
    result = fit_ordinal(X, level, cost, explicit=explicit, tol=1e-5)
    value = plain_objective(X, level, cost, explicit, result.solution[:4], result.solution[4:])
    assert value == pytest.approx(result.objective, rel=1e-9)
    assert result.gap is not None
    assert result.gap <= 1e-5


@pytest.mark.parametrize("C", [1.0, 10.0, 100.0])
@pytest.mark.parametrize("explicit", [False, True])
def test_classes_that_hardly_overlap_are_no_harder(explicit: bool, C: float) -> None:
    """The first step is least squares; without it Newton's method would leave w = 0 very slowly."""
    X, level, _ = simulated(4_000, 5, 5, noise=0.05)
    result = fit_ordinal(X, level, np.full(4_000, C), explicit=explicit)
    assert result.converged
    assert result.iterations < 20


@pytest.mark.parametrize("C", [1e-4, 1e4, 1e7])
@pytest.mark.parametrize("explicit", [False, True])
def test_extreme_costs(C: float, explicit: bool) -> None:
    """Separable data and a cost that makes the margin hard, or one so small that nothing is learned."""
    X, level, _ = simulated(80, 3, 4, noise=0.0)
    for result in (
        fit_ordinal(X, level, np.full(80, C), explicit=explicit),
        fit_ordinal_kernel(np.exp(-((X[:, None] - X) ** 2).sum(2)), level, np.full(80, C), explicit=explicit),
    ):
        assert result.converged


def test_sparse_inputs_give_the_same() -> None:
    X, level, cost = simulated(200, 6, 3)
    X[np.abs(X) < 1] = 0
    dense = fit_ordinal(X, level, cost, explicit=False, tol=1e-8)
    thin = fit_ordinal(sparse.csr_array(X), level, cost, explicit=False, tol=1e-8)
    inside, _ = sorted_by_class(sparse.csr_array(X), level, cost, False)
    assert np.allclose(dense.solution, thin.solution, atol=1e-3)
    assert interior(inside, 1e-8, 100).objective == pytest.approx(dense.objective, rel=1e-7)


def test_costs_beyond_all_numbers_end_with_an_error() -> None:
    X, level, cost = simulated(200)
    with pytest.raises(ValueError, match="too large to compute with"), np.errstate(all="ignore"):
        fit_ordinal(X, level, 1e306 * cost, explicit=False)


def test_stopping_early_is_said() -> None:
    X, level, cost = simulated(500, 5)
    result = fit_ordinal(X, level, cost, explicit=False, tol=1e-9, max_iter=2)
    assert not result.converged
    assert result.gap is not None
    assert result.gap > 1e-9
    assert len(result.history) == 3


# ------------------------------------------------------------------------------------ thresholds


@st.composite
def scored(draw: Any) -> tuple[Floats, Levels, Floats]:
    r = draw(st.integers(2, 4))
    level = [*range(r), *draw(st.lists(st.integers(0, r - 1), max_size=6))]
    n = len(level)
    f = draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))
    cost = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n))
    return np.array(f, dtype=float) / 2, np.array(level), np.array(cost)


@given(scored(), st.booleans())
def test_thresholds_are_the_best_of_all_ordered_ones(data: Any, explicit: bool) -> None:
    """The loss is linear between the ends of hinges: some ordered choice of these is optimal."""
    f, level, cost = data
    k = int(level.max())
    ends = np.unique(np.append(f - 1, f + 1))
    problem, order = sorted_by_class(f[:, None], level, cost, explicit)
    w = np.ones(1)
    brute = min(
        plain_objective(f[:, None], level, cost, explicit, w, np.array(b)) - 0.5
        for b in combinations_with_replacement(ends, k)
    )
    b = best_thresholds(problem, f[order])
    assert np.all(np.diff(b) >= 0)
    assert problem.loss(f[order], b) == pytest.approx(brute, abs=1e-9)
    smooth = Inputs(problem).loss(f[order], 1e-6, np.zeros(k))
    assert np.all(np.diff(smooth.offsets) >= 0)
    assert smooth.value == pytest.approx(brute, abs=1e-4)


@given(scored(), st.booleans(), st.sampled_from([0.01, 0.1, WIDEST]))
def test_gradient_of_the_eliminated_problem(data: Any, explicit: bool, width: float) -> None:
    """w - v bounds the optimum: no other w has a smoothed objective below the certificate."""
    f, level, cost = data
    problem, order = sorted_by_class(f[:, None], level, cost, explicit)
    here = Inputs(problem).loss(f[order], width, np.zeros(int(level.max())))
    gradient = 1.0 - f[order] @ here.alpha
    dual = 0.5 + here.value - 0.5 * gradient**2 - here.rounding
    for w in (0.0, 0.7, 1.0, 1.5):
        value = 0.5 * w**2 + problem.loss(w * f[order], best_thresholds(problem, w * f[order]))
        assert value >= dual - 1e-9


# ------------------------------------------------------------------------------------ kernels


@pytest.mark.parametrize("explicit", [False, True])
def test_kernel_has_few_coefficients_and_its_own_certificate(explicit: bool) -> None:
    X, level, cost = simulated(150, 3, 4)
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(2))
    result = fit_ordinal_kernel(K, level, cost, explicit=explicit)
    s, b = result.details["coefficients"], result.solution
    f = K @ s
    slack = sum(cost[i] * max(0.0, 1.0 - sign * (f[i] - b[j])) for i, j, sign in hinges(level, explicit))
    assert 0.5 * s @ f + slack == pytest.approx(result.objective, rel=1e-10)
    assert result.converged
    assert 0 < np.count_nonzero(s) < 150
    fine = fit_ordinal_kernel(K, level, cost, explicit=explicit, tol=1e-7)
    assert result.details["dual"] <= fine.objective <= result.objective


def test_a_matrix_that_is_no_kernel() -> None:
    X, level, cost = simulated(40)
    for K in (np.tanh(3 * X @ X.T - 1), np.triu(X @ X.T)):
        with pytest.raises(ValueError, match=r"not symmetric|not positive semi-definite"):
            fit_ordinal_kernel(K, level, cost, explicit=False)


def test_a_kernel_of_zeros() -> None:
    _, level, cost = simulated(40)
    result = fit_ordinal_kernel(np.zeros((40, 40)), level, cost, explicit=False)
    assert result.converged
    assert result.objective == pytest.approx(oracle(np.zeros((40, 1)), level, cost, False), rel=1e-3)


def test_a_constant_in_the_kernel_is_taken_up_by_the_thresholds() -> None:
    X, level, cost = simulated(60)
    near, far = (fit_ordinal_kernel(X @ X.T + c, level, cost, explicit=True, tol=1e-6) for c in (0.0, 1e6))
    assert far.objective == pytest.approx(near.objective, rel=1e-5)
